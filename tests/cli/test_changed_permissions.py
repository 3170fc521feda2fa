"""Permissions change while files are followed and served: answers soon obey, for two people with
tokens, over HTTP. How soon is printed (`pytest -s`): within two seconds on a machine that is not
busy with other things."""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGINT, SIGTERM

import httpx
import pytest

from tests.cli.command import PATIENCE_SECONDS, Shoal, clean_environment

DAEMON, BIN = 1, 2
"""Users that every Linux has, each with a group of their own of the same number."""
_BETWEEN_SECONDS = 0.02
_GROUPS = "root:x:0:\ndaemon:x:1:\nbin:x:2:\nreaders:x:4242:{}\n"


class Office:
    """A folder that is followed, and a server that two people ask."""

    def __init__(self, folder: Path, groups: Path, address: str, tokens: dict[str, str]) -> None:
        self.folder, self._groups, self._tokens = folder, groups, tokens
        self._client = httpx.Client(base_url=address, trust_env=False, timeout=PATIENCE_SECONDS)

    def finds(self, who: str) -> tuple[set[str], set[str]]:
        """By a search, and by asking for each file itself."""
        asked = {"q": "kelp", "limit": "100"}
        headers = {"authorization": f"Bearer {self._tokens[who]}"}
        answer = self._client.get("/search.json", params=asked, headers=headers).json()["found"]
        urls = {each["url"] for each in answer["results"]}
        assert answer["total"] == len(urls)
        shown = set()
        for path in self.folder.rglob("*.txt"):
            for asking in ("/page.json", "/copy.json"):
                answer = self._client.get(asking, params={"url": path.as_uri()}, headers=headers)
                shown |= {path.as_uri()} if answer.status_code != 404 else set()
        return _names(urls), _names(shown)

    def obeys(self, daemon: set[str], binary: set[str]) -> float:
        """How long it takes until both find what they may, and nothing else."""
        begun = time.monotonic()
        while True:
            asked = time.monotonic()
            if (self.finds("daemon"), self.finds("bin")) == ((daemon,) * 2, (binary,) * 2):
                return asked - begun
            assert asked - begun < PATIENCE_SECONDS
            time.sleep(_BETWEEN_SECONDS)

    def join(self, members: str) -> None:
        """The group of readers has these members from now on."""
        self._groups.write_text(_GROUPS.format(members))

    def close(self) -> None:
        self._client.close()


@pytest.fixture
def office() -> Iterator[Office]:
    """Where the machine's groups are a file of ours, in a mount namespace of its own."""
    if os.getuid() or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("only root can give files away and mount another /etc/group")
    place = Path(tempfile.mkdtemp(prefix="shoal-office-"))
    place.chmod(0o755)
    folder, groups = place / "files", place / "group"
    folder.mkdir()
    groups.write_text(_GROUPS.format(""))
    command = Shoal(place)
    serving: subprocess.Popen[str] | None = None
    try:
        for name in ("a.txt", "b.txt", "c.txt"):
            (folder / name).write_text(f"Kelp is what {name} is about, and so are the others.")
        (folder / "below").mkdir()
        (folder / "below" / "d.txt").write_text("Kelp lies below, and is about what it is about.")
        follow = {"SHOAL_INDEX_FOLLOW": "yes", "SHOAL_FILES_SHARE": "64"}
        command.ok("add", "files", "--dir", "corpus", **follow)
        tokens = {
            name: re.findall(r"\S{24,}", command.ok("user", "add", name, "--dir", "corpus").text)[0]
            for name in ("daemon", "bin")
        }
        command.start("watch", "--dir", "corpus", **follow)
        serve = f"{sys.executable} -P -m shoal serve --dir corpus --port 0"
        serving = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", f"mount --bind group /etc/group && exec {serve}"],
            cwd=place,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert serving.stdout is not None
        address = re.findall(r"http://[0-9.:]+/", serving.stdout.readline())[0]
        made = Office(folder, groups, address, tokens)
        try:
            yield made
        finally:
            made.close()
    finally:
        if serving is not None:
            serving.send_signal(SIGINT)
            serving.communicate(timeout=PATIENCE_SECONDS)
        for started in command._started:
            if started._process.poll() is None:
                started.signal(SIGTERM)
                started.wait()
        shutil.rmtree(place)


ALL = {"a.txt", "b.txt", "c.txt", "d.txt"}


@pytest.mark.slow
def test_the_next_answer_obeys(office: Office) -> None:
    folder = office.folder
    office.obeys(ALL, ALL)
    took: dict[str, float] = {}

    def then(what: str, change: Callable[[], object], daemon: set[str], binary: set[str]) -> None:
        change()
        took[what] = office.obeys(daemon, binary)

    a, b, c, below = (folder / name for name in ("a.txt", "b.txt", "c.txt", "below"))
    then("chmod", lambda: a.chmod(0o600), ALL - {"a.txt"}, ALL - {"a.txt"})
    then("chown", lambda: os.chown(a, DAEMON, BIN), ALL, ALL - {"a.txt"})
    then("chmod for its group", lambda: a.chmod(0o640), ALL, ALL)
    then("chgrp", lambda: os.chown(a, DAEMON, 4242), ALL, ALL - {"a.txt"})
    then("joining a group", lambda: office.join("bin"), ALL, ALL)
    then("leaving a group", lambda: office.join("daemon"), ALL, ALL - {"a.txt"})
    b.chmod(0o640)
    then("a list", lambda: _share(b, [(BIN, 4)], mask=4), ALL - {"b.txt"}, ALL - {"a.txt"})
    then("its mask", lambda: b.chmod(0o600), ALL - {"b.txt"}, ALL - {"a.txt", "b.txt"})
    then("its mask again", lambda: b.chmod(0o640), ALL - {"b.txt"}, ALL - {"a.txt"})
    then("one refused", lambda: _share(c, [(BIN, 0)], mask=4), ALL - {"b.txt"}, {"b.txt", "d.txt"})
    then("a folder above", lambda: below.chmod(0o700), ALL - {"b.txt", "d.txt"}, {"b.txt"})
    closed = folder / "closed"
    below.chmod(0o755)
    office.obeys(ALL - {"b.txt"}, {"b.txt", "d.txt"})
    closed.mkdir(mode=0o700)
    then(
        "a folder renamed into one that is closed",
        lambda: below.rename(closed / "below"),
        ALL - {"b.txt", "d.txt"},
        {"b.txt"},
    )
    then("that one opened", lambda: closed.chmod(0o711), ALL - {"b.txt"}, {"b.txt", "d.txt"})
    then("nothing left", lambda: folder.chmod(0o700), set(), set())
    print({what: round(seconds, 2) for what, seconds in took.items()})


def _names(urls: set[str]) -> set[str]:
    return {url.rpartition("/")[2] for url in urls}


def _share(path: Path, users: list[tuple[int, int]], mask: int) -> None:
    """A list for these users; of others everyone else may read it, where its mode says so."""
    nobody, others = 2**32 - 1, path.stat().st_mode & 7
    entries = [
        (0x01, 6, nobody),
        *((0x02, permission, who) for who, permission in users),
        (0x04, 4, nobody),
        (0x10, mask, nobody),
        (0x20, others, nobody),
    ]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)
    os.setxattr(path, "system.posix_acl_access", acl)
