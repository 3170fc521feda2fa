"""How does a test tell the running world what to do?

One JSON line there, one JSON line back, over a port of 127.0.0.1 that no host of the web uses. A
command that fails answers `{"error": …}`, which the test's side raises.
"""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any, Protocol

from tests.world import behaviour
from tests.world.answer import Answer
from tests.world.origin import Origin

Json = dict[str, Any]


class Controlled(Protocol):
    """The parts of the server that commands act on."""

    origin: Origin

    def flush(self) -> Json: ...

    async def wait(self, requests: int, host: str | None, timeout_seconds: float) -> bool: ...

    async def listen(self, address: str) -> None: ...

    async def fall_silent(self, address: str) -> None: ...


class Control:
    """Answers the commands of tests."""

    def __init__(self, server: Controlled) -> None:
        self._server = server

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until its other end closes it."""
        try:
            while line := await reader.readline():
                try:
                    reply = await self._obey(json.loads(line))
                except (KeyError, TypeError, ValueError, OSError) as error:
                    reply = {"error": f"{type(error).__name__}: {error}"}
                writer.write(json.dumps(reply).encode() + b"\n")
                await writer.drain()
        except ConnectionError:
            return  # the test went away; nothing to tell it
        finally:
            writer.close()

    async def _obey(self, command: Json) -> Json:
        origin = self._server.origin
        match command["do"]:
            case "set":
                wanted = [behaviour.from_json(fields) for fields in command["behaviours"]]
                origin.table.set(command["pattern"], wanted)
            case "clear":
                origin.table.clear()
            case "time":
                world, speed = command["seconds"], command["speed"]
                mark = origin.clock.set(
                    world=None if world is None else float(world),
                    speed=None if speed is None else float(speed),
                )
                return {"mark": list(mark)}
            case "put":
                headers = tuple((name, value) for name, value in command["headers"])
                body = base64.b64decode(command["body"])
                answer = Answer(command["status"], headers, body)
                origin.place(command["host"], command["target"], answer)
            case "render":
                return {"pages": origin.render(command["limit_bytes"])}
            case "flush":
                return self._server.flush()
            case "wait":
                reached = await self._server.wait(
                    command["requests"], command["host"], command["timeout_seconds"]
                )
                return {"reached": reached}
            case "down":
                await self._server.fall_silent(command["address"])
            case "up":
                await self._server.listen(command["address"])
            case other:
                raise ValueError(f"no such command: {other}")
        return {}
