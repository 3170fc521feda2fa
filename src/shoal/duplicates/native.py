"""Is the part in C there? Without it, for lack of a compiler, the same is done in Python."""

from types import ModuleType

try:
    from shoal.duplicates.near import _prints
except ImportError:  # pragma: no cover - where there was no compiler
    prints: ModuleType | None = None
else:
    prints = _prints
