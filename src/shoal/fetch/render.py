"""What does a saved page look like? Chromium draws it, with the network off, and tells its boxes.

The network is off twice: every request is answered here (the page itself from memory, all else
refused), and the browser was started with no names to resolve and a proxy that is not there. Page
scripts are off unless asked for, since the files they need are missing; the look at the boxes
runs in a world of its own, which page scripts can't touch.

Playwright runs on a thread with an event loop of its own, so that `Renderer` can be used from
plain code, from a notebook and inside a running loop alike. Every wait has an end; a page that
keeps its process busy beyond it costs the browser, and the next page gets a new one.
"""

import asyncio
import contextlib
import os
import shutil
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from importlib.resources import files
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from shoal.errors import UsageError
from shoal.model.record import JSON_ERRORS, from_json
from shoal.model.rendered import BOX_ATTRIBUTE, Rendered

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright, Route

_T = TypeVar("_T")

PROGRAM_VARIABLE = "SHOAL_CHROMIUM"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_NOWHERE = "http://page.invalid/"
"""The address of a page that has none: a name that never exists (RFC 6761)."""
_CLOSE_SECONDS = 5.0
_PICTURE_SECONDS = 1.0
_START_SECONDS = 30.0
_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--disable-gpu",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-pings",
)
"""Chromium's own traffic off, and a page's beside the requests that are answered here."""


@dataclass(frozen=True, slots=True)
class RenderSettings:
    width: int = 1280
    height: int = 1024
    """Of the window, in CSS pixels."""
    scripts: bool = False
    """Run the page's own scripts; files of scripts are refused like all files."""
    settle_seconds: float = 0.5
    """How long scripts may go on after the page has loaded."""
    page_seconds: float = 20.0
    """For one page, all in all."""
    max_chars: int = 10_000_000
    """A longer source isn't drawn."""
    max_elements: int = 20_000
    """What comes after has no boxes."""


DEFAULTS = RenderSettings()


def program() -> str:
    """Where Chromium is: SHOAL_CHROMIUM, else on the PATH; empty when there is none."""
    named = os.environ.get(PROGRAM_VARIABLE, "")
    if named:
        return shutil.which(named) or ""
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), "")


def render(html: str, url: str = "", settings: RenderSettings = DEFAULTS) -> Rendered:
    """One page in a browser of its own; for many, keep a `Renderer`."""
    with Renderer() as renderer:
        return renderer.render(html, url, settings)


class Renderer:
    """One browser for many pages, one after the other; each gets a fresh profile."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._await(self._start())
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._await(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def render(self, html: str, url: str = "", settings: RenderSettings = DEFAULTS) -> Rendered:
        """Never raises on what a page does: then there are no boxes, and `problem` says why."""
        nothing = Rendered(html=html, width=0.0, height=0.0)
        if len(html) > settings.max_chars:
            nothing.problem = f"longer than {settings.max_chars:,} characters: not drawn"
            return nothing
        drawn = self._await(self._draw(html, url, settings))
        if isinstance(drawn, str):
            nothing.problem = drawn
            return nothing
        return drawn

    def _await(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _start(self) -> None:
        try:
            from playwright.async_api import async_playwright  # noqa: PLC0415 - an extra
        except ImportError as error:
            message = "rendering needs playwright: pip install 'shoal[js]'"
            raise UsageError(message) from error
        if not program():
            raise UsageError(
                "rendering needs Chromium, and none is on the PATH: install your system's package "
                f"chromium, or name the program in {PROGRAM_VARIABLE}"
            )
        self._playwright = await async_playwright().start()
        await self._open()

    async def _open(self) -> None:
        from playwright.async_api import Error  # noqa: PLC0415 - an extra

        assert self._playwright is not None  # noqa: S101 - set by _start
        # Chromium refuses to start its sandbox as root.
        sandbox = os.geteuid() != 0
        try:
            self._browser = await self._playwright.chromium.launch(
                executable_path=program(),
                args=list(_FLAGS),
                chromium_sandbox=sandbox,
                timeout=_START_SECONDS * 1000,
            )
        except Error as error:
            reason = str(error).strip().splitlines()[0]
            message = f"{program()} does not start ({reason}): try it with --headless by hand"
            raise UsageError(message) from error

    async def _stop(self) -> None:
        await self._close_browser()
        if self._playwright is not None:
            await self._playwright.stop()
            self._playwright = None

    async def _close_browser(self) -> None:
        if self._browser is None:
            return
        browser, self._browser = self._browser, None
        await _tried(browser.close())

    async def _draw(self, html: str, url: str, settings: RenderSettings) -> Rendered | str:
        """The page, or why there is none."""
        from playwright.async_api import Error  # noqa: PLC0415 - an extra

        if self._browser is None or not self._browser.is_connected():
            await self._open()
        assert self._browser is not None  # noqa: S101 - set by _open
        try:
            async with asyncio.timeout(settings.page_seconds):
                context = await self._browser.new_context(
                    viewport={"width": settings.width, "height": settings.height},
                    java_script_enabled=settings.scripts,
                    service_workers="block",
                    accept_downloads=False,
                    reduced_motion="reduce",
                    locale="en-US",
                    timezone_id="UTC",
                )
                page = await context.new_page()
                drawn: Rendered | str = await _look(page, html, url, settings)
        except TimeoutError:
            await self._close_browser()
            return f"not drawn within {settings.page_seconds:g} seconds"
        except (Error, *JSON_ERRORS) as error:
            await self._close_browser()
            return f"not drawn: {str(error).splitlines()[0][:200]}"
        if not await _tried(context.close()):
            await self._close_browser()
        return drawn


class _Answers:
    """The page itself once, and nothing else."""

    def __init__(self, html: str) -> None:
        # Half a surrogate pair can't be sent; it shows as a question mark anyway.
        self._body: bytes | None = html.encode("utf-8", "replace")

    async def answer(self, route: "Route") -> None:
        if self._body is not None:
            body, self._body = self._body, None
            kind = "text/html; charset=utf-8"
            await _tried(route.fulfill(status=200, content_type=kind, body=body))
        elif route.request.is_navigation_request():
            # No content: the browser stays where it is, where a failure would show an error page.
            await _tried(route.fulfill(status=204))
        else:
            await _tried(route.abort("blockedbyclient"))


async def _look(page: "Page", html: str, url: str, settings: RenderSettings) -> Rendered:
    """The page loaded, and what it shows then."""
    from playwright.async_api import TimeoutError as Late  # noqa: PLC0415 - an extra

    await page.context.route("**/*", _Answers(html).answer)
    page.context.on("page", _close)
    address = url if url.startswith(("http://", "https://")) else _NOWHERE
    # What is there by half of the time is looked at. Files are refused, so that little can
    # load after the document has ended: embedded pictures, for which a moment is enough.
    with contextlib.suppress(Late):
        half = settings.page_seconds * 500
        await page.goto(address, wait_until="domcontentloaded", timeout=half)
        await page.wait_for_load_state("load", timeout=_PICTURE_SECONDS * 1000)
    if settings.scripts:
        await asyncio.sleep(settings.settle_seconds)
    found = await _evaluated(page, settings.max_elements)
    return from_json(Rendered, found.encode())


async def _evaluated(page: "Page", max_elements: int) -> str:
    """What boxes.js says, run in a world of its own."""
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Page.getFrameTree")
    world = await session.send(
        "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]}
    )
    source = files("shoal.fetch").joinpath("boxes.js").read_text(encoding="utf-8")
    result = await session.send(
        "Runtime.evaluate",
        {
            "expression": f"({source})({max_elements}, {BOX_ATTRIBUTE!r})",
            "contextId": world["executionContextId"],
            "returnByValue": True,
        },
    )
    return str(result["result"].get("value", ""))


async def _close(page: "Page") -> None:
    """A page that a page opened."""
    await _tried(page.close())


async def _tried(work: Coroutine[Any, Any, None]) -> bool:
    """Whether the browser did it; one that is gone or stuck does not matter here."""
    from playwright.async_api import Error  # noqa: PLC0415 - an extra

    try:
        await asyncio.wait_for(work, _CLOSE_SECONDS)
    except (Error, TimeoutError):
        return False
    return True
