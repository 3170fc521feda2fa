"""Which hierarchy do the documents themselves make? It is made, shown, grown and taken back.

Of all documents that everyone may read a sample is clustered (learn/tree_building.py): those whose
rows have the lowest hashes, so that the same documents give the same tree, however many tablets
have them. Every page is then put where the model says, also those that only some may read. Made
again, a tree keeps its parts and takes in what is new, until there is half as much again; then it
is made anew, and parts that are mostly what they were keep their names.
"""

import heapq
import math
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import shoal.analysis.tree_sample as questions
from shoal.access.opening import open_collection
from shoal.analysis import tree_names
from shoal.analysis.marking import (
    Applied,
    Counted,
    counted,
    forget,
    held,
    hold,
    in_command,
    mark_stored,
    take_back,
)
from shoal.analysis.tree_names import Way
from shoal.analysis.tree_sample import Sampled
from shoal.collection.collection import Collection
from shoal.collection.slices import in_order
from shoal.collection.tablets import owner_of
from shoal.errors import CollectionError, UsageError
from shoal.layout.layout import place_of
from shoal.layout.trees import MadeTree, TreeNode, packed_tree, unpacked_tree
from shoal.learn.features import features_of
from shoal.learn.stored import written
from shoal.learn.tree_building import Built, build
from shoal.model.record import Struct
from shoal.model.words.marks import MOST_LEVELS, TREE

SAMPLE = 8_000
MOST_LEAVES = 256
_AT_ONCE = 100
_WORDS, _SHOWN_WORDS, _NEAREST = 40, 5, 5
_GROWN = 1.5
_NONE = "No tree was made here; make one with: shoal tree make{}"


class TreeReport(Struct):
    """What was made, or kept."""

    documents: int
    """That everyone may read."""
    leaves: int
    anew: bool
    """Whether it was made anew; else what is new was put in its place."""
    applied: Applied


class TreeLine(Struct):
    """A part of the tree."""

    way: str
    pages: int
    """Of those that who asks may read."""
    words: list[str]
    title: str
    """Of the document in its midst."""
    url: str


def make(  # noqa: PLR0913 - the flags of the command, by name
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    leaves: int = 0,
    depth: int = 3,
    *,
    anew: bool = False,
    own: bool = False,
    told: Counted | None = None,
) -> TreeReport:
    """`shoal.make_tree`."""
    if not 0 <= leaves <= MOST_LEAVES:
        raise UsageError(f"leaves must be from 1 to {MOST_LEAVES}, or 0 for as many as fit")
    if not 1 <= depth <= MOST_LEVELS:
        raise UsageError(f"depth must be from 1 to {MOST_LEVELS}, not {depth}")
    with open_collection(place_of(dir)) as collection:
        rows, documents = _sample(collection, own=own)
        if not rows:
            raise UsageError(
                "There is no document with text that everyone may read; make one of your own "
                f"documents with: shoal tree make --own{in_command(collection)}"
            )
        tree = None if anew else _kept(collection, documents, (leaves, depth, own))
        is_anew = tree is None
        if tree is None:
            tree = _made(collection, rows, leaves or _fitting(documents), depth)
            tree.documents, tree.wanted, tree.depth, tree.own = documents, leaves, depth, own
            tree.made = time.time()
            collection.tablets.ask_all(hold, TREE, packed_tree(tree))
        done = mark_stored(collection, TREE, told or _silent)
        return TreeReport(documents, len(tree.leaves), is_anew, done)


def remove(
    dir: str | Path | None = None,  # noqa: A002 - as above
    told: Counted | None = None,
) -> Applied:
    """`shoal.remove_tree`."""
    with open_collection(place_of(dir)) as collection:
        collection.tablets.ask_all(forget, TREE)
        return take_back(collection, TREE, told or _silent)


def lines(collection: Collection, below: str = "") -> list[TreeLine]:
    """`shoal.tree`: all parts, or those below one, in their order."""
    tree = tree_at(collection)
    if tree is None or not is_for(collection, tree):
        raise CollectionError(_NONE.format(in_command(collection)))
    pages = counted(collection, TREE)
    known = {node.way: node for node in tree.nodes}
    below = below.strip("/")
    if below and below not in known:
        raise UsageError(f"the tree has no part {below!r}; `shoal tree show` lists them")
    return [
        TreeLine(way, pages[way], node.words, *midst(collection, node))
        for way, node in sorted(known.items(), key=lambda each: each[0].split("/"))
        if not below or way == below or way.startswith(f"{below}/")
    ]


def is_for(collection: Collection, tree: MadeTree) -> bool:
    """Whether who asks may be told its words: of what only some may read, the owner alone."""
    return not tree.own or collection.sees_everything()


def midst(collection: Collection, node: TreeNode) -> tuple[str, str]:
    """Title and URL of the document in the midst of a part, if who asks may read it."""
    is_known = bool(node.url) and (
        collection.sees_everything() or collection.page(node.url) is not None
    )
    return (node.title, node.url) if is_known else ("", "")


def tree_at(collection: Collection) -> MadeTree | None:
    """As the first tablet has it."""
    data = collection.tablets.ask(0, held, TREE)
    return unpacked_tree(data) if data else None


def _fitting(documents: int) -> int:
    return max(1, min(MOST_LEAVES, round(math.sqrt(documents / 2))))


def _kept(collection: Collection, documents: int, asked: tuple[int, int, bool]) -> MadeTree | None:
    """The tree that there is, if it is the one that is asked for and not outgrown."""
    tree = tree_at(collection)
    if tree is None or (tree.wanted, tree.depth, tree.own) != asked:
        return None
    return tree if documents <= _GROWN * tree.documents else None


def _sample(collection: Collection, *, own: bool) -> tuple[list[bytes], int]:
    """The rows with the lowest hashes, and of how many."""
    documents = 0
    lowest: list[tuple[int, bytes]] = []
    for row, _ in in_order(collection.tablets, questions.rows_with_text, b"\x01", own):
        documents += 1
        entry = (-zlib.crc32(row), row)
        if len(lowest) < SAMPLE:
            heapq.heappush(lowest, entry)
        else:
            heapq.heappushpop(lowest, entry)
    return sorted(row for _, row in lowest), documents


def _made(collection: Collection, rows: Sequence[bytes], leaves: int, depth: int) -> MadeTree:
    sample = list(_asked(collection, rows))
    features = [features_of(each.keys, each.values) for each in sample]
    built = build(features, leaves, depth, _WORDS, _NEAREST)
    words = _words(collection, rows, built)
    steps = tree_names.shown_ways(built.ways)
    parts = list(dict.fromkeys(part for each in steps.values() for part in each))
    inside: dict[Way, set[int]] = {part: set() for part in parts}
    for document, leaf in enumerate(built.leaf_of):
        for part in steps[built.ways[leaf]]:
            inside[part].add(document)
    before = tree_names.parts_before([each.before for each in sample])
    names = tree_names.names(parts, words, tree_names.matched(inside, before))
    way_of = {part: "/".join(names[step] for step in steps[part]) for part in parts}
    nearest = {node.way: node.nearest for node in built.nodes}
    nodes = [
        TreeNode(way_of[part], words.get(part, []), middle.title, middle.url)
        for part in parts
        for middle in [sample[nearest[part][0]]]
    ]
    leaf_ways = [way_of[steps[way][-1]] for way in built.ways]
    return MadeTree(written(built.model), leaf_ways, nodes)


def _words(collection: Collection, rows: Sequence[bytes], built: Built) -> dict[Way, list[str]]:
    """What the numbers of words stand for, told by documents in the midst of each part."""
    wanted = sorted({key for node in built.nodes for key in node.keys})
    asked = sorted({rows[document] for node in built.nodes for document in node.nearest})
    known: dict[int, str] = {}
    for tablet, some in _by_tablet(collection, asked):
        known.update(collection.tablets.ask(tablet, questions.words_of_rows, some, wanted))
    return {
        node.way: tree_names.telling(
            [known[key] for key in node.keys if key in known], _SHOWN_WORDS
        )
        for node in built.nodes
    }


def _asked(collection: Collection, rows: Sequence[bytes]) -> Iterator[Sampled]:
    """In the order of the rows."""
    found: dict[bytes, Sampled] = {}
    for tablet, some in _by_tablet(collection, rows):
        told = collection.tablets.ask(tablet, questions.sampled, some)
        found.update(zip(some, told, strict=True))
    for row in rows:
        yield found[row]


def _by_tablet(collection: Collection, rows: Sequence[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    of_tablet: dict[int, list[bytes]] = {}
    for row in rows:
        of_tablet.setdefault(owner_of(collection.tablets, row), []).append(row)
    for tablet, mine in of_tablet.items():
        for start in range(0, len(mine), _AT_ONCE):
            yield tablet, mine[start : start + _AT_ONCE]


def _silent(_: int) -> None:
    pass
