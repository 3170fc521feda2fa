"""How is a model of content stored? What src/shoal/cleaners/_model.h reads in, without copying it.

All little-endian. The magic `SHOALC01`; int32: how many features, how many forests (one); float32:
sharpness, least words, the scale of the elements' weights and that of the words'; an int8 for each
bucket of the elements and of the words. Then the forest. int32: how many trees, splits, leaves;
float32: a bias (0: LightGBM has it in the first tree's leaves); int32: each tree's first split and
one behind the last, the same for leaves; the splits; the leaves as float32.

A split is float32 threshold, uint16 feature, int16 left and right, and two bytes of nothing. Its
children stand behind it, counted from the tree's first; one below zero is the leaf ~child. Features
are float32, so a threshold may be rounded down to one without any row changing its side.
"""

import struct
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from training.content.pieces import ELEMENT_BUCKETS, WORD_BUCKETS

MAGIC = b"SHOALC01"
_SPLIT = struct.Struct("<fHhhxx")
_FLOAT = struct.Struct("<f")
_BITS = struct.Struct("<i")


class Lexicon(NamedTuple):
    """What each bucket's names and words say for content; a weight is its byte times its scale."""

    elements: Sequence[int]
    words: Sequence[int]
    element_scale: float
    word_scale: float


class Split(NamedTuple):
    """Rows whose feature is at most the threshold go left."""

    threshold: float
    feature: int
    left: int
    right: int


class Tree(NamedTuple):
    splits: list[Split]
    leaves: list[float]


class ContentModel(NamedTuple):
    features: int
    sharpness: float
    least_words: float
    lexicon: Lexicon
    trees: list[Tree]

    def packed(self) -> bytes:
        words = self.lexicon
        if (len(words.elements), len(words.words)) != (ELEMENT_BUCKETS, WORD_BUCKETS):
            raise ValueError("a lexicon has a weight for each bucket")
        numbers = (self.sharpness, self.least_words, words.element_scale, words.word_scale)
        return b"".join(
            [
                MAGIC,
                struct.pack("<2i4f", self.features, 1, *numbers),
                array("b", words.elements).tobytes(),
                array("b", words.words).tobytes(),
                _forest(self.trees),
            ]
        )


def float32_down(value: float) -> float:
    """The largest number of 4 bytes that is not above this one."""
    near: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    if near <= value:
        return near
    bits: int = _BITS.unpack(_FLOAT.pack(near))[0]
    if near == 0:
        bits = -0x7FFFFFFF  # the smallest below zero
    else:
        bits += 1 if near < 0 else -1  # below zero the bits count away from it
    below: float = _FLOAT.unpack(_BITS.pack(bits))[0]
    return below


def _forest(trees: Sequence[Tree]) -> bytes:
    first_splits = [0, *accumulate(len(tree.splits) for tree in trees)]
    first_leaves = [0, *accumulate(len(tree.leaves) for tree in trees)]
    leaves = [leaf for tree in trees for leaf in tree.leaves]
    return b"".join(
        [
            struct.pack("<3if", len(trees), first_splits[-1], first_leaves[-1], 0.0),
            struct.pack(f"<{len(first_splits)}i", *first_splits),
            struct.pack(f"<{len(first_leaves)}i", *first_leaves),
            *(
                _SPLIT.pack(float32_down(split.threshold), *split[1:])
                for tree in trees
                for split in tree.splits
            ),
            struct.pack(f"<{len(leaves)}f", *leaves),
        ]
    )
