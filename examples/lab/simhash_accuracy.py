"""How many near-duplicates does a simhash of so many bits find? A lab exercise.

    python simhash_accuracy.py           measure it on a collection of texts made up here
    python simhash_accuracy.py FOLDER    list the near-duplicates among the texts of a folder

A simhash (Charikar 2002) is a short fingerprint of a text, and texts with mostly the same words
have fingerprints with mostly the same bits. Each word has a hash. At each place, the words whose
hash has a 1 there vote for a 1 and all others for a 0, a word that occurs three times with three
votes. The share of bits that differ is, in the mean, the angle between the texts' vectors of word
frequencies, in half turns. Each bit is a coin thrown for that angle: of b bits, the share is off
by sqrt(share * (1 - share) / b). More bits take that noise away, and nothing else.
"""

import hashlib
import re
import struct
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, combinations, islice
from math import acos, hypot, pi
from pathlib import Path
from random import Random
from statistics import fmean, pstdev

SIZES = (64, 128, 256, 384)  # bits
MOST_BITS = max(SIZES)
SHARE = 12 / 384  # of bits, in which near-duplicates differ at most (Henzinger 2006, about)
STOP_WORDS = frozenset(
    re.findall(r"\w+", "a an and are as at be by for from in is it of on or that the to was")
)
MOST_TEXTS, MOST_BYTES = 2_000, 1_000_000  # of a folder, and of a text

ORIGINALS, WORDS_OF_A_TEXT = 100, 200
NEAR = (0.005, 0.01, 0.02)  # this share of its words is changed: still the same text
FAR = (0.05, 0.1, 0.2, 0.4)  # a text of its own, which borrows much


@cache
def hashed(word: str) -> int:
    """The hash of a word, each of its bits in 32 bits of a very long number.

    Numbers like that can be added: at each bit's place the sum counts the votes for a 1.
    """
    digest = hashlib.blake2b(word.encode(), digest_size=MOST_BITS // 8).digest()
    bits = f"{int.from_bytes(digest):0{MOST_BITS}b}"
    return int(bits.replace("0", "0" * 8).replace("1", "0" * 7 + "1"), 16)


def words_of(text: str) -> Counter[str]:
    """The words by how often they occur, the most common ones of English aside."""
    return Counter(word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS)


def simhash(words: Counter[str]) -> int:
    """A fingerprint of 384 bits; a shorter one is its beginning (`cut`)."""
    votes = words.total()
    counted = 0
    for word, times in words.items():
        counted += hashed(word) * times
    ones = struct.unpack(f">{MOST_BITS}I", counted.to_bytes(MOST_BITS * 4))
    return int("".join("01"[2 * one > votes] for one in ones), 2)


def cut(fingerprint: int, bits: int) -> int:
    return fingerprint >> MOST_BITS - bits


def distance(a: int, b: int) -> int:
    """How many bits differ."""
    return (a ^ b).bit_count()


def made_words(random: Random) -> tuple[list[str], list[float]]:
    """A language of 4,000 words, and how often the first n of them are used: by Zipf's law the n-th
    word is used 1/n times as often as the first. The first thirty are left out, as stop words."""
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < 4_000:
        words["".join(random.choices(syllables, k=2 + int(random.random() * 2)))] = None
    return list(words), list(accumulate(1 / (n + 30) for n in range(1, len(words) + 1)))


def collection(seed: int) -> tuple[list[Counter[str]], list[tuple[int, float]]]:
    """Texts, and for each the original that it comes from and which share of it was changed."""
    random = Random(seed)
    words, use = made_words(random)
    texts, origins = [], []
    for original in range(ORIGINALS):
        text = random.choices(words, cum_weights=use, k=WORDS_OF_A_TEXT)
        for share in (0.0, *NEAR, *FAR):
            version = list(text)
            for at in random.sample(range(len(text)), round(share * len(text))):
                (version[at],) = random.choices(words, cum_weights=use)
            texts.append(Counter(version))
            origins.append((original, share))
    return texts, origins


def angle(a: Counter[str], b: Counter[str]) -> float:
    """Between two texts' vectors, in half turns."""
    product = sum(times * b[word] for word, times in a.items())
    lengths = hypot(*a.values()) * hypot(*b.values())
    return acos(min(1.0, product / lengths)) / pi


def by_change(prints: Sequence[int], texts: Sequence[Counter[str]]) -> str:
    """The share of bits that differ between an original and its versions, mean and deviation."""
    versions = 1 + len(NEAR) + len(FAR)
    lines = [f"{'words changed':14}{'angle':>7}" + "".join(f"{size:>11} bits" for size in SIZES)]
    for number, share in enumerate((*NEAR, *FAR), 1):
        pairs = [(first, first + number) for first in range(0, len(prints), versions)]
        line = f"{share:14.1%}{fmean(angle(texts[i], texts[j]) for i, j in pairs):7.3f}"
        for size in SIZES:
            found = [distance(cut(prints[i], size), cut(prints[j], size)) / size for i, j in pairs]
            line += f"{fmean(found):9.3f} ±{pstdev(found):.3f}"
        lines.append(line)
    return "\n".join(lines)


def accuracy(prints: Sequence[int], origins: Sequence[tuple[int, float]]) -> str:
    """Of all pairs of texts: which share of those found is right (precision), which share of the
    right ones is found (recall), and their harmonic mean (F1). Two versions of one original are
    near-duplicates when both were changed by little."""
    right = {
        (i, j)
        for i, j in combinations(range(len(prints)), 2)
        if origins[i][0] == origins[j][0] and max(origins[i][1], origins[j][1]) <= max(NEAR)
    }
    pairs = len(prints) * (len(prints) - 1) // 2
    lines = [f"{len(prints)} texts, {pairs:,} pairs, {len(right)} of them near-duplicates"]
    lines.append("bits  differ at most  precision  recall     F1")
    for size in SIZES:
        short = [cut(each, size) for each in prints]
        all_of, right_of = [0] * (size + 1), [0] * (size + 1)  # pairs by their distance
        for a, b in combinations(short, 2):
            all_of[(a ^ b).bit_count()] += 1
        for i, j in right:
            right_of[distance(short[i], short[j])] += 1
        found, hits = list(accumulate(all_of)), list(accumulate(right_of))
        scores = [2 * hit / (many + len(right)) for many, hit in zip(found, hits, strict=True)]
        best = scores.index(max(scores))
        for most, remark in ((int(SHARE * size), ""), (best, "  best for these texts")):
            precision = hits[most] / found[most] if found[most] else 1.0
            recall = hits[most] / len(right)
            lines.append(
                f"{size:4}{most:16}{precision:11.3f}{recall:8.3f}{scores[most]:7.3f}{remark}"
            )
    return "\n".join(lines)


def duplicates(folder: Path) -> str:
    files = (path for path in folder.rglob("*") if path.is_file())
    paths = sorted(islice(files, MOST_TEXTS + 1))
    if not paths:
        raise ValueError(f"no file in {folder}")
    if len(paths) > MOST_TEXTS:
        raise ValueError(f"more than {MOST_TEXTS:,} files in {folder}")
    prints = {}
    for path in paths:
        with path.open("rb") as file:
            words = words_of(file.read(MOST_BYTES).decode("utf-8", "replace"))
        if words:  # of nothing, the fingerprint says nothing
            prints[path] = simhash(words)
    found = [
        (bits, a, b)
        for (a, of_a), (b, of_b) in combinations(prints.items(), 2)
        if (bits := distance(of_a, of_b)) <= SHARE * MOST_BITS
    ]
    lines = [f"{bits:3} bits differ  {str(a)!r}  {str(b)!r}" for bits, a, b in sorted(found)]
    return "\n".join([*lines, f"{len(found)} near-duplicate pairs of {len(prints)} texts"])


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["--help"]:
                print(__doc__.rstrip())
            case []:
                texts, origins = collection(seed=1)
                prints = [simhash(text) for text in texts]
                print(by_change(prints, texts), accuracy(prints, origins), sep="\n\n")
            case [folder]:
                print(duplicates(Path(folder)))
            case _:
                raise ValueError("use: nothing | FOLDER")
    except (OSError, ValueError) as error:
        print(f"simhash_accuracy: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
