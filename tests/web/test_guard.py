"""Who is answered, and what every answer forbids: Host, token, origin, CSRF, lengths, headers."""

from collections.abc import Iterator

import httpx
import pytest

from shoal.errors import UsageError
from shoal.web.server.credentials import cookie_of
from shoal.web.server.http import Request, Response
from shoal.web.server.routes import views
from shoal.web.server.serve import MOST_FORM_BYTES, is_loopback, make_app, token_for
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, form_text
from tests.web.little_web import LittleWeb, Serving, client_of

TOKEN = "a-token-that-nobody-guesses"


def keep(site: Site, request: Request) -> Response:
    return site.done(request, "/search", f"Kept {form_text(request, 'word')}.")


def break_down(site: Site, request: Request) -> Response:
    raise RuntimeError("what nobody outside may read")


TABLE = (
    *(view for view in views() if view.path in ("/", "/search", "/robots.txt")),
    View("/keep", keep, "Keep a word.", "POST", (Parameter("word", "Any."),)),
    View("/break", break_down, "Fail."),
)


@pytest.fixture(scope="module")
def open_site(web: LittleWeb) -> Iterator[tuple[str, str]]:
    """Its address, and what stands in its forms."""
    app = make_app(web.directory, table=TABLE, names=["shoal.example"])
    serving = Serving(app)
    yield serving.address, app.state.site.csrf()
    serving.close()


@pytest.fixture(scope="module")
def closed_site(web: LittleWeb) -> Iterator[str]:
    serving = Serving(make_app(web.directory, TOKEN, table=TABLE))
    yield serving.address
    serving.close()


@pytest.fixture
def asking(open_site: tuple[str, str]) -> Iterator[httpx.Client]:
    with client_of(open_site[0]) as client:
        yield client


@pytest.fixture
def stranger(closed_site: str) -> Iterator[httpx.Client]:
    with client_of(closed_site) as client:
        yield client


# --- headers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/search.json", "/robots.txt", "/static/shoal.css", "/nothing", "/break"]
)
def test_every_answer_forbids_what_it_does_not_need(asking: httpx.Client, path: str) -> None:
    headers = asking.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers


def test_a_fault_of_ours_is_one_sentence(
    asking: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    for path in ("/break", "/break.json"):
        answer = asking.get(path)
        assert answer.status_code == 500
        assert "A fault in Shoal itself (RuntimeError)" in answer.text
        assert "nobody outside" not in answer.text
        assert "Traceback" not in answer.text
    assert "nobody outside" in caplog.text


# --- Host and origin ------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "[::1]:80", "Shoal.Example:443"])
def test_names_of_ours_are_served(asking: httpx.Client, host: str) -> None:
    assert asking.get("/robots.txt", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "x@127.0.0.1:y", "[", ""]
)
def test_any_other_name_is_not(asking: httpx.Client, host: str) -> None:
    assert asking.get("/robots.txt", headers={"host": host}).status_code in (400, 421)


@pytest.mark.parametrize(
    ("site", "mode", "dest", "status"),
    [
        ("same-origin", "navigate", "document", 200),
        ("same-origin", "no-cors", "style", 200),
        ("none", "navigate", "document", 200),
        ("cross-site", "navigate", "document", 200),
        ("cross-site", "navigate", "iframe", 403),
        ("cross-site", "no-cors", "image", 403),
        ("same-site", "cors", "empty", 403),
    ],
)
def test_another_site_gets_navigations_only(
    asking: httpx.Client, site: str, mode: str, dest: str, status: int
) -> None:
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    assert asking.get("/", headers=headers).status_code == status


# --- changes --------------------------------------------------------------------------------------


@pytest.fixture
def csrf(open_site: tuple[str, str], asking: httpx.Client) -> tuple[httpx.Client, str]:
    return asking, open_site[1]


def test_a_form_of_ours_is_taken_and_told_of(csrf: tuple[httpx.Client, str]) -> None:
    client, token = csrf
    answer = client.post("/keep", data={"word": "réef <b>", "csrf": token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/search")
    assert "Kept réef &lt;b&gt;." in client.get("/search").text
    assert "Kept" not in client.get("/search").text  # it is told once
    told = client.post("/keep.json", data={"word": "x"}, headers={"x-csrf-token": token})
    assert told.json() == {"says": "Kept x."}


@pytest.mark.parametrize("given", [{}, {"csrf": ""}, {"csrf": "0" * 64}, {"csrf": "é"}])
def test_a_form_without_the_token_is_not(asking: httpx.Client, given: dict[str, str]) -> None:
    answer = asking.post("/keep", data={"word": "x", **given})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://localhost:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_a_form_of_another_site_is_not(
    csrf: tuple[httpx.Client, str], headers: dict[str, str]
) -> None:
    client, token = csrf
    answer = client.post("/keep", data={"word": "x", "csrf": token}, headers=headers)
    assert answer.status_code == 403


def test_an_own_origin_is_taken(csrf: tuple[httpx.Client, str]) -> None:
    client, token = csrf
    origin = str(client.base_url).rstrip("/")
    for sent in (origin, "null"):
        headers = {"origin": sent, "sec-fetch-site": "same-origin"}
        answer = client.post("/keep", data={"csrf": token}, headers=headers)
        assert answer.status_code == 303


def test_nobody_else_can_put_words_on_our_pages(asking: httpx.Client) -> None:
    answer = asking.get("/", headers={"cookie": "shoal-said=0000.Pay%20here"})
    assert "Pay here" not in answer.text


# --- tokens ---------------------------------------------------------------------------------------


def test_without_the_token_nothing_is_told(stranger: httpx.Client) -> None:
    for path in ("/", "/search.json", "/nothing", "/?token=wrong", "/?token="):
        answer = stranger.get(path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in answer.text
        assert "corpus" not in answer.text  # the collection's name
    assert stranger.post("/keep", data={"token": TOKEN}).status_code == 401
    assert stranger.get("/", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert stranger.get("/static/shoal.css").status_code == 200  # how the refusal looks


def test_the_token_becomes_a_cookie_and_leaves_the_address(stranger: httpx.Client) -> None:
    first = stranger.get("/search", params={"q": "a&b", "token": TOKEN})
    assert first.status_code == 303
    assert first.headers["location"] == "/search?q=a%26b"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/").status_code == 200
    stranger.cookies.set(cookie_of(TOKEN)[0], "0" * 64)
    stranger.cookies.clear()
    assert stranger.get("/").status_code == 401


def test_a_program_sends_it_as_a_bearer_and_needs_no_csrf(stranger: httpx.Client) -> None:
    headers = {"authorization": f"Bearer {TOKEN}"}
    assert stranger.get("/search.json", headers=headers).status_code == 200
    answer = stranger.post("/keep.json", data={"word": "x"}, headers=headers)
    assert answer.json() == {"says": "Kept x."}


def test_a_bearer_that_nobody_asks_for_does_not_stand_for_the_csrf_token(
    asking: httpx.Client,
) -> None:
    answer = asking.post("/keep", data={"word": "x"}, headers={"authorization": "Bearer x"})
    assert answer.status_code == 403


def test_when_a_token_is_needed() -> None:
    assert token_for("127.0.0.1", None) is None
    assert token_for("localhost", TOKEN) == TOKEN
    made = token_for("0.0.0.0", None)
    assert made is not None
    assert len(made) >= 32
    assert made != token_for("0.0.0.0", None)
    with pytest.raises(UsageError, match="at least 16"):
        token_for("0.0.0.0", "short")


def test_what_is_loopback() -> None:
    assert [is_loopback(host) for host in ("127.9.9.9", "::1", "localhost")] == [True] * 3
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "10.0.0.1", "a.test")] == [False] * 4


# --- lengths --------------------------------------------------------------------------------------


def test_what_is_too_long_is_refused(asking: httpx.Client) -> None:
    assert asking.get("/search", params={"q": "a" * 7000}).status_code == 400
    assert asking.get("/search", params={"q": "a" * 9000}).status_code == 414
    long = {"word": "a" * MOST_FORM_BYTES}
    assert asking.post("/keep", data=long).status_code == 413
    assert (
        asking.post("/keep", content=b"{}", headers={"content-type": "text/plain"}).status_code
        == 415
    )


def test_paths_lead_nowhere_else(asking: httpx.Client) -> None:
    for path in (
        "/static/../serve.py",
        "/static/%2e%2e/serve.py",
        "/static/..%2fserve.py",
        "/static/",
    ):
        assert asking.get(path).status_code == 404
    assert asking.post("/search").status_code == 405
    assert asking.get("/keep").status_code == 405
