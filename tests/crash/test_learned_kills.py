"""kill -9 while something is learned: what was said holds, what was learned is the old or the new
one whole, and the same command, or the crawl, goes on where it ended."""

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.collection.report.topics import shown_topic
from shoal.layout.classes import ClassesPlace
from shoal.layout.trees import tree_place, unpacked_tree
from tests.cli.command import clean_environment
from tests.contract.worlds import build, public_documents
from tests.crash.crawler import LOOK_SECONDS, PATIENCE_SECONDS, Crawler
from tests.world import Latency, RobotsMix, Running, Web, serve

TOPIC = "topic"
_REQUESTS = 12
Marks = dict[str, dict[str, str]]


def ask(*words: str, place: Path, fault: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "shoal", *words, "--dir", str(place)],
        env=clean_environment() | ({"SHOAL_FAULT": fault} if fault else {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def marks_of(place: Path) -> Marks:
    with open_collection(place) as collection:
        return {page.url: collection.marks(page.url) for page in collection.pages()}


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """A collection with a topic, and the commands that learn from its pages."""
    place = tmp_path_factory.mktemp("learned") / "corpus"
    documents = public_documents(random.Random(3), 16)
    build(place, documents)
    listed = place.with_name("list.txt")
    listed.write_text(
        "".join(f"{'a/b' if 'coral' in each.html else 'c'}\t{each.url}\n" for each in documents),
        "utf-8",
    )
    assert ask(TOPIC, "make", TOPIC, "--words", "coral kelp", place=place).returncode == 0
    coral = [each.url for each in documents if "coral" in each.html][:3]
    commands = {
        "classes": ["classes", "train", str(listed), "--accept", "0.1"],
        "tree": ["tree", "make", "--leaves", "4"],
        "topic": [TOPIC, "yes", *coral],
    }
    return place, commands


@pytest.mark.parametrize(
    ("what", "fault"),
    [
        ("classes", "commit.before:3"),
        *(
            pytest.param(what, fault, marks=pytest.mark.slow)
            for what, faults in {
                "classes": ("learned.held", "commit.after:9"),
                "tree": ("learned.held", "commit.before:5", "commit.after:9"),
                "topic": ("topic.said", "topic.said:3", "commit.before"),
            }.items()
            for fault in faults
        ),
    ],
)
def test_a_command_that_was_killed_goes_on(
    what: str, fault: str, rest: tuple[Path, dict[str, list[str]]], tmp_path: Path
) -> None:
    place, commands = rest
    untouched = Path(shutil.copytree(place, tmp_path / "untouched"))
    killed = Path(shutil.copytree(place, tmp_path / "killed"))
    before = marks_of(place)
    assert ask(*commands[what], place=untouched).returncode == 0
    after = marks_of(untouched)
    assert after != before

    assert ask(*commands[what], place=killed, fault=fault).returncode == -signal.SIGKILL
    meanwhile = marks_of(killed)
    assert all(meanwhile[url] in (before[url], after[url]) for url in after)
    ClassesPlace(killed).read()
    if tree_place(killed).path.exists():
        unpacked_tree(tree_place(killed).path.read_bytes())
    is_held = what == "classes" and ClassesPlace(killed).path.exists()
    assert ask(*(["classes", "apply"] if is_held else commands[what]), place=killed).returncode == 0
    assert marks_of(killed) == after
    if what == "topic":
        assert _labels(killed) == _labels(untouched)
    assert not list(killed.rglob("*.part"))
    done = ask("verify", "--quiet", place=killed)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def _labels(place: Path) -> dict[str, tuple[bool, str]]:
    with open_collection(place) as collection:
        return {each.url: (each.yes, each.title) for each in shown_topic(collection, TOPIC).labels}


def test_what_was_said_to_a_crawl_that_is_killed_holds(tmp_path: Path) -> None:
    _said_and_killed(tmp_path, pages=40, kills=("",))


@pytest.mark.slow
def test_a_crawl_for_a_topic_is_killed_again_and_again(tmp_path: Path) -> None:
    faults = ("", "topic.said", "commit.before:60", "topic.said", "commit.after:70", "")
    _said_and_killed(tmp_path, pages=400, kills=faults)


def _said_and_killed(tmp_path: Path, pages: int, kills: tuple[str, ...]) -> None:
    """What was acknowledged before each kill is known after it; each life is ended right behind the
    answer of `topic yes`, or by a fault."""
    web = Web(
        seed=8,
        hosts=20,
        pages=pages,
        skew=0,
        mean_bytes=2000,
        robots=RobotsMix(crawl_delay=0, error=0),
    )
    with serve(web, {"*": Latency(0.01)}) as running:
        place = tmp_path / "corpus"
        order = ("--order", "importance", "--topic", TOPIC)
        crawler = Crawler(place, running.web.seeds(), more=order)
        seed = running.web.seeds()[0]
        assert ask(TOPIC, "make", TOPIC, "--pages", seed, place=place).returncode == 0
        said = {seed}
        for fault in kills:
            urls = crawler.seeds[len(said) :][:1]
            code = _say_and_kill(crawler, running, urls, fault)
            said |= {*urls}
            assert code == -signal.SIGKILL, fault
            crawler.kills.append(time.time())
        crawler.finish()
        labels = _labels(place)
        assert {*labels} == said
        assert all(is_yes and title for is_yes, title in labels.values())
        crawler.check_complete(running)
        crawler.check_repeats(running.log())


def _say_and_kill(crawler: Crawler, running: Running, urls: Sequence[str], fault: str) -> int:
    """Of pages that are stored by now, on their way, or wait."""
    process = crawler.start(fault)
    try:
        _await_requests(running, process)
        done = ask(TOPIC, "yes", *urls, place=crawler.directory)
        if fault:
            process.wait(PATIENCE_SECONDS)
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stderr
    return process.returncode


def _await_requests(running: Running, process: subprocess.Popen[bytes]) -> None:
    """Or the end: an order that an earlier life had not carried out may bring it at once."""
    wanted = len(running.log()) + _REQUESTS
    for _ in range(round(PATIENCE_SECONDS / LOOK_SECONDS)):
        try:
            running.wait(wanted, timeout_seconds=LOOK_SECONDS)
        except TimeoutError:
            if process.poll() is not None:
                return
        else:
            return
