"""What are the words of a text? One form for all letters, and where words begin and end.

    NFKC, case folded → words (letters, digits and their marks; all else parts them)

Scripts that are written without spaces, and Hangul, are cut into overlapping pairs of characters,
and the last character of a run stands alone.
"""

import re
import unicodedata

MOST_WORD_CHARS = 64
_PAIRED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf"  # Thai, Lao
    "\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7\u17dc-\u17e9"  # Myanmar, Khmer
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u08d3-\u08ff"
    "\u0900-\u0963\u0966-\u096f\u0971-\u0df3"  # Indic: vowel signs are marks
    "\u0f18\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86-\u0fbc\u135d-\u135f\u1712-\u1714\u180b-\u180d"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ua8e0-\ua8f1\ufe20-\ufe2f"
)
"""Python's `\\w` has letters and digits without the marks that belong to them."""
_LETTER = rf"[^\W_{_PAIRED}]"
RUN = re.compile(
    rf"[{_PAIRED}]+|{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*|[{_MARKS}]+(?:{_LETTER}+[{_MARKS}]*)*"
)
_ASCII_RUN = re.compile("[a-z0-9]+")
IS_PAIRED = re.compile(rf"[{_PAIRED}]")
_WITHIN_WORDS = re.compile("[\u00ad\u200c\u200d\u2060\ufeff\u0640]")
"""Soft hyphens, joiners and the Arabic stretch: they change how a word looks."""
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]+"
)
"""Of alphabets where a word is still read without them; not of scripts where a mark is a vowel."""
_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "ß": "ss"}
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)


def normal(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize(
        "NFKC", unicodedata.normalize("NFKC", _WITHIN_WORDS.sub("", text)).casefold()
    )


def folded(word: str) -> str:
    """Without accents."""
    if word.isascii():
        return word
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", plain.translate(_LETTERS))


def language_of(tag: str) -> str:
    """`de` of `de-AT`."""
    return re.split(r"[-_]", tag.strip().lower(), maxsplit=1)[0][:16]


def words(text: str) -> list[str]:
    """Normalised and not stemmed, in order."""
    if text.isascii() and len(text) <= MOST_WORD_CHARS:  # nearly all pieces of most texts
        return _ASCII_RUN.findall(text.lower())
    found: list[str] = []
    for run in RUN.findall(normal(text)):
        if IS_PAIRED.match(run):
            found += [run[at : at + 2] for at in range(len(run))]
        else:
            found.append(run[:MOST_WORD_CHARS])
    return found
