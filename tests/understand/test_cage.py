"""A reader that a hostile file has taken over gets nowhere: each way out is tried, and refused."""

import json
import os
import platform
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal.model.document import Understood
from shoal.model.visit import Fetched, Visit
from shoal.understand.cage import landlock
from shoal.understand.child import Worker
from tests.understand.attempts import IS_X86, all_of_them
from tests.understand.parts import Run, ask, closing, document, pool_of
from tests.understand.workers import said

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="only Linux has the filter, and only two machines are known to it",
)
USER = 61_000
NEEDS_LANDLOCK = {
    *("shadow", "passwords", "secret", "listing", "write"),
    *("parent's memory as a file", "parent's environment"),
}


@pytest.fixture
def common() -> Iterator[Path]:
    """A folder that other users reach, too, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def not_refused(told: dict[str, Any]) -> set[str]:
    """What must be refused here and was not; files are guarded by Landlock alone."""
    exempt = set() if landlock.version() else NEEDS_LANDLOCK
    got = {name: what for name, what in told.items() if what != "refused" and name not in exempt}
    return {f"{name}: {what}" for name, what in got.items()}


@pytest.mark.parametrize(
    "user",
    [
        pytest.param(0, id="as we are"),
        pytest.param(
            USER,
            id="as a user",
            marks=pytest.mark.skipif(os.getuid() != 0, reason="only root can become another"),
        ),
    ],
)
def test_every_way_out_is_shut(user: int, common: Path) -> None:
    secret, home = common / "secret", common / "home"
    secret.write_text("the treasure")
    home.mkdir()
    if user:
        for path in (secret, home):
            os.chown(path, user, user)
    done = subprocess.run(
        [sys.executable, "-m", "tests.understand.attempts", str(user), str(secret), str(home)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert told["could"] == [True, True]
    calls, version, _ = told["plain"].pop("given")
    assert (calls, version) == (True, landlock.version())
    assert not_refused(told["plain"]) == set()
    if IS_X86:
        assert (told["32 bits"], told["x32"]) == ("SIGSYS", "SIGSYS")


def trying(config: bytes) -> Worker:
    """A worker that tries everything, with a file and a folder that its config names."""

    def read(_visit: Visit, _fetched: Fetched, _archive_only: bool) -> Understood:
        secret, home = config.decode().split("\n")
        return said(json.dumps(all_of_them(Path(secret), Path(home))))

    return read


def test_a_reader_of_the_pool_is_locked_in(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the treasure")

    async def work() -> None:
        told = json.loads(document(await ask(pool, "p")).title)
        assert len(told) > 15
        assert not_refused(told) == set()

    config = f"{secret}\n{tmp_path}".encode()
    pool = pool_of(size=1, factory=f"{__name__}:trying", config=config)
    run(closing(pool, work))


def telling(_config: bytes) -> Worker:
    def read(_visit: Visit, _fetched: Fetched, _archive_only: bool) -> Understood:
        kinds = (resource.RLIMIT_AS, resource.RLIMIT_CORE, resource.RLIMIT_NOFILE)
        are_hard = all(len(set(resource.getrlimit(kind))) == 1 for kind in kinds)
        return said(json.dumps([sorted(os.environ), are_hard]))

    return read


def test_its_environment_is_bare_and_its_limits_are_hard(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_SECRET_TOKEN", "treasure")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "treasure")

    async def work() -> None:
        names, are_hard = json.loads(document(await ask(pool, "p")).title)
        assert "PATH" in names
        assert not {"SHOAL_SECRET_TOKEN", "AWS_SECRET_ACCESS_KEY", "HOME"} & set(names)
        assert are_hard

    pool = pool_of(size=1, factory=f"{__name__}:telling")
    run(closing(pool, work))


def connecting(_config: bytes) -> Worker:
    """A worker that tries to reach the port that a page's body names."""

    def read(_visit: Visit, fetched: Fetched, _archive_only: bool) -> Understood:
        with socket.create_connection(("127.0.0.1", int(fetched.body)), timeout=60):
            return Understood()

    return read


def test_a_reader_of_the_pool_reaches_nobody(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port)).close()  # we could
        server.accept()[0].close()
        server.setblocking(False)

        async def work() -> None:
            answer = await ask(pool, "p", str(port).encode())
            assert "PermissionError" in document(answer).problem

        pool = pool_of(size=1, factory=f"{__name__}:connecting")
        run(closing(pool, work))
        with pytest.raises(BlockingIOError):
            server.accept()
