"""What is told of a file or a mail of one's own: its source, its readers, when it went, and why
not."""

import os
from pathlib import Path

import pytest

import shoal
from shoal.control.own_sources import remove_source_at
from shoal.errors import UsageError
from shoal.model.principal import PUBLIC

SETTINGS = {"crawl.children": 1, "files.share": 64.0, "files.max_size": 1000}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read, then changed and read again; and what came after that."""
    found = tmp_path_factory.mktemp("own").resolve()
    folder = found / "Documents"
    (folder / "node_modules").mkdir(parents=True)
    (folder / "kept.txt").write_text("Clownfish live in anemones")
    (folder / "going.txt").write_text("Walrus on the beach")
    (folder / "later.log").write_text("Seals swim")
    (folder / "node_modules" / "a.js").write_text("x")
    (folder / "large.txt").write_text("x" * 2000)
    (found / "Gone").mkdir()
    (found / "Gone" / "other.txt").write_text("Otter")
    (found / "mbox").write_text(
        "From a@b.c\nFrom: ann@b.c\nMessage-ID: <1@b.c>\nSubject: Reef\n\nHi\n"
    )
    place = found / "corpus"
    shoal.add(folder, found / "Gone", dir=place, settings=SETTINGS)
    shoal.add_mail(found / "mbox", dir=place, settings=SETTINGS)
    (folder / "going.txt").unlink()
    (folder / ".shoalignore").write_text("# what is not wanted\n*.log\n")
    shoal.add(folder, dir=place, settings=SETTINGS)
    remove_source_at(str(place), found / "Gone")
    (place / "shoal.toml").write_text("[files]\nmax_size = 1000\n")
    (folder / "new.txt").write_text("Not read yet")
    return found


def told(root: Path, name: str) -> tuple[str, dict[str, str]]:
    with shoal.open(root / "corpus") as collection:
        found = collection.explain((root / name).as_uri())
    return found.verdict, {line.topic: line.says for line in found.lines}


def test_of_a_file_that_is_kept(root: Path) -> None:
    verdict, lines = told(root, "Documents/kept.txt")
    assert verdict == "It was read from where it stands, and it is found."
    assert lines["source"].startswith(f"It is of the folder {root / 'Documents'}, added 20")
    assert lines["source"].endswith("not followed now.")
    assert lines["readers"]
    assert lines["read"].endswith("as text alone.")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Documents/going.txt", "it was deleted or moved, and is not in its folder now."),
        ("Documents/later.log", "left out: ignored by a pattern *.log (in {}/.shoalignore)."),
        ("Gone/other.txt", "It was of a source that was forgotten; it went on "),
        (
            "Documents/large.txt",
            "It was not read: it is left out: larger than files.max_size, 1,000 bytes.",
        ),
        ("Documents/.shoalignore", "It was not read: it is left out: hidden."),
        ("Documents/new.txt", "It was not read yet: it is by the next look at its source."),
        ("Documents/never.txt", "There is no such file in this folder."),
        (
            "Documents/node_modules/a.js",
            "{}/node_modules is left out: ignored by a pattern node_modules/ (in files.ignore).",
        ),
    ],
)
def test_of_a_file_that_is_not(root: Path, name: str, says: str) -> None:
    verdict, lines = told(root, name)
    assert says.format(root / "Documents") in verdict
    assert "link" not in "".join(lines.values())
    assert "source" in lines


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_of_a_file_in_a_folder_that_is_closed(root: Path) -> None:
    closed = root / "Documents" / "closed"
    closed.mkdir(mode=0)
    try:
        verdict, _ = told(root, "Documents/closed/b.txt")
    finally:
        closed.rmdir()
    assert verdict == f"It was not read: you may not read the folder {closed}."


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Documents/going.txt", "it was deleted or moved"),
        ("Documents/never v.1/x#y.txt", "There is no such file"),
        ("Documents/broken", "It was not read: it is left out: "),
    ],
)
def test_what_has_gone_is_known_by_its_path(
    root: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = root / "Documents" / "broken"
    broken.symlink_to("nowhere.txt")
    monkeypatch.chdir(root)
    try:
        with shoal.open(root / "corpus") as collection:
            for word in (name, f"./{name}", f"Gone/../{name}", str(root / name)):
                found = collection.explain(word)
                assert says in found.verdict, word
                assert found.url == (root / name).as_uri()
            with pytest.raises(UsageError, match="a file that has gone is named by file:///"):
                collection.explain("elsewhere/going.txt")
    finally:
        broken.unlink()


def test_a_path_says_nothing_of_sources_to_others(root: Path) -> None:
    says = set()
    with shoal.open(root / "corpus", PUBLIC) as collection:
        for name in ("Documents/going.txt", "Elsewhere/going.txt"):
            with pytest.raises(UsageError) as refused:
                collection.explain(str(root / name))
            says.add(str(refused.value).replace(name, ""))
    assert len(says) == 1


def test_of_a_mail(root: Path) -> None:
    with shoal.open(root / "corpus") as collection:
        (result,) = collection.search("subject:reef")
        found = collection.explain(result.url)
        lines = {line.topic: line.says for line in found.lines}
        assert lines["source"].startswith(f"It is of the mailbox {root / 'mbox'}, added ")
        assert lines["folders"]
        none = collection.explain(result.url[:-4] + "aaaa")
        assert none.verdict == "No such mail was read from its mailbox."


def test_nobody_else_is_told_of_sources(root: Path) -> None:
    with shoal.open(root / "corpus", PUBLIC) as collection:
        never = collection.explain((root / "Documents" / "never.txt").as_uri())
        for name in ("kept.txt", "going.txt", "later.log", "new.txt"):
            found = collection.explain((root / "Documents" / name).as_uri())
            assert (found.verdict, found.lines) == (never.verdict, never.lines)
