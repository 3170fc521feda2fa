"""`--dir` names a cluster: every command does with it what it does with a collection."""

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import shoal as python
from shoal.access.indexing import update_index
from shoal.cli.main import _register_commands, run
from shoal.cli.options import command_names, parse_and_run
from shoal.cluster.objects import open_objects
from shoal.control.cluster_commands import ClusterCommands, TabletCommands
from shoal.demo import serve
from shoal.fleet import cluster_run
from shoal.fleet.cluster_claim import Claimed
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


SAME = [
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
    ("clean", PAGE),
    ("slope", PAGE),
    ("feed", "list", "--json"),
    ("sources", "--json"),
    ("mail", "--json"),
    ("config", "show"),
    ("user", "list"),
]
"""What is printed is the same, byte for byte."""


@pytest.mark.parametrize("command", SAME, ids=" ".join)
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
    near = [done.json["near"] for done in two("dups", "--of", PAGE, "--scan", "--json")]
    assert near[0] == near[1] != []


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
    mended = two.shoal.ok("repair", "--json", "--dir", str(place)).json
    assert len(mended["torn_tails"]) == 1
    assert two.shoal.ok("verify", "--json", "--dir", str(place)).json["ok"]


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


def test_how_fresh_it_is(two: Two) -> None:
    one, many = (done.json for done in two("freshness", "--json"))
    assert one["stored"] == many["stored"] > 20
    assert many["now"]["pages"] == one["now"]["pages"]
    assert many["now"]["freshness"] == pytest.approx(one["now"]["freshness"], abs=0.01)
    assert {each["site"] for each in many["sites"]} == {each["site"] for each in one["sites"]}
    pages = [done.lines for done in two("freshness", "--pages")]
    assert [line.split("\t")[0] for line in pages[1]] == [line.split("\t")[0] for line in pages[0]]


@pytest.fixture
def own(reef: Path, tmp_path: Path) -> str:
    """A cluster that may be changed."""
    python.split(reef, tmp_path / "own", 2)
    return str(tmp_path / "own")


def test_room_is_made_in_each_tablet(two: Two, own: str) -> None:
    before = two.shoal.ok("export", "jsonl", "--dir", own).out
    done = two.shoal.ok("compact", "--all", "--json", "--dir", own).json
    assert done["bytes_after"] > 0
    assert two.shoal.ok("verify", "--json", "--dir", own).json["ok"]
    assert two.shoal.ok("export", "jsonl", "--dir", own).out == before


@pytest.mark.parametrize("command", ["compact", "repair"])
def test_it_says_which_tablet_its_lines_are_about(two: Two, own: str, command: str) -> None:
    said = two.shoal.ok(command, "--dir", own).err.splitlines()
    assert said[0] == "Tablet 0 …"
    second = said.index("Tablet 1 …")
    assert said[1:second] == said[second + 1 :]


def test_groups_are_made_again_in_each_tablet(two: Two, own: str) -> None:
    assert two.shoal.ok("dups", "--rebuild", "--json", "--dir", own).json["duplicates"] > 0
    assert two.shoal.ok("verify", "--json", "--dir", own).json["ok"]


def test_while_it_is_changed_nobody_else_may(two: Two, own: str) -> None:
    with Claimed(own, open_objects(own)):
        assert "runs already" in two.shoal("repair", "--dir", own).err


def test_what_is_known_of_a_site(two: Two) -> None:
    """The site is not there to be asked: what the collection has is told all the same."""
    for done in two("map", "www.reef.example", "--max-time=5s", "--json"):
        urls = {each["url"] for each in done.json["urls"]}
        assert PAGE in urls


def test_nothing_runs_in_it(two: Two) -> None:
    for command in (("stop",), ("plan",)):
        done = two.shoal(*command, "--dir", str(two.many))
        assert done.code in (1, 2)
        assert done.err.count("\n") == 1


def test_a_shadow_is_a_collections_own(two: Two) -> None:
    commands = (("shadow", "status"), ("shadow", "apply"), ("shadow", "discard"))
    for command in (*commands, ("crawl", "--shadow", "http://www.reef.example/")):
        assert "is a cluster, which has no shadow" in two.refuses(*command)
    assert "cluster start" in two.refuses("serve", "--crawl")


ORDERS = [
    ("pause", "www.reef.example"),
    ("resume", "www.reef.example"),
    ("slow", "www.reef.example", "2"),
    ("exclude", "www.reef.example"),
    ("include", "www.reef.example"),
    ("retry",),
    ("submit", UNKNOWN),
    ("mark", PAGE, "seen=yes"),
    ("feed", "add", "http://www.reef.example/new.xml"),
]
"""What a person wants of a crawl."""


@pytest.mark.parametrize("command", ORDERS, ids=" ".join)
def test_it_is_steered_as_a_collection_is(two: Two, own: str, command: tuple[str, ...]) -> None:
    two.shoal.ok(*command, "--dir", own)
    ((_, order),) = ClusterCommands(open_objects(own)).take()
    assert isinstance(order, TabletCommands)


def test_at_rest_it_says_when_a_command_holds_and_that_it_waits(two: Two, own: str) -> None:
    place = ("--dir", own)
    said = two.shoal.ok("pause", "www.reef.example", *place).lines
    assert said == ["www.reef.example is paused from the next crawl on."]
    assert "1 command waits here for the next crawl" in two.shoal.ok("hosts", *place).err
    done = two.shoal.ok("mark", PAGE, "seen=yes", *place)
    assert done.lines == ["seen=yes"]
    assert "2 commands wait here for the next crawl" in done.err
    for command in (("mark", PAGE), ("status",), ("feed", "list")):
        assert "2 commands wait here for the next crawl" in two.shoal.ok(*command, *place).err
    assert "wait" not in two.shoal.ok("hosts", "--json", *place).err


REFUSED = [
    ("feed", "remove", "http://www.reef.example/never.xml"),
    ("feed", "show", "http://www.reef.example/", "--resolve=www.reef.example=127.0.0.1:1"),
    ("sitemap", "http://www.reef.example/", "--resolve=www.reef.example=127.0.0.1:1"),
    ("simulate", "--recorded", "--pages=10"),
]


@pytest.mark.parametrize("command", REFUSED, ids=" ".join)
def test_it_says_why_not_as_a_collection_does(two: Two, command: tuple[str, ...]) -> None:
    one, many = (two.shoal(*command, "--dir", str(place)) for place in (two.one, two.many))
    assert one.code == many.code != 0
    said = (one.err.replace(str(two.one), ""), many.err.replace(str(two.many), ""))
    a_collection, a_cluster = (re.sub(r"after \d+ ms", "", each) for each in said)
    assert a_collection == a_cluster != ""


@pytest.mark.parametrize("command", [("refresh",), ("crawl",), ("crawl", "http://a.example/")])
def test_without_ray_it_says_so_before_anything_else(
    two: Two, own: str, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_run, "find_spec", lambda _name: None)
    assert "A cluster needs Ray" in two.shoal.refuses(*command, "--dir", own)


def test_what_a_crawl_needs(two: Two) -> None:
    one, many = (two.shoal("doctor", "--json", "--dir", str(at)) for at in (two.one, two.many))
    assert one.code == many.code
    assert [each["name"] for each in many.json["checks"]] == [
        each["name"] for each in one.json["checks"]
    ]


@pytest.mark.slow
def test_it_is_crawled_and_refreshed(shoal: Shoal, own: str) -> None:
    """By the same words as a collection; on Ray, which is started for it."""
    with serve("127.71.0") as web:
        places = [f"--set=resolve.{host}={address}" for host, address in web.resolve.items()]
        before = shoal.ok("status", "--json", "--dir", own).json
        shoal.ok("crawl", *places, "--quiet", "--dir", own)
        done = shoal.ok("refresh", "--site=www.reef.example", *places, "--dir", own)
    (told,) = [line for line in done.lines if line.startswith("Asked again for ")]
    assert told.endswith(" unchanged."), done.text
    after = shoal.ok("status", "--json", "--dir", own).json
    assert after["totals"]["requests"] > before["totals"]["requests"]
    visits = shoal.ok("show", PAGE, "--history", "--json", "--dir", own).json
    assert len(visits) == 2
    assert shoal.ok("verify", "--json", "--dir", own).json["ok"]


OWN = ("add", "watch", "sources", "mail")
"""Tested in tests/repartition/test_own_sources.py."""


TESTED = {
    *OWN,
    *(each[0] for each in (*SAME, *ORDERS, *REFUSED)),
    *("status", "search", "verify", "repair", "rank", "graph", "reindex", "freshness", "compact"),
    *("map", "stop", "plan", "shadow", "doctor", "crawl", "refresh"),
    *("classes", "entities", "order", "topic", "tree"),  # their own suites
    "serve",  # tests/web/test_cluster.py
    "entities",  # tests/cluster/test_at_rest.py
}


def test_no_command_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    _register_commands()
    with_dir = set()
    for command in command_names():
        parse_and_run([*command.split(), "--help"])
        if "--dir " in capsys.readouterr().out:
            with_dir.add(command.split()[0])
    assert with_dir - {"demo"} == TESTED  # the demo is always in a directory


def test_settings_of_a_cluster(two: Two) -> None:
    assert "delay = 0.05" in two.on_many("config", "show").text
    assert two.on_many("config", "path").text.strip() == str(two.many / "shoal.toml")
