"""Makes src/shoal/converters/characters/language.bin from the same corpus as the charsets' model.

    python training/charset/train_language.py CORPUS_DIRECTORY OUTPUT [SOURCE_TO_LEAVE_OUT…]

For each script with several languages: the pieces of three characters that are common in any of
them, and what each costs in each. Columns are stored by language, which compresses best.
"""

import json
import math
import sys
import zlib
from collections import Counter
from pathlib import Path

from train import text_of

from shoal.converters.characters.language import _NOT_LETTERS, PIECES, UNIT

SCRIPTS = {
    "latin": (
        "en fr de es pt it nl sv da nb nn fi is et lt lv pl cs sk sl hr sr-latn hu ro sq tr az uz"
        " id ms tl vi ca gl eu oc br cy ga gd af fy eo la sw ku xh"
    ),
    "cyrillic": "ru uk be bg mk sr kk tg mn tt ky",
    "arabic": "ar fa ur ug",
    "devanagari": "hi mr ne",
}
CHARACTERS = 1_500_000
PIECES_PER_LANGUAGE = 500
FLOOR = 0.3


def counted(text: str) -> Counter[str]:
    words = " ".join(_NOT_LETTERS.sub(" ", text[:CHARACTERS].lower()).split())
    return Counter(words[i : i + PIECES] for i in range(len(words) - PIECES + 1))


def of_script(name: str, text: str) -> str:
    """Only the lines in that script: catalogues carry English along."""
    if name == "latin":
        return text
    return "\n".join(
        line for line in text.splitlines() if sum(map(str.isascii, line)) * 2 < len(line)
    )


def main(corpus: Path, output: Path, without: list[str]) -> None:
    head = {}
    body = []
    for script, listed in SCRIPTS.items():
        languages = listed.split()
        counts = {}
        for language in languages:
            text = text_of(corpus / language, without) or text_of(corpus / language, [])
            counts[language] = counted(of_script(script, text))
            print(script, language, counts[language].total(), file=sys.stderr)
        chosen: dict[str, None] = {}
        for language in languages:
            common = (piece for piece, _ in counts[language].most_common())
            kept = [piece for piece in common if not piece.isspace()][:PIECES_PER_LANGUAGE]
            chosen.update(dict.fromkeys(kept))
        pieces = sorted(chosen)
        head[script] = [language.removesuffix("-latn") for language in languages]
        columns = b"".join(column(counts[language], pieces) for language in languages)
        body.append("".join(pieces).encode() + b"\n" + columns)
        print(script, len(pieces), len(columns), file=sys.stderr)
    output.write_bytes(zlib.compress(json.dumps(head).encode() + b"\n" + b"".join(body), 9))


def column(counts: Counter[str], pieces: list[str]) -> bytes:
    total = counts.total()
    return bytes(
        min(255, round(-math.log((counts[piece] + FLOOR) / (total + 1000)) * UNIT))
        for piece in pieces
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
