"""A small FTP server on loopback, over a dictionary of files."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

HOST = "127.4.5.21"


@dataclass
class Files:
    """Paths without a leading slash. A directory is a path that others begin with."""

    content: dict[str, bytes] = field(default_factory=dict)
    modified: dict[str, str] = field(default_factory=dict)
    replies: dict[str, str] = field(default_factory=dict)
    """Command, or command and argument → what is said instead of the proper reply."""
    old: bool = False
    """Knows neither MLSD nor MDTM."""
    stalls: bool = False
    """Sends half of a file and then nothing."""
    breaks_off: bool = False
    port: int = 0
    asked: list[str] = field(default_factory=list)
    arrived: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    finished: asyncio.Queue[None] = field(default_factory=asyncio.Queue)

    def url(self, path: str = "/") -> str:
        return f"ftp://{HOST}:{self.port}{path}"

    def is_directory(self, path: str) -> bool:
        return not path or any(name.startswith(f"{path}/") for name in self.content)

    def names(self, path: str) -> dict[str, bool]:
        """What is in a directory, and whether each is one itself."""
        start = f"{path}/" if path else ""
        rest = [name.removeprefix(start) for name in self.content if name.startswith(start)]
        return {name.partition("/")[0]: "/" in name for name in rest}


class _Session:
    def __init__(
        self, files: Files, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.files, self.reader, self.writer = files, reader, writer
        self.directory = ""
        self.data: asyncio.Server | None = None
        self.connected: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def say(self, line: str) -> None:
        self.writer.write(line.encode("latin-1") + b"\r\n")
        await self.writer.drain()

    async def converse(self) -> None:
        await self.say(self.files.replies.get("banner", "220 ready"))
        while line := await self.reader.readline():
            asked = line.decode("latin-1").strip()
            self.files.asked.append(asked)
            self.files.arrived.put_nowait(asked)
            command, _, argument = asked.partition(" ")
            reply = self.files.replies.get(asked) or self.files.replies.get(command)
            if reply == "silence":
                await self.reader.read()
            elif reply:
                await self.say(reply)
            else:
                await self.obey(command, argument)

    async def obey(self, command: str, argument: str) -> None:
        files = self.files
        path = f"{self.directory}/{argument}".strip("/") if argument else self.directory
        if command == "USER":
            await self.say("331 password?")
        elif command == "PASS":
            await self.say("230 in")
        elif command == "TYPE":
            await self.say("200 ok")
        elif command in ("PASV", "EPSV"):
            await self.open_data(command)
        elif command == "CWD" and files.is_directory(path):
            self.directory = path
            await self.say("250 there")
        elif command == "MDTM" and not files.old and path in files.modified:
            await self.say(f"213 {files.modified[path]}")
        elif command == "RETR" and path in files.content:
            await self.send(files.content[path])
        elif command == "MLSD" and not files.old:
            listed = files.names(path).items()
            lines = [f"type={'dir' if d else 'file'};size=1; {name}" for name, d in listed]
            await self.send("\r\n".join(["type=cdir; .", "Type=pdir; ..", *lines, ""]).encode())
        elif command == "NLST":
            await self.send("".join(f"./{name}\r\n" for name in files.names(path)).encode())
        elif command in ("MLSD", "MDTM"):
            await self.say("500 what?")
        else:
            await self.say("550 No such file or directory")

    async def open_data(self, command: str) -> None:
        async def accept(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.connected.put_nowait(writer)

        self.close_data()
        self.data = await asyncio.start_server(accept, HOST, 0)
        port = self.data.sockets[0].getsockname()[1]
        # The address named here is a lie that a careful client does not follow.
        lie = f"227 go (10,255,255,1,{port >> 8},{port & 255})"
        await self.say(lie if command == "PASV" else f"229 go (|||{port}|)")

    def close_data(self) -> None:
        if self.data is not None:
            self.data.close()
        while not self.connected.empty():
            self.connected.get_nowait().close()

    async def send(self, body: bytes) -> None:
        await self.say("150 here it comes")
        writer = await self.connected.get()
        try:
            half = len(body) // 2
            writer.write(body[:half] if self.files.stalls or self.files.breaks_off else body)
            await writer.drain()
            if self.files.stalls:
                await self.reader.read()
        finally:
            writer.close()
        await self.say("426 oh" if self.files.breaks_off else "226 done")


@asynccontextmanager
async def ftp_serving(files: Files) -> AsyncIterator[Files]:
    talking: dict[asyncio.Task[None], asyncio.WriteTransport] = {}

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talking[task] = writer.transport
        session = _Session(files, reader, writer)
        try:
            await session.converse()
        except ConnectionError:
            return  # the client has gone
        finally:
            del talking[task]
            files.finished.put_nowait(None)
            writer.close()
            session.close_data()

    server = await asyncio.start_server(converse, HOST, 0)
    files.port = server.sockets[0].getsockname()[1]
    try:
        yield files
    finally:
        server.close()
        for transport in talking.values():
            transport.abort()
        if talking:
            await asyncio.wait(list(talking))
