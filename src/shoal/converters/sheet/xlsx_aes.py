"""How is AES undone? Block by block (FIPS 197), for the workbooks that Excel locked with the
password it knows by itself. The standard library has no AES, and a package for it would be a large
dependency for one rare case. One table look-up for each byte and round (the standard's "equivalent
inverse cipher"): some 0.5 MB in a second, so more than `MAX_BYTES` is left alone.
"""

from functools import cache

MAX_BYTES = 4_000_000

_Tables = tuple[list[int], list[int], list[int], list[int]]


class Aes:
    """With a key of 16, 24 or 32 bytes; ValueError for any other."""

    def __init__(self, key: bytes) -> None:
        if len(key) not in {16, 24, 32}:
            raise ValueError("no AES key")
        self._inverse = _boxes()[1]
        self._tables = _tables()
        keys = _round_keys(key)
        self._keys = [keys[0], *map(_unmixed, keys[1:-1]), keys[-1]][::-1]

    def ecb(self, data: bytes) -> bytes:
        """Whole blocks only, up to the limit."""
        ends = range(0, min(len(data), MAX_BYTES) - 15, 16)
        return b"".join(self._block(data[at : at + 16]).to_bytes(16) for at in ends)

    def cbc(self, data: bytes, vector: bytes) -> bytes:
        pieces: list[bytes] = []
        previous = int.from_bytes(vector[:16])
        for at in range(0, min(len(data), MAX_BYTES) - 15, 16):
            block = data[at : at + 16]
            pieces.append((self._block(block) ^ previous).to_bytes(16))
            previous = int.from_bytes(block)
        return b"".join(pieces)

    def _block(self, block: bytes) -> int:
        t0, t1, t2, t3 = self._tables
        first, *middle, last = self._keys
        whole = int.from_bytes(block) ^ first
        a, b, c, d = whole >> 96, whole >> 64 & _WORD, whole >> 32 & _WORD, whole & _WORD
        for key in middle:
            e = t0[a >> 24] ^ t1[d >> 16 & 255] ^ t2[c >> 8 & 255] ^ t3[b & 255]
            f = t0[b >> 24] ^ t1[a >> 16 & 255] ^ t2[d >> 8 & 255] ^ t3[c & 255]
            g = t0[c >> 24] ^ t1[b >> 16 & 255] ^ t2[a >> 8 & 255] ^ t3[d & 255]
            h = t0[d >> 24] ^ t1[c >> 16 & 255] ^ t2[b >> 8 & 255] ^ t3[a & 255]
            a = e ^ key >> 96
            b = f ^ key >> 64 & _WORD
            c = g ^ key >> 32 & _WORD
            d = h ^ key & _WORD
        box, result = self._inverse, 0
        for w, x, y, z in ((a, d, c, b), (b, a, d, c), (c, b, a, d), (d, c, b, a)):
            word = box[w >> 24] << 24 | box[x >> 16 & 255] << 16 | box[y >> 8 & 255] << 8
            result = result << 32 | word | box[z & 255]
        return result ^ last


_WORD = 0xFFFFFFFF


@cache
def _boxes() -> tuple[list[int], list[int]]:
    """The S-box and its inverse: inverses in GF(2^8), walked by powers of 3, and an affine map."""
    box, inverse = [0] * 256, [0] * 256
    power = reverse = 1
    for _ in range(255):
        power ^= (power << 1 & 255) ^ (0x1B if power & 0x80 else 0)
        for shift in (1, 2, 4):
            reverse ^= reverse << shift & 255
        reverse ^= 0x09 if reverse & 0x80 else 0
        value = reverse
        for shift in range(1, 5):
            value ^= (reverse << shift | reverse >> (8 - shift)) & 255
        box[power] = value ^ 0x63
    box[0] = 0x63
    for number, value in enumerate(box):
        inverse[value] = number
    return box, inverse


def _product(a: int, b: int) -> int:
    result = 0
    while b:
        if b & 1:
            result ^= a
        a, b = (a << 1) ^ (0x11B if a & 0x80 else 0), b >> 1
    return result


@cache
def _tables() -> _Tables:
    first: list[int] = []
    for value in _boxes()[1]:
        mixed = (_product(value, factor) for factor in (14, 9, 13, 11))
        first.append(int.from_bytes(bytes(mixed)))
    turned = [first]
    for _ in range(3):
        turned.append([word >> 8 | (word & 255) << 24 for word in turned[-1]])
    return turned[0], turned[1], turned[2], turned[3]


def _round_keys(key: bytes) -> list[int]:
    box = _boxes()[0]
    step = len(key) // 4
    words = [int.from_bytes(key[at : at + 4]) for at in range(0, len(key), 4)]
    constant = 1
    while len(words) < 4 * (step + 7):
        word = words[-1]
        if len(words) % step == 0:
            word = _through(box, (word << 8 | word >> 24) & _WORD) ^ constant << 24
            constant = _product(constant, 2)
        elif step == 8 and len(words) % step == 4:
            word = _through(box, word)
        words.append(words[-step] ^ word)
    return [
        words[at] << 96 | words[at + 1] << 64 | words[at + 2] << 32 | words[at + 3]
        for at in range(0, len(words), 4)
    ]


def _through(box: list[int], word: int) -> int:
    return int.from_bytes(bytes(box[byte] for byte in word.to_bytes(4)))


def _unmixed(key: int) -> int:
    box, tables = _boxes()[0], _tables()
    result = 0
    for at in range(0, 16, 4):
        word = 0
        for table, byte in zip(tables, key.to_bytes(16)[at : at + 4], strict=True):
            word ^= table[box[byte]]
        result = result << 32 | word
    return result
