"""`shoal classes`: learned from folders or pages, given to pages as they come, and taken back."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal as python
from shoal.analysis.class_examples import examples_of
from shoal.errors import CollectionError, DamagedError, UsageError
from shoal.layout.classes import ClassesPlace
from tests.cli.command import Shoal

CLASS_OF = {
    "shop.aqua.example": "trade/shop",
    "museum.tide.example": "knowledge/museum",
    "www.reef.example": "knowledge/reef",
    "forum.fishkeepers.example": "talk/forum",
    "blog.lagoon.example": "talk/blog",
}
FISH = "The coral reef has clownfish, anemones and seahorses; divers watch fish at low tide. "
MONEY = "The bank lends money at interest; its shares rose when the market heard of the profit. "


def of_host(url: str) -> str:
    return CLASS_OF.get(url.split("/")[2], "")


@pytest.fixture(scope="module")
def sorted_reef(reef: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A collection whose pages have classes, and the list that they were learned from: every second
    page of each host."""
    place = tmp_path_factory.mktemp("classes") / "corpus"
    shutil.copytree(reef, place)
    with python.open(place) as collection:
        known = [page.url for page in collection.pages() if of_host(page.url) and page.text]
    listed = place.parent / "list.txt"
    lines = [f"{of_host(url)}\t{url}\n" for url in known[::2]]
    listed.write_text("# every second page\n\n" + "".join(lines), encoding="utf-8")
    python.train_classes(listed, place)
    python.update_index(place)
    return place, listed


@pytest.fixture
def own(sorted_reef: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(sorted_reef[0], tmp_path / "own"))


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two classes of six files each."""
    tree = tmp_path / "tree"
    for name, text in (("nature/sea", FISH), ("business/money", MONEY)):
        (tree / name).mkdir(parents=True)
        for number in range(6):
            words = " ".join(text.split()[number : number + 9])
            (tree / name / f"{number}.txt").write_text(f"{words} number {number}", "utf-8")
    return tree


def test_pages_are_found_by_their_class_and_by_what_stands_above(
    sorted_reef: tuple[Path, Path],
) -> None:
    with python.open(sorted_reef[0]) as collection:
        found = collection.search("class:knowledge", limit=100, facets=True)
        hosts = {each.url.split("/")[2] for each in found.results}
        below = collection.search("class:Knowledge/Reef", limit=100)
        assert {"www.reef.example", "museum.tide.example"} <= hosts
        assert 0 < below.total < found.total
        facet = dict(found.facets["class"])
        assert facet["knowledge"] == found.total
        assert facet["knowledge/reef"] == below.total
        assert collection.search("class:reef").total == 0
        right = [
            of_host(page.url) == mark
            for page in collection.pages()
            if of_host(page.url) and page.text
            for mark in collection.marks(page.url).get("class", "").split("\t")[:1]
        ]
    assert sum(right) / len(right) > 0.75


def test_the_tree_counts_what_it_has(sorted_reef: tuple[Path, Path], shoal: Shoal) -> None:
    place, listed = sorted_reef
    lines = {each.name: each for each in python.class_tree(place)}
    assert set(CLASS_OF.values()) | {"knowledge", "talk", "trade"} == set(lines)
    below = lines["knowledge/reef"].pages + lines["knowledge/museum"].pages
    assert 0 < below <= lines["knowledge"].pages
    assert lines["knowledge/reef"].examples > 0
    assert lines["knowledge/reef"].words
    shown = shoal.ok("classes", "show", "--dir", str(place))
    assert [line.split()[0] for line in shown.lines][:2] == ["knowledge", "museum"]
    report = shoal.ok("classes", "report", "--dir", str(place), "--json").json
    assert (report["source"], report["exclusive"]) == (str(listed), True)
    assert report["held_out"] == report["examples"] > 0
    assert 0.5 < report["accuracy"] <= 1


def test_a_page_says_why_it_is_where_it_is(sorted_reef: tuple[Path, Path]) -> None:
    url = "http://www.reef.example/species/seahorse.html"
    shares = python.page_classes(url, sorted_reef[0])
    assert shares[0].name == "knowledge"
    assert sorted((each.chance for each in shares), reverse=True) == [
        each.chance for each in shares
    ]
    with python.open(sorted_reef[0]) as collection:
        page = collection.page(url)
        assert page is not None
        words = {word for part, word, _ in shares[1].words if part == "text"}
        assert words
        assert words <= {*page.text.lower().replace(".", " ").replace(",", " ").split(), *words}
    with pytest.raises(UsageError, match="not stored"):
        python.page_classes("http://www.reef.example/nowhere", sorted_reef[0])


def test_new_documents_are_marked_as_they_come(own: Path, folders: Path, tmp_path: Path) -> None:
    python.train_classes(folders, own)
    new = tmp_path / "new"
    new.mkdir()
    (new / "letter.txt").write_text(FISH * 2, encoding="utf-8")
    (new / "bill.txt").write_text(MONEY * 2, encoding="utf-8")
    python.add(new, dir=own)
    with python.open(own) as collection:
        found = collection.search("class:nature", limit=100)
        assert any(each.url.endswith("letter.txt") for each in found.results)
        assert not any(each.url.endswith("bill.txt") for each in found.results)
        (bill,) = collection.search("class:business/money bill").results
        assert collection.marks(bill.url)["class"].startswith("business/money\t")
    as_nobody = python.open(own, "nobody")
    with as_nobody as collection:
        assert not any(
            each.url.startswith("file:")
            for each in collection.search("class:business", limit=100).results
        )


def test_learning_anew_replaces_and_removing_takes_back(own: Path, folders: Path) -> None:
    with python.open(own) as collection:
        before = collection.search("mark:class").total
    assert before
    python.train_classes(folders, own, accept=0.01)
    python.update_index(own)
    with python.open(own) as collection:
        assert collection.search("class:knowledge").total == 0
        assert collection.search("mark:class").total >= before
    assert python.apply_classes(own).changed == 0
    assert python.remove_classes(own).changed >= before
    python.update_index(own)
    with python.open(own) as collection:
        assert collection.search("mark:class").total == 0
    for call in (python.class_report, python.apply_classes):
        with pytest.raises(CollectionError, match="No classes were learned"):
            call(own)
    assert python.class_tree(own) == []
    assert python.remove_classes(own).changed == 0


def test_the_same_examples_make_the_same_model(own: Path, folders: Path) -> None:
    models = []
    for _ in range(2):
        python.train_classes(folders, own)
        learned = ClassesPlace(own).read()
        assert learned is not None
        models.append(learned.model)
    assert models[0] == models[1]


def test_a_file_in_two_folders_has_both_classes(own: Path, folders: Path) -> None:
    for file in (folders / "nature/sea").iterdir():
        if int(file.stem) < 3:
            shutil.copy(file, folders / "business/money" / f"also{file.name}")
    report = python.train_classes(folders, own).report
    assert not report.exclusive
    assert report.examples == 12


def odd_trees(folder: Path) -> Iterator[tuple[str, str]]:
    """What can't be learned from, and what is said of it."""
    (folder / "empty").mkdir()
    yield "empty", "no folders with files"
    (folder / "flat").mkdir()
    (folder / "flat" / "a.txt").write_text(FISH, "utf-8")
    yield "flat", "no folders with files"
    (folder / "one" / "fish").mkdir(parents=True)
    (folder / "one" / "fish" / "a.txt").write_text(FISH, "utf-8")
    yield "one", "all examples are of one class, fish"
    (folder / "blank" / "a").mkdir(parents=True)
    (folder / "blank" / "a" / "a.txt").write_text(" \n", "utf-8")
    yield "blank", "no example with text"
    (folder / "no-tab.txt").write_text("fish http://www.reef.example/\n", "utf-8")
    yield "no-tab.txt", "line 1 of .* is not a class, a tab and a URL"
    (folder / "nothing.txt").write_text("# only a remark\n", "utf-8")
    yield "nothing.txt", "names no page"
    (folder / "unknown.txt").write_text("a\thttp://x.example/\nb\thttp://y.example/\n", "utf-8")
    yield "unknown.txt", "no example with text"
    (folder / "nowhere.txt").write_text("-\thttp://www.reef.example/\n", "utf-8")
    yield "nowhere.txt", "no example with text"
    yield "missing", "no folder of folders"


def test_what_can_not_be_learned_from_is_said_and_changes_nothing(
    own: Path, tmp_path: Path, shoal: Shoal
) -> None:
    before = ClassesPlace(own).path.read_bytes()
    for name, said in odd_trees(tmp_path):
        with pytest.raises(UsageError, match=said):
            python.train_classes(tmp_path / name, own)
    assert ClassesPlace(own).path.read_bytes() == before
    for accept in (0.0, 1.5, float("nan")):
        with pytest.raises(UsageError, match="accept is a chance"):
            python.train_classes(tmp_path, own, accept)
    assert "one class, fish" in shoal.refuses(
        "classes", "train", str(tmp_path / "one"), "--dir", str(own)
    )
    assert "There is no collection" in shoal.refuses("classes", "show", "--dir", "nowhere")


def test_where_nothing_was_learned_it_says_how(reef: Path, shoal: Shoal) -> None:
    says = f"learn some with: shoal classes train TREE --dir {reef}"
    for words in (("show",), ("report",), ("apply",)):
        assert shoal.refuses("classes", *words, "--dir", str(reef)).endswith(says)


def test_folders_without_an_example_are_named(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("fish", "money/bank", "blank", "sky/empty", ".hidden"):
        (tree / name).mkdir(parents=True)
    (tree / "fish" / "a.txt").write_text(FISH, "utf-8")
    (tree / "money" / "bank" / "b.txt").write_text(MONEY, "utf-8")
    (tree / "blank" / "c.txt").write_text(" ", "utf-8")
    assert examples_of(tree, "").notes == [
        "1 files have no text and are left out",
        "no example is in blank, sky/empty",
    ]


def test_contradictions_one_document_and_many_languages_are_valid(
    own: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    for number, name in enumerate(("a", "b")):
        (tree / name).mkdir(parents=True)
        (tree / name / "same.txt").write_text(FISH, "utf-8")
        (tree / name / "own.txt").write_text((FISH, MONEY)[number] * 2, "utf-8")
    assert python.train_classes(tree, own).report.examples == 3
    greetings = ["reef", "риф", "礁", "산호초", "شعاب", "ύφαλος", "चट्टान", "แนวปะการัง", "ריף", "రీఫ్"]
    for number in range(40):
        folder = tree / f"language{number}"
        folder.mkdir()
        (folder / "text.txt").write_text(f"{greetings[number % 10]} {number} " * 9, "utf-8")
    report = python.train_classes(tree, own).report
    assert len(report.classes) == 42
    assert all(0 <= each <= 1 for each in (report.accuracy, report.coverage, report.macro_f1))


def test_pages_of_one_s_own_are_no_examples(own: Path, tmp_path: Path) -> None:
    """Everyone sees classes, so they are made of what everyone may read."""
    folder = tmp_path / "private"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(FISH + name, "utf-8")
        (folder / name).chmod(0o600)
    python.add(folder, dir=own)
    with python.open(own) as collection:
        urls = [page.url for page in collection.pages() if page.url.startswith("file:")]
        public = [page.url for page in collection.pages() if of_host(page.url)][:4]
    lines = [f"own\t{url}" for url in urls] + [f"web\t{url}" for url in public[:2]]
    listed = tmp_path / "list.txt"
    listed.write_text("\n".join(lines), "utf-8")
    with pytest.raises(UsageError, match="all examples are of one class, web"):
        python.train_classes(listed, own)
    more = [f"other\t{url}" for url in public[2:]]
    listed.write_text("\n".join(lines + more), "utf-8")
    report = python.train_classes(listed, own).report
    assert report.examples == 4
    assert any("not everyone may read them" in note for note in report.notes)


def test_a_damaged_model_is_told_and_marks_nothing(own: Path, tmp_path: Path) -> None:
    place = ClassesPlace(own)
    place.path.write_bytes(place.path.read_bytes()[:-100])
    for call in (python.class_report, python.apply_classes, python.class_tree):
        with pytest.raises(DamagedError, match="train them again"):
            call(own)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "a.txt").write_text(FISH, "utf-8")
    python.add(tmp_path / "new", dir=own)
    with python.open(own) as collection:
        (page,) = [page for page in collection.pages() if page.url.startswith("file:")]
        assert "class" not in collection.marks(page.url)


def test_classes_of_a_cluster(sorted_reef: tuple[Path, Path], tmp_path: Path) -> None:
    place, listed = sorted_reef
    many = tmp_path / "many"
    python.split(place, many, 3)
    alone = {each.name: each.pages for each in python.class_tree(place)}
    assert {each.name: each.pages for each in python.class_tree(many)} == alone
    report = python.class_report(many)
    assert report.source == str(listed)
    trained = python.train_classes(listed, many)
    assert trained.report.examples == report.examples
    assert trained.applied.changed == 0
    with python.open(many) as collection:
        held = collection.tablets.ask_all(lambda view: ClassesPlace(view.layout.directory).read())
    assert all(each is not None and each.report == trained.report for each in held)
