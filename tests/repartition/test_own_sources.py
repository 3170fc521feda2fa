"""Folders and mailboxes of one's own follow a collection into a cluster and back: the next look
reads nothing again, and finds every change."""

import shutil
import signal
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import shoal
from shoal.access.people import Users
from shoal.errors import Busy, UsageError
from shoal.fleet.own_sources import watch_sources
from tests.cli.command import Shoal

FAST: dict[str, object] = {"files.share": 64.0, "crawl.children": 1, "index.follow": "yes"}
PATIENCE_SECONDS = 60.0
MAIL = (
    "From bob@example.org Mon Jan  1 00:00:00 2024\nFrom: Bob <bob@example.org>\n"
    "Subject: Kelp {0}\nMessage-ID: <{0}@example.org>\n\nThe kelp of mail {0} is to be paid.\n\n"
)


class Own:
    """A folder and a mailbox, outside of what is made of them."""

    def __init__(self, place: Path) -> None:
        self.folder, self.box = place / "Documents", place / "box"
        (self.folder / "below").mkdir(parents=True)
        for name in ("a.txt", "b.txt", "below/c.txt", "below/d.txt"):
            (self.folder / name).write_text(f"Kelp grows in {name}, and nowhere else as it does.")
        self.box.write_text(MAIL.format(1) + MAIL.format(2))

    def add(self, where: Path) -> tuple[int, int, int, int]:
        """What is read, moved, shared and gone."""
        files = shoal.add(self.folder, dir=where, settings=FAST)
        mails = shoal.add_mail(self.box, dir=where, settings=FAST)
        both = (files, mails)
        return (
            sum(each.read for each in both),
            sum(each.moved for each in both),
            sum(each.shared for each in both),
            sum(each.gone for each in both),
        )

    def change(self, name: str) -> None:
        """One is new, one other, one gone, one moved, one for others; and a mail more."""
        (self.folder / f"{name}-new.txt").write_text(f"Kelp is new in {name}, not there before.")
        changed, gone, moved, shared = sorted(self.folder.rglob("*.txt"))[:4]
        changed.write_text(f"Kelp says something else since {name}.")
        gone.unlink()
        moved.rename(self.folder / f"{name}-moved.txt")
        shared.chmod(0o644 if stat.S_IMODE(shared.stat().st_mode) == 0o640 else 0o640)
        with self.box.open("a") as box:
            box.write(MAIL.format(name))

    def paths(self) -> set[str]:
        return {path.as_uri() for path in self.folder.rglob("*.txt")}

    def mails(self) -> int:
        return self.box.read_text().count("From bob")


def found(where: Path) -> tuple[set[str], int]:
    """The files, and how many mails."""
    with shoal.open(where) as collection:
        urls = {hit.url for hit in collection.search("kelp", limit=100, site_limit=0)}
    files = {url for url in urls if url.startswith("file:")}
    return files, len(urls - files)


@pytest.fixture
def own(tmp_path: Path) -> Own:
    return Own(tmp_path.resolve())


def test_there_and_back(own: Own, tmp_path: Path) -> None:
    one, many, back = tmp_path / "one", tmp_path / "many", tmp_path / "back"
    assert own.add(one) == (6, 0, 0, 0)
    token = Users(one).add("ann")
    shoal.split(one, many, 3)
    assert not stat.S_IMODE(many.stat().st_mode) & 0o077
    assert Users(many).names() == ["ann"]
    assert token
    lines = {line.path: line.documents for line in shoal.own_sources(many)}
    assert lines == {str(own.folder): 4, str(own.box): 2}
    assert own.add(many) == (0, 0, 0, 0)
    shoal.update_index(many)
    assert found(many) == (own.paths(), own.mails())
    own.change("x")
    assert own.add(many) == (3, 1, 1, 1)
    assert found(many) == (own.paths(), own.mails())
    own.change("y")
    shoal.merge(many, back)
    assert not stat.S_IMODE(back.stat().st_mode) & 0o077
    assert Users(back).names() == ["ann"]
    assert own.add(back) == (3, 1, 1, 1)
    assert own.add(back) == (0, 0, 0, 0)
    assert found(back) == (own.paths(), own.mails())
    for where in (one, many, back):
        assert shoal.verify(where).findings == []


def test_a_cluster_that_never_ran(own: Own, tmp_path: Path) -> None:
    place = tmp_path / "cluster"
    shoal.create_cluster(place, 3)
    assert own.add(place) == (6, 0, 0, 0)
    assert own.add(place) == (0, 0, 0, 0)
    assert found(place) == (own.paths(), own.mails())
    assert not stat.S_IMODE(place.stat().st_mode) & 0o077
    removed = shoal.remove_source(own.folder, place)
    assert removed.documents == 4
    assert found(place) == (set(), 2)
    assert shoal.remove_source(own.box, place).documents == 2
    assert shoal.own_sources(place) == []
    with pytest.raises(UsageError, match="is no source of this cluster"):
        shoal.remove_source(own.box, place)
    with pytest.raises(UsageError, match="nothing of your own is read into"):
        watch_sources(str(place), {})


def test_its_own_place_is_not_read(own: Own) -> None:
    place = own.folder / "cluster"
    shoal.create_cluster(place, 3)
    own.add(place)
    assert own.add(place) == (0, 0, 0, 0)
    assert found(place)[0] == own.paths()


@pytest.mark.slow
def test_whoever_is_killed_leaves_what_the_next_look_goes_on_with(
    own: Own, command: Shoal, tmp_path: Path
) -> None:
    """The next one waits for longer than the lease that was not given back, and renews its own."""
    place = tmp_path / "cluster"
    for at in range(400):
        (own.folder / f"{at}.txt").write_text(f"Kelp has the number {at}, and no other has it.")
    shoal.create_cluster(place, 2)
    killed = command.start(
        *("add", str(own.folder), "--dir", str(place)), SHOAL_FAULT="source.read:20"
    )
    assert killed.wait().code == -signal.SIGKILL
    begun = shoal.own_sources(place)[0].documents
    assert 0 < begun < 404
    taken = shoal.add(own.folder, dir=place, settings=FAST)
    assert taken.read == 404 - begun
    assert found(place)[0] <= own.paths()
    assert {line.documents for line in shoal.own_sources(place)} == {404}
    assert shoal.verify(place).findings == []


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Shoal]:
    made = Shoal(tmp_path)
    yield made
    made.close()


def test_a_cluster_at_rest_follows_its_sources(own: Own, command: Shoal, tmp_path: Path) -> None:
    place = tmp_path / "cluster"
    shoal.create_cluster(place, 2)
    own.add(place)
    watching = command.start("watch", "--dir", str(place), SHOAL_INDEX_FOLLOW="yes")
    own.change("z")
    _until(lambda: found(place) == (own.paths(), own.mails()))
    shutil.rmtree(own.folder / "below")
    _until(lambda: found(place) == (own.paths(), own.mails()))
    with pytest.raises(Busy, match="runs already"):
        own.add(place)
    watching.signal(signal.SIGTERM)
    assert watching.wait().code == 128 + signal.SIGTERM
    assert own.add(place) == (0, 0, 0, 0)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)
