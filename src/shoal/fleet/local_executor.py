"""Who does divided work where there are no other machines? This process, one task after another.

What a task returns goes to a file of its own, unless it is small, and is read when another task
needs it: so memory holds what one task is given and returns, however many there are.
"""

import pickle
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shoal.closing import Closing
from shoal.ports import Task

CAPACITY_BYTES = 256 << 20
_SMALL_BYTES = 1 << 16


class _Ref(NamedTuple):
    """A value, pickled; or the file in which it is."""

    data: bytes
    file: "_File | None"

    def value(self) -> Any:
        data = self.data if self.file is None else self.file.path.read_bytes()
        return pickle.loads(data)  # noqa: S301 - our own


class _File:
    """Goes with the last who holds it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __del__(self) -> None:
        self.path.unlink(missing_ok=True)


class LocalExecutor(Closing):
    """The `Executor` of a process that has only itself."""

    def __init__(
        self,
        capacity_bytes: int = CAPACITY_BYTES,
        at_once: int = 1,
        small_bytes: int = _SMALL_BYTES,
    ) -> None:
        """With more than one `at_once` work is divided as if there were others to do it."""
        self.capacity_bytes = capacity_bytes
        self.at_once = at_once
        self._small_bytes = small_bytes
        self._folder = tempfile.TemporaryDirectory(prefix="shoal-parts-")
        self._files = 0

    def each(
        self,
        task: Task,
        given: Iterable[Sequence[Any]],
        returns: int = 1,
        machines: Sequence[str] = (),
    ) -> list[list[Any]]:
        del machines
        return [self._done(task, each, returns) for each in given]

    def _done(self, task: Task, given: Sequence[Any], returns: int) -> list[Any]:
        made = task(*(each.value() if isinstance(each, _Ref) else each for each in given))
        if len(made) != returns:
            raise ValueError(f"{task.__name__} returns {len(made)} values, not {returns}")
        return [self._hold(value) for value in made]

    def _hold(self, value: Any) -> _Ref:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        if len(data) <= self._small_bytes:
            return _Ref(data, None)
        self._files += 1
        path = Path(self._folder.name) / str(self._files)
        path.write_bytes(data)
        return _Ref(b"", _File(path))

    def fetch(self, ref: Any) -> Any:
        return ref.value()

    def close(self) -> None:
        self._folder.cleanup()
