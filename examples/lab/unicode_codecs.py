"""How do numbers of characters become bytes? UTF-8 and UTF-16 by hand, compared. A lab exercise.

    python unicode_codecs.py           compare the two
    python unicode_codecs.py TEXT …    show the characters of a text, and their bytes
    python unicode_codecs.py check     hold both against Python's own, for every character there is

Unicode gives each character a number from 0 to 10FFFF (hexadecimal). UTF-8 writes it as one to
four bytes; the first one tells how many there are, and all others begin with the bits 10:

    0 … 7F            0xxxxxxx
    80 … 7FF          110xxxxx 10xxxxxx
    800 … FFFF        1110xxxx 10xxxxxx 10xxxxxx
    10000 … 10FFFF    11110xxx 10xxxxxx 10xxxxxx 10xxxxxx

UTF-16 writes units of 16 bits. Numbers above FFFF take two: a high surrogate (D800 … DBFF) with
the upper ten bits of what the number has above 10000, and a low one (DC00 … DFFF) with the lower
ten. The 2,048 numbers of the surrogates are therefore no characters, in any form.

A decoder has to refuse what an encoder never writes. "Overlong" forms such as C0 AF for "/" were
used to pass by programs that looked for the byte 2F.
"""

import sys
from itertools import chain

HIGHEST = 0x10FFFF
HIGH, LOW, AFTER = 0xD800, 0xDC00, 0xE000  # where high and low surrogates begin, and both end
EXAMPLES = (
    ("English", "Fish sleep in the sea."),
    ("Greek", "Τα ψάρια κοιμούνται στη θάλασσα."),
    ("Russian", "Рыбы спят в море."),
    ("Chinese", "鱼在海里睡觉。"),
    ("the same as HTML", '<p class="note">鱼在海里睡觉。</p>'),
    ("emoji", "🐟💤🌊"),
)
REFUSED_UTF8 = ("C0 AF", "E0 80 AF", "ED A0 80", "F4 90 80 80", "80", "E2 82", "FF")
REFUSED_UTF16 = ("D8 3D", "D8 3D 00 41", "DC 1F", "00")


def encode_utf8(text: str) -> bytes:
    encoded = bytearray()
    for character in text:
        number = ord(character)
        if number < 0x80:
            encoded.append(number)
        elif number < 0x800:
            encoded += bytes((0xC0 | number >> 6, 0x80 | number & 0x3F))
        elif number < 0x10000:
            refuse_surrogate(number)
            encoded += bytes((0xE0 | number >> 12, 0x80 | number >> 6 & 0x3F, 0x80 | number & 0x3F))
        else:
            encoded += bytes(
                (
                    0xF0 | number >> 18,
                    0x80 | number >> 12 & 0x3F,
                    0x80 | number >> 6 & 0x3F,
                    0x80 | number & 0x3F,
                )
            )
    return bytes(encoded)


def decode_utf8(data: bytes) -> str:
    characters = []
    at = 0
    while at < len(data):
        first = data[at]
        if first < 0x80:
            more, number, least = 0, first, 0
        elif 0xC0 <= first < 0xE0:
            more, number, least = 1, first & 0x1F, 0x80
        elif 0xE0 <= first < 0xF0:
            more, number, least = 2, first & 0x0F, 0x800
        elif 0xF0 <= first < 0xF8:
            more, number, least = 3, first & 0x07, 0x10000
        else:
            raise ValueError(f"byte {at}: no character begins with {first:02X}")
        for following in data[at + 1 : at + 1 + more]:
            if following & 0xC0 != 0x80:
                raise ValueError(f"byte {at}: a character is cut off")
            number = number << 6 | following & 0x3F
        if at + more >= len(data):
            raise ValueError(f"byte {at}: a character is cut off")
        if number < least:
            raise ValueError(f"byte {at}: {number:X} in more bytes than it needs")
        if HIGH <= number < AFTER or number > HIGHEST:
            raise ValueError(f"byte {at}: {number:X} is no character")
        characters.append(chr(number))
        at += 1 + more
    return "".join(characters)


def encode_utf16(text: str) -> bytes:
    """The higher byte of a unit first ("big-endian"), without a mark that says so."""
    encoded = bytearray()
    for character in text:
        number = ord(character)
        if number < 0x10000:
            refuse_surrogate(number)
            encoded += bytes((number >> 8, number & 0xFF))
        else:
            above = number - 0x10000
            high, low = HIGH | above >> 10, LOW | above & 0x3FF
            encoded += bytes((high >> 8, high & 0xFF, low >> 8, low & 0xFF))
    return bytes(encoded)


def decode_utf16(data: bytes) -> str:
    characters = []
    high = 0  # the upper half of a character, when its lower half must follow
    for at in range(0, len(data) - 1, 2):
        unit = data[at] << 8 | data[at + 1]
        is_low = LOW <= unit < AFTER
        if is_low != bool(high):
            raise ValueError(f"byte {at - 2 if high else at}: half of a character")
        if HIGH <= unit < LOW:
            high = unit
        elif is_low:
            characters.append(chr(0x10000 + ((high & 0x3FF) << 10 | unit & 0x3FF)))
            high = 0
        else:
            characters.append(chr(unit))
    if high or len(data) % 2:
        raise ValueError(f"byte {len(data) // 2 * 2 - 2 * bool(high)}: a character is cut off")
    return "".join(characters)


def refuse_surrogate(number: int) -> None:
    if HIGH <= number < AFTER:
        raise ValueError(f"{number:X} is half of a character of UTF-16, and can't be encoded")


def every_character() -> str:
    return "".join(map(chr, chain(range(HIGH), range(AFTER, HIGHEST + 1))))


def check() -> str:
    text = every_character()
    utf8, utf16 = text.encode("utf-8"), text.encode("utf-16-be")
    agreed = {
        "encode_utf8": encode_utf8(text) == utf8,
        "decode_utf8": decode_utf8(utf8) == text,
        "encode_utf16": encode_utf16(text) == utf16,
        "decode_utf16": decode_utf16(utf16) == text,
    }
    lines = [f"{name:12} {'as Python' if same else 'DIFFERS'}" for name, same in agreed.items()]
    return "\n".join([f"{len(text):,} characters", *lines])


def shown(text: str) -> str:
    lines = [f"{'number':>8}  {'UTF-8':11}  UTF-16"]
    for character in text:
        utf8, utf16 = encode_utf8(character).hex(" "), encode_utf16(character).hex(" ")
        number = f"{ord(character):04X}"
        mark = character if character.isprintable() else ""
        lines.append(f"{number:>8}  {utf8.upper():11}  {utf16.upper():11}  {mark}".rstrip())
    return "\n".join(lines)


def sizes() -> str:
    lines = [f"{'bytes':17}{'characters':>11}{'UTF-8':>7}{'UTF-16':>8}"]
    for name, text in EXAMPLES:
        utf8, utf16 = len(encode_utf8(text)), len(encode_utf16(text))
        lines.append(f"{name:17}{len(text):11}{utf8:7}{utf16:8}")
    return "\n".join(lines)


def order() -> str:
    """Does the order of the bytes be that of the numbers? A search engine's tables hope so."""
    characters = "z～🐟"
    by_utf8 = "".join(sorted(characters, key=encode_utf8))
    by_utf16 = "".join(sorted(characters, key=encode_utf16))
    return f"sorted by number {''.join(sorted(characters))}  UTF-8 {by_utf8}  UTF-16 {by_utf16}"


def lost_byte() -> str:
    """What a reader sees when the fifth byte of a text is lost. Python's decoders put a mark
    where they read nothing."""
    text = "fish and ships"
    lines = []
    for name, encoded in (("utf-8", encode_utf8(text)), ("utf-16-be", encode_utf16(text))):
        damaged = encoded[:4] + encoded[5:]
        lines.append(f"{name:10} {damaged.decode(name, 'replace')}")
    return "\n".join(lines)


def refusals() -> str:
    lines = []
    for name, decode, given in (
        ("UTF-8", decode_utf8, REFUSED_UTF8),
        ("UTF-16", decode_utf16, REFUSED_UTF16),
    ):
        for hexadecimal in given:
            try:
                decode(bytes.fromhex(hexadecimal))
            except ValueError as error:
                lines.append(f"{name:7} {hexadecimal:12} {error}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    if arguments == ["--help"]:
        print(__doc__.rstrip())
        return 0
    try:
        if arguments == ["check"]:
            print(check())
        elif arguments:
            print(shown(" ".join(arguments)))
        else:
            print(shown("aπ鱼🐟"), sizes(), order(), lost_byte(), refusals(), sep="\n\n")
    except ValueError as error:
        print(f"unicode_codecs: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
