"""What is asked of each module in C, and what must it answer? What its Python form answers.

A case is a tuple of plain literals, so that it can be kept in a file and read again. The model of
content has no Python form: what it says must be sound, and the same when it is asked twice. Where
arguments make no sense, a module may say anything, but it has to survive them.
"""

import os
import struct
import tempfile
from array import array
from collections.abc import Callable
from functools import cache
from html import unescape
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy

from shoal.cleaners import cleaners
from shoal.converters.html import blocks, references
from shoal.converters.html import html as pages
from shoal.converters.html.scan import PlainScanner, Scanner
from shoal.duplicates.methods import simhash as simhashes
from shoal.duplicates.native import prints as native_prints
from shoal.duplicates.near import shingles, sketch
from shoal.duplicates.pairs import discovery
from shoal.index import vector
from shoal.index.text_stems import PlainPieces, make_pieces
from shoal.learn import steps
from shoal.learn import words as learn_words
from shoal.naming import names
from tests.fuzz.mutations import damaged, page

Case = tuple[Any, ...]
_REFUSALS = (ValueError, TypeError, OverflowError, OSError, LookupError)


class Target(NamedTuple):
    module: str
    draw: Callable[[Random], Case]
    holds: Callable[..., bool]


def _answer(asked: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return asked(*arguments)
    except _REFUSALS:
        return "refused"


# --- pages ------------------------------------------------------------------------------------

_KINDS: tuple[tuple[Any, Any, Any, Any], ...] = (
    (pages._SPACES, pages._KEEP_LINES, list(pages._HANDLERS), pages._ATTRIBUTES.split()),
    (blocks._SPACES, ("pre", "listing"), blocks._TOLD, blocks._ATTRIBUTES),
    ({"p": "\n", "td": " ", "xmp": "\n"}, ["pre"], ["a", "title", "script"], ["href", "alt"]),
    ({}, [], [], []),
)


def _draw_scan(random: Random) -> Case:
    places = [random.randrange(1000) for _ in range(random.randrange(9))]
    if random.random() < 0.9:
        places.sort()
    most = random.choice((0, 1, 3, 1000))
    return page(random), random.randrange(len(_KINDS)), most, array("i", places).tobytes()


def _scan(html: str, kind: int, most: int, places: bytes) -> bool:
    told = Scanner(*_KINDS[kind]).scan(html, most, places)
    _answer(Scanner(*_KINDS[kind]).scan, html, -most, places[1:])
    return told == PlainScanner(*_KINDS[kind]).scan(html, most, places)


def _draw_references(random: Random) -> Case:
    return (page(random),)


def _references(text: str) -> bool:
    return references.unescape(text) == unescape(text)


# --- the model of content ---------------------------------------------------------------------

_HEAD = 32
_LEXICON = 16384 + 32768
_ODD_NUMBERS = (0, -1, 1, 2, 5, 9, 32767, 32768, 10**6, 2**31 - 1, -(2**31))
_ODD_FLOATS = (0.0, -0.5, 0.5, 3e38, -3e38, float("inf"), float("nan"))


@cache
def _shipped() -> tuple[Any, bytes]:
    """The model that Shoal brings with it, and how its file begins."""
    assert cleaners.native is not None
    data = cleaners._SHIPPED.read_bytes()
    return cleaners.native.Model(data), data[:16]


def _draw_content(random: Random) -> Case:
    model = _small_model(random) if random.random() < 0.3 else b""
    return page(random), model, random.random() < 0.2


def _small_model(random: Random) -> bytes:
    """One of a few trees, without its lexicon, as it may be and as it may not."""

    def odd(number: int) -> int:
        return random.choice(_ODD_NUMBERS) if random.random() < wrong else number

    def real() -> float:
        return random.choice(_ODD_FLOATS) if random.random() < wrong else random.uniform(-1, 1)

    wrong = random.choice((0, 0.01, 0.1))
    sizes = [random.choice((0, 1, 2, 5, 40)) for _ in range(random.randrange(1, 4))]
    first_nodes = [odd(sum(sizes[:tree])) for tree in range(len(sizes) + 1)]
    first_leaves = [first + odd(tree) for tree, first in enumerate(first_nodes)]
    counts = odd(len(sizes)), odd(first_nodes[-1]), odd(first_leaves[-1])
    numbers = [*counts, *first_nodes, *first_leaves]
    whole = [max(-(2**31), min(number, 2**31 - 1)) for number in numbers]
    head = _shipped()[1] + struct.pack("<4f", *(real() for _ in range(4)))
    nodes = b"".join(
        struct.pack("<fHhhxx", real(), odd(7) & 0xFFFF, *(_child(random, at, size) for _ in "lr"))
        for size in sizes
        for at in range(size)
    )
    leaves = struct.pack(
        f"<{sum(sizes) + len(sizes)}f", *(real() for size in sizes for _ in range(size + 1))
    )
    packed = struct.pack(f"<3if{len(whole) - 3}i", *whole[:3], real(), *whole[3:])
    made = head + packed + nodes + leaves
    return damaged(random, made) if random.random() < wrong else made


def _child(random: Random, parent: int, nodes: int) -> int:
    """Another node behind the parent, or a leaf."""
    if parent + 1 < nodes and random.random() < 0.7:
        return random.randrange(parent + 1, nodes)
    return ~random.randrange(nodes + 1)


def _content(html: str, model: bytes, is_outlined: bool) -> bool:
    """`model`: without its lexicon, if it is not the one that Shoal brings with it."""
    assert cleaners.native is not None
    if is_outlined:
        lexicon = struct.pack("<f", 0.5) * _LEXICON
        outline = cleaners.native.outline(html, lexicon, True)
        if outline != cleaners.native.outline(html, lexicon, True):
            return False
    try:
        whole = model[:_HEAD] + bytes(_LEXICON) + model[_HEAD:]
        asked = cleaners.native.Model(whole) if model else _shipped()[0]
        told = asked.content(html)
    except ValueError:
        return bool(model)
    places, shades, marks = told
    every = [0, *array("i", places), len(html)]
    is_sound = every == sorted(every) and len(shades) == len(marks) == len(places) // 8
    return is_sound and bool(told == asked.content(html))


# --- texts ------------------------------------------------------------------------------------


def _draw_prints(random: Random) -> Case:
    most = random.choice((1, 16, 100, 256))
    marks = random.choice((0, 1, most))
    return page(random), page(random), random.choice((1, 2, 3, 5, 64)), most, marks


def _prints(text: str, other: str, n: int, most: int, marks: int) -> bool:
    assert native_prints is not None
    half = text[len(text) // 3 :] + other
    mine, theirs = (
        native_prints.prints(text, n, most, marks),
        native_prints.prints(half, n, most, 0),
    )
    _answer(native_prints.overlap, mine[0], other.encode("utf-8", "replace"))
    _answer(native_prints.overlap, mine[0][:-4], theirs[0][:4] + mine[0][:1:-1])
    hashed = [shingles.hash_word(word) for word in shingles.words(text)]
    return (
        tuple(mine) == sketch.plain_fingerprint(text, n, most, marks)
        and native_prints.overlap(mine[0], theirs[0]) == sketch.plain_overlap(mine[0], theirs[0])
        and native_prints.word_hashes(text) == array("Q", hashed).tobytes()
        and all(
            native_prints.shingle_hashes(half, n, overlapping)
            == array("Q", shingles.plain_shingle_hashes(half, n, overlapping)).tobytes()
            for overlapping in (False, True)
        )
    )


def _draw_simhash(random: Random) -> Case:
    known = [0, 1, 2**64 - 1, *(random.getrandbits(64) for _ in range(random.randrange(40)))]
    hashes = array("Q", random.choices(known, k=random.randrange(200))).tobytes()
    aside = array("Q", random.choices(known, k=random.randrange(9))).tobytes()
    bits = 8 * random.randrange(1, 129) if random.random() < 0.9 else random.randrange(-9, 1100)
    if random.random() < 0.1:
        hashes, aside = damaged(random, hashes), damaged(random, aside)
    return hashes, aside, bits


def _simhash(hashes: bytes, aside: bytes, bits: int) -> bool:
    told = _answer(simhashes.fingerprint, hashes, aside, bits)
    return bool(told == _answer(simhashes.plain_fingerprint, hashes, aside, bits))


_MAKES: tuple[Callable[[str], str], ...] = (
    str.lower,
    lambda piece: " ".join(piece[:5]),
    lambda piece: "" if len(piece) % 2 else piece.casefold(),
    lambda piece: piece if len(piece) != 7 else chr(-1),
    lambda piece: piece * 300,
)
_FEW_HASHES = (b"\0\0\0\0", b"\0\0\0\1", b"\1\0\0\0", b"\0\1\0\0", b"abcd", b"bcda")


def _draw_stems(random: Random) -> Case:
    texts = [page(random) for _ in range(3)]
    counted = [b"".join(random.choices(_FEW_HASHES, k=random.randrange(6))) for _ in range(4)]
    return texts, random.randrange(len(_MAKES)), random.choice((1, 2, 5, 1000)), counted


def _stems(texts: list[str], make: int, most: int, counted: list[bytes]) -> bool:
    native, plain = make_pieces(_MAKES[make], most), PlainPieces(_MAKES[make], most)
    content, short, rest, wanted = counted
    where = bytes(range(1, len(short) // 4 + 1))
    asked = content + short + rest, b"\xff" * (len(content) // 4), where, where, wanted
    _answer(vector.count, rest[1:], content, short, where, wanted[1:])
    _answer(vector.count, rest, b"", where, b"", rest)
    return vector.count(*asked) == vector.plain_count(*asked) and all(
        _answer(native.stems, text) == _answer(plain.stems, text) for text in texts
    )


# --- pairs ------------------------------------------------------------------------------------


def _draw_pairs(random: Random) -> Case:
    few = [random.getrandbits(32) >> random.choice((0, 26)) for _ in range(random.randrange(1, 60))]
    sketches = [
        (random.choice((0, 0, 1, 3, 31)), random.choices(few, k=random.randrange(20)))
        for _ in range(random.choice((0, 1, 9, 40, 150)))
    ]
    odd = [random.choice((*range(90), 2**63, 2**64 - 1)) for _ in range(random.randrange(9))]
    times = 20_000 // len(sketches) if sketches and random.random() < 0.001 else 1  # a whole block
    common, threshold = random.choice((2, 3, 9, 1024)), random.choice((0.0, 0.3, 0.6, 1.0))
    return sketches, times, common, threshold, odd


def _pairs(
    sketches: list[tuple[int, list[int]]],
    times: int,
    most_common: int,
    threshold: float,
    odd: list[int],
) -> bool:
    made = [
        bytes([level, 3, 0, 0])
        + array("I", sorted({each for each in values if each < 1 << (32 - level)})).tobytes()
        for level, values in sketches * times
    ]
    places, data = array("Q", accumulate(map(len, made), initial=0)), b"".join(made)
    copies = bytearray(each % 2 for each in odd) + bytearray(len(made))
    with tempfile.TemporaryFile() as file:
        os.pwrite(file.fileno(), data, 0)
        kept = file.fileno(), places
        _survives(kept, data, copies, odd)
        return _same_pairs(kept, data, copies, (most_common, threshold, len(odd) + 2))


def _survives(
    kept: tuple[int, "array[int]"], data: bytes, copies: bytearray, odd: list[int]
) -> None:
    strange = array("Q", odd)
    for places in (kept[1], array("Q", sorted(odd)), strange):
        _answer(discovery.entries, data, places, copies, 2**32 - 3, 5)
        _answer(discovery.verify, kept[0], places, strange, 0.5)
        _answer(discovery.candidates, kept[0], places, memoryview(strange[:]), 2, True)
    _answer(discovery.scatter, strange, len(odd), len(copies) % 3, len(odd) - 1)
    _answer(discovery.sort, bytearray(data))


def _same_pairs(
    kept: tuple[int, "array[int]"], data: bytes, copies: bytearray, drawn: tuple[int, float, int]
) -> bool:
    most_common, threshold, parts = drawn
    keys = discovery.entries(data, kept[1], copies, 0, 9)
    if keys != discovery.plain_entries(data, kept[1], copies, 0, 9):
        return False
    cut = 0, 2**64 // parts + 1, parts
    if discovery.scatter(keys, *cut) != discovery.plain_scatter(keys, *cut):
        return False
    mine, theirs = bytearray(keys), bytearray(keys)
    count = discovery.sort(mine)
    if count != discovery.plain_sort(theirs) or mine[: 8 * count] != theirs[: 8 * count]:
        return False
    del mine[8 * count :], theirs[8 * count :]
    told = b"", 0
    for is_last in (False, True):
        told = discovery.candidates(*kept, memoryview(mine), most_common, is_last)
        plain = discovery.plain_candidates(*kept, memoryview(theirs), most_common, is_last)
        if told != plain or mine != theirs:
            return False
    found = discovery.verify(*kept, told[0], threshold)
    return found == discovery.plain_verify(*kept, told[0], threshold)


def _draw_learn(random: Random) -> Case:
    whole = [random.randrange(4) for _ in range(random.randrange(1, 12))]
    numbers = [whole, [random.randrange(9) for _ in whole], [0, len(whole) // 2, len(whole)]]
    odd = random.randrange(-1, 6)
    if 0 <= odd < len(numbers):
        numbers[odd].append(random.randrange(2**32))
    return page(random), random.randrange(2**32), random.random() < 0.5, numbers, odd + 1


def _learn(text: str, seed: int, pairs: bool, numbers: list[list[int]], outputs: int) -> bool:
    parts = ((text, seed, 1.0), (text[5:], seed, 2.0))
    keys, values = learn_words.WordCounter().count(parts, pairs=pairs)
    plain = learn_words.plain_count(parts, pairs, learn_words.hashes_of, {})
    columns, order, offsets = (numpy.array(each, numpy.uint32) for each in numbers)
    given = numpy.ones(len(columns), numpy.float32)
    weights = numpy.zeros((4, max(1, outputs)), numpy.float32)
    targets = numpy.zeros((max(0, len(offsets) - 1), max(1, outputs)), numpy.float32)
    worth = numpy.ones(len(targets), numpy.float32)
    examples = steps.Examples(columns, given, offsets)
    squares = weights + 1
    arrays = (weights, squares, examples, targets, worth, order)
    _answer(
        lambda: steps.learn(*arrays, rate=0.5, l2=0.1, exclusive=pairs),
    )
    _answer(steps.scores, weights, examples)
    return keys == plain[0] and len(values) == len(keys)


# --- names ------------------------------------------------------------------------------------


def _draw_names(random: Random) -> Case:
    signs = "aZ0 .,'’&@#:/-\n\x00\ud800\u0301\u4e2d\U0001f600"
    odd = "".join(random.choices(signs, k=random.randrange(80)))
    return random.choice((page(random), odd, "Ann Smith " + odd)), random.randrange(2**32)


def _names(text: str, seed: int) -> bool:
    """There is no Python form: names stand in order within the text, and the same twice. A damaged
    model is refused or read, and says anything."""
    native = names.native
    if native is None:
        return True
    shipped = _model_of_names()
    once, model = native.Model(shipped), native.Model(shipped)
    found = model.spans(text)
    wrong = bytearray(shipped)
    for place in Random(seed).choices(range(len(wrong)), k=200):
        wrong[place] = seed & 255
    wrong[8:20] = shipped[8:20] if seed % 4 else wrong[8:20]
    _answer(lambda: native.Model(bytes(wrong)).spans(text))
    places = [place for start, end, *_ in found for place in (start, end)]
    return (
        places == sorted(places)
        and all(0 <= place <= len(text) for place in places)
        and all(0 <= kind < len(names.KINDS) and 0 <= sure <= 1.001 for *_, kind, sure in found)
        and model.spans(text) == found == once.spans(text)
    )


@cache
def _model_of_names() -> bytes:
    return Path(names.__file__).with_name(names.MODELS["en"]).read_bytes()


TARGETS = {
    "scan": Target("shoal.converters.html._scan", _draw_scan, _scan),
    "references": Target("shoal.converters.html._references", _draw_references, _references),
    "content": Target("shoal.cleaners._content", _draw_content, _content),
    "prints": Target("shoal.duplicates.near._prints", _draw_prints, _prints),
    "simhash": Target("shoal.duplicates.methods._simhash", _draw_simhash, _simhash),
    "pairs": Target("shoal.duplicates.pairs._pairs", _draw_pairs, _pairs),
    "stems": Target("shoal.index._stems", _draw_stems, _stems),
    "learn": Target("shoal.learn._learn", _draw_learn, _learn),
    "names": Target("shoal.naming._names", _draw_names, _names),
}
