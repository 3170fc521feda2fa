"""In a network of its own: `shoal watch` of a dovecot from which no packet comes back any more.

Run by test_dropped_line.py. Prints one JSON object: when the line's death was told, whether the
line came back, and whether what was delivered meanwhile was found.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from imapclient import IMAPClient

from tests.cli.command import clean_environment
from tests.sources.mail.account import written
from tests.sources.mail.dovecot import PASSWORD, Dovecot

PATIENCE_SECONDS = 420.0
"""Until the line is tried again it takes up to five minutes."""


def shoal(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "shoal", *words],
        env=clean_environment() | {"SHOAL_MAIL_PASSWORD": PASSWORD, "SHOAL_INDEX_FOLLOW": "yes"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def said(*words: str) -> str:
    return shoal(*words, "--json").communicate(timeout=60)[0].decode()


def seconds_until(true: Callable[[], bool]) -> float:
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > PATIENCE_SECONDS:
            return float("inf")
        time.sleep(0.5)
    return time.monotonic() - begun


def drop(port: int, *, how: str) -> None:
    """`-I` or `-D`: packets from the server, and to it, vanish without a word."""
    for side in ("--sport", "--dport"):
        rule = ["-p", "tcp", side, str(port), "-j", "DROP"]
        subprocess.run(["iptables", how, "INPUT", *rule], check=True)


def deliver(dovecot: Dovecot, number: int) -> None:
    """As a mail server does: into the folder, past IMAP."""
    path = dovecot.mail / "new" / f"{number}.M1P1.x"
    path.write_bytes(written(number, f"A walrus, the number {number}.\n"))
    dovecot.give(path)


def main(place: Path) -> dict[str, float]:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    dovecot = Dovecot(place)
    client = IMAPClient("127.0.0.1", dovecot.port, ssl=False, timeout=30)
    client.login("ann", PASSWORD)
    client.append("INBOX", written(1, "A walrus, the number 1.\n"))
    client.shutdown()
    corpus = str(place / "corpus")

    def is_found(number: int) -> bool:
        return f"Number {number}" in said("search", f"walrus {number}", "--dir", corpus)

    def problem() -> str:
        return str(json.loads(said("mail", "--dir", corpus))[0]["problem"])

    adding = shoal("mail", "add", dovecot.address, "--dir", corpus)
    adding.communicate(timeout=60)
    watching = shoal("watch", "--dir", corpus)
    try:
        deliver(dovecot, 2)
        before = seconds_until(lambda: is_found(2))
        time.sleep(2)  # it waits with IDLE
        drop(dovecot.port, how="-I")
        deliver(dovecot, 3)
        noticed = seconds_until(lambda: problem().endswith("does not answer."))
        drop(dovecot.port, how="-D")
        back = seconds_until(lambda: is_found(3))
        mended = seconds_until(lambda: not problem())
    finally:
        watching.terminate()
        watching.wait(60)
        dovecot.stop()
    return {"before": before, "noticed": noticed, "back": back, "mended": mended}


if __name__ == "__main__":
    assert os.getuid() == 0
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        print(json.dumps(main(Path(name))))
