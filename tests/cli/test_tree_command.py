"""`shoal tree`: made of the documents, the same twice, with names that stay, for whoever asks."""

import shutil
from pathlib import Path

import pytest

import shoal as python
from shoal.analysis.trees import lines
from shoal.errors import CollectionError, UsageError
from shoal.layout.trees import tree_place
from shoal.model.principal import PUBLIC
from tests.cli.command import Shoal


@pytest.fixture(scope="module")
def grown(reef: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection whose pages stand in a tree."""
    place = tmp_path_factory.mktemp("tree") / "corpus"
    shutil.copytree(reef, place)
    assert python.make_tree(place, leaves=8).anew
    python.update_index(place)
    return place


@pytest.fixture
def own(grown: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(grown, tmp_path / "own"))


def places(place: Path) -> dict[str, str]:
    with python.open(place) as collection:
        return {
            page.url: collection.marks(page.url).get("tree", "").partition("\t")[0]
            for page in collection.pages()
            if page.text
        }


def test_every_page_has_its_place_and_is_found_there(grown: Path, shoal: Shoal) -> None:
    found = places(grown)
    lines = {line.way: line for line in python.tree(grown)}
    assert found
    assert all(found.values())
    assert set(found.values()) <= set(lines)
    tops = [way for way in lines if "/" not in way]
    assert len(tops) > 1
    assert sum(lines[way].pages for way in tops) == len(found)
    for way, line in lines.items():
        inside = sum(each == way or each.startswith(f"{way}/") for each in found.values())
        assert line.pages == inside
    with python.open(grown) as collection:
        asked = collection.search(f"tree:{tops[0]}", limit=100, facets=True)
        assert dict(asked.facets["tree"])[tops[0]] == asked.total > 0
    shown = shoal.ok("tree", "show", tops[0], "--dir", str(grown))
    assert shown.lines[0].startswith(f"{tops[0]}  {lines[tops[0]].pages} page")
    told = shoal.ok("tree", "show", "--json", "--dir", str(grown)).json
    assert {line["way"] for line in told} == set(lines)
    assert all(line["url"] in found for line in told)
    assert any(line["title"] for line in told)
    assert any(line["words"] for line in told)


def test_made_twice_it_is_the_same(own: Path) -> None:
    before, model = places(own), tree_place(own).path.read_bytes()
    again = python.make_tree(own, leaves=8)
    assert (again.anew, again.applied.changed) == (False, 0)
    assert tree_place(own).path.read_bytes() == model
    assert python.make_tree(own, leaves=8, anew=True).applied.changed == 0
    assert places(own) == before


def test_new_documents_find_their_place_and_move_no_others(own: Path, tmp_path: Path) -> None:
    before = places(own)
    new = tmp_path / "new"
    new.mkdir()
    for number in range(4):
        (new / f"{number}.txt").write_text(f"A clownfish and its anemone, {number}.", "utf-8")
    python.add(new, dir=own)
    after = places(own)
    assert all(after.values())
    assert len(after) == len(before) + 4
    assert {url: after[url] for url in before} == before
    assert python.make_tree(own, leaves=8).applied.changed == 0


def test_made_anew_parts_that_are_the_same_keep_their_names(own: Path) -> None:
    before = {way.rpartition("/")[2] for way in places(own).values()}
    assert python.make_tree(own, leaves=9).anew
    after = {way.rpartition("/")[2] for way in places(own).values()}
    assert len(before & after) >= len(before) / 2


def test_it_is_made_of_what_everyone_may_read(own: Path, tmp_path: Path) -> None:
    model = tree_place(own).path.read_bytes()
    folder = tmp_path / "private"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"the secret treasure of pirates {number}", "utf-8")
        (folder / f"{number}.txt").chmod(0o600)
    python.add(folder, dir=own)
    python.make_tree(own, leaves=8, anew=True)
    made = tree_place(own).path.read_bytes()
    assert len(made) == pytest.approx(len(model), abs=20)
    assert b"treasure" not in made
    python.make_tree(own, leaves=8, own=True)
    assert b"treasure" in tree_place(own).path.read_bytes()


def test_what_no_search_may_show_names_no_part(tmp_path: Path) -> None:
    """Pages that say `noindex`, and the list of the folder."""
    folder = tmp_path / "zyzzyvas"
    folder.mkdir()
    for at, head in enumerate(["", '<meta name="robots" content="noindex">'] * 4):
        words = "quagga" if head else "coral"
        text = f"<head>{head}<title>{words}</title></head><p>{f'{words} {at} ' * 20}</p>"
        (folder / f"{at}.html").write_text(text, "utf-8")
    place, everyone = tmp_path / "corpus", {"files.readers": "everyone"}
    python.crawl(f"{folder.as_uri()}/", dir=place, settings=everyone)
    assert python.make_tree(place, leaves=4).documents == 4
    said = repr([(line.way, line.words, line.title, line.url) for line in python.tree(place)])
    assert "coral" in said
    assert "quagga" not in said
    assert "zyzzyvas/'" not in said


def test_own_documents_alone_need_to_be_asked_for(tmp_path: Path) -> None:
    folder, place = tmp_path / "private", tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("one document alone", "utf-8")
    (folder / "a.txt").chmod(0o600)
    python.add(folder, dir=place)
    with pytest.raises(UsageError, match="no document with text that everyone may read"):
        python.make_tree(place)
    assert python.make_tree(place, own=True).leaves == 1
    assert [line.pages for line in python.tree(place)] == [1]


def test_it_is_taken_back(own: Path, shoal: Shoal) -> None:
    assert python.remove_tree(own).changed == len(places(own))
    assert not any(places(own).values())
    with pytest.raises(CollectionError, match="No tree was made here"):
        python.tree(own)
    says = shoal.refuses("tree", "show", "--dir", str(own))
    assert says.endswith(f"No tree was made here; make one with: shoal tree make --dir {own}")
    with python.open(own, PUBLIC) as collection, pytest.raises(CollectionError) as refused:
        lines(collection)
    assert str(own) not in str(refused.value)
    for leaves, depth in ((-1, 3), (1000, 3), (0, 0), (0, 99)):
        with pytest.raises(UsageError, match="must be from 1"):
            python.make_tree(own, leaves, depth)


def test_a_part_that_is_not_there_is_said(grown: Path) -> None:
    with pytest.raises(UsageError, match="no part 'nowhere'"):
        python.tree(grown, "nowhere")


def test_a_cluster_makes_the_same_tree(grown: Path, reef: Path, tmp_path: Path) -> None:
    many = tmp_path / "many"
    python.split(reef, many, 3)
    found = python.make_tree(many, leaves=8)
    assert (found.anew, found.applied.waits) == (True, True)
    alone = [(line.way, line.words, line.url) for line in python.tree(grown)]
    assert [(line.way, line.words, line.url) for line in python.tree(many)] == alone
