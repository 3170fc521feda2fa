"""How soon is a mail found that was delivered while the account is watched?"""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from signal import SIGTERM

import pytest

import shoal as python
from tests.cli.command import Shoal
from tests.sources.mail.account import written
from tests.sources.mail.dovecot import PASSWORD, Dovecot

PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.02


@pytest.fixture
def server() -> Iterator[Dovecot]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        dovecot = Dovecot(Path(name))
        try:
            yield dovecot
        finally:
            dovecot.stop()


@pytest.fixture
def shoal(tmp_path: Path) -> Iterator[Shoal]:
    made = Shoal(tmp_path)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.slow
def test_a_hundred_deliveries(shoal: Shoal, server: Dovecot) -> None:
    """All are found; how soon is printed, since it is the machine's matter, too."""
    for head in ("new", "cur", "tmp"):
        (server.mail / head).mkdir(exist_ok=True)
    server.give(server.mail)
    secret = {"SHOAL_MAIL_PASSWORD": PASSWORD}
    shoal.ok("mail", "add", server.address, **secret)
    watching = shoal.start("watch", SHOAL_INDEX_FOLLOW="yes", **secret)
    time.sleep(3)
    took = []
    for number in range(100):
        made = server.mail / "tmp" / f"{number}.M1P1.x"
        made.write_bytes(written(number, f"A walrus with the number walrus{number}.\n"))
        server.give(made)
        begun = time.monotonic()
        made.rename(server.mail / "new" / made.name)
        while not is_found(shoal.directory / "corpus", f"walrus{number}"):
            assert time.monotonic() - begun < PATIENCE_SECONDS
            time.sleep(PAUSE_SECONDS)
        took.append(time.monotonic() - begun)
    watching.signal(SIGTERM)
    assert watching.wait().code == 128 + SIGTERM
    took.sort()
    within = sum(each <= 2.0 for each in took)
    told = f"{within} of 100 within 2 s, median {took[50]:.2f} s, 99th {took[98]:.2f} s"
    print(f"{told}, longest {took[-1]:.2f} s; load {os.getloadavg()[0]:.1f}")


def is_found(place: Path, word: str) -> bool:
    with python.open(place) as collection:
        return collection.search(word).total == 1
