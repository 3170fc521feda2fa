"""Scrapy, tuned, for comparison. Run by a Python that has it: SCRIPT CLIENT OUT_DIRECTORY SEED…

Tuned: an own loop over a C parser's links in place of LinkExtractor, repeats within a page and URLs
met before dropped ahead of everything that costs, 128 requests at once, uvloop, no extension or
middleware that this web does not need. It stores bodies, obeys robots.txt, and does nothing else:
no text, no digests, no table. CLIENT is `twisted`, its usual HTTP client on the asyncio reactor, or
`aiohttp`, its experimental one without Twisted's reactor.
"""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urljoin

import scrapy
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.http import Response
from selectolax.lexbor import LexborHTMLParser

SETTINGS = {
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 128,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "HTTPPROXY_ENABLED": False,
    "LOG_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "REFERER_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "USER_AGENT": "benchmark",
}
CLIENTS = {
    "twisted": {"TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor"},
    "aiohttp": {
        "TWISTED_REACTOR_ENABLED": False,
        "DOWNLOAD_HANDLERS": {
            "http": "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"
        },
    },
}


class Spider(scrapy.Spider):
    name = "pages"

    def __init__(self, out: Path, seeds: list[str]) -> None:
        super().__init__()
        self._out = out
        self._seeds = seeds
        self._met = set(seeds)
        self._fetched: list[str] = []

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for seed in self._seeds:
            yield scrapy.Request(seed)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        (self._out / f"{len(self._fetched)}.html").write_bytes(response.body)
        self._fetched.append(response.url)
        links = LexborHTMLParser(response.body).css("a[href], area[href]")
        hrefs = {(node.attributes["href"] or "").partition("#")[0] for node in links}
        for url in {urljoin(response.url, href) for href in hrefs}:
            if url not in self._met and url.startswith("http"):
                self._met.add(url)
                yield scrapy.Request(url)

    def closed(self, _reason: str) -> None:
        (self._out / "urls.txt").write_text("\n".join(self._fetched), encoding="utf-8")


def main(client: str, out: str, *seeds: str) -> None:
    runner = AsyncCrawlerProcess if client == "aiohttp" else CrawlerProcess
    process = runner(SETTINGS | CLIENTS[client])
    process.crawl(Spider, out=Path(out), seeds=list(seeds))
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
