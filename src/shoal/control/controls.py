"""What may a person want of what they opened? To read it, and to give its crawl commands."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from shoal.collection import collection as reading
from shoal.control import commands


class Controls(ABC):
    """The commands that a running crawl takes, or the next one, at the place where it is."""

    place: str

    @abstractmethod
    def refresh(self) -> None: ...

    def submit(self, *urls: str, sitemaps: str | Sequence[str] = ()) -> list[str]:
        """Fetch these next, in the running crawl or the next one, and what these sitemaps name.
        Returns them canonical, sitemaps first."""
        listing = [sitemaps] if isinstance(sitemaps, str) else sitemaps
        return commands.submit(self.place, urls, listing)[0]

    def pause(self, host: str) -> None:
        """Ask nothing more of a host, in the running crawl or from the next on."""
        commands.pause(self.place, host, paused=True)

    def resume(self, host: str) -> None:
        """Go on with a host that was paused."""
        commands.pause(self.place, host, paused=False)

    def slow(self, host: str, delay_seconds: float) -> None:
        """Ask a host less often than the settings say; 0 takes it back."""
        commands.slow(self.place, host, delay_seconds)

    def exclude(self, host: str) -> None:
        """Want nothing more of a host: what waits there is excluded."""
        commands.exclude(self.place, host, excluded=True)

    def include(self, host: str) -> None:
        """Go on with a host that was excluded."""
        commands.exclude(self.place, host, excluded=False)

    def retry(self, reason: str = "", host: str = "") -> None:
        """Queue again what failed for a reason (`timeout`, `404`; empty: any)."""
        commands.retry(self.place, reason, host)

    def mark(self, url: str, marks: Mapping[str, str]) -> None:
        """Write what was found out about a page to its row; an empty value takes it back. Pages are
        found by it: `mark:name=value`."""
        commands.mark(self.place, url, marks)
        self.refresh()


class Collection(reading.Collection, Controls):
    """Everything that can be read of a collection, and the commands that its crawl takes."""
