"""All hostile hosts and a few honest ones, in one process. `python -m tests.hostile.server`.

Case number i lives at an address of its own, and so does each honest host. Prints two ports, the
plain one and the one that speaks TLS (every address listens at both), and where names are answered.
"""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from tests.fetch.loopback import CERTIFICATE
from tests.fetch.nameserver import SERVFAIL, naming
from tests.hostile.cases import CASES
from tests.hostile.wire import Say, Wire, made, page

HONEST = 4
HONEST_PAGES = 12


def address_of(name: str) -> str:
    number = list(CASES).index(name)
    return f"127.80.{number // 200}.{number % 200 + 1}"


def honest_addresses() -> list[str]:
    return [f"127.81.0.{i + 1}" for i in range(HONEST)]


def honest_page(path: str) -> Say:
    number = int(path.strip("/") or 0)
    links = [n for n in (2 * number + 1, 2 * number + 2) if n < HONEST_PAGES]
    anchors = "".join(f"<a href=/{n}>{n}</a>" for n in links)
    return page(f"<title>{path}</title><p>honest page {path}</p>{anchors}".encode())


NOTHING = page(b"", b"", b"404 Not Found")


def answer_to(case_name: str, path: str) -> Say:
    case = CASES[case_name]
    if path == "/robots.txt":
        return case.robots or NOTHING
    return case.say if path == "/" else NOTHING


def honest_answer_to(path: str) -> Say:
    return NOTHING if path == "/robots.txt" else honest_page(path)


Answer = Callable[[str], Say]


async def converse(
    answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
        while not writer.is_closing():
            first = await reader.readexactly(1)
            if first == b"\x16":  # a TLS handshake at the plain port
                writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                break
            head = first + await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("latin-1")
            await answer(path)(Wire(path, reader, writer))
    writer.close()


async def serve() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    hosts: list[tuple[str, Answer]] = [
        (address_of(name), partial(answer_to, name)) for name in CASES
    ]
    hosts += [(address, honest_answer_to) for address in honest_addresses()]
    for case in CASES.values():
        for say in (case.say, case.robots):
            if isinstance(say, made):
                say.prepare()
    ports = [0, 0]
    for address, answer in hosts:
        for i, tls in enumerate((None, context)):
            server = await asyncio.start_server(
                partial(converse, answer), address, ports[i], ssl=tls
            )
            ports[i] = server.sockets[0].getsockname()[1]
    async with naming() as zone:
        zone.codes["servfail.test"] = SERVFAIL
        zone.silent.add("silent.test")
        zone.garbled.add("garbled.test")
        zone.add("nowhere.test")
        print(*ports, zone.address, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve())
