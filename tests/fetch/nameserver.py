"""A name server on loopback that knows what a test tells it (RFC 1035, as little as serves)."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

A, CNAME, AAAA = 1, 5, 28
NXDOMAIN, SERVFAIL = 3, 2


@dataclass
class Zone:
    records: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)
    """Name → (type, TTL, data)."""
    codes: dict[str, int] = field(default_factory=dict)
    """Name → the error to answer with."""
    silent: set[str] = field(default_factory=set)
    garbled: set[str] = field(default_factory=set)
    asked: list[tuple[str, int]] = field(default_factory=list)
    address: str = ""
    arrived: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    def add(self, name: str, *addresses: str, ttl: int = 300) -> None:
        self.records[name] = [(AAAA if ":" in a else A, ttl, a) for a in addresses]


class _Protocol(asyncio.DatagramProtocol):
    def __init__(self, zone: Zone) -> None:
        self._zone = zone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)  # uvloop's is no subclass

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        zone = self._zone
        name, end = _read_name(data)
        (kind,) = struct.unpack_from("!H", data, end)
        zone.asked.append((name, kind))
        zone.arrived.put_nowait(name)
        if name in zone.silent:
            return
        if name in zone.garbled:
            self._transport.sendto(data[:2] + b"\x81\x80" + b"\xff" * 40, addr)
            return
        records = zone.records.get(name, [])
        code = zone.codes.get(name, 0 if records else NXDOMAIN)
        fitting = [r for r in records if r[0] in (kind, CNAME)]
        head = data[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(fitting), 0, 0)
        answers = b"".join(_record(*r) for r in fitting)
        self._transport.sendto(head + data[12 : end + 4] + answers, addr)


def _read_name(data: bytes) -> tuple[str, int]:
    labels, at = [], 12
    while length := data[at]:
        labels.append(data[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels).lower(), at + 1


def _record(kind: int, ttl: int, value: str) -> bytes:
    if kind == CNAME:
        data = b"".join(bytes([len(p)]) + p.encode() for p in value.split(".")) + b"\0"
    else:
        data = socket.inet_pton(socket.AF_INET6 if kind == AAAA else socket.AF_INET, value)
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


@asynccontextmanager
async def naming() -> AsyncIterator[Zone]:
    zone = Zone()
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Protocol(zone), local_addr=("127.4.5.53", 0)
    )
    zone.address = "127.4.5.53:{}".format(transport.get_extra_info("sockname")[1])
    try:
        yield zone
    finally:
        transport.close()
