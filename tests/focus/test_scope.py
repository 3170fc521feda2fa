"""W6: which links a crawl takes. Each reason by example; the suffix list is asked once per host."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tldextract import TLDExtract

from shoal.errors import UsageError
from shoal.focus.scope import CrawlScope, ScopeSettings
from shoal.model.document import Document
from shoal.model.record import pack, unpack
from shoal.model.urls.url import canonical
from shoal.ports import Scope

SEED = "https://www.example.org/docs/guide.html"


def refusal(url: str, settings: ScopeSettings) -> str:
    return CrawlScope(settings).refuses(url)


def test_it_is_a_scope() -> None:
    scope: Scope = CrawlScope(ScopeSettings())
    assert scope.drops(Document(title="anything")) == ""


@pytest.mark.parametrize(
    ("kind", "taken", "refused", "reason"),
    [
        (
            "host",
            ["https://www.example.org/", "http://www.example.org/x?y=z"],
            [
                "https://example.org/",
                "https://a.www.example.org/",
                "https://www.example.org:8443/",
                "https://www.example.org.evil.net/",
                "https://evil.net/www.example.org/",
            ],
            "scope: not on www.example.org",
        ),
        (
            "domain",
            [
                "http://example.org/",
                "https://a.b.example.org:8443/x",
                "https://www.example.org/",
            ],
            ["https://example.com/", "https://notexample.org/", "https://example.org.evil.net/"],
            "scope: not in example.org",
        ),
        (
            "prefix",
            ["https://www.example.org/docs/", "http://www.example.org/docs/a/b?c=/d"],
            [
                "https://www.example.org/docs",
                "https://www.example.org/",
                "https://www.example.org/x?/docs/",
                "https://www.example.org/documents/",
            ],
            "scope: not below /docs/",
        ),
        (
            "prefix",
            [],
            ["https://example.org/docs/", "http://www.example.org:81/docs/"],
            "scope: not on www.example.org",
        ),
        ("any", ["https://elsewhere.example/", "http://127.0.0.1:8080/"], [], ""),
    ],
)
def test_each_kind_of_scope(kind: str, taken: list[str], refused: list[str], reason: str) -> None:
    scope = CrawlScope(unpack(ScopeSettings, pack([kind, [SEED]])))
    assert {url: scope.refuses(url) for url in taken} == dict.fromkeys(taken, "")
    assert {url: scope.refuses(url) for url in refused} == dict.fromkeys(refused, reason)


def test_domains_go_by_the_suffix_list() -> None:
    scope = CrawlScope(ScopeSettings("domain", ["https://a.co.uk/", "https://me.github.io/"]))
    assert scope.refuses("https://www.a.co.uk/") == ""
    assert scope.refuses("https://b.co.uk/") == "scope: not in one of the 2 domains of seeds"
    assert scope.refuses("https://you.github.io/")


def test_hosts_on_loopback_differ_by_port() -> None:
    settings = ScopeSettings("host", ["http://127.0.0.1:8001/"])
    assert refusal("http://127.0.0.1:8001/x", settings) == ""
    assert refusal("http://127.0.0.1:8002/x", settings) == "scope: not on 127.0.0.1:8001"


def test_prefixes_are_kept_per_host() -> None:
    roots = ["https://a.org/x/", "https://a.org/y/z/", "https://b.org/only/"]
    scope = CrawlScope(ScopeSettings("prefix", roots))
    assert scope.refuses("https://a.org/y/z/1") == ""
    assert scope.refuses("https://a.org/x/1") == ""
    assert (
        scope.refuses("https://a.org/y/1") == "scope: not below one of the 2 directories of seeds"
    )
    assert scope.refuses("https://b.org/x/1") == "scope: not below /only/"
    assert scope.refuses("https://c.org/x/1") == "scope: not on one of the 2 hosts of seeds"


def test_include_and_exclude() -> None:
    settings = ScopeSettings("any", include=["/wiki/", "/docs/"], exclude=[r"\.pdf$", "/docs/old/"])
    assert refusal("https://x.org/wiki/Fish", settings) == ""
    assert refusal("https://x.org/docs/a", settings) == ""
    none = "included: matches none of the include patterns"
    assert refusal("https://x.org/blog/", settings) == none
    assert refusal("https://x.org/docs/a.pdf", settings) == r"excluded: matches \.pdf$"
    assert refusal("https://x.org/docs/old/a", settings) == "excluded: matches /docs/old/"


def test_the_rules_are_asked_too() -> None:
    settings = ScopeSettings("any", rules="# first\ndeny extension zip\ndeny depth > 4\n")
    assert refusal("https://x.org/a.html", settings) == ""
    denied = "rules: line 2 denies it (deny extension zip)"
    assert refusal("https://x.org/a.ZIP", settings) == denied
    assert CrawlScope(settings).max_depth == 4
    assert CrawlScope(ScopeSettings()).max_depth is None


def test_a_rule_does_not_widen_the_scope() -> None:
    settings = ScopeSettings("host", [SEED], rules="allow host other.example")
    assert refusal("https://other.example/", settings) == "scope: not on www.example.org"


@pytest.mark.parametrize("url", ["mailto:a@b.org", "javascript:void(0)", "ftp://www.example.org/"])
def test_other_schemes_are_refused(url: str) -> None:
    scheme = url.partition(":")[0]
    assert refusal(url, ScopeSettings("any")) == f"scheme: {scheme} is not crawled"


def test_a_seed_brings_its_scheme() -> None:
    settings = ScopeSettings("host", ["ftp://files.example/pub/"])
    assert refusal("ftp://files.example/other/", settings) == ""
    assert refusal("gopher://files.example/", settings) == "scheme: gopher is not crawled"
    only_https = ScopeSettings("any", schemes=("https",))
    assert refusal("http://x.org/", only_https) == "scheme: http is not crawled"


def test_a_seed_is_always_taken() -> None:
    settings = ScopeSettings(
        "prefix", [SEED, "http://x.org/a"], ["nothing"], ["example"], "default deny"
    )
    assert refusal(SEED, settings) == ""
    assert refusal("http://x.org/a/", settings) == ""  # one page by another spelling
    assert refusal("http://x.org/a/b", settings) != ""


def test_a_local_file_is_only_taken_below_a_local_seed() -> None:
    web = ScopeSettings("any", ["https://x.org/"], schemes=("http", "https", "file"))
    outside = "scope: a local file that is not below a seed"
    assert refusal("file:///etc/passwd", web) == outside
    for kind in ("host", "domain", "prefix", "any"):
        local = unpack(ScopeSettings, pack([kind, ["file:///srv/docs/", "https://x.org/"]]))
        assert refusal("file:///srv/docs/a/b.html", local) == ""
        for url in ("file:///srv/other", "file:///srv/docs2/x", "file://host/srv/docs/x"):
            assert refusal(url, local) == outside
        assert refusal("file:///srv/docs/..%2F..%2Fetc/passwd", local) == outside
        assert refusal("file:///srv/docs/a%00b", local) == outside


def test_a_moved_seed_widens_the_scope() -> None:
    scope = CrawlScope(ScopeSettings("host", ["http://example.org/"], exclude=["/x/"], rules="#"))
    settings = scope.with_root("https://www.example.org/home")
    assert settings.roots == ["http://example.org/", "https://www.example.org/home"]
    assert (settings.exclude, settings.rules) == (["/x/"], "#")
    assert refusal("https://www.example.org/a", settings) == ""
    assert refusal("https://example.org/a", settings) == ""
    assert CrawlScope(settings).with_root("https://www.example.org/home") == settings


@pytest.mark.parametrize("target", ["file:///etc/", "ftp://example.org/", "gopher://example.org/"])
def test_a_server_cannot_widen_the_scope_to_another_kind_of_place(target: str) -> None:
    scope = CrawlScope(ScopeSettings("any", ["https://example.org/", "file:///srv/docs/"]))
    assert scope.with_root(target) == scope.settings
    assert scope.with_root("https://elsewhere.example/") != scope.settings


def test_long_names_are_refused() -> None:
    settings = ScopeSettings("any", max_url_length=40)
    assert refusal("https://x.org/" + "a" * 26, settings) == ""
    assert refusal("https://x.org/" + "a" * 27, settings) == "length: longer than 40 characters"
    host = "a." * 127 + "org"
    too_long = "length: a host name has at most 253 characters"
    assert refusal(f"https://{host}/", ScopeSettings("domain", [SEED])) == too_long


def test_a_long_pattern_is_cut_in_the_reason() -> None:
    reason = refusal("https://x.org/", ScopeSettings("any", exclude=["x|" * 200 + "y"]))
    assert reason.startswith("excluded: matches x|x|")
    assert len(reason) < 120


@pytest.mark.parametrize(
    "settings",
    [
        ScopeSettings("any", include=["("]),
        ScopeSettings("any", exclude=["["]),
        ScopeSettings("any", rules="permit everything"),
        ScopeSettings("planet"),  # type: ignore[arg-type]
    ],
)
def test_bad_settings_are_refused(settings: ScopeSettings) -> None:
    with pytest.raises(UsageError):
        CrawlScope(settings)


def test_settings_survive_the_way_to_a_child_process() -> None:
    settings = ScopeSettings("domain", [SEED], ["a"], ["b"], "default deny", ("https",), 99)
    assert unpack(ScopeSettings, pack(settings)) == settings
    assert unpack(ScopeSettings, pack([])) == ScopeSettings()


@pytest.mark.parametrize("kind", ["domain", "host", "prefix", "any"])
def test_the_suffix_list_is_asked_once_per_host(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    extract = TLDExtract.extract_str

    def counting(self: TLDExtract, url: str) -> object:
        asked.append(url)
        return extract(self, url)

    monkeypatch.setattr(TLDExtract, "extract_str", counting)
    scope = CrawlScope(unpack(ScopeSettings, pack([kind, [SEED]])))
    hosts = [f"h{number}.example{number % 3}.org" for number in range(40)]
    links = [
        f"{scheme}://{host}{port}/a/{page}"
        for page in range(63)
        for host in hosts
        for scheme, port in (("http", ""), ("https", ""), ("http", ":81"), ("https", ":444"))
    ]
    assert len(links) > 10_000
    for link in links:
        scope.refuses(link)
    assert sorted(asked) == (sorted([*hosts, "www.example.org"]) if kind == "domain" else [])


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.focus.scope._MAX_REMEMBERED", 10)
    scope = CrawlScope(ScopeSettings("host", ["https://h5.org/"]))
    for _ in range(2):
        for number in range(100):
            assert bool(scope.refuses(f"https://h{number}.org/x")) is (number != 5)
    assert len(scope._verdicts) <= 10
    scope.refuses("a" * 4000 + "://x/")
    assert max(map(len, scope._verdicts)) < 100


hosts = st.sampled_from(["a.org", "www.a.org", "b.co.uk", "127.0.0.1:81", "[::1]", "localhost", ""])
paths = st.text("ab/?.%2F#:", max_size=12)
schemes = st.sampled_from(["http", "https", "file", "ftp", "mailto"])
urls = st.builds("{}://{}/{}".format, schemes, hosts, paths).map(canonical).filter(bool)
kinds = st.sampled_from(["host", "domain", "prefix", "any"])


@given(kinds, st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
@example("domain", "http://a:b:c/")
@example("host", "http:")
@example("prefix", "file:")
@example("any", "://")
def test_it_never_raises_whatever_a_page_names(kind: str, url: str) -> None:
    settings = unpack(
        ScopeSettings, pack([kind, [SEED, "file:///a/"], ["a"], ["b"], "deny host c"])
    )
    reason = refusal(url, settings)
    assert reason.partition(":")[0] in ("", "scope", "scheme", "included", "excluded", "length")


@given(kinds, st.lists(urls, min_size=1, max_size=4), st.lists(urls, min_size=1, max_size=8))
def test_memory_changes_no_verdict_and_roots_only_add(
    kind: str, roots: list[str], links: list[str]
) -> None:
    scope = CrawlScope(unpack(ScopeSettings, pack([kind, roots])))
    first = [scope.refuses(link) for link in links]
    assert [scope.refuses(link) for link in links] == first
    assert [scope.refuses(root) for root in roots] == [""] * len(roots)
    wider = CrawlScope(scope.with_root(links[0]))
    for link, reason in zip(links, first, strict=True):
        assert reason or wider.refuses(link) == ""
        if kind != "any" and not reason:  # host ⊆ domain, prefix ⊆ host
            broader = {"prefix": "host", "host": "domain", "domain": "any"}[kind]
            assert CrawlScope(unpack(ScopeSettings, pack([broader, roots]))).refuses(link) == ""
