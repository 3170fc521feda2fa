"""Which hierarchy was made of a collection's documents? One file, whole or not there.

`classes/tree`, beside the classes that were learned: child processes put pages in their places by
it as they come.
"""

from pathlib import Path

from shoal.errors import DamagedError
from shoal.layout.classes import ClassesPlace
from shoal.model.record import JSON_ERRORS, Struct, pack, unpack

_TREE = "tree"
_FORM = b"shoal tree 1\n"


class TreeNode(Struct):
    """A part of the hierarchy."""

    way: str
    """Names from the top, which stay when the tree is made anew: `oil-crude/opec-price`."""
    words: list[str] = []
    """That tell it from its siblings."""
    title: str = ""
    """Of the document in its midst."""
    url: str = ""


class MadeTree(Struct, array_like=True):
    model: bytes
    leaves: list[str]
    """The way to each."""
    nodes: list[TreeNode]
    documents: int = 0
    """That there were for everyone when it was made."""
    wanted: int = 0
    """Leaves that were asked for; 0: by the number of documents."""
    depth: int = 0
    own: bool = False
    """Whether it is made of documents that not everyone may read."""
    made: float = 0.0


def tree_place(directory: Path) -> ClassesPlace:
    return ClassesPlace(directory, _TREE)


def packed_tree(tree: MadeTree) -> bytes:
    return _FORM + pack(tree)


def unpacked_tree(data: bytes) -> MadeTree:
    if not data.startswith(_FORM):
        raise DamagedError("The tree is of another release; make it again: shoal tree make --anew")
    try:
        return unpack(MadeTree, data[len(_FORM) :])
    except JSON_ERRORS:
        raise DamagedError(
            "The tree can't be read; make it again: shoal tree make --anew"
        ) from None
