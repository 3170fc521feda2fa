"""How far has the index come? What its writer leaves behind at each commit, for those who only want
to know."""

import shutil
from pathlib import Path

from shoal.app.layout import Layout
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json


class IndexState(Struct):
    position: int
    pages: int
    """Without documents that stand within others."""
    committed: float


def write_state(layout: Layout, state: IndexState) -> None:
    path = _state_path(layout)
    draft = path.with_suffix(".tmp")
    draft.write_bytes(to_json(state))
    draft.replace(path)


def forget_index(layout: Layout) -> None:
    """Rows changed without a word in the log: the next search makes the index anew."""
    shutil.rmtree(layout.index, ignore_errors=True)


def read_state(layout: Layout) -> IndexState | None:
    try:
        return from_json(IndexState, _state_path(layout).read_bytes())
    except (OSError, *JSON_ERRORS):
        return None


def index_commit(layout: Layout) -> int:
    """Another number after each commit; 0 before the first."""
    try:
        return _state_path(layout).stat().st_mtime_ns
    except OSError:
        return 0


def _state_path(layout: Layout) -> Path:
    return layout.index / "state.json"
