"""What does the file of a model look like? As `_entities.c` reads it: a head, then tables.

8 bytes    SHOALNE1
uint32 * 3 how many words, phrases and features there are
float      by what the weights are multiplied
float * 49 what it weighs that a label follows another, a row for the one before
float * 7  what it weighs that a sentence begins with a label
uint32     the words' keys, then what is known of each; the phrases' keys, then their lists
uint32     the features' keys; then seven weights of one byte for each
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LABELS = 7
_MAGIC = b"SHOALNE1"
_MOST_STEPS = 127


@dataclass
class EntityModel:
    words: Mapping[int, int] = field(default_factory=dict)
    phrases: Mapping[int, int] = field(default_factory=dict)
    keys: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    weights: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, LABELS), np.float32))
    moves: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((LABELS + 1, LABELS), np.float32)
    )

    def packed(self) -> bytes:
        top = float(np.abs(self.weights).max()) if len(self.weights) else 1.0
        scale = top / _MOST_STEPS
        steps = np.rint(self.weights / scale).astype(np.int8)
        some = steps.any(axis=1)
        keys, steps = self.keys[some], steps[some]
        order = np.argsort(keys)
        head = struct.pack("<8sIIIf", _MAGIC, len(self.words), len(self.phrases), len(keys), scale)
        return b"".join(
            (
                head,
                self.moves.astype("<f4").tobytes(),
                _table(self.words),
                _table(self.phrases),
                keys[order].astype("<u4").tobytes(),
                steps[order].tobytes(),
            )
        )


def unpacked(data: bytes) -> EntityModel:
    """What `packed` made."""
    _, words, phrases, many, scale = struct.unpack_from("<8sIIIf", data)
    at = struct.calcsize("<8sIIIf")
    moves = np.frombuffer(data, "<f4", (LABELS + 1) * LABELS, at).reshape(-1, LABELS)
    at += moves.nbytes
    known, lists = _read_table(data, at, words), _read_table(data, at + 8 * words, phrases)
    at += 8 * (words + phrases)
    keys = np.frombuffer(data, "<u4", many, at)
    steps = np.frombuffer(data, np.int8, many * LABELS, at + keys.nbytes).reshape(-1, LABELS)
    return EntityModel(known, lists, keys, (steps * np.float32(scale)).astype(np.float32), moves)


def _read_table(data: bytes, at: int, count: int) -> dict[int, int]:
    keys, values = np.frombuffer(data, "<u4", 2 * count, at).reshape(2, -1).tolist()
    return dict(zip(keys, values, strict=True))


def _table(numbers: Mapping[int, int]) -> bytes:
    keys = sorted(numbers)
    values = [numbers[key] for key in keys]
    return np.array(keys, "<u4").tobytes() + np.array(values, "<u4").tobytes()
