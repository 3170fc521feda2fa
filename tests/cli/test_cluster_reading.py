"""`--dir` names a cluster: what reads a collection reads it, and all else says what to do."""

from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import shoal as python
from shoal.access.indexing import update_index
from shoal.cli.main import run
from tests.cli.command import Done, Shoal

TABLETS = 3
PAGE = "http://www.reef.example/species/clownfish.html"
UNKNOWN = "http://www.reef.example/nowhere"


@pytest.fixture(scope="session")
def many(reef: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled web as a cluster, for reading only."""
    place = tmp_path_factory.mktemp("cluster") / "many"
    python.split(reef, place, TABLETS)
    update_index(place)
    update_index(reef)
    return place


Captured = pytest.CaptureFixture[bytes]


class InProcess:
    """The command line in this process: a start takes longer than most of these commands."""

    def __init__(self, captured: Captured) -> None:
        self._captured = captured

    def __call__(self, *arguments: str) -> Done:
        with pytest.raises(SystemExit) as ended:
            run(arguments)
        out, err = self._captured.readouterr()
        return Done(int(ended.value.code or 0), out, err.decode())

    def ok(self, *arguments: str) -> Done:
        done = self(*arguments)
        assert done.code == 0, done.err
        return done

    def refuses(self, *arguments: str) -> str:
        done = self(*arguments)
        assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1), done.err or done.text
        return done.err.removeprefix("shoal: ").strip()


class Two:
    """A command on the collection and on the cluster."""

    def __init__(self, shoal: InProcess, one: Path, many: Path) -> None:
        self.shoal, self.one, self.many = shoal, one, many

    def __call__(self, *arguments: str) -> tuple[Done, Done]:
        return self.on_one(*arguments), self.on_many(*arguments)

    def on_one(self, *arguments: str) -> Done:
        return self.shoal.ok(*arguments, "--dir", str(self.one))

    def on_many(self, *arguments: str) -> Done:
        return self.shoal.ok(*arguments, "--dir", str(self.many))

    def refuses(self, *arguments: str) -> str:
        return self.shoal.refuses(*arguments, "--dir", str(self.many))


@pytest.fixture
def two(capsysbinary: Captured, reef: Path, many: Path) -> Two:
    return Two(InProcess(capsysbinary), reef, many)


@pytest.mark.parametrize(
    "command",
    [
        ("urls",),
        ("urls", "--state=fetched", "--reason=indexed", "--json"),
        ("explain", PAGE),
        ("explain", UNKNOWN),
        ("show", PAGE, "--text"),
        ("show", PAGE, "--anchors"),
        ("show", PAGE, "--headers"),
        ("hosts",),
        ("export", "urls", "--json"),
        ("export", "jsonl", "--where=www.reef.example"),
        ("links", PAGE, "--json"),
        ("dups", "--all"),
        ("dups", "--sites"),
    ],
    ids=" ".join,
)
def test_a_cluster_answers_as_the_collection_does(two: Two, command: tuple[str, ...]) -> None:
    one, many = two(*command)
    assert many.out == one.out
    assert one.out


def test_status_adds_up(two: Two) -> None:
    one, many = two("status", "--json")
    ours: dict[str, Any] = many.json
    assert ours["directory"] == str(two.many)
    theirs: dict[str, Any] = one.json
    for name in ("discovered", "answered", "fetched", "excluded", "failed", "indexed", "source"):
        assert ours[name] == theirs[name], name
    assert ours["discovered"] == sum(
        ours[name] for name in ("queued", "in_flight", "answered", "excluded", "failed")
    )
    assert ours["fetched"] == sum(ours["fetched_by_fate"].values())
    said = two.on_many("status").text
    assert f"{two.many}: at rest" in said
    assert f"cluster status {two.many}" in said


def test_search_finds_the_same_pages(two: Two) -> None:
    one, many = two("search", "clownfish", "--limit=50", "--json")
    assert many.json["total"] == one.json["total"]
    found = {each["url"] for each in many.json["results"]}
    assert found == {each["url"] for each in one.json["results"]}
    assert many.json["results"][0]["url"] == one.json["results"][0]["url"]


def test_groups_are_those_of_the_tablets(two: Two) -> None:
    one, many = two("dups", "--json")
    assert sum(each["pages"] for each in many.json_lines) <= sum(
        each["pages"] for each in one.json_lines
    )
    assert "groups of near-duplicates" in two.on_many("dups").text
    assert "is a cluster; what is near a page is among: shoal dups --all" in two.refuses(
        "dups", "--of", PAGE
    )


def test_an_export_in_parts(two: Two, tmp_path: Path) -> None:
    done = two.on_many("export", "jsonl", "--parts", str(tmp_path / "parts"))
    assert done.out == b""
    assert "pages written to" in done.err
    files = sorted((tmp_path / "parts").iterdir())
    assert 1 < len(files) <= TABLETS
    lines = chain.from_iterable(file.read_bytes().splitlines() for file in files)
    assert sorted(lines) == sorted(two.on_one("export", "jsonl").out.splitlines())
    one = two.on_one("export", "urls", "--parts", str(tmp_path / "one"))
    assert "URLs written to" in one.err
    assert [each.name for each in (tmp_path / "one").iterdir()] == ["part-0000.txt"]
    says = two.refuses("export", "urls", "--parts", str(tmp_path), "-o", "file")
    assert says == "name one place to write to: --output or --parts."


def test_verify_looks_at_each_tablet(two: Two, tmp_path: Path) -> None:
    done = two.on_many("verify", "--json")
    assert done.json["ok"]
    assert done.json["checked"]["rows"] == two.on_one("verify", "--json").json["checked"]["rows"]
    place = tmp_path / "damaged"
    python.split(two.one, place, 2)
    archive = max((place / "tablets").glob("*/*/warc/*.warc.gz"))
    number = int(archive.parts[-4])
    with archive.open("ab") as file:
        file.write(b"torn")
    found = two.shoal("verify", "--dir", str(place))
    assert found.code == 1
    says = f"archive: tablet {number}, {archive.name}: Its last 4 bytes are no whole record."
    assert says in found.text
    assert "cluster merge makes a collection of it that can be mended" in found.text


def test_ranks_and_the_graph(two: Two, reef: Path, tmp_path: Path) -> None:
    place = tmp_path / "many"
    python.split(reef, place, 2)
    shoal, many = two.shoal, ("--dir", str(place))
    ranked = shoal.ok("rank", "--top=3", "--json", *many).json
    assert len(ranked["pages"]) == 3
    assert shoal.ok("links", ranked["pages"][0]["url"], "--json", *many).json["score"] > 0
    assert shoal.ok("links", ranked["pages"][0]["url"], "--around", "--json", *many).json["pages"]
    shoal.ok("graph", "--export", str(tmp_path / "web.graphml"), *many)
    assert (tmp_path / "web.graphml").read_text().count("<node ") == ranked["summary"]["nodes"]
    assert "pages on 7 sites" in shoal.ok("graph", *many).text


def test_an_index_is_made_where_there_is_none(two: Two, reef: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "many")
    python.split(reef, place, 2)
    done = two.shoal.ok("reindex", "--json", "--dir", place)
    assert done.json["pages"] == two.on_one("status", "--json").json["indexed"]


def test_a_cluster_that_was_never_started(shoal: Shoal) -> None:
    shoal.ok("cluster", "create", "new", "--tablets=2")
    for command in (("status",), ("search", "reef"), ("verify",), ("export", "urls")):
        says = shoal.refuses(*command, "--dir", "new")
        assert says.startswith("The cluster in new was never started; start it with: ")
        assert says.endswith("cluster start new URL")


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        (("crawl", "http://www.reef.example/"), "cluster start {} URL"),
        (("refresh",), "cluster start {} --forever"),
        (("stop",), "cluster stop {}"),
        (("plan",), "cluster status {}"),
        (("map", "http://www.reef.example/"), "urls --dir {}"),
        (("compact",), "cluster merge {} NEW_DIRECTORY"),
        (("repair",), "cluster merge {} NEW_DIRECTORY"),
        (("freshness",), "cluster merge {} NEW_DIRECTORY"),
        (("shadow", "apply"), "cluster merge {} NEW_DIRECTORY"),
        (("feed", "list"), "cluster merge {} NEW_DIRECTORY"),
        (("dups", "--rebuild"), "cluster merge {} NEW_DIRECTORY"),
        (("serve", "--crawl"), "cluster start {}"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_other_commands_say_what_to_use(two: Two, command: tuple[str, ...], instead: str) -> None:
    says = two.refuses(*command)
    assert "cluster" in says
    assert says.endswith(f"shoal {instead.format(two.many)}")


def test_settings_of_a_cluster(two: Two) -> None:
    assert "delay = 0.05" in two.on_many("config", "show").text
    assert two.on_many("config", "path").text.strip() == str(two.many / "shoal.toml")
