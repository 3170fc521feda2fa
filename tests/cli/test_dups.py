"""`shoal dups`: near-duplicates as people and programs see them, by all of its flags."""

import json
import os
import pty
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from shoal.cli.main import _register_commands
from shoal.cli.options import parse_and_run
from shoal.errors import ShoalError
from tests.cli.command import Shoal, clean_environment
from tests.cli.conftest import ReadReef

OURS = "http://www.reef.example/species/seahorse.html"
COPY = "http://mirror.reef.example/species/seahorse.html"
SAID = (
    "A ray is a flat fish that lives on the sand and eats what it finds there, mostly crabs and "
    "worms and small fish, which it crushes between flat teeth. It breathes through two openings "
    "behind its eyes, because its mouth is below and would fill with sand."
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files that say nearly the same, one that says something else, one that says nothing."""
    found = tmp_path / "files"
    found.mkdir()
    (found / "a.txt").write_text(SAID)
    (found / "b.html").write_text(f"<p>{SAID.replace('crabs', 'shrimps')}</p>")
    (found / "c.txt").write_text("Sharks have been in the sea for longer than trees on land. " * 3)
    (found / "d.bin").write_bytes(bytes(range(256)))
    return found


def test_groups_as_the_crawl_made_them(read: ReadReef) -> None:
    done = read("dups")
    assert "of near-duplicates with" in done.lines[0]
    at = next(n for n, line in enumerate(done.lines) if line.split() == ["2", OURS])
    alike, url = done.lines[at + 1].split()
    assert url == COPY
    assert 0.6 < float(alike) < 1
    found = read("dups", "--json").json_lines
    [group] = [each for each in found if each["page"] == OURS]
    [member] = group["members"]
    assert (group["pages"], member["url"]) == (2, COPY)
    assert f"{member['resemblance']:.2f}" == alike
    assert done.lines[0].startswith(f"{len(found)} groups")


def test_a_limit_says_how_many_more_there_are(read: ReadReef) -> None:
    found = read("dups", "--json").json_lines
    assert f"and {len(found) - 1} groups more" in read("dups", "--limit=1").lines[-1]
    assert read("dups", "--json", "--limit=2").json_lines == found[:2]


def test_where_two_pages_differ(read: ReadReef) -> None:
    done = read("dups", "--diff", OURS, COPY)
    assert done.lines[:3] == [f"--- {OURS}", f"+++ {COPY}", "@@"]
    assert "[-still-] {+yet+} a [-tired-] {+lazy+} snail" in done.text
    assert "\x1b" not in done.text
    found = read("dups", "--diff", OURS, COPY, "--json").json
    kinds = [piece["kind"] for piece in found["pieces"]]
    assert {"same", "only_a", "only_b"} == set(kinds)
    mine = "".join(each["text"] for each in found["pieces"] if each["kind"] != "only_b")
    assert mine.split() == read("show", OURS, "--text").text.split()
    assert f"{found['share_changed']:.1%} of the words of both are changed." in done.text
    assert "more (--limit" in read("dups", "--diff", OURS, COPY, "--limit=1").text
    same = read("dups", "--diff", OURS, OURS)
    assert "Word for word the same." in same.lines


def test_colours_where_a_terminal_has_them(folder: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-P", "-m", "shoal", "dups", "--diff", "a.txt", "b.html"]
    environ = {k: v for k, v in clean_environment().items() if k != "NO_COLOR"}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environ | {"TERM": "xterm"},
        stdout=theirs,
        stdin=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        drawn = b""
        try:
            while chunk := os.read(ours, 65536):
                drawn += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
        assert process.wait(60) == 0
    os.close(ours)
    assert b"\x1b[31m[-crabs-]" in drawn
    assert b"\x1b[32m{+shrimps+}" in drawn


def test_what_is_near_one_page(read: ReadReef) -> None:
    [near] = read("dups", "--of", OURS, "--json").json["near"]
    assert near["url"] == COPY
    assert near["is_near"]
    line = next(line for line in read("dups", "--of", OURS).lines if COPY in line)
    shares = [f"{near[name]:.2f}" for name in ("resemblance", "containment", "cosine")]
    assert line.split() == [*shares, "yes", COPY]
    said = "Best first, by {}; 1 of these is near enough to count."
    assert read("dups", "--of", OURS).lines[-1] == said.format("resemblance (alike)")
    by_words = read("dups", "--of", OURS, "--scan", "--limit=3").lines[-1]
    assert by_words == said.format("cosine (words)")
    scanned = read("dups", "--of", OURS, "--scan", "--limit=3", "--json").json["near"]
    assert [each["is_near"] for each in scanned] == [True, False, False]
    assert scanned[0] == near


def test_what_is_near_a_file(read: ReadReef, tmp_path: Path) -> None:
    text = read("show", OURS, "--text").text
    (tmp_path / "mine.txt").write_text(text)
    found = read("dups", "--of", "mine.txt", "--json").json["near"]
    assert [(each["url"], each["is_near"]) for each in found] == [(OURS, True), (COPY, True)]
    assert found[0]["resemblance"] == 1
    (tmp_path / "mine.txt").write_text("Nobody has ever said this before, of all who were here.")
    assert "--scan compares it" in read("dups", "--of", "mine.txt").text
    (tmp_path / "mine.txt").write_text("")
    assert "mine.txt has no text" in read.refuses("dups", "--of", "mine.txt")


def test_all_pages_compared_anew(read: ReadReef) -> None:
    done = read("dups", "--all")
    pages = len(read("export", "jsonl").json_lines)
    groups = read("dups", "--all", "--json").json_lines
    assert [COPY, OURS] in [[each["page"], *each["members"]] for each in groups]
    assert done.lines[-1].endswith(
        f"{len(groups)} groups of near-duplicates with {sum(g['pages'] for g in groups)} pages."
    )
    assert int(done.lines[-1].split()[0]) <= pages
    pairs = read("dups", "--all", "--pairs", "--json").json_lines
    assert [COPY, OURS] in [[each["a"], each["b"]] for each in pairs]
    assert "and 2 pairs more" in read("dups", "--all", "--pairs", f"--limit={len(pairs) - 2}").text
    strict = read("dups", "--all", "--pairs", "--resemblance=0.99", "--json").json_lines
    assert 0 < len(strict) < len(pairs)
    loose = ("--method=simhash", "--bits=128", "--differing=30")
    assert len(read("dups", "--all", *loose, "--json").json_lines) >= len(groups)


def test_mirrors_and_lessons_in_words(read: ReadReef) -> None:
    text = read("dups", "--sites").text
    assert "http://mirror.reef.example/ mirrors http://www.reef.example/ (" in text
    found = read("dups", "--sites", "--json").json_lines
    [mirror] = [each for each in found if each["kind"] == "mirror"]
    assert mirror["compared"] >= mirror["same"] > 0
    seen = f"({mirror['same']} of {mirror['compared']} compared pages are the same)"
    assert seen in text
    assert text.count("\n") == len(found)


def test_groups_are_made_anew(shoal: Shoal, reef: Path) -> None:
    shutil.copytree(reef, shoal.directory / "corpus")
    duplicates = sum(each["pages"] - 1 for each in shoal.ok("dups", "--json").json_lines)
    done = shoal.ok("dups", "--rebuild")
    assert done.text == f"The groups were made anew: {duplicates} pages are duplicates.\n"
    assert shoal.ok("verify", "--quiet").out == b""


def test_a_folder_without_a_collection(shoal: Shoal, folder: Path) -> None:
    done = shoal.ok("dups", "--files", "files")
    assert "files/a.txt" in done.text
    assert done.lines[-1] == "3 files read; 1 group of near-duplicates with 2 files."
    assert done.err.startswith("files/d.bin: ")
    [group] = shoal.ok("dups", "--files", "files", "--json").json_lines
    assert group == {"file": "files/a.txt", "files": 2, "members": ["files/b.html"]}


def test_accuracy_as_table_plot_and_pictures(read: ReadReef, shoal: Shoal, folder: Path) -> None:
    done = read("dups", "--accuracy", "--svg=a.svg", "--png=a.png")
    assert max(map(len, done.lines)) <= 100
    assert "F1 by bytes of fingerprint" in done.lines
    assert ET.fromstring((shoal.directory / "a.svg").read_text())  # noqa: S314 - our own
    assert (shoal.directory / "a.png").read_bytes().startswith(b"\x89PNG")
    found = read("dups", "--accuracy", "--json").json
    assert {row["method"] for row in found["rows"]} == {"simhash", "n-grams", "sketch"}
    assert {row["cut"] for row in found["rows"]} == {"best", "default"}
    [usual] = [r for r in found["rows"] if (r["setting"], r["cut"]) == ("256 values", "default")]
    head = ["sketch", "256", "values", f"{usual['size_bytes']:,.0f}", "default", "0.65"]
    assert head in [line.split()[:6] for line in done.lines]
    assert usual["at"] == 0.65
    assert shoal.ok("dups", "--accuracy", "--files", "files", "--json").json["texts"] == 3


def test_accuracy_of_lines_with_a_known_truth(shoal: Shoal) -> None:
    rows = [{"id": name, "text": f"{SAID} {name * 3}"} for name in "ab"]
    rows.append({"id": "c", "text": "Sharks have been in the sea for longer than trees."})
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (shoal.directory / "texts.jsonl").write_text(lines)
    (shoal.directory / "truth.json").write_text('{"pairs": [["a", "b"], ["a", "x"], ["y", "x"]]}')
    asked = ("dups", "--accuracy", "--texts=texts.jsonl", "--truth=truth.json")
    done = shoal.ok(*asked, "--json")
    assert (done.json["truth"], done.json["unknown_ids"]) == ("1 pair that is given", 2)
    assert done.err.startswith("2 ids of the truth are not among the texts")
    plot = shoal.ok(*asked, PYTHONIOENCODING="ascii", COLUMNS="80")
    assert "* " not in plot.text
    assert "N n-grams, best cut" in plot.text
    assert "k sketch, default cut" in plot.text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--all", "--sites"), "one at a time: --all or --sites"),
        (("--files=x", "--of=y"), "one at a time: --of or --files"),
        (("--scan",), "--scan says something only with --of"),
        (("--pairs", "--sites"), "--pairs says something only with --all or --files"),
        (("--svg=a.svg",), "--svg says something only with --accuracy"),
        (("--limit=0",), "--limit must be 1 or more"),
        (("--rebuild", "--limit=3"), "--limit says nothing with --rebuild"),
        (("--of", ""), "--of needs a URL or the name of a file"),
        (("--diff", "a", ""), "--diff needs a URL or the name of a file"),
        (("--all", "--bits=64"), "only with --method simhash"),
        (("--all", "--method=simhash", "--resemblance=.5"), "compared by --differing"),
        (("--files=.", "--method=simhash", "--bits=65"), "not 65"),
        (("--all", "--method=magic"), "--method"),
        (("--accuracy", "--truth=t"), "it needs --texts"),
        (("--accuracy", "--texts=none.jsonl"), "none.jsonl can't be read"),
        (("--accuracy", "--texts=a", "--files=b"), "name the texts once"),
        (("--files=none",), "none is no folder"),
        (("--diff", "none", "none"), "no file here"),
        (("--diff", "alone"), "requires 2 arguments; `shoal dups --help` lists"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_DIR", raising=False)
    _register_commands()
    with pytest.raises(ShoalError) as error:
        parse_and_run(["dups", *arguments])
    assert says in str(error.value)


def test_mistakes_are_refused(read: ReadReef) -> None:
    assert "one at a time: --all or --sites" in read.refuses("dups", "--all", "--sites")
    assert "above 0 and at most 1" in read.refuses("dups", "--all", "--resemblance=7")
    unknown = "http://www.reef.example/unheard-of"
    assert f"{unknown} is not stored" in read.refuses("dups", "--of", unknown)


def test_no_collection(shoal: Shoal) -> None:
    for mode in ((), ("--all",), ("--rebuild",)):
        assert "There is no collection" in shoal.refuses("dups", *mode)
