"""The copy of a page: its banner, versions and words, who may see it, and that nothing runs."""

from collections.abc import Iterator

import httpx
import pytest

from shoal.model.principal import Principal
from shoal.web.server.serve import make_app
from shoal.web.views.copies import RAW_CSP, without_head
from tests.web.conftest import Witness
from tests.web.little_web import LittleWeb, Serving, client_of


def raw(client: httpx.Client, url: str, **more: str) -> httpx.Response:
    return client.get("/copy/raw", params={"url": url, **more})


def test_the_banner_says_what_it_is(client: httpx.Client, web: LittleWeb) -> None:
    answer = client.get("/copy", params={"url": web.url("/reef"), "q": "clownfish"})
    assert answer.status_code == 200
    assert "not affiliated" in answer.text
    assert f'href="{web.url("/reef")}" rel="noreferrer noopener external"' in answer.text
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in answer.text
    assert "frame-src 'self'" in answer.headers["content-security-policy"]
    told = client.get("/copy.json", params={"url": web.url("/reef")}).json()
    assert told["title"] == "Clownfish of the reef"
    assert told["media_type"] == "text/html"
    assert client.get(told["raw"]).status_code == 200


def test_words_are_marked(client: httpx.Client, web: LittleWeb) -> None:
    answer = raw(client, web.url("/reef"), q="anemones")
    assert "<mark>anemone</mark>" in answer.text
    assert "<mark>" not in raw(client, web.url("/reef")).text


def test_a_table_is_a_table(client: httpx.Client, web: LittleWeb) -> None:
    assert "<td>wrasse</td>" in raw(client, web.url("/table.csv")).text
    told = client.get("/copy/raw.json", params={"url": web.url("/table.csv")}).json()
    assert "<td>wrasse</td>" in told["html"]


def test_what_would_run_or_load_is_gone(
    client: httpx.Client, web: LittleWeb, witness: Witness
) -> None:
    answer = raw(client, web.url("/injection"), q="clownfish")
    assert answer.headers["content-security-policy"] == RAW_CSP
    assert RAW_CSP.startswith("sandbox ")
    assert "allow-scripts" not in RAW_CSP
    assert "allow-same-origin" not in RAW_CSP
    body = answer.text.partition("<body>")[2]
    for word in (
        "<script",
        "javascript:",
        "onload",
        "onerror",
        "<iframe",
        "<form",
        "<img",
        "<meta",
    ):
        assert word not in body
    assert body.count(witness.address) == 1  # the link, which a person may follow
    assert '<mark id="marked">Clownfish</mark> injected' in body


def test_older_versions_can_be_had(client: httpx.Client, web: LittleWeb) -> None:
    kept = client.get("/copy.json", params={"url": web.url("/changing")}).json()["versions"]
    assert [each["current"] for each in kept] == [True, False]
    bodies = [client.get(each["href"].replace("/copy", "/copy/raw", 1)).text for each in kept]
    assert ["tide is high" in body for body in bodies] == [True, False]
    assert ["tide is low" in body for body in bodies] == [False, True]
    by_time = raw(client, web.url("/changing"), at=kept[0]["fetched"])
    assert "tide is high" in by_time.text
    assert raw(client, web.url("/changing"), at="2001-01-01").status_code == 404


@pytest.mark.parametrize("at", ["nan", "inf", "x", "-1", "9" * 30, "2026-13-01", "\u0661"])
def test_what_is_no_time_is_said(client: httpx.Client, web: LittleWeb, at: str) -> None:
    assert raw(client, web.url("/reef"), at=at).status_code == 400


@pytest.mark.parametrize("path", ["/copy", "/copy.json", "/copy/raw", "/copy/raw.json"])
def test_noarchive_is_respected(client: httpx.Client, web: LittleWeb, path: str) -> None:
    answer = client.get(path, params={"url": web.url("/noarchive")})
    assert answer.status_code == 403
    assert "noarchive" in answer.text
    assert "Clownfish that no copy shows" not in answer.text


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("", 400),
        ("javascript:alert(1)", 400),
        ("http://elsewhere.test/", 404),
        ("http://[", 400),
        ("\x00", 400),
        ("a" * 3000, 400),
        ("http://x.test/" + "é" * 500, 404),
    ],
)
def test_what_is_not_there_is_said(client: httpx.Client, url: str, status: int) -> None:
    answer = raw(client, url)
    assert answer.status_code in (status, 404)
    assert "Traceback" not in answer.text


@pytest.fixture(scope="module")
def public(web: LittleWeb) -> Iterator[httpx.Client]:
    """Somebody who may read what is public."""
    app = make_app(web.directory, principal=Principal(frozenset({"visitors"})))
    serving = Serving(app, copied=web.url("/reef"))
    with client_of(serving.address) as client:
        yield client
    serving.close()


def test_what_one_may_not_read_does_not_exist(public: httpx.Client, web: LittleWeb) -> None:
    assert raw(public, web.url("/reef")).status_code == 200
    unknown, secret = web.url("/never-seen"), web.url("/secret")
    for path in ("/copy", "/copy/raw", "/page", "/page.json", "/difference", "/open"):
        answers = [public.get(path, params={"url": url}) for url in (unknown, secret)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].text.replace("never-seen", "secret") == answers[1].text
    about = public.get("/page.json", params={"url": web.url("/reef")}).json()
    assert about["explanation"]["lines"] == []


def test_the_owner_reads_it(client: httpx.Client, web: LittleWeb) -> None:
    assert "keepers alone" in raw(client, web.url("/secret")).text


@pytest.mark.parametrize(
    ("html", "has_date", "left"),
    [
        (
            "<body>\n<p><b>From:</b> a</p>\n<p><b>Date:</b> b</p>\n<p>x</p>",
            True,
            "<body>\n<p>x</p>",
        ),
        ("<p>From: a</p>\n<p>To: b</p>\n<p>Date: c</p>\n<p>From: d</p>", True, "<p>From: d</p>"),
        ("<p>From: a</p>\n<p>Date: c</p>\n<p>x</p>", False, "<p>Date: c</p>\n<p>x</p>"),
        ("<p>To: a</p>\n<p>Bcc: b</p>\n<p>Date: c</p>\n", True, "<p>Bcc: b</p>\n"),
        ("<p>x</p>\n<p>From: a</p>", True, "<p>x</p>\n<p>From: a</p>"),
        ("", True, ""),
    ],
)
def test_the_body_of_a_mail_is_its_copy_without_its_head(
    html: str, has_date: bool, left: str
) -> None:
    assert without_head(html, has_date=has_date) == left
