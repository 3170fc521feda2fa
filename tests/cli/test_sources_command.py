"""`shoal add`, `watch` and `sources`, as a newcomer would use them."""

import shlex
import socket
import stat
import time
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from signal import SIGINT, SIGTERM

import pytest

import shoal
from shoal.control.own_sources import holds_own
from tests.cli.command import PROJECT, Shoal

PATIENCE_SECONDS = 60.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "Documents"
    found.mkdir()
    (found / "reef.txt").write_text("Clownfish live in anemones")
    (found / ".secret").write_text("Walrus")
    return found


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Shoal]:
    found = Shoal(tmp_path)
    yield found
    found.close()


FOLLOW = {"SHOAL_INDEX_FOLLOW": "yes"}


def test_a_newcomer_adds_a_folder_and_finds_what_is_in_it(command: Shoal, folder: Path) -> None:
    added = command.ok("add", "Documents", **FOLLOW)
    assert added.err == ""
    assert added.lines == [
        f"{folder.resolve()}: 1 document, 1 left out",
        "What was left out, and why: shoal sources",
        "Find them again: shoal search WORDS",
    ]
    assert "1. reef.txt\n" in command.ok("search", "clownfish").text
    assert "1 hidden" in command.ok("sources").text
    (line,) = command.ok("sources", "--json").json
    assert (line["path"], line["documents"], line["whole"]) == (str(folder.resolve()), 1, True)
    removed = command.ok("sources", "remove", "Documents", **FOLLOW)
    assert "1 document is gone with it" in removed.text
    assert "reef.txt" not in command("search", "clownfish").text
    assert command.ok("sources", "--json").json == []


def test_documents_that_say_nothing_are_counted_apart(command: Shoal, folder: Path) -> None:
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.4 and no more")
    (folder / "strange.xyz").write_bytes(bytes(range(256)))
    (folder / "empty.txt").touch()
    added = command.ok("add", "Documents", "--dir=own pages", **FOLLOW)
    assert "4 documents, 2 can't be read, 1 without text, 1 left out" in added.lines[0]
    which = added.lines[1].partition("read: shoal ")[2]
    urls = command.ok(*shlex.split(which)).text
    assert ("damaged.pdf" in urls, "strange.xyz" in urls, "empty.txt" in urls) == (
        True,
        True,
        False,
    )
    (line,) = command.ok("sources", "--json", "--dir=own pages").json
    assert (line["asked"], line["unreadable"], line["empty"]) == (4, 2, 1)
    assert "2 can't be read" in command.ok("sources", "--dir=own pages").lines[0]
    damaged = command.ok("explain", str(folder / "damaged.pdf"), "--dir=own pages")
    assert damaged.lines[1] == "It is not found: damaged."
    empty = command.ok("explain", str(folder / "empty.txt"), "--dir=own pages")
    assert empty.lines[1] == "It is not found: it has no text."


def test_ctrl_c_says_what_is_kept(command: Shoal) -> None:
    """A server that never says a word holds the command where it is."""
    (command.directory / "password").write_text("secret")
    (command.directory / "password").chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_SECONDS)
        mailbox = f"imaps://ann@127.0.0.1:{server.getsockname()[1]}"
        adding = command.start("mail", "add", mailbox, "--password-file=password")
        with server.accept()[0]:
            adding.signal(SIGINT)
    done = adding.wait()
    assert done.code == 128 + SIGINT
    says = "Stopped: what was read so far is kept, and the same command goes on."
    assert done.err.strip() == says


def test_python_does_the_same(tmp_path: Path, folder: Path) -> None:
    added = shoal.add(folder, dir=tmp_path / "corpus")
    assert (added.read, added.sources[0].documents) == (1, 1)
    with shoal.open(tmp_path / "corpus") as collection:
        assert collection.search("clownfish").total == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["add", "nowhere"], "can't be read: No such file or directory."),
        (["add", ""], "an empty name is no folder and no file"),
        (["add", "/dev/null"], "is neither a folder nor a file."),
        (["add"], "Missing argument"),
        (["sources", "remove", "nowhere"], "no collection"),
        (["watch"], "no collection"),
    ],
)
def test_a_mistake_is_one_sentence(command: Shoal, given: list[str], says: str) -> None:
    assert says.lower() in command.refuses(*given).lower()
    assert not (command.directory / "corpus").exists()


def test_watch_follows_until_it_is_stopped(command: Shoal, folder: Path) -> None:
    command.ok("add", "Documents", **FOLLOW)
    watching = command.start("watch", **FOLLOW)
    (folder / "new.txt").write_text("A seal on the ice")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "new.txt" not in command("search", "seal").text:
        assert time.monotonic() < deadline
    assert "followed by process" in command.ok("status").lines[0]
    (followed,) = command.ok("status", "--json").json["following"]
    assert [each["name"] for each in followed["sources"]] == [str(folder.resolve())]
    second = command("watch")
    assert second.err.strip() == (
        "shoal: The sources of corpus are followed already, by process "
        f"{watching.pid}; nothing need be stopped."
    )
    other = folder.parent / "Other"
    other.mkdir()
    (other / "otter.txt").write_text("An otter sleeps in the kelp")
    assert "1 document" in command.ok("add", "Other", **FOLLOW).text  # it makes room
    (other / "narwhal.txt").write_text("A narwhal has a horn")
    while "narwhal.txt" not in command("search", "narwhal").text:
        assert time.monotonic() < deadline
    watching.signal(SIGTERM)
    assert watching.wait().code == 128 + SIGTERM
    assert command.ok("status").lines[0].endswith(": at rest")


def test_a_crawl_without_end_follows_the_sources(command: Shoal, folder: Path) -> None:
    (command.directory / "web").mkdir()
    (command.directory / "web" / "page.html").write_text("<p>Pages of the web</p>")
    command.ok("add", "Documents", **FOLLOW)
    crawling = command.start("crawl", "web/page.html", "--forever", **FOLLOW)
    (folder / "new.txt").write_text("A seal on the ice")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "new.txt" not in command("search", "seal").text:
        assert time.monotonic() < deadline
    assert "a crawl is running, and 1 source is followed" in command.ok("status").lines[0]
    other = folder.parent / "Other"
    other.mkdir()
    (other / "otter.txt").write_text("An otter sleeps in the kelp")
    assert "The crawl that runs was told" in command.ok("add", "Other").text
    while "otter.txt" not in command("search", "otter").text:
        assert time.monotonic() < deadline
    assert command.ok("sources", "remove", "Other", "--json").json["handed"]
    while "otter.txt" in command("search", "otter").text:
        assert time.monotonic() < deadline
    command.ok("stop")
    assert crawling.wait().code == 0


def test_the_unit_for_systemd_runs_a_command_that_there_is(command: Shoal) -> None:
    unit = ConfigParser(interpolation=None)
    unit.read(PROJECT / "deploy" / "shoal-watch.service", encoding="utf-8")
    program, *words = unit["Service"]["ExecStart"].removeprefix("/usr/bin/env ").split()
    assert (program, words) == ("shoal", ["watch", "--quiet"])
    assert "--quiet" in command.ok(words[0], "--help").text
    assert unit["Service"]["SuccessExitStatus"] == str(128 + SIGTERM)


def test_documents_that_say_nearly_the_same_are_all_found(command: Shoal, folder: Path) -> None:
    """Bills of one template differ in a month and a sum."""
    template = (
        "Dear Ann, here is your bill for electricity of {}. " + "It is due in two weeks. " * 9
    )
    months = ("January", "February", "March", "April")
    for month in months:
        (folder / f"{month}.txt").write_text(template.format(month))
    command.ok("add", "Documents", **FOLLOW)
    for month in months:
        assert f"{month}.txt" in command.ok("search", month).text


def test_nobody_else_can_open_the_collection(command: Shoal, folder: Path, tmp_path: Path) -> None:
    """Also one that was open before it held a person's own documents."""
    (tmp_path / "corpus").mkdir(mode=0o755)
    command.ok("add", "Documents", **FOLLOW)
    assert stat.S_IMODE((tmp_path / "corpus").stat().st_mode) == 0o700
    assert holds_own(tmp_path / "corpus")
    assert not holds_own(tmp_path / "nowhere")


def test_a_renamed_file_is_not_said_to_be_cut(command: Shoal, folder: Path) -> None:
    command.ok("add", "Documents", **FOLLOW)
    (folder / "reef.txt").rename(folder / "coral.txt")
    command.ok("add", "Documents", **FOLLOW)
    told = command.ok("explain", str(folder / "coral.txt")).text
    assert "cut" not in told


def test_what_a_damage_took_is_read_again(command: Shoal, folder: Path, tmp_path: Path) -> None:
    command.ok("add", "Documents", **FOLLOW)
    for table in (tmp_path / "corpus" / "table").glob("*.sst"):
        table.unlink()
    assert "is damaged" in command("verify").err
    command("repair")
    command.ok("add", "Documents", **FOLLOW)
    assert "reef.txt" in command.ok("search", "clownfish").text
    assert command.ok("verify").code == 0
