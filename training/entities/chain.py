"""How are the weights learned? Sentences as numbers, and the compiled field of chain.c."""

import ctypes
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import hatch_build
from shoal.naming._names import Model
from training.entities.corpus import Sentence, Span
from training.entities.file_format import LABELS, EntityModel

_SOURCE = Path(__file__).with_name("chain.c")


@dataclass
class Examples:
    """Sentences with what is seen of each word."""

    sentences: Sequence[Sentence]
    begins: NDArray[np.int64]
    offsets: NDArray[np.int64]
    hashes: NDArray[np.uint32]
    labels: NDArray[np.uint8]


def examples_of(sentences: Sequence[Sentence], lexicon: Model) -> Examples:
    begins, counts, hashes, labels = [0], [], [], []
    for sentence in sentences:
        tokens, many, found = lexicon.features(sentence.text, False)
        places = np.frombuffer(tokens, np.int32).reshape(-1, 3)
        counts.append(np.frombuffer(many, np.uint32))
        hashes.append(np.frombuffer(found, np.uint32))
        labels.append(labels_of(places, sentence.spans))
        begins.append(begins[-1] + len(places))
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(counts)))).astype(np.int64)
    return Examples(
        sentences,
        np.array(begins, np.int64),
        offsets,
        np.concatenate(hashes),
        np.concatenate(labels),
    )


def labels_of(places: NDArray[np.int32], spans: Sequence[Span]) -> NDArray[np.uint8]:
    labels = np.zeros(len(places), np.uint8)
    for start, end, kind in spans:
        inside = np.flatnonzero((places[:, 0] < end) & (places[:, 1] > start))
        labels[inside] = 2 + 2 * kind
        labels[inside[:1]] = 1 + 2 * kind
    return labels


@dataclass(frozen=True)
class Settings:
    epochs: int = 14
    rate: float = 0.03
    decay: float = 2e-4
    least: int = 3
    """How often a feature must stand in what is learned from."""
    shares: tuple[tuple[str, float], ...] = ()
    """How much a sentence of each domain counts."""
    target: str = "web"
    averaged: int = 4
    """The weights after so many of the last epochs are averaged."""
    pruned: float = 0.05
    """Features whose weights are all smaller are left out."""
    seed: int = 20


class _Data(ctypes.Structure):
    _fields_ = [
        ("sentences", ctypes.c_int64),
        *(
            (name, ctypes.c_void_p)
            for name in ("begins", "offsets", "features", "labels", "domains", "shares")
        ),
        ("count", ctypes.c_int64),
        ("layers", ctypes.c_int32),
    ]


class _State(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("weights", "squares", "moves", "move_squares")]


def fit(examples: Examples, chosen: NDArray[np.int64], settings: Settings) -> EntityModel:
    """From the chosen sentences. The same sentences give the same model."""
    keys, dense = _numbered(examples, chosen, settings.least)
    offsets = np.concatenate(([0], np.cumsum(dense >= 0)))[examples.offsets].astype(np.int64)
    features = dense[dense >= 0].astype(np.int32)
    names = sorted({each.domain for each in examples.sentences})
    domains = np.array([names.index(each.domain) + 1 for each in examples.sentences], np.uint8)
    shares_by = dict(settings.shares)
    shares = np.array([shares_by.get(each.domain, 1.0) for each in examples.sentences], np.float32)
    layers = len(names) + 1
    weights = np.zeros((layers, len(keys), LABELS), np.float32)
    squares = np.zeros_like(weights)
    moves = np.zeros((LABELS + 1, LABELS), np.float32)
    move_squares = np.zeros_like(moves)
    held = (examples.begins, offsets, features, examples.labels, domains, shares)
    data = _Data(len(examples.sentences), *(each.ctypes.data for each in held), len(keys), layers)
    state = _State(*(each.ctypes.data for each in (weights, squares, moves, move_squares)))
    random = np.random.default_rng(settings.seed)
    target, averaged = names.index(settings.target) + 1, np.zeros_like(weights[0])
    for epoch in range(settings.epochs):
        order = np.ascontiguousarray(random.permutation(chosen))
        rate = settings.rate / (1 + 0.3 * epoch)
        _library().learn(
            ctypes.byref(data),
            ctypes.byref(state),
            ctypes.c_void_p(order.ctypes.data),
            ctypes.c_int64(len(order)),
            ctypes.c_float(rate),
            ctypes.c_float(settings.decay),
        )
        if epoch >= settings.epochs - settings.averaged:
            averaged += weights[0] + weights[target]
    both = averaged / settings.averaged
    kept = np.abs(both).max(axis=1) > settings.pruned if len(both) else np.zeros(0, bool)
    return EntityModel(keys=keys[kept], weights=both[kept], moves=moves)


def _numbered(
    examples: Examples, chosen: NDArray[np.int64], least: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The features that stand often enough, and each feature's number among them, or -1."""
    words = np.concatenate(
        [np.arange(examples.begins[each], examples.begins[each + 1]) for each in chosen]
    )
    is_chosen = np.zeros(len(examples.labels), bool)
    is_chosen[words] = True
    of_word = np.repeat(is_chosen, np.diff(examples.offsets))
    keys, counts = np.unique(examples.hashes[of_word], return_counts=True)
    keys = keys[counts >= least]
    at = np.searchsorted(keys, examples.hashes)
    at[at == len(keys)] = 0
    return keys, np.where(keys[at] == examples.hashes, at, -1)


@cache
def _library() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "chain.so"
        hatch_build.compile_module(
            Path.cwd(),
            _SOURCE.relative_to(Path.cwd()),
            target,
            ("-O3", "-ffast-math", "-march=native"),
        )
        return ctypes.CDLL(str(target))
