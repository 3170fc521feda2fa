"""Bad input: one sentence that says what to do, exit code 2, no traceback, nothing made or lost."""

import os
from pathlib import Path

import pytest

from tests.cli.command import Shoal
from tests.world import Hang, Web, serve

PUBLIC = "http://93.184.215.14/"
"""An address outside; nothing is sent to it, since each of these crawls is refused."""


def is_empty(directory: Path) -> bool:
    return not list(directory.iterdir())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["http://"], "names no host"),
        (["htps://example.org/"], "did you mean 'https://example.org/'?"),
        (["http://exa mple.org/"], "no host name"),
        (["http://example.org:99999/"], "port"),
        (["mailto:a@example.org"], "can't be crawled"),
        (["nowhere"], "no URL and no file here"),
        (["@nowhere.txt"], "can't be read"),
        ([], "name at least one URL"),
    ],
)
def test_bad_seeds(shoal: Shoal, words: list[str], says: str) -> None:
    assert says in shoal.refuses("crawl", *words)
    assert is_empty(shoal.directory)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--max-pages=many"], "--max-pages must be a whole number, not 'many'"),
        (["--max-pages=0"], "--max-pages must be at least 1"),
        (["--max-time=soon"], "--max-time must be a number of seconds"),
        (["--scope=galaxy"], "'host' or 'domain' or 'prefix' or 'any', not 'galaxy'"),
        (["--include=("], "no regular expression"),
        (["--rules=nosuchrules"], "nosuchrules"),
        (["--resolve=a.test"], "HOST=ADDRESS"),
        (["--resolve=a.test=b.test"], "must be an IP address"),
        (["--set=crawl.max_pagse=3"], "did you mean 'crawl.max_pages'?"),
        (["--set=crawl"], "SECTION.KEY=VALUE"),
        (["--set=crawl.max_pages=many"], "--set crawl.max_pages must be a whole number, not"),
        (["--set=politeness.delay=soon"], "--set politeness.delay must be a number of seconds"),
        (["--max-pagse=3"], "--max-pages"),
        (["--agent=bad\nagent"], "--agent must be printable ASCII"),
    ],
)
def test_bad_flags(shoal: Shoal, flags: list[str], says: str) -> None:
    assert says in shoal.refuses("crawl", "http://127.0.0.1/", *flags)
    assert is_empty(shoal.directory)


def test_an_unknown_command_names_the_nearest(shoal: Shoal) -> None:
    assert shoal.refuses("crwal") == "No such command 'crwal'; did you mean 'crawl'?"


def test_a_bad_key_in_the_settings_file(shoal: Shoal) -> None:
    directory = shoal.directory / "corpus"
    directory.mkdir()
    (directory / "shoal.toml").write_text("[crawl]\nmax_pagse = 3\n")
    for command in (["crawl", "http://127.0.0.1/"], ["config", "show"], ["doctor"]):
        assert "did you mean 'crawl.max_pages'?" in shoal.refuses(*command)
    assert [each.name for each in directory.iterdir()] == ["shoal.toml"]


def test_a_bad_environment_variable(shoal: Shoal) -> None:
    says = shoal.refuses("crawl", "http://127.0.0.1/", SHOAL_CRAWL_MAX_PAGSE="3")
    assert "did you mean SHOAL_CRAWL_MAX_PAGES?" in says
    assert is_empty(shoal.directory)


def test_a_directory_that_cannot_be_written(shoal: Shoal) -> None:
    file = shoal.directory / "file"
    file.write_text("dear")
    says = shoal.refuses("crawl", "http://127.0.0.1/", f"--dir={file}/corpus")
    assert says.endswith(f"{file} is a file, not a directory.")
    assert file.read_text() == "dear"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission(shoal: Shoal) -> None:
    locked = shoal.directory / "locked"
    locked.mkdir(mode=0o555)
    assert "can't be written" in shoal.refuses("crawl", "http://127.0.0.1/", f"--dir={locked}/x")


def test_a_delay_under_a_second_to_a_public_address(shoal: Shoal) -> None:
    says = shoal.refuses("crawl", PUBLIC, "--delay=0.5")
    assert "too short for 93.184.215.14" in says
    assert "--delay 1 or more" in says
    assert is_empty(shoal.directory)


def test_a_crawl_beyond_one_site_without_a_contact(shoal: Shoal) -> None:
    assert "--contact" in shoal.refuses("crawl", PUBLIC, "--scope=any")
    assert is_empty(shoal.directory)


@pytest.mark.parametrize(
    "words",
    [
        "status",
        "urls",
        "hosts",
        "explain http://a.test/",
        "show http://a.test/",
        "export urls",
        "pause a.test",
        "resume a.test",
        "submit http://a.test/",
        "stop",
        "plan",
    ],
)
def test_a_collection_that_is_not_there(shoal: Shoal, words: str) -> None:
    says = shoal.refuses(*words.split(), "--dir=nowhere")
    assert says == (
        "There is no collection in nowhere; make one with: shoal crawl URL --dir nowhere, or of "
        "your own documents with: shoal add FOLDER --dir nowhere"
    )
    assert is_empty(shoal.directory)


def test_a_second_crawl_on_the_same_directory(shoal: Shoal) -> None:
    with serve(Web(seed=1, hosts=1, pages=3), {"*/*": Hang()}) as running:
        seed = running.web.seeds()[0]
        first = shoal.start("crawl", seed, "--delay=0", "--json")
        running.wait(2)
        says = shoal.refuses("crawl", seed, "--delay=0")
        assert f"Process {first.pid} is writing to corpus; stop it first" in says
        assert shoal.ok("status", "--json").json["running"] is True
        first.end()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_collection_of_somebody_else(shoal: Shoal) -> None:
    closed = shoal.directory / "closed"
    closed.mkdir(mode=0)
    try:
        for words in ("status", "search fish", "explain a.test", "add ."):
            says = shoal.refuses(*words.split(), "--dir=closed")
            assert says == "The collection in closed is its owner's alone."
    finally:
        closed.rmdir()


def test_a_host_that_is_none(shoal: Shoal, reef: Path) -> None:
    for host in ("", "a b", "a.test/path", "http://"):
        assert "is not a host" in shoal.refuses("pause", host, "--dir", str(reef))


@pytest.mark.parametrize("words", ["show --at=yesterday http://a.test/", "export urls --since=x"])
def test_a_time_that_is_none(shoal: Shoal, words: str) -> None:
    assert "must be a date such as" in shoal.refuses(*words.split())


def test_a_fault_of_the_program_shows_its_place_only_when_asked(shoal: Shoal) -> None:
    (shoal.directory / "corpus").mkdir()
    (shoal.directory / "corpus" / "table").mkdir()
    plain = shoal("status")
    assert "Traceback" not in plain.err
    assert plain.err.startswith("shoal: ")
    assert "Traceback" in shoal("status", "--traceback").err


@pytest.mark.parametrize("command", [("map", "http://127.0.0.1:1/"), ("crawl",)])
def test_a_misspelt_directory_is_no_collection(shoal: Shoal, command: tuple[str, ...]) -> None:
    assert "There is no collection in nowhere" in shoal.refuses(*command, "--dir", "nowhere")
    assert not (shoal.directory / "nowhere").exists()
