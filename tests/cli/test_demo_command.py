"""`shoal demo`: ends by itself, offline, and shows pages crawled, stored and listed."""

import shlex
import tomllib

from shoal.demo.server import WEB
from tests.cli.command import Shoal
from tests.cli.test_crawl_command import adds_up

INDEX = tomllib.loads((WEB / "index.toml").read_text("utf-8"))
TRUTH = INDEX["crawl"]


def test_the_demo(shoal: Shoal) -> None:
    done = shoal.ok("demo")
    fetched = TRUTH["fetched"] + INDEX["by_documents"] + INDEX["by_sitemaps"]
    assert f"fetched {fetched} + redirect {TRUTH['redirects']} + gone {TRUTH['gone']}" in done.text
    assert f"{fetched} pages are stored; some of them:" in done.lines
    assert "The Reef Atlas" in done.text
    assert "It was not taken: robots: Disallow: " in done.text
    assert "the ocellaris clownfish" in done.text
    status = shoal.ok("status", "--json", "--dir=demo-corpus").json
    adds_up(status)
    tried = [line.strip() for line in done.lines if line.startswith("  shoal ")]
    assert len(tried) == 8
    for command in tried:
        _, name, *words = shlex.split(command)
        if name != "serve":  # it would not end
            assert shoal.ok(name, *words).out, command
    assert "http://www.reef.example/species/clownfish.html" in done.text.partition("search '")[2]

    again = shoal.ok("demo", "--json")
    assert "has a collection already: this goes on with it" in again.err
    assert again.json["status"]["fetched"] == fetched
