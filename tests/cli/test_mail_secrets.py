"""The password of an account: wherever it comes from, it is nowhere but there."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from signal import SIGTERM

import pytest

from shoal.layout.layout import Layout
from shoal.model.compression import unzstd
from shoal.store.table import FAMILIES, RocksTable
from tests.cli.command import Shoal
from tests.engine.watched_memory import family
from tests.sources.mail.account import written
from tests.sources.mail.dovecot import PASSWORD, Dovecot

PATIENCE_SECONDS = 60.0
CANARY = PASSWORD.encode()
WRONG = "wrong-canary-4711"


@pytest.fixture
def server() -> Iterator[Dovecot]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        dovecot = Dovecot(Path(name))
        try:
            yield dovecot
        finally:
            dovecot.stop()


def deliver(server: Dovecot, number: int, text: str) -> None:
    folder = server.mail / "new"
    folder.mkdir(exist_ok=True)
    (folder / f"{number}.M1P1.x").write_bytes(written(number, text))
    server.give(server.mail)


def in_the_table(place: Path) -> bytes:
    """All rows, without their compression."""
    found = []
    with RocksTable(Layout(place).table, reader=True) as table:
        for name in FAMILIES:
            for key, value in table.scan(name, b""):
                found += [key, unzstd(value[8:]) if name == "text" else value]
    assert b"walrus" in b"".join(found)
    return b"".join(found)


def given(shoal: Shoal, how: str, password: str) -> tuple[list[str], dict[str, str]]:
    """Words and variables by which a password is told; a file with it is called `secret`."""
    if how == "environment":
        return [], {"SHOAL_MAIL_PASSWORD": password}
    folder = shoal.directory / "credentials"
    folder.mkdir(exist_ok=True)
    path = folder / ("shoal-mail" if how == "systemd" else "secret")
    path.write_text(f"{password}\n")
    path.chmod(0o600)
    if how == "systemd":
        return [], {"CREDENTIALS_DIRECTORY": str(folder)}
    return ["--password-file", str(path)], {}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["file", "environment", "systemd"])
def test_a_password_is_nowhere_else(shoal: Shoal, server: Dovecot, how: str) -> None:
    deliver(server, 1, "A walrus sleeps on the ice.\n")
    (shoal.directory / "tmp").mkdir()
    scratch = {"TMPDIR": str(shoal.directory / "tmp")}
    words, variables = given(shoal, how, WRONG)
    refused = shoal("--traceback", "mail", "add", server.address, *words, **scratch, **variables)
    assert WRONG.encode() not in refused.out + refused.err.encode()
    assert "refuses the name or the password of ann." in refused.err

    words, variables = given(shoal, how, PASSWORD)
    said = [shoal.ok("mail", "add", server.address, *words, **scratch, **variables)]
    watching = shoal.start("watch", SHOAL_INDEX_FOLLOW="yes", **scratch, **variables)
    deliver(server, 2, "Forty grey seals were counted near the harbour today.\n")
    end = time.monotonic() + PATIENCE_SECONDS
    while "Number 2" not in shoal.ok("search", "seals").text:
        assert time.monotonic() < end
    mine, *others = family(watching.pid)
    assert others
    for pid in (mine, *others):
        assert CANARY not in Path(f"/proc/{pid}/cmdline").read_bytes()
    for pid in others:
        assert CANARY not in Path(f"/proc/{pid}/environ").read_bytes()
    watching.signal(SIGTERM)
    said.append(watching.wait())
    assert said[-1].code == 128 + SIGTERM

    for asked in ("mail", "sources", "status", "verify", "search walrus", "config show"):
        said.append(shoal.ok(*asked.split(), "--json", **variables))
    (found,) = said[-2].json["results"]
    for asked in ("explain", "show"):
        said.append(shoal.ok(asked, found["url"], **variables))
    said += [shoal.ok("export", form, **variables) for form in ("jsonl", "urls")]
    assert b"walrus" in said[-2].out
    assert not [done for done in said if CANARY in done.out + done.err.encode()]
    files = [path for path in shoal.directory.rglob("*") if path.is_file()]
    assert CANARY not in in_the_table(shoal.directory / "corpus")
    holds = [path for path in files if CANARY in path.read_bytes()]
    assert all(path.parent.name == "credentials" for path in holds)
