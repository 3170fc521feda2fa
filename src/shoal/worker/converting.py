"""How does anyone read a file? `shoal.convert`: bytes or a path in, the tagged document out.

The reading is done as in a crawl: in a child process with limits and without a network, so that a
file that hangs, crashes or eats memory costs itself alone. One child is started for one call; a
`Converter` keeps its children for as many files as there are.
"""

import asyncio
import os
import re
import threading
from collections import deque
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

from shoal.clock import SystemClock
from shoal.config import VERSION
from shoal.converters.limits import Limits
from shoal.errors import UnderstandError, UsageError
from shoal.focus.priority import PrioritySettings
from shoal.focus.scope import ScopeSettings
from shoal.model.document import Understood
from shoal.model.outcome import Outcome
from shoal.model.record import pack
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from shoal.understand.pool import ChildLimits, Pool
from shoal.understand.process import command_for
from shoal.worker.child_config import FACTORY, ChildConfig
from shoal.worker.conversion import Conversion, conversion_of, unread_conversion

_WEB = re.compile(r"(https?:)/+", re.IGNORECASE)
"""The start of a URL, also where a Path has made one slash of two."""
MAX_BYTES = 200_000_000
"""Of one file; what is longer is cut, and the document says so."""
MAX_SECONDS = 30.0
OCR_SECONDS = 300.0
_AHEAD = 2
"""Files read ahead for each child."""

Convertible = bytes | str | Path
Result = TypeVar("Result")


def convert(
    source: Convertible, *, name: str = "", media_type: str = "", url: str = ""
) -> Conversion:
    """`shoal.convert`."""
    with Converter(processes=1) as converter:
        return converter.convert(source, name=name, media_type=media_type, url=url)


class Converter:
    """Child processes that read files, for as long as it is open."""

    def __init__(
        self,
        *,
        processes: int = 0,
        max_seconds: float | None = None,
        ocr: bool = False,
        content: str = "none",
    ) -> None:
        """As many processes as there are cores, unless said otherwise. `content` is the method by
        which blocks get their scores; without one all is content."""
        self._processes = processes or os.cpu_count() or 1
        usual = OCR_SECONDS if ocr else MAX_SECONDS
        self._limits = ChildLimits(page_seconds=usual if max_seconds is None else max_seconds)
        self._config = _config(ocr, content)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pool: Pool | None = None

    def convert(
        self, source: Convertible, *, name: str = "", media_type: str = "", url: str = ""
    ) -> Conversion:
        """Read one file, or bytes; `name`, `media_type` and `url` as `shoal.convert` has them."""
        visit, fetched = _asked(source, name, media_type, url)
        return _result(name, self._wait(self._read(visit, fetched)))

    def convert_all(self, paths: Iterable[str | Path]) -> Iterator[tuple[Path, Conversion]]:
        """Each file with what it says, in the order given; a file that can't be opened says so."""
        pending: deque[tuple[Path, Future[Understood] | Conversion]] = deque()
        for path in map(Path, paths):
            try:
                visit, fetched = _asked(path)
            except UsageError as error:
                pending.append((path, unread_conversion(path.name, str(error))))
            else:
                pending.append((path, self._start(self._read(visit, fetched))))
            if len(pending) > _AHEAD * self._processes:
                yield _settled(*pending.popleft())
        while pending:
            yield _settled(*pending.popleft())

    @property
    def cpu_seconds(self) -> float:
        """What the children have spent on files so far."""
        return 0.0 if self._pool is None else self._pool.stats.cpu_seconds

    @property
    def deaths(self) -> int:
        """Children that a file has cost so far."""
        return 0 if self._pool is None else self._pool.stats.deaths

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="shoal", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._loop is None or self._thread is None:
            return
        if self._pool is not None:
            self._wait(self._pool.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = self._pool = None

    async def _read(self, visit: Visit, fetched: Fetched) -> Understood:
        if self._pool is None:
            command, clock = command_for(FACTORY), SystemClock()
            self._pool = Pool(command, self._config, self._processes, self._limits, clock)
        return await self._pool.understand(visit, fetched)

    def _start(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        if self._loop is None:
            work.close()
            raise UsageError("A Converter is used in a with block: with shoal.Converter() as c: …")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self._start(work).result()


def _config(ocr: bool, content: str) -> bytes:
    return pack(
        ChildConfig(
            scope=ScopeSettings(kind="any"),
            priority=PrioritySettings(),
            product_token="shoal",  # noqa: S106 - no secret, a name
            strip=(),
            keep=(),
            limits=Limits(decoded_bytes=MAX_BYTES),
            warc_directory="",
            warc_max_bytes=0,
            software=f"Shoal/{VERSION}",
            blocks=True,
            ocr=ocr,
            content=content,
        )
    )


def _asked(
    source: Convertible, name: str = "", media_type: str = "", url: str = ""
) -> tuple[Visit, Fetched]:
    """What a child is asked: to read these bytes as if they had been fetched."""
    cut = False
    if isinstance(source, bytes):
        body, url = source, url or "file:///unnamed"
    else:
        path = Path(source)
        try:
            url = url or path.absolute().as_uri()
            with path.open("rb") as file:
                body = file.read(MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            if is_url := _WEB.match(str(source)):
                address = f"{is_url[1]}//{str(source)[is_url.end() :]}"
                raise UsageError(
                    f"{address} is no file: nothing is fetched to convert it; crawl it, and read "
                    f"it with: shoal show {address}"
                ) from error
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise UsageError(f"{path} can't be read: {reason}") from error
    if len(body) > MAX_BYTES:
        body, cut = body[:MAX_BYTES], True
    headers = [("content-type", media_type)] if media_type else []
    if name:
        headers.append(("content-disposition", f"attachment; filename*=UTF-8''{quote(name)}"))
    row = row_key(url)
    visit = Visit(url, row, row, VisitKind.INJECTED, keep=Keep.TEXT)
    return visit, Fetched(Outcome.OK, 200, headers=headers, body=body, cut=cut)


def _settled(path: Path, found: "Future[Understood] | Conversion") -> tuple[Path, Conversion]:
    if isinstance(found, Conversion):
        return path, found
    return path, _result(path.name, found.result())


def _result(name: str, understood: Understood) -> Conversion:
    if not understood.documents:
        raise UnderstandError(f"Nothing was understood of {name or 'the bytes'}.")
    return conversion_of(understood.documents)
