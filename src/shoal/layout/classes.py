"""Which classes were learned for a collection, and how good are they? One file, whole or not there.

`classes/model` of the collection, and of each tablet of a cluster: its child processes read it
when it has changed, and mark pages as they come.
"""

from pathlib import Path

from shoal.errors import DamagedError
from shoal.model.record import JSON_ERRORS, Struct, pack, unpack
from shoal.whole_file import write_whole

CLASSES = "classes"
_MODEL = "model"
_FORM = b"shoal classes 1\n"


class ClassLine(Struct):
    """A class, as it was learned."""

    name: str
    examples: int
    asked: int = 0
    """Examples of it that were held out, and that the model was then asked about."""
    given: int = 0
    """How often it was given."""
    right: int = 0
    """How often rightly."""
    words: list[str] = []
    """That speak most for it."""


class ClassReport(Struct):
    """How good the answers were about examples that were held out."""

    examples: int
    held_out: int = 0
    exclusive: bool = True
    """Whether every example has one class."""
    accept: float = 0.5
    accuracy: float = 0.0
    """Share of examples whose likeliest class is right."""
    macro_f1: float = 0.0
    """Of the classes that were given, over all classes that were asked for."""
    coverage: float = 0.0
    """Share of examples that were given a class, and how many of these rightly."""
    accepted_accuracy: float = 0.0
    calibration_error: float = 0.0
    """How far chances and what came true lie apart, in the mean."""
    made: float = 0.0
    """Unix seconds."""
    source: str = ""
    notes: list[str] = []
    classes: list[ClassLine] = []


class LearnedClasses(Struct, array_like=True):
    model: bytes
    report: ClassReport


class ClassesPlace:
    """In one directory; under another name a tree that Shoal made by itself (trees.py)."""

    def __init__(self, directory: Path, name: str = _MODEL) -> None:
        self.folder = directory / CLASSES
        self.path = self.folder / name

    def read(self) -> LearnedClasses | None:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        return unpacked(data)

    def write(self, data: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, data, synced=True)

    def remove(self) -> bool:
        if not self.path.exists():
            return False
        self.path.unlink()
        return True

    def stamp(self) -> tuple[int, int]:
        """Another one when it was written again; zeros when there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return 0, 0
        return found.st_mtime_ns, found.st_ino


def packed(classes: LearnedClasses) -> bytes:
    return _FORM + pack(classes)


def unpacked(data: bytes) -> LearnedClasses:
    if not data.startswith(_FORM):
        raise DamagedError(
            "The classes that were learned are of another release; train them again."
        )
    try:
        return unpack(LearnedClasses, data[len(_FORM) :])
    except JSON_ERRORS:
        raise DamagedError(
            "The classes that were learned can't be read; train them again."
        ) from None
