"""What is wrong with a table, in one sentence?"""

from pathlib import Path

from shoal.errors import CollectionError, DamagedError

_NO_DAMAGE = ("lock", "permission denied", "no space", "read-only", "too many open files")
"""Why a table can't be opened that is as it should be, in the library's words."""


def lacks_current(path: Path) -> bool:
    if (path / "CURRENT").exists():
        return False
    return any(path.glob("*.sst")) or any(path.glob("MANIFEST-*"))


def unopened(path: Path, error: Exception) -> CollectionError | DamagedError:
    is_there = (path / "CURRENT").exists()
    if not is_there or any(words in str(error).lower() for words in _NO_DAMAGE):
        return CollectionError(f"The table in {path} can't be opened: {one_line(error)}.")
    return damaged(path, error)


def damaged(path: Path, why: Exception | str) -> DamagedError:
    return DamagedError(
        f"The table in {path} is damaged ({one_line(why)}); what it held is brought back by: "
        f"shoal repair --dir {collection_of(path)}"
    )


def collection_of(path: Path) -> Path:
    """The directory that a person names, for a table or an archive in it."""
    data = path.parent
    return data.parent.parent if data.parent.name == "generations" else data


def one_line(error: Exception | str) -> str:
    return " ".join(str(error).split()).rstrip(".")


def told(error: Exception) -> str:
    return (
        f"The table can't be written: {error}; make room on the disk and start again, "
        "what was written before is kept."
    )
