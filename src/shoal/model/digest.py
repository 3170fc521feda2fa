"""Are these the same bytes? The digests that rows, the archive and the index of prints share.

sha1 in base32 is what WARC tools compare, and it decides. xxh3 is for the first look, before a body
has gone to a child process: ten times as fast, and no proof. Neither protects against forgers.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from itertools import product

from xxhash import (
    xxh3_64_hexdigest,
    xxh3_64_intdigest,
    xxh3_128,
    xxh3_128_digest,
    xxh3_128_hexdigest,
)

_PAIRS = ["".join(pair) for pair in product("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", repeat=2)]
_SHIFTS = range(150, -1, -10)
_TIME_OF_DAY = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b(?: ?[AaPp]\.?[Mm]\b\.?)?")
_MAY_BE_A_TIME = re.compile(r":(?<=\d:)\d\d")
"""Begins with a character that can be searched for, so a page without times costs a twentieth."""


seeded_number: Callable[[bytes, int], int] = xxh3_64_intdigest
"""Bytes and a seed as 64 bits. Whoever does not know the seed can't aim at a number; no function of
ours around it: it is called for every link of a collection."""


stable_number: Callable[[bytes], int] = xxh3_64_intdigest
"""Bytes as 64 bits, the same on every machine: what is stored by it must be found by it."""


def payload_digest(body: bytes, rest: bytes = b"") -> str:
    """`sha1:BASE32`, WARC's payload digest, of a body in one or two pieces."""
    hashed = hashlib.sha1(body, usedforsecurity=False)
    if rest:
        hashed.update(rest)
    number = int.from_bytes(hashed.digest())
    # Two letters at a time: base64.b32encode takes as long as the hash of a page.
    return "sha1:" + "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


def text_digest(text: bytes) -> str:
    """Of a text in UTF-8; an empty one has none, so that empty pages are never duplicates."""
    return xxh3_128_hexdigest(text) if text else ""


def content_digest(text: str) -> str:
    """Of a page's content, without times of day: a clock is no change."""
    return xxh3_64_hexdigest(without_times(text).encode("utf-8", "replace")) if text else ""


def without_times(text: str) -> str:
    """The same as `_TIME_OF_DAY.sub("", text)`, which looks for a time at every letter."""
    kept, end = [], 0
    for may_be in _MAY_BE_A_TIME.finditer(text):
        colon = may_be.start()
        for start in (colon - 2, colon - 1):  # two digits before the colon, or one
            time = _TIME_OF_DAY.match(text, start) if start >= end else None
            if time is not None:
                kept.append(text[end:start])
                end = time.end()
                break
    return "".join(kept) + text[end:] if kept else text


def quick_digest(body: bytes) -> bytes:
    """Sixteen bytes under which a body may be known; `payload_digest` has to agree."""
    return xxh3_128_digest(body)


def pieces_digest(pieces: Iterable[bytes]) -> str:
    """Of a file that is read piece by piece: whether a copy of it is whole."""
    digest = xxh3_128()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
