"""The configuration: what is taken, what is refused and in which words, who wins, what is told."""

import pickle
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.config import FILE_NAME, VERSION, Agent, Config, Setting, load, settings
from shoal.config.values import SettingKind, as_toml, is_address, is_host, read_value
from shoal.errors import UsageError
from shoal.fetch.render import PROGRAM_VARIABLE

ALL = {each.key: each for each in settings()}


def from_file(directory: Path, text: str) -> Config:
    (directory / FILE_NAME).write_text(text, encoding="utf-8")
    return load(directory, {}, {})


def refusal(directory: Path, text: str) -> str:
    with pytest.raises(UsageError) as caught:
        from_file(directory, text)
    return str(caught.value)


def test_without_anything_it_is_polite(tmp_path: Path) -> None:
    config = load(tmp_path, {}, {})
    assert config == Config()
    assert config.politeness.delay == 3.0
    assert config.politeness.robots == "obey"
    assert config.crawl.scope == "host"
    assert config.crawl.max_pages is None
    assert config.origin_of("politeness.delay") == "default"


def test_flag_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("[politeness]\ndelay = 4\nbackoff_base = 5\nrate = 6\n")
    config = load(
        tmp_path,
        {"politeness.delay": 10.0, "crawl.max_pages": None},
        {"SHOAL_POLITENESS_DELAY": "8", "SHOAL_POLITENESS_BACKOFF_BASE": "9s", "PATH": "/bin"},
    )
    assert config.politeness.delay == 10.0
    assert config.politeness.backoff_base == 9.0
    assert config.politeness.rate == 6.0
    assert config.politeness.backoff_cap == 3600.0
    assert config.origin_of("politeness.delay") == "--delay"
    assert config.origin_of("politeness.backoff_base") == "SHOAL_POLITENESS_BACKOFF_BASE"
    assert config.origin_of("politeness.rate") == "shoal.toml"
    assert config.origin_of("crawl.max_pages") == "default"


def test_more_flags_on_top_leave_the_first_configuration_alone() -> None:
    first = load(None, {"crawl.max_pages": 5}, {})
    second = first.with_({"crawl.max_pages": 7, "crawl.seeds": ["https://example.org/"]})
    assert first.crawl.max_pages == 5
    assert second.crawl.max_pages == 7
    assert second.crawl.seeds == ("https://example.org/",)
    assert second.origin_of("crawl.max_pages") == "--max-pages"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[crawl]\nmax_page = 3",
            "shoal.toml: unknown setting 'crawl.max_page'; did you mean 'crawl.max_pages'?",
        ),
        (
            "[crawl]\ndelay = 3",
            "shoal.toml: unknown setting 'crawl.delay'; did you mean 'politeness.delay'?",
        ),
        (
            "max_pages = 3",
            "shoal.toml: unknown setting 'max_pages'; did you mean 'crawl.max_pages'?",
        ),
        ("[crwal]\nworkers = 3", "shoal.toml: unknown section [crwal]; did you mean [crawl]?"),
        ("[politeness.delay]\nx = 3", "must be a number of seconds, not a table"),
        (
            "[crawl]\nzzzzzz = 3",
            "shoal.toml: unknown setting 'crawl.zzzzzz'; `shoal config show` lists what there is",
        ),
        (
            "[politeness]\ndelay = 'fast'",
            "shoal.toml: politeness.delay must be a number of seconds, not 'fast' (or a text",
        ),
        ("[politeness]\ndelay = true", "politeness.delay must be a number of seconds, not true"),
        ("[politeness]\ndelay = nan", "politeness.delay must be a number of seconds, not nan"),
        ("[politeness]\ndelay = -1", "politeness.delay must be at least 0, not -1"),
        ("[politeness]\ndelay = inf", "politeness.delay must be a number of seconds, not inf"),
        ("[politeness]\nrobots = 'ignore'", "politeness.robots must be 'obey', not 'ignore'"),
        ("[crawl]\nmax_pages = '9'", "crawl.max_pages must be a whole number, not '9'"),
        ("[crawl]\nmax_pages = 1.5", "crawl.max_pages must be a whole number, not 1.5"),
        ("[crawl]\nmax_depth = 0", "crawl.max_depth must be at least 1, not 0"),
        ("[crawl]\nworkers = 0", "crawl.workers must be at least 1, not 0"),
        ("[crawl]\nworkers = 10001", "crawl.workers must be between 1 and 10,000, not 10001"),
        ("[crawl]\nmax_bytes = '3 bananas'", "crawl.max_bytes must be a number of bytes, not '3"),
        ("[crawl]\nseeds = 'a'", "crawl.seeds must be a list of texts, not 'a'"),
        ("[crawl]\nseeds = ['a', 3]", "crawl.seeds must be a list of texts, but has 3"),
        ("[crawl]\nscope = 'site'", "scope must be 'host' or 'domain' or 'prefix' or 'any', not"),
        ("[crawl]\ninclude = ['ok', '(']", "crawl.include: '(' is no regular expression: "),
        ("[frontier]\nlevels = 1", "frontier.levels must be at least 2, not 1"),
        ("[frontier]\nlevels = 65", "frontier.levels must be between 2 and 64, not 65"),
        ("[agent]\nname = 'My Bot'", "agent.name must be a product token of letters"),
        ("[agent]\nname = ''", "agent.name must be a product token of letters"),
        ('[agent]\ncontact = "a\\r\\nb"', "agent.contact must be printable ASCII"),
        ("[agent]\ncontact = 3", "agent.contact must be a text, not 3"),
        ("[fetch]\nproxy = 'there'", "fetch.proxy must be a URL such as"),
        ("[fetch]\nnameservers = ['dns']", "fetch.nameservers must be an IP address"),
        ("[fetch]\ninsecure_hosts = ['']", "fetch.insecure_hosts must be a host name"),
        ("[resolve]\n'a.b' = 'c.d'", "resolve.a.b must be an IP address with or without a port"),
        ("[resolve]\n'a b' = '127.0.0.1'", "'a b' must be a host name"),
        ("[resolve]\n'a' = 7", "resolve.a must be an IP address with or without a port"),
        ("resolve = 7", "unknown setting 'resolve'"),
        ("[crawl\n", "shoal.toml is not valid TOML: "),
    ],
)
def test_the_file_is_refused_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    said = refusal(tmp_path, text)
    assert sentence in said
    assert "\n" not in said


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"[crawl]\nrules = '\xff'\n")
    with pytest.raises(UsageError, match="not valid TOML"):
        load(tmp_path, {}, {})


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(UsageError, match=r"shoal\.toml can't be read: Is a directory"):
        load(tmp_path, {}, {})


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"\xef\xbb\xbf[crawl]\nworkers = 3\n")
    assert load(tmp_path, {}, {}).crawl.workers == 3


@pytest.mark.parametrize(
    ("variable", "text", "sentence"),
    [
        (
            "SHOAL_CRAWL_MAX_PAGE",
            "3",
            (
                "unknown environment variable SHOAL_CRAWL_MAX_PAGE; "
                "did you mean SHOAL_CRAWL_MAX_PAGES?"
            ),
        ),
        (
            "SHOAL_CRAWL_DELAY",
            "3",
            "unknown environment variable SHOAL_CRAWL_DELAY; did you mean SHOAL_POLITENESS_DELAY?",
        ),
        ("SHOAL_DIRR", "x", "unknown environment variable SHOAL_DIRR; did you mean SHOAL_DIR?"),
        ("SHOAL_ZZZZZZ", "x", "unknown environment variable SHOAL_ZZZZZZ; unset it"),
        (
            "SHOAL_CRAWL_SEEDS",
            "x",
            "SHOAL_CRAWL_SEEDS can't hold a list; set crawl.seeds in shoal.toml",
        ),
        (
            "SHOAL_POLITENESS_DELAY",
            "fast",
            (
                "SHOAL_POLITENESS_DELAY must be a number of seconds, not 'fast' "
                "(or a text such as '90s', '15m', '2h' or '7d')"
            ),
        ),
        ("SHOAL_CRAWL_WORKERS", "0", "SHOAL_CRAWL_WORKERS must be at least 1, not 0"),
        ("SHOAL_CRAWL_WORKERS", "1.5", "SHOAL_CRAWL_WORKERS must be a whole number, not 1.5"),
        ("SHOAL_CRAWL_WORKERS", "two", "SHOAL_CRAWL_WORKERS must be a whole number, not 'two'"),
        ("SHOAL_AGENT_CONTACT", "\udcff", "SHOAL_AGENT_CONTACT must be valid UTF-8, not '\\udcff'"),
    ],
)
def test_the_environment_is_refused_in_one_sentence(
    variable: str, text: str, sentence: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load(None, {}, {variable: text})
    assert str(caught.value) == sentence


def test_variables_of_the_commands_are_no_settings_and_empty_ones_say_nothing() -> None:
    environ = {"SHOAL_DIR": "x", "SHOAL_DATA": "y", "SHOAL_VENV": "z", PROGRAM_VARIABLE: "chrome"}
    assert load(None, {}, environ | {"SHOAL_CRAWL_WORKERS": ""}) == Config()


@pytest.mark.parametrize("each", [s for s in ALL.values() if not s.is_list], ids=lambda s: s.key)
def test_every_scalar_can_be_set_by_its_variable(each: Setting) -> None:
    plain = {
        SettingKind.COUNT: "7",
        SettingKind.NUMBER: "7.5",
        SettingKind.SECONDS: "2m",
        SettingKind.BYTES: "70MB",
    }
    text = plain.get(each.kind, each.choices[-1] if each.choices else "http://seven")
    if each.key == "agent.name":
        text = "Seven"
    if each.key == "crawl.weights":
        text = "popularity=7"
    if each.key == "crawl.value":
        text = "0.7"
    if each.key in ("url.max_length", "fetch.max_headers"):
        text = "7000"
    if each.key == "index.memory":
        text = "700MB"
    if each.key in ("crawl.value", "crawl.explore") or each.key.startswith(
        ("dedupe.resemblance", "search.b", "refresh.share")
    ):
        text = "0.7"
    if each.key == "crawl.weights":
        text = "content=1,popularity=7"
    config = load(None, {}, {each.variable: text})
    sizes = {"70MB": 70_000_000, "700MB": 700_000_000}
    wanted = {"7": 7, "7.5": 7.5, "2m": 120.0, "7000": 7000, "0.7": 0.7, **sizes}.get(text, text)
    assert config.value_of(each.key) == wanted
    assert config.origin_of(each.key) == each.variable


def test_a_wrong_flag_is_named_as_the_person_typed_it() -> None:
    with pytest.raises(UsageError, match=r"^--max-pages must be at least 1, not 0$"):
        load(None, {"crawl.max_pages": 0}, {})
    with pytest.raises(UsageError, match=r"^unknown setting 'crawl\.pages'; did you mean"):
        load(None, {"crawl.pages": 1}, {})
    with pytest.raises(UsageError, match="unknown setting"):
        Config().origin_of("crawl.pages")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (90, 90.0),
        (0.5, 0.5),
        ("90s", 90.0),
        ("15m", 900.0),
        ("2h", 7200.0),
        ("7d", 604800.0),
        ("90", 90.0),
        (" 1.5 H ", 5400.0),
        ("250ms", 0.25),
        ("1w", 604800.0),
    ],
)
def test_durations(written: object, seconds: float) -> None:
    found = load(None, {"crawl.max_time": written}, {}).crawl.max_time
    assert found == seconds
    assert isinstance(found, float)


@pytest.mark.parametrize("written", ["", "m", "5 minutes", "-3s", "1h30m", "1e3", "9" * 30, [3]])
def test_what_is_no_duration(written: object) -> None:
    with pytest.raises(UsageError, match="--max-time must be a number of seconds, not "):
        load(None, {"crawl.max_time": written}, {})


@pytest.mark.parametrize(
    ("written", "size"),
    [
        (5, 5),
        ("20MB", 20_000_000),
        ("1.5GiB", 1_610_612_736),
        ("300 KB", 300_000),
        ("2k", 2000),
        ("1tb", 10**12),
        ("1MiB", 1 << 20),
        ("7b", 7),
        ("7", 7),
    ],
)
def test_sizes(written: object, size: int) -> None:
    found = load(None, {"crawl.max_bytes": written}, {}).crawl.max_bytes
    assert found == size
    assert isinstance(found, int)


def test_resolve_takes_hosts_quoted_or_not_and_in_any_case(tmp_path: Path) -> None:
    config = from_file(
        tmp_path, "[resolve]\nwww.Example.org = '127.0.0.2:8080'\n'b.example.' = '[::1]:8443'\n"
    )
    assert config.resolve == {"www.example.org": "127.0.0.2:8080", "b.example": "[::1]:8443"}
    assert config.origin_of("resolve.b.example") == "shoal.toml"
    assert config.with_({"resolve.c": "127.0.0.1"}).resolve["c"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:80", True),
        ("::1", True),
        ("[::1]", True),
        ("[::1]:443", True),
        ("127.0.0.1:0", False),
        ("127.0.0.1:65536", False),
        ("a", False),
        ("[127.0.0.1]:80", False),
        ("127.0.0.1:", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_addresses(text: str, good: bool) -> None:
    assert is_address(text) is good


@given(st.text())
def test_hosts_and_addresses_take_any_text(text: str) -> None:
    assert isinstance(is_address(text), bool)
    assert isinstance(is_host(text), bool)


def test_the_agent_names_itself_and_a_contact() -> None:
    assert Agent().user_agent() == f"Mozilla/5.0 (compatible; Shoal/{VERSION})"
    contact = Agent(contact="https://example.org/bot")
    assert contact.user_agent() == (
        f"Mozilla/5.0 (compatible; Shoal/{VERSION}; +https://example.org/bot)"
    )
    assert Agent(agent="other/2").user_agent() == "other/2"


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        (Agent(), "Shoal"),
        (Agent(name="Reef-Bot"), "Reef-Bot"),
        (Agent(agent="Mozilla/5.0 (compatible; shoal/9)"), "Shoal"),
        (Agent(agent="Mozilla/5.0 (compatible; OtherBot/2.1; +x)"), "OtherBot"),
        (Agent(agent="OtherBot/2.1 (Linux)"), "OtherBot"),
        (Agent(agent="Mozilla/5.0 (X11; Linux)"), "Shoal"),
        (Agent(agent="9lives"), "Shoal"),
    ],
)
def test_the_product_token_is_a_part_of_what_is_sent(agent: Agent, token: str) -> None:
    assert agent.product_token == token


def test_children_default_to_one_less_than_the_cores() -> None:
    assert Config().crawl.child_count >= 1
    assert load(None, {"crawl.children": 5}, {}).crawl.child_count == 5


def test_config_show_tells_where_each_value_came_from(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("[crawl]\nworkers = 3\n[resolve]\n'a.b' = '127.0.0.1'\n")
    config = load(tmp_path, {"politeness.delay": 2.0}, {"SHOAL_FETCH_MAX_BODY": "1.5GB"})
    lines = config.as_toml().splitlines()
    assert "workers = 3  # from shoal.toml" in lines
    assert "delay = 2.0  # from --delay" in lines
    assert 'max_body = "1.5GB"  # from SHOAL_FETCH_MAX_BODY' in lines
    assert '"a.b" = "127.0.0.1"  # from shoal.toml' in lines
    assert 'scope = "host"' in lines
    assert "# max_pages is not set" in lines


def test_what_config_show_prints_is_the_same_configuration(tmp_path: Path) -> None:
    config = load(
        None,
        {
            "crawl.seeds": ['https://example.org/?q="a\\b"', "https://b.example/\x7f\x01é"],
            "crawl.include": [r"^https://\w+\."],
            "crawl.max_bytes": 1_234_567,
            "crawl.max_time": "15m",
            "resolve.a.b": "127.0.0.1:81",
        },
        {},
    )
    assert from_file(tmp_path, config.as_toml()) == config


def test_flags_alone_can_begin_a_new_file(tmp_path: Path) -> None:
    flags = {
        "politeness.delay": 2.0,
        "crawl.seeds": ["https://a.example/"],
        "resolve.a": "127.0.0.1",
    }
    config = load(None, flags, {"SHOAL_CRAWL_WORKERS": "5"})
    assert config.from_flags_as_toml() == (
        '[politeness]\ndelay = 2.0\n\n[crawl]\nseeds = ["https://a.example/"]\n'
        '\n[resolve]\n"a" = "127.0.0.1"\n'
    )
    assert from_file(tmp_path, config.from_flags_as_toml()) == load(None, flags, {})


@given(st.integers(min_value=0, max_value=10**18))
def test_a_size_is_written_so_that_it_reads_back(size: int) -> None:
    written = tomllib.loads(f"x = {as_toml(SettingKind.BYTES, size)}")["x"]
    assert read_value(Setting("a.b", SettingKind.BYTES, 0, ""), written, "x") == size


def test_it_travels_to_another_process() -> None:
    config = load(None, {"crawl.max_pages": 5, "resolve.a": "127.0.0.1"}, {})
    copy = pickle.loads(pickle.dumps(config))  # noqa: S301 — our own bytes, of the line itself
    assert copy == config
    assert copy.origins == config.origins


@pytest.mark.parametrize("each", ALL.values(), ids=lambda s: s.key)
def test_every_default_would_be_accepted(each: Setting) -> None:
    assert read_value(each, each.default, each.key) == each.default
