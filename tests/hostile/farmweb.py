"""A web of honest sites with traps beside them, as one server that looks at the Host field.

Run as `python -m tests.hostile.farmweb HONEST PAGES FARM ADDRESS…`: it listens at every address on
one port, and prints that port. Nothing is stored: each page is worked out from its URL.
"""

import asyncio
import random
import sys
from dataclasses import dataclass

CALENDAR, MILLION = "calendar.test", "million.test"
_WORDS = ("reef", "tide", "kelp", "gull", "moor", "crab", "dune", "brine", "shell", "drift")


@dataclass(frozen=True)
class FarmWeb:
    honest: int
    """Sites, each a domain of its own."""
    pages: int
    """Of each honest site."""
    farm: int
    """Generated hosts, each a domain of its own."""

    def honest_urls(self) -> set[str]:
        return {
            f"http://h{i}.test{_path(k)}" for i in range(self.honest) for k in range(self.pages)
        }

    def farm_hosts(self) -> list[str]:
        return [f"f{i}.test" for i in range(self.farm)]

    def links(self, host: str, path: str) -> list[str]:
        number = int(path.rpartition("/")[2] or 0) if path[1:2] in ("", "p", "d") else 0
        chance = random.Random(f"{host}{path}")
        if host == MILLION:
            return [f"/p/{(number * 10 + i) % 1_000_000}" for i in range(1, 11)]
        if host == CALENDAR:
            return self._calendar(path)
        if host.startswith("f"):
            others = [f"http://f{chance.randrange(self.farm)}.test/" for _ in range(8)]
            return [*others, *(f"/p/{chance.randrange(10**6)}" for _ in range(8))]
        return self._honest(int(host[1:].partition(".")[0]), number, chance)

    def _calendar(self, path: str) -> list[str]:
        """Days that lead to the next day, by a number that no rule can see through."""
        number = int(path.rpartition("=")[2]) if "=" in path else 0
        return [f"/show?n={number + 1}", f"/show?n={number - 1}", f"/show?n={number * 31 + 7}"]

    def _honest(self, site: int, number: int, chance: random.Random) -> list[str]:
        own = [_path(k) for k in (2 * number + 1, 2 * number + 2) if k < self.pages]
        elsewhere = [
            f"http://h{chance.randrange(self.honest)}.test{_path(chance.randrange(self.pages))}"
            for _ in range(2)
        ]
        ring = [f"http://h{(site + 1) % self.honest}.test/"] if number == 0 else []
        lures: list[str] = []
        if site % 7 == 0 and number == 1:  # some people are careless about whom they link to
            lures = [f"http://f{site % max(1, self.farm)}.test/"] if self.farm else []
            lures += [f"http://{CALENDAR}/", f"http://{MILLION}/"]
        return lures + own + elsewhere + ring

    def body(self, host: str, path: str) -> bytes:
        chance = random.Random(f"text of {host}{path}")
        text = " ".join(chance.choice(_WORDS) + str(chance.randrange(1000)) for _ in range(40))
        links = " ".join(f'<a href="{to}">{to}</a>' for to in self.links(host, path))
        return f"<title>{host}{path}</title><p>{text}</p>{links}".encode()


def _path(k: int) -> str:
    return f"/p/{k}" if k else "/"


async def serve(web: FarmWeb, addresses: list[str]) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1]
                host = head.partition("Host: ")[2].partition("\r\n")[0].partition(":")[0]
                missing = path == "/robots.txt"
                body = b"" if missing else web.body(host, path)
                status = "404 Not Found" if missing else "200 OK"
                kind = "Content-Type: text/html; charset=utf-8\r\n"
                start = f"HTTP/1.1 {status}\r\n{kind}Content-Length: {len(body)}\r\n\r\n"
                writer.write(start.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    first = await asyncio.start_server(converse, addresses[0], 0, backlog=4096)
    port = first.sockets[0].getsockname()[1]
    others = [
        await asyncio.start_server(converse, address, port, backlog=4096)
        for address in addresses[1:]
    ]
    print(port, flush=True)
    await asyncio.gather(*(server.serve_forever() for server in (first, *others)))


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:4]]
    asyncio.run(serve(FarmWeb(*counts), sys.argv[4:]))
