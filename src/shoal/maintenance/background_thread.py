"""What goes on beside `shoal serve`? Work in a thread, for as long as a `with` block lasts."""

import threading
from types import TracebackType
from typing import Self


class Beside:
    """`_run` is the work: it looks at `_over`, and waits for `_soon`, which `wake` sets."""

    def __init__(self, name: str) -> None:
        self._over = threading.Event()
        self._soon = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def wake(self) -> None:
        """There is something new: look now."""
        self._soon.set()

    def _run(self) -> None:
        raise TypeError("there is nothing to do")

    def _end(self) -> None:
        """What is left to do when the work is over."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self.wake()
        self._thread.join()
        self._end()
