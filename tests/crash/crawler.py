"""The real command on the world, in a process of its own: killed, started again, checked."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from shoal.api import open as open_collection
from shoal.frontier.sources.guessed_sitemaps import USUAL
from tests.cli.command import clean_environment
from tests.world import Request, Running, gaps, overlaps, repeats

PATIENCE_SECONDS = 240.0
LOOK_SECONDS = 2.0
"""How often it is looked whether a crawl that is waited for still lives."""


@dataclass
class Crawler:
    """One collection and the command that fills it."""

    directory: Path
    seeds: Sequence[str]
    delay_seconds: float = 0.2
    workers: int = 8
    more: Sequence[str] = ()
    kills: list[float] = field(default_factory=list)
    """When each life ended, on the clock of the world's log."""

    def start(self, fault: str = "") -> subprocess.Popen[bytes]:
        command = [
            *(sys.executable, "-P", "-m", "shoal", "crawl", *self.seeds),
            *("--dir", str(self.directory), "--scope", "any", "--delay", str(self.delay_seconds)),
            *("--workers", str(self.workers), "--children", "1"),
            *("--set", "politeness.delay_factor=0", *self.more),
        ]
        environ = clean_environment() | ({"SHOAL_FAULT": fault} if fault else {})
        return subprocess.Popen(
            command,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run_until(self, running: Running, requests: int) -> subprocess.Popen[bytes]:
        """Start it, and return when so many more requests have come."""
        process = self.start()
        wanted = len(running.log()) + requests
        for _ in range(round(PATIENCE_SECONDS / LOOK_SECONDS)):
            try:
                running.wait(wanted, timeout_seconds=LOOK_SECONDS)
            except TimeoutError:
                if process.poll() is not None:
                    break
            else:
                return process
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"{wanted} requests did not come: {(err + out).decode()}")

    def finish(self) -> str:
        """Crawl to the end; returns what was said."""
        process = self.start()
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        said = err.decode() + out.decode()
        assert process.returncode == 0, said
        assert "Traceback" not in said
        return said

    def shoal(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                sys.executable,
                "-P",
                "-m",
                "shoal",
                command,
                "--dir",
                str(self.directory),
                *arguments,
            ],
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def verify(self) -> None:
        done = self.shoal("verify", "--quiet")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def warc_files(self) -> list[Path]:
        return sorted((self.directory / "warc").glob("*.warc.gz"))

    def check_archive(self) -> None:
        """By a WARC reader that is not ours."""
        warcio = Path(sys.executable).with_name("warcio")
        files = [str(path) for path in self.warc_files()]
        assert files
        done = subprocess.run(
            [str(warcio), "check", *files], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]

    def check_complete(self, running: Running) -> None:
        """Everything reachable was fetched and stored, once, politely, and the books agree."""
        log, crawlable = running.log(), running.web.crawlable()
        asked = {request.url for request in log if not request.is_robots}
        looked_for = {url for url in asked if url.endswith(USUAL)}  # sitemaps: there are none
        assert asked - looked_for == crawlable
        assert overlaps(log) == []
        smallest = min(gap for host in gaps(log).values() for gap in host)
        assert smallest >= self.delay_seconds
        answered_ok = {r.url for r in log if not r.is_robots and r.status == 200 and r.complete}
        with open_collection(self.directory) as collection:
            pages = [page.url for page in collection.pages()]
            unread = [p.url for p in collection.pages() if "crashed" in p.document.problem]
            urls = [url for url, _ in collection.urls()]
            status = collection.status()
        assert len(pages) == len(set(pages))
        assert set(pages) == answered_ok
        assert unread == []
        assert len(urls) == len(set(urls)) == status.discovered
        assert status.queued == status.in_flight == 0
        assert status.discovered == status.answered + status.excluded + status.failed
        self.check_archive()
        self.verify()

    def check_repeats(self, log: list[Request]) -> int:
        """Asked again is only what was in flight when a life ended, robots.txt included."""
        robots: dict[str, list[Request]] = {}
        for request in log:
            if request.is_robots:
                robots.setdefault(request.url, []).append(request)
        again = 0
        for url, requests in {**repeats(log), **robots}.items():
            for earlier, later in pairwise(requests):
                again += 1
                between = [when for when in self.kills if earlier.start < when < later.start]
                assert between, f"{url} was asked for twice in one life"
        assert again <= len(self.kills) * self.workers
        return again


def is_root() -> bool:
    return os.geteuid() == 0
