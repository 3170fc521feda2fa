"""How do characters become bytes in UTF-8 and UTF-16? By hand. A lab exercise.

    python unicode_bytes.py [TEXT]

UTF-8 writes 7 bits in one byte, 11 in two, 16 in three, 21 in four: the first byte says how many
there are, each other one begins with 10. UTF-16 writes 16 bits in two bytes; what lies beyond takes
a pair of surrogates of ten bits each. Shown are the bits of each character, both encodings, and how
long texts of some scripts are in each.
"""

import sys

SAMPLE = "Aé水🐟"
TEXTS = (
    ("English", "the tropical fish"),
    ("German", "die schöne Größe"),
    ("Greek", "τα ψάρια"),
    ("Japanese", "熱帯魚の水槽"),
    ("Emoji", "🐟🐠🐡"),
)
_BEYOND = 0x10000
_SURROGATES = range(0xD800, 0xE000)
_HIGH, _LOW = 0xD800, 0xDC00


def utf8(code: int) -> bytes:
    _check(code)
    if code < 0x80:
        return bytes([code])
    for count, first in ((2, 0b11000000), (3, 0b11100000), (4, 0b11110000)):
        if code < 1 << (5 * count + 1):
            rest = [0b10000000 | code >> 6 * place & 0b111111 for place in range(count - 1)]
            return bytes([first | code >> 6 * (count - 1), *reversed(rest)])
    raise AssertionError(code)


def utf16(code: int) -> bytes:
    """The high byte first."""
    _check(code)
    if code < _BEYOND:
        return code.to_bytes(2, "big")
    ten_and_ten = code - _BEYOND
    pair = _HIGH | ten_and_ten >> 10, _LOW | ten_and_ten & 0x3FF
    return b"".join(each.to_bytes(2, "big") for each in pair)


def _check(code: int) -> None:
    if not 0 <= code <= sys.maxunicode or code in _SURROGATES:
        raise ValueError(f"{code:#x} is no character")


def lines(text: str) -> list[str]:
    found = [f"{'code':>8}  {'bits':21}  {'UTF-8':11}  UTF-16"]
    for letter in text:
        code = ord(letter)
        eight, sixteen = utf8(code).hex(" "), utf16(code).hex(" ")
        found.append(f"{f'U+{code:04X}':>8}  {code:021b}  {eight:11}  {sixteen}")
    return found


def sizes() -> list[str]:
    found = [f"{'':9}{'letters':>8}{'UTF-8':>7}{'UTF-16':>8}"]
    for name, text in TEXTS:
        eight = sum(len(utf8(ord(letter))) for letter in text)
        sixteen = sum(len(utf16(ord(letter))) for letter in text)
        found.append(f"{name:9}{len(text):>8}{eight:>7}{sixteen:>8}")
    return found


def main(arguments: list[str]) -> int:
    try:
        shown = lines(" ".join(arguments) or SAMPLE)
    except ValueError as error:
        print(f"unicode_bytes: {error}", file=sys.stderr)
        return 2
    print("\n".join([*shown, *([] if arguments else ["", *sizes()])]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
