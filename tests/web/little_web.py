"""A handful of pages with everything that the web page must show or survive, crawled once."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import httpx

from shoal.config import load
from shoal.engine.engine import Engine
from shoal.model.urls.rowkey import row_key
from shoal.web.server.connections import BOUNDS, Bounds, server_of
from shoal.web.server.http import Starlette
from shoal.web.server.serve import address_of, listen
from tests.crawl.run import QUICK, crawl
from tests.world import Running

SETTINGS = {
    "politeness.delay": 0.01,
    "crawl.scope": "any",
    "crawl.exclude": (r"^http://127\.0\.0\.1:",),  # the witness is to be asked by nobody
}
REEF = (
    "The clownfish of the northern reef live in pairs between the arms of a sea anemone. "
    "They clean it and keep butterflyfish away, and its stings keep larger fish from them. "
    "A pair stays for years, and the eggs are laid on the rock beside its foot. "
)
HOSTILE_TITLE = '"><script>window.hit=1</script><img src=x onerror="window.hit=2">\u202egnp.exe'
MANY = 23


@dataclass(frozen=True)
class LittleWeb:
    directory: Path
    origin: str
    other: str
    """Origin of the second host."""

    def url(self, path: str) -> str:
        return self.origin + path


def page(title: str, text: str, head: str = "", language: str = "en") -> str:
    return (
        f'<!doctype html><html lang="{language}"><head><title>{title}</title>{head}</head>'
        f"<body><h1>{title}</h1><p>{text}</p></body></html>"
    )


def injection(witness: str) -> str:
    """Everything that could run, load or lead somewhere."""
    return f"""<!doctype html><html><head><title>Injection</title>
    <meta http-equiv="refresh" content="0;url={witness}/refresh"><base href="{witness}/base/">
    <link rel="stylesheet" href="{witness}/style.css"><link rel="prefetch" href="{witness}/p">
    <style>@import "{witness}/import.css"; body {{ background: url({witness}/background) }}</style>
    <script>parent.hit = 1; window.hit = 1; fetch("{witness}/script")</script>
    <script src="{witness}/script.js"></script></head>
    <body onload="fetch('{witness}/onload')">
    <p>Clownfish injected <a href="javascript:parent.hit=3">a link that runs</a>
    <a href="{witness}/link">a link that leads</a></p>
    <img src="{witness}/image.png" onerror="parent.hit=4"><svg onload="parent.hit=5"></svg>
    <iframe src="{witness}/frame"></iframe><object data="{witness}/object"></object>
    <form action="{witness}/form"><input name=a autofocus onfocus="parent.hit=6"></form>
    <p>&lt;script&gt;parent.hit = 7&lt;/script&gt; <b onmouseover="parent.hit=8">clownfish</b></p>
    <video src="{witness}/video" autoplay></video><audio src="{witness}/audio"></audio>
    <a href="data:text/html,<script>parent.hit=9</script>">data</a>
    <math><mtext><script>parent.hit=10</script></mtext></math>
    <noscript><p title="</noscript><img src=x onerror=parent.hit=11>">x</p></noscript>
    </body></html>"""


def put_pages(site: Running, witness: str) -> list[str]:
    """The pages; returns the seeds."""
    other = site.put(1, "/about", page("About the aquarium", "Sharks and rays, and no clownfish."))
    links = "/reef /reef-copy /changing /noarchive /secret /injection /hostile /table.csv /french"
    many = [f"/many/{n}" for n in range(MANY)]
    anchors = "".join(f'<a href="{each}">link to {each}</a> ' for each in [*links.split(), *many])
    site.put(0, "/start", page("Start here", f"{anchors} <a href='{other}'>the aquarium</a>"))
    dated = (
        '<meta property="article:published_time" content="2021-05-04T10:00:00Z">'
        '<meta name="author" content="A. Diver">'
    )
    site.put(0, "/reef", page("Clownfish of the reef", REEF * 3, dated))
    site.put(0, "/reef-copy", page("Clownfish of the reef", REEF * 3 + "Seen again.", dated))
    site.put(0, "/changing", page("A changing page", "The tide is low, and the crabs are out."))
    noarchive = '<meta name="robots" content="noarchive">'
    site.put(0, "/noarchive", page("No copy of this", "Clownfish that no copy shows.", noarchive))
    site.put(0, "/secret", page("A secret page", "Clownfish for the keepers alone."))
    site.put(0, "/injection", injection(witness))
    title = HOSTILE_TITLE.replace("<", "&lt;").replace('"', "&quot;")
    site.put(0, "/hostile", page(title, "Clownfish with a hostile title."))
    site.put(0, "/french", page("Poisson", "Le poisson-clown vit sur le récif.", language="fr"))
    csv = {"Content-Type": "text/csv"}
    site.put(0, "/table.csv", "fish,length\nclownfish,11\nwrasse,30\n", headers=csv)
    for number, path in enumerate(many):
        words = f"Tank {number} holds seaweed and snails; its keeper is number {number * 7919}."
        site.put(0, path, page(f"Tank {number}", words))
    return [f"http://{site.web.host_name(0)}:{site.port}/start"]


def gather(site: Running, directory: Path, witness: str) -> LittleWeb:
    """Crawl it, let one page change and crawl that again, hide one from the public."""
    seeds = put_pages(site, witness)
    crawl(directory, seeds, SETTINGS)
    origins = [f"http://{site.web.host_name(number)}:{site.port}" for number in (0, 1)]
    web = LittleWeb(directory, *origins)
    site.put(0, "/changing", page("A changing page", "The tide is high, and the crabs are out."))
    asyncio.run(_look_again(web))
    crawl(directory, seeds, {**SETTINGS, "index.follow": "yes"})
    return web


async def _look_again(web: LittleWeb) -> None:
    engine = Engine(web.directory, load(web.directory, QUICK, {}))
    assert engine.raise_url(row_key(web.url("/changing")), 1.0)
    batch = engine._store.batch()
    engine._store.amend(batch, row_key(web.url("/secret")), 1.0, ["r:keepers"])
    engine._store.commit(batch)
    await engine.close()


def client_of(address: str) -> httpx.Client:
    """Redirects are not followed."""
    # No certificate is looked at here, and reading the system's own would take a while each time.
    return httpx.Client(base_url=address, trust_env=False, verify=False)  # noqa: S501


class Serving:
    """A site on a real port, served in a thread; `address` ends in a slash.

    With the URL of a stored page, its readers are started at once, and not by the first test that
    wants a copy: they belong to whoever serves.
    """

    def __init__(
        self,
        app: Starlette,
        token: str | None = None,
        *,
        copied: str = "",
        bounds: Bounds = BOUNDS,
    ) -> None:
        listening = listen("127.0.0.1", 0)  # who connects from now on waits to be answered
        self.address = address_of(listening, token)
        self._server = server_of(app, bounds)
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        if copied:
            with client_of(self.address) as client:
                assert client.get("/copy/raw", params={"url": copied}).status_code == 200

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive()
