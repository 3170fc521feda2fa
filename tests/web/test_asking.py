"""Is each who asks told only what they may read? By token, by a proxy's header, by socket."""

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import httpx
import pytest

from shoal.access.people import Users
from shoal.collection.view import ONLY_THE_OWNER
from shoal.web.server.connections import server_of
from shoal.web.server.serve import listen_locally, make_app, token_for
from shoal.web.server.site import MOST_HELD
from tests.web.little_web import LittleWeb, Serving, client_of

TOKEN = "a-token-that-nobody-guesses"
HEADER = "X-Remote-User"


@pytest.fixture
def users(web: LittleWeb) -> Iterator[Users]:
    """Ann is one of the keepers (`keepers` may read /secret), Bob is not."""
    settings = web.directory / "shoal.toml"
    before = settings.read_bytes() if settings.exists() else None
    settings.write_text(
        (before or b"").decode()
        + f'\n[access]\nroles = ["keepers: ann"]\nproxy_header = "{HEADER}"\n'
        + 'proxy_addresses = ["127.0.0.1"]\n'
    )
    yield Users(web.directory)
    (web.directory / "users.json").unlink(missing_ok=True)
    settings.unlink() if before is None else settings.write_bytes(before)


@pytest.fixture
def site(web: LittleWeb, users: Users) -> Iterator[str]:
    serving = Serving(make_app(web.directory, TOKEN))
    yield serving.address
    serving.close()


def found(client: httpx.Client, **headers: str) -> set[str]:
    answer = client.get("/search.json", params={"q": '"keepers alone"'}, headers=headers)
    assert answer.status_code == 200, answer.text
    return {each["url"] for each in answer.json()["found"]["results"]}


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_each_finds_what_they_may_read(site: str, users: Users, web: LittleWeb) -> None:
    ann, bob, secret = users.add("ann"), users.add("bob"), web.url("/secret")
    with client_of(site) as client:
        assert secret in found(client, **bearer(TOKEN))
        assert secret in found(client, **bearer(ann))
        assert secret not in found(client, **bearer(bob))
        for path in ("/page.json", "/copy.json"):
            params = {"url": secret}
            assert client.get(path, params=params, headers=bearer(bob)).status_code == 404
        users.remove("ann")
        assert client.get("/search.json", headers=bearer(ann)).status_code == 401


def test_a_users_token_becomes_a_cookie(site: str, users: Users, web: LittleWeb) -> None:
    token = users.add("ann")
    with client_of(site) as client:
        first = client.get("/search", params={"token": token})
        assert first.status_code == 303
        assert token not in first.headers["set-cookie"]
        assert web.url("/secret") in found(client)
        users.add("ann")  # another token: the cookie was made of the old one
        assert client.get("/search").status_code == 401


def test_what_is_the_owners_is_refused_in_the_same_words(site: str, users: Users) -> None:
    token = users.add("bob")
    with client_of(site) as client:
        for path in ("/dashboard.json", "/urls.json", "/sites.json", "/feeds.json", "/store.json"):
            answer = client.get(path, headers=bearer(token))
            assert answer.json() == {"status": 403, "says": ONLY_THE_OWNER}, path
        changing = client.post("/crawl/submit.json", data={"url": "x"}, headers=bearer(token))
        assert changing.json() == {"status": 403, "says": ONLY_THE_OWNER}
        shown = client.get("/search", headers=bearer(token)).text
        assert "/dashboard" not in shown
        assert client.get("/dashboard", headers=bearer(TOKEN)).status_code == 200


def test_a_proxy_says_who_asks(site: str, web: LittleWeb) -> None:
    secret = web.url("/secret")
    with client_of(site) as client:
        assert secret in found(client, **{HEADER: "ann"})
        assert secret not in found(client, **{HEADER: "bob"})
        twice = httpx.Headers([(HEADER, "bob"), (HEADER, "ann")])
        assert client.get("/search.json", headers=twice).status_code == 401
        assert client.get("/search.json").status_code == 401


def test_the_header_is_believed_of_the_proxy_alone(web: LittleWeb, users: Users) -> None:
    settings = web.directory / "shoal.toml"
    settings.write_text(settings.read_text().replace('"127.0.0.1"', '"127.0.0.9"'))
    serving = Serving(make_app(web.directory, TOKEN))
    with client_of(serving.address) as client:
        assert client.get("/search.json", headers={HEADER: "ann"}).status_code == 401
    serving.close()


def test_where_some_may_read_more_than_others_nobody_is_the_owner_unasked(
    web: LittleWeb, users: Users
) -> None:
    assert token_for("127.0.0.1", None, is_shared=True)
    serving = Serving(make_app(web.directory))
    with client_of(serving.address) as client:
        assert client.get("/search.json").status_code == 401
    serving.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_the_system_says_who_is_at_a_local_socket(
    web: LittleWeb, users: Users, tmp_path: Path
) -> None:
    place = tmp_path / "s"
    for part in (tmp_path, *tmp_path.parents[:-1]):
        part.chmod(part.stat().st_mode | 0o011)
    listening = listen_locally(place)
    server = server_of(make_app(web.directory))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        asked = [_asked_as(uid, place) for uid in (0, 61001)]
        assert '"' + web.url("/secret") + '"' in asked[0]
        assert web.url("/secret") not in asked[1]
        assert '"results"' in asked[1]
    finally:
        server.should_exit = True
        thread.join(60)
        listening.close()
    listen_locally(place).close()  # what a killed server left is taken over


def _asked_as(uid: int, place: Path) -> str:
    """What a user of this machine is answered."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(place))) as client:
            params = {"q": '"keepers alone"'}
            text = client.get("http://localhost/search.json", params=params).text
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told


def test_many_users_hold_few_views_open(web: LittleWeb, users: Users) -> None:
    app = make_app(web.directory, TOKEN)
    serving = Serving(app)
    with client_of(serving.address) as client:
        for number in range(MOST_HELD + 5):
            assert web.url("/secret") not in found(client, **{HEADER: f"user{number}"})
        assert len(app.state.site._served) == MOST_HELD
    serving.close()
