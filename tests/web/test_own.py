"""Sources, mails and files of one's own in the page: for the owner, and for somebody else."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from shoal.collection.view import ONLY_THE_OWNER
from shoal.web.server.serve import make_app
from tests.web.little_web import Serving, client_of
from tests.web.own_documents import STRANGER, Own, own_documents

TOKEN = "a-token-that-nobody-guesses"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def own() -> Iterator[Own]:
    with own_documents() as found:
        yield found


@pytest.fixture(scope="module")
def owner(own: Own) -> Iterator[httpx.Client]:
    serving = Serving(make_app(own.place, TOKEN))
    with client_of(serving.address) as client:
        client.headers.update(BEARER)
        client.get("/copy/raw", params={"url": own.url("open.txt")})  # its readers are the server's
        yield client
    serving.close()


@pytest.fixture(scope="module")
def stranger(own: Own) -> Iterator[httpx.Client]:
    serving = Serving(make_app(own.place, principal=STRANGER))
    with client_of(serving.address) as client:
        yield client
    serving.close()


def mails(client: httpx.Client) -> dict[str, str]:
    """URL by sender and number."""
    found = client.get("/search.json", params={"q": "corals", "limit": 50}).json()["found"]
    return {each["url"]: each["title"] for each in found["results"]}


def mail(client: httpx.Client, subject: str = "Reefs") -> dict[str, object]:
    (url,) = (url for url, title in mails(client).items() if title == subject)
    found: dict[str, object] = client.get("/mail.json", params={"url": url}).json()["mail"]
    return found


def refusal(client: httpx.Client, path: str, url: str) -> str:
    """What is said, but for the address itself."""
    answer = client.get(path, params={"url": url})
    assert answer.status_code == 404
    return answer.text.replace(quote(url, safe=""), "…")


# --- sources ----------------------------------------------------------------------------------


def test_the_page_says_what_is_read_and_what_was_left_out(owner: httpx.Client, own: Own) -> None:
    page = owner.get("/sources.json").json()
    folder, maildir = page["sources"]
    assert (folder["path"], folder["documents"], folder["whole"]) == (str(own.folder), 3, True)
    assert (maildir["kind"], maildir["documents"]) == ("mail", 3)
    reasons = {each["reason"]: each["count"] for each in folder["skipped"]}
    assert reasons == {"hidden": 1, "ignored by a pattern": 1}
    given = {"path": str(own.folder), "reason": "ignored by a pattern"}
    left_out = owner.get("/sources/skipped.json", params=given).json()
    assert left_out["left_out"] == [str(own.folder / "notes.log")]
    html = owner.get("/sources").text
    assert "ignored by a pattern" in html
    assert 'action="/sources/add"' in html
    assert "<script>" not in html
    assert str(own.folder / "notes.log") in owner.get("/sources/skipped", params=given).text


@pytest.mark.parametrize(
    ("path", "given", "says"),
    [
        ("/sources/add", {"path": "/nowhere/at/all"}, "can't be read: No such file"),
        ("/sources/add", {"path": ""}, "Name a folder"),
        ("/sources/mail", {"mailbox": "imaps://"}, "imaps://"),
        ("/sources/remove", {"path": "/nowhere"}, "is no source of this collection"),
        ("/sources/look", {"path": "/nowhere"}, "is no source of this collection"),
    ],
)
def test_a_mistake_is_one_sentence(
    owner: httpx.Client, path: str, given: dict[str, str], says: str
) -> None:
    answer = owner.post(f"{path}.json", data=given)
    assert answer.status_code == 400, answer.text
    assert says in answer.json()["says"]
    shown = owner.post(path, data=given)
    assert shown.status_code == 400
    assert says.partition("'")[0] in shown.text


def test_a_change_needs_the_guard(own: Own) -> None:
    serving = Serving(make_app(own.place, TOKEN))
    with client_of(serving.address) as client:
        client.get("/", params={"token": TOKEN})
        for path in ("/sources/add", "/sources/remove", "/sources/look", "/sources/mail"):
            given = {"path": str(own.folder), "mailbox": str(own.maildir)}
            assert client.post(f"{path}.json", data=given).status_code == 403, path
            assert client.post(f"{path}.json").status_code == 403
    serving.close()


def test_where_nobody_says_who_they_are_nothing_is_read(own: Own) -> None:
    serving = Serving(make_app(own.place))
    with client_of(serving.address) as client:
        page = client.get("/sources").text
        assert "shoal add PATH" in page
        assert 'action="/sources/add"' not in page
        csrf = page.partition('name="csrf" value="')[2].partition('"')[0]
        answer = client.post("/sources/add.json", data={"csrf": csrf, "path": str(own.place)})
        assert answer.status_code == 403
        assert "--token" in answer.json()["says"]
    serving.close()


def test_a_source_comes_and_goes_at_rest(owner: httpx.Client, own: Own, tmp_path: Path) -> None:
    """Nobody follows them in this test: the next who does reads it."""
    (tmp_path / "more.txt").write_text("Narwhal")
    answer = owner.post("/sources/add", data={"path": str(tmp_path)})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sources"
    assert "next `shoal watch`" in owner.get("/sources").text
    paths = [each["path"] for each in owner.get("/sources.json").json()["sources"]]
    assert str(tmp_path) in paths
    assert owner.post("/sources/look.json").status_code == 409
    owner.post("/sources/remove.json", data={"path": str(tmp_path)})
    paths = [each["path"] for each in owner.get("/sources.json").json()["sources"]]
    assert str(tmp_path) not in paths


# --- mails ------------------------------------------------------------------------------------


def test_a_mail_is_shown_with_its_thread_and_what_is_attached(owner: httpx.Client) -> None:
    found = mail(owner)
    assert found["sender"] == "ann <ann@mail.example>"
    assert (found["to"], found["cc"]) == ("list@mail.example", "Cecil <cecil@mail.example>")
    assert found["folders"] == ["INBOX"]
    thread = [each["sender"].partition(" ")[0] for each in found["thread"]]  # type: ignore[attr-defined]
    assert thread == ["ann", "bob", "ann"]  # by the moment, whatever the zone
    last = owner.get("/mail.json", params={"url": found["thread"][2]["url"]}).json()["mail"]  # type: ignore[index]
    (attached,) = last["attachments"]
    assert attached["name"] == "chart.txt"
    assert "Attached to 3" in owner.get("/copy/raw", params={"url": attached["url"]}).text
    page = owner.get("/mail", params={"url": last["url"]})
    assert "chart.txt" in page.text
    assert page.text.count("/mail?url=") >= 3
    assert "sandbox" in page.text
    raw = owner.get("/copy/raw", params={"url": last["url"]})
    assert "<b>corals</b>" in raw.text or "<strong>corals</strong>" in raw.text
    assert "x()" not in raw.text
    assert "sandbox" in raw.headers["content-security-policy"]
    assert "From:" in raw.text
    assert "Date:" in raw.text
    assert "body=1" in page.text
    body = owner.get("/copy/raw", params={"url": last["url"], "body": "1"}).text
    assert "corals" in body
    assert not [label for label in ("From:", "To:", "Cc:", "Date:") if label in body]
    assert owner.get("/open", params={"url": last["url"]}).headers["location"].startswith("/mail?")


def test_a_mail_can_be_saved_as_it_was_received(owner: httpx.Client, own: Own) -> None:
    url = mail(owner)["url"]
    answer = owner.get("/file", params={"url": str(url)})
    assert answer.content == (own.maildir / "cur" / "1.host:2,S").read_bytes()
    assert answer.headers["content-disposition"].startswith(
        "attachment; filename*=UTF-8''Reefs.eml"
    )
    assert "sandbox" in answer.headers["content-security-policy"]


def test_a_stranger_sees_nothing_of_what_they_may_not_read(
    owner: httpx.Client, stranger: httpx.Client
) -> None:
    (private,) = (
        url
        for url in mails(owner)
        if "bob" in owner.get("/mail.json", params={"url": url}).json()["mail"]["sender"]
    )
    found = mail(stranger)
    assert [each["sender"] for each in found["thread"]] == ["ann <ann@mail.example>"] * 2  # type: ignore[attr-defined]
    never = private[:-4] + "aaaa"
    for path in ("/mail.json", "/file", "/copy.json", "/page.json"):
        assert refusal(stranger, path, private) == refusal(stranger, path, never)
    attached = owner.get("/mail.json", params={"url": private}).json()["mail"]["attachments"][0]
    assert stranger.get("/copy.json", params={"url": attached["url"]}).status_code == 404
    for path in ("/sources.json", "/sources/skipped.json"):
        assert stranger.get(path).json() == {"status": 403, "says": ONLY_THE_OWNER}
    assert "/sources" not in stranger.get("/search").text


def test_what_is_no_mail_is_none(owner: httpx.Client, own: Own) -> None:
    answer = owner.get("/mail.json", params={"url": own.url("open.txt")})
    assert (answer.status_code, answer.json()["says"]) == (404, "This page is no mail.")
    assert owner.get("/mail.json", params={"url": "mail://x/"}).status_code in (400, 404)


# --- files ------------------------------------------------------------------------------------


def test_a_file_is_opened_and_runs_nothing(owner: httpx.Client, own: Own) -> None:
    answer = owner.get("/file", params={"url": own.url("open.txt")})
    assert answer.text == "Clownfish live in anemones"
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["content-disposition"].startswith("inline")
    page = owner.get("/file", params={"url": own.url("page.html")})
    assert page.headers["content-disposition"].startswith("attachment")
    assert page.headers["content-type"] == "application/octet-stream"
    assert "sandbox" in page.headers["content-security-policy"]
    assert (
        owner.get("/open", params={"url": own.url("open.txt")})
        .headers["location"]
        .startswith("/file?")
    )
    assert "The file itself" in owner.get("/copy", params={"url": own.url("open.txt")}).text


def test_a_file_is_read_as_who_asks(stranger: httpx.Client, own: Own) -> None:
    assert stranger.get("/file", params={"url": own.url("open.txt")}).status_code == 200
    secret, never = own.url("secret.txt"), own.url("never.txt")
    assert refusal(stranger, "/file", secret) == refusal(stranger, "/file", never)


def test_a_file_that_changed_since_is_not_shown_as_it_was(owner: httpx.Client, own: Own) -> None:
    page = own.folder / "page.html"
    before = page.read_bytes()
    try:
        page.write_bytes(b"x" * len(before))
        answer = owner.get("/file", params={"url": own.url("page.html")})
        assert answer.status_code == 404
        assert "Its copy has the text" in answer.text
        assert "Dugong" in owner.get("/copy/raw", params={"url": own.url("page.html")}).text
    finally:
        page.write_bytes(before)
