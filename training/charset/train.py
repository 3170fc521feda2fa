"""Makes src/shoal/converters/characters/charset.bin from the corpus, the same bytes each time.

    python training/charset/train.py CORPUS_DIRECTORY OUTPUT [SOURCE_TO_LEAVE_OUT…]

Four sections, each compressed by itself so that a reader pays for what it uses: the costs of letter
pairs in each language, the costs of pairs of shapes, the costs of Han, Kana and Hangul characters,
and code tables that Python lacks (from the C library's iconv). A cost is -log P in sixteenths.
"""

import json
import math
import subprocess
import sys
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from languages import HAN, MIXED, SINGLE_BYTE

from shoal.converters.characters.character_classes import (
    BLANK,
    BOX,
    CLOSING,
    DASH,
    DIGIT,
    FOLDED,
    FOREIGN,
    LOWER,
    NBSP,
    NOTHING,
    OPENING,
    RARE,
    SHAPES,
    SIGN,
    STOP,
    shape,
)

LETTERS = 62
MIXED_CHARACTERS = 150_000
UNIT = 16
FIRST_LETTER = 3
"""Class 0 is no letter, 1 a letter of ASCII in a text of another script, 2 any letter not ours."""
ONE_OF_ASCII = round(2.9 * UNIT)
"""Class 1 is some letter of ASCII: saying which one costs what it costs a Latin language."""
STRANGER = 7 * UNIT
MIXED_SCRIPTS = 15 * UNIT
"""A Latin letter beside one of ours, within a word: what wrong readings are made of."""
SIGN_COST = {SIGN: 2.5, RARE: 4, BOX: 3, OPENING: 1, CLOSING: 1, DASH: 1, FOREIGN: 4}
AT_MOST = {
    (BLANK, SIGN): 4, (SIGN, DIGIT): 1.5, (SIGN, BLANK): 1.5, (DIGIT, SIGN): 4.5, (LOWER, SIGN): 7,
    (STOP, SIGN): 5, (SIGN, STOP): 3, (BLANK, NBSP): 4, (NBSP, BLANK): 2, (NBSP, NBSP): 1.5,
    (BLANK, DASH): 4, (LOWER, CLOSING): 5, (CLOSING, LOWER): 1.5,
}  # fmt: skip
"""What the web writes more often than the corpus does."""
ASCII_LETTERS = "abcdefghijklmnopqrstuvwxyz"
LATIN_1_LETTERS = "éèêëáàâäãåæçíìîïñóòôöõøúùûüýßœšžðþÿ"
_TONES = "\u0300\u0301\u0303\u0309\u0323"
ICONV_TABLES = {
    "ibm273": "IBM273", "ibm277": "IBM277", "ibm278": "IBM278", "ibm280": "IBM280",
    "ibm284": "IBM284", "ibm285": "IBM285", "ibm297": "IBM297", "ibm1047": "IBM1047",
    "viscii": "VISCII", "armscii-8": "ARMSCII-8", "tcvn": "TCVN5712-1",
    "georgian-ps": "GEORGIAN-PS", "ibm871": "IBM871",
}  # fmt: skip


def text_of(folder: Path, without: Iterable[str]) -> str:
    files = (path for path in sorted(folder.glob("*.txt")) if path.stem not in without)
    return "\n".join(path.read_text("utf-8") for path in files)


def read(folder: Path, without: Iterable[str]) -> str:
    return text_of(folder, without) or text_of(folder, ())


def as_windows_1258(text: str) -> str:
    """Vietnamese as its old charset has it: the vowel composed, its tone behind it."""
    out = []
    for character in unicodedata.normalize("NFC", text):
        parts = unicodedata.normalize("NFD", character)
        tones = "".join(part for part in parts if part in _TONES)
        rest = "".join(part for part in parts if part not in _TONES)
        out.append(unicodedata.normalize("NFC", rest) + tones)
    return "".join(out)


def cost(count: float, total: float) -> int:
    return min(255, round(-math.log(count / total) * UNIT)) if count else 255


def letters(text: str, western: bool) -> tuple[str, bytes]:
    """A language's alphabet, most used first, and what each pair of its letters costs."""
    text = text.lower().translate(FOLDED)
    counts = Counter(text)
    found = [c for c, _ in counts.most_common() if c.isalpha() or unicodedata.category(c) == "Mn"]
    usual: dict[str, float] = defaultdict(float)
    for c in found:
        usual[script_of(c)] += counts[c] * (1 if c not in ASCII_LETTERS else 0.4)
    script = max(usual, key=usual.__getitem__)
    own = [c for c in found if script_of(c) in (script, "COMBINING")]
    total = sum(counts[c] for c in own)
    alphabet = "".join([c for c in own if counts[c] > total * 2e-5 and counts[c] > 5][:LETTERS])
    if script == "LATIN":
        more = ASCII_LETTERS + (LATIN_1_LETTERS if western else "")
        alphabet = (alphabet + "".join(c for c in more if c not in alphabet))[:LETTERS]
    classes = {c: FIRST_LETTER + i for i, c in enumerate(alphabet)}
    size = FIRST_LETTER + len(alphabet)
    pairs: Counter[tuple[int, int]] = Counter()
    for (a, b), count in Counter(pairwise(text)).items():
        pairs[letter_class(a, classes), letter_class(b, classes)] += count
    firsts = Counter[int]()
    seconds = Counter[int]()
    for (x, y), count in pairs.items():
        firsts[x] += count
        seconds[y] += count
    everything = sum(firsts.values())
    table = bytearray()
    for x in range(size):
        for y in range(size):
            # Backing off to how common the second letter is, so that no pair is impossible.
            expected = (seconds[y] + 0.5) / (everything + size)
            price = cost(pairs[x, y] + 4 * expected, firsts[x] + 4)
            if 2 in (x, y):
                price = STRANGER
            price += ONE_OF_ASCII if y == 1 else 0
            if script != "LATIN" and (x == 1) != (y == 1) and x and y:
                price = max(price, MIXED_SCRIPTS)
            table.append(min(255, price))
    return alphabet, bytes(table)


def script_of(character: str) -> str:
    return unicodedata.name(character, "").split(" ")[0]


def letter_class(character: str, classes: dict[str, int]) -> int:
    return classes.get(character) or character.isalpha() * (1 if character.isascii() else 2)


def shapes(texts: Iterable[str]) -> bytes:
    pairs: Counter[tuple[int, int]] = Counter()
    for text in texts:
        sample = text[:400_000]
        for (a, b), count in Counter(pairwise(sample)).items():
            pairs[shape(a), shape(b)] += count
    firsts = Counter[int]()
    for (x, _), count in pairs.items():
        firsts[x] += count
    table = bytearray()
    for x in range(SHAPES):
        for y in range(SHAPES):
            if NOTHING in (x, y):
                table.append(12 * UNIT if x != y else 8 * UNIT)
            else:
                price = cost(pairs[x, y] + 0.5, firsts[x] + SHAPES / 2)
                price = min(price, round(UNIT * AT_MOST.get((x, y), 16)))
                table.append(min(255, price + round(UNIT * SIGN_COST.get(y, 0))))
    return bytes(table)


def han(text: str) -> tuple[str, bytes]:
    """The characters beyond ASCII, most used first, and what each costs."""
    counts = Counter(c for c in text if ord(c) > 0x7F and shape(c) != NOTHING)
    common = [(c, n) for c, n in counts.most_common() if n > 1 and (ord(c) > 0x2000 or n > 50)]
    total = sum(n for _, n in common)
    return "".join(c for c, _ in common), bytes(cost(n, total) for _, n in common)


def iconv(name: str, data: bytes, *options: str) -> str:
    command = ["iconv", *options, "-f", name, "-t", "UTF-8"]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.stdout.decode("utf-8") if options or done.returncode == 0 else ""


def tables() -> dict[str, str]:
    found = {}
    for name, source in ICONV_TABLES.items():
        found[name] = "".join(one(source, bytes([byte])) for byte in range(256))
    for plane, lead in ((1, b""), (2, b"\x8e\xa2")):
        cells = [lead + bytes([row, col]) for row in range(0xA1, 0xFF) for col in range(0xA1, 0xFF)]
        lines = iconv("EUC-TW", b"\n".join(cells), "-c").split("\n")
        if len(lines) != len(cells):
            raise SystemExit("iconv read EUC-TW otherwise than cell by cell")
        found[f"cns-{plane}"] = "".join(line if len(line) == 1 else "\ufffd" for line in lines)
    found["tscii"] = json.dumps(
        [iconv("TSCII", bytes([byte, 0x20])).rstrip(" ") for byte in range(256)]
    )
    return found


def one(charset: str, data: bytes) -> str:
    text = iconv(charset, data)
    return text if len(text) == 1 else "\ufffd"


def section(header: object, *blobs: bytes) -> bytes:
    head = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    body = zlib.compress(len(head).to_bytes(4, "big") + head + b"".join(blobs), 9)
    return len(body).to_bytes(4, "big") + body


def main(corpus: Path, output: Path, without: list[str]) -> None:
    texts = {}
    header = []
    blobs = []
    for language, charsets in SINGLE_BYTE.items():
        parts = MIXED.get(language, [language])
        share = MIXED_CHARACTERS if len(parts) > 1 else None
        text = "\n".join(read(corpus / part, without)[:share] for part in parts)
        texts[language] = text
        alphabet, table = letters(
            as_windows_1258(text) if language == "vi" else text, "windows-1252" in charsets
        )
        header.append({"language": language, "charsets": charsets.split(), "alphabet": alphabet})
        blobs.append(table)
        print(language, len(text), len(alphabet), alphabet, file=sys.stderr)
    made = [section(header, *blobs), section({}, shapes(texts.values()))]
    found = {language: han(text_of(corpus / language, without)) for language in HAN}
    made.append(section({k: v[0] for k, v in found.items()}, *(v[1] for v in found.values())))
    made.append(section(tables()))
    output.write_bytes(b"".join(made))
    print([len(part) for part in made], file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [name for name in sys.argv[3:] if name[0] != "-"])
