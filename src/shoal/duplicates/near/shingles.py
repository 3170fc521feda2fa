"""Which words does a text have, and which runs of words? 64-bit hashes of both.

A word is a run of letters and digits in lower case. In scripts without spaces every character is a
word, and takes half the room of one: five words are ten characters of Chinese. A shingle is a run
of n words; its hash is a polynomial of theirs (Rabin and Karp), mixed once more so that any of its
bits may be used.

_prints.c does the same where it could be compiled. What stands here defines it, and is used without
it; tests hold the two together.
"""

from array import array
from collections.abc import Iterator

from shoal.duplicates.native import prints as _native

DEFAULT_N = 5
MOST_N = 64
_ROOM = 2
_MASK = (1 << 64) - 1
_SEED = 0x9AE16A3B2F90404F
_STEP = 0x9E3779B97F4A7C15
_FACTOR = 0xD6E8FEB86659FD93

Hashes = array
"""`array("Q")`"""


def words(text: str) -> list[str]:
    """The words of a text, as they are hashed."""
    return [word for word, _ in sized_words(text)]


def word_hashes(text: str) -> "Hashes[int]":
    """The hash of each word, in order."""
    if _native is not None:
        return array("Q", _native.word_hashes(text))
    return array("Q", (hash_word(word) for word, _ in sized_words(text)))


def shingle_hashes(text: str, n: int = DEFAULT_N, *, overlapping: bool = True) -> "Hashes[int]":
    """The hash of each run of n words, in order, repeats included. A text of fewer words is one
    shingle."""
    if not 1 <= n <= MOST_N:
        raise ValueError(f"a shingle has from 1 to {MOST_N} words, not {n}")
    if _native is not None:
        return array("Q", _native.shingle_hashes(text, n, overlapping))
    return array("Q", plain_shingle_hashes(text, n, overlapping))


def hash_word(word: str) -> int:
    """Of one word in lower case."""
    value = _SEED
    for character in word:
        value = (value ^ ord(character)) * _STEP & _MASK
        value ^= value >> 32
    return mix(value)


def mix(value: int) -> int:
    """All bits of a hash depend on all of its bits (the last step of murmur3)."""
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & _MASK
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ (value >> 33)


def plain_shingle_hashes(text: str, n: int, overlapping: bool) -> Iterator[int]:
    found = [(hash_word(word), room) for word, room in sized_words(text)]
    room, filled, value, first, told = n * _ROOM, 0, 0, 0, False
    for place, (word, takes) in enumerate(found):
        value = (value * _FACTOR + word) & _MASK
        filled += takes
        if filled < room:
            continue
        yield mix(value)
        told = True
        if not overlapping:
            value, filled, first = 0, 0, place + 1
        while filled >= room:
            value = (value - found[first][0] * pow(_FACTOR, place - first, 1 << 64)) & _MASK
            filled -= found[first][1]
            first += 1
    if found and not told:
        yield mix(value)


def sized_words(text: str) -> Iterator[tuple[str, int]]:
    """Each word with the room that it takes in a shingle."""
    letters: list[str] = []
    for character in text:
        stands_alone = _stands_alone(character)
        if not stands_alone and _is_letter(character):
            letters.append(character.lower()[0])
            continue
        if letters:
            yield "".join(letters), _ROOM
            letters.clear()
        if stands_alone:
            yield character.lower()[0], _ROOM // 2
    if letters:
        yield "".join(letters), _ROOM


def _is_letter(character: str) -> bool:
    """Signs within words of Indic and other scripts are no letters to Unicode, and break no
    word."""
    code = ord(character)
    if 0x900 <= code <= 0xDFF:
        return code not in (0x964, 0x965)
    return (
        character.isalnum()
        or 0x300 <= code <= 0x36F
        or 0x591 <= code <= 0x5C7
        or 0x64B <= code <= 0x65F
    )


def _stands_alone(character: str) -> bool:
    """Whether it is of a script that is written without spaces."""
    code = ord(character)
    if code < 0xE00:
        return False
    if code <= 0xEFF or 0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x17FF:
        return True
    is_han_or_kana = 0x2E80 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or code >= 0x20000
    return is_han_or_kana and character.isalnum()
