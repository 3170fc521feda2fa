"""What may be wanted of a crawl? The same of a collection and of a cluster that runs (W13)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path


class Steered(ABC):
    """Whoever has a place to which orders go. (They need what reads it, so they come late.)"""

    @property
    @abstractmethod
    def place(self) -> Path | str: ...

    @abstractmethod
    def refresh(self) -> None: ...

    def submit(self, *urls: str, sitemaps: str | Sequence[str] = ()) -> list[str]:
        """Fetch these next, in the running crawl or the next one, and what these sitemaps name.
        Returns them canonical, sitemaps first."""
        from shoal.app import orders  # noqa: PLC0415

        listing = [sitemaps] if isinstance(sitemaps, str) else sitemaps
        return orders.submit(self.place, urls, listing)[0]

    def pause(self, host: str) -> None:
        """Ask nothing more of a host, in the running crawl or from the next on."""
        from shoal.app import orders  # noqa: PLC0415

        orders.pause(self.place, host, paused=True)

    def resume(self, host: str) -> None:
        """Go on with a host that was paused."""
        from shoal.app import orders  # noqa: PLC0415

        orders.pause(self.place, host, paused=False)

    def slow(self, host: str, delay_seconds: float) -> None:
        """Ask a host less often than the settings say; 0 takes it back."""
        from shoal.app import orders  # noqa: PLC0415

        orders.slow(self.place, host, delay_seconds)

    def exclude(self, host: str) -> None:
        """Want nothing more of a host: what waits there is excluded."""
        from shoal.app import orders  # noqa: PLC0415

        orders.exclude(self.place, host, excluded=True)

    def include(self, host: str) -> None:
        """Go on with a host that was excluded."""
        from shoal.app import orders  # noqa: PLC0415

        orders.exclude(self.place, host, excluded=False)

    def retry(self, reason: str = "", host: str = "") -> None:
        """Queue again what failed for a reason (`timeout`, `404`; empty: any)."""
        from shoal.app import orders  # noqa: PLC0415

        orders.retry(self.place, reason, host)

    def mark(self, url: str, marks: Mapping[str, str]) -> None:
        """Write what was found out about a page to its row; an empty value takes it back. Pages are
        found by it: `mark:name=value`."""
        from shoal.app import orders  # noqa: PLC0415

        orders.mark(self.place, url, marks)
        self.refresh()
