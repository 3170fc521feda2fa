"""What of a page shows that it is what was looked for? The place where the words stand together.

One window of the text, or two when its words stand apart. Words are found by the letters that
they share with their stems, and then compared as the index would: so all forms are marked, and a
long text costs one pass of a regular expression over a bounded part of it. Windows begin at a
sentence or a word; scripts without spaces may be cut anywhere.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shoal.model.candidate import Term

Pieces = list[tuple[str, bool]]
Stem = Callable[[str], str]
"""The stem of a word, as the index has it."""

USUAL_CHARS = 200
_PART_CHARS = 12_000
_FAR_CHARS = 60_000
_MOST_CHARS = 600_000
_ENOUGH_FOUND = 200
_BETWEEN = " … "
_ELLIPSES = 4
"""What those at both ends take."""
_LEAST_WINDOW = 40
_REPEATED = 0.05
"""What a word is worth that is already in the window."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff"  # Thai to Hangul
    "\u3005-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_SENTENCE_END = re.compile(r"[.!?…]\s+|[。！？\n]\s*")
_SPACE = re.compile(r"\s+")


class _Found(NamedTuple):
    start: int
    end: int
    term: int


def snippet(text: str, terms: Sequence[Term], stem: Stem, max_chars: int = USUAL_CHARS) -> Pieces:
    """The best of a text, in pieces, with the words that were looked for marked. Nothing when none
    of them is in it."""
    found = _find(text, terms, stem) if max_chars > 0 else []
    if not found:
        return []
    worth = [max(0.01, term.weight) / (1 + term.documents) ** 0.25 for term in terms]
    windows = _windows(text, found, worth, max_chars)
    pieces: Pieces = [("… ", False)] if windows[0][0] > 0 else []
    for number, (start, end) in enumerate(windows):
        pieces += [(_BETWEEN, False)] if number else []
        pieces += _trimmed(_marked(text, start, end, found))
    if windows[-1][1] < len(text.rstrip()):
        pieces.append((" …", False))
    return _fitting(pieces, max_chars)


def beginning(text: str, max_chars: int = USUAL_CHARS) -> Pieces:
    """The first words of a text, where nothing better is known."""
    plain = _SPACE.sub(" ", text[: 4 * max(0, max_chars) + 100]).strip()
    if len(plain) <= max_chars:
        return [(plain, False)] if plain else []
    cut = _cut_end(plain, max(0, max_chars - 2))
    return _fitting([(plain[:cut].rstrip() + " …", False)], max_chars) if cut else []


def _find(text: str, terms: Sequence[Term], stem: Stem) -> list[_Found]:
    """Where the words stand; of a long text only as far as it takes to find each of them."""
    pattern, wanted = _pattern(terms), _wanted(terms)
    if pattern is None:
        return []
    known: dict[str, int | None] = {}
    found: list[_Found] = []
    missing = {place for place, term in enumerate(terms) if term.documents and not term.is_stop}
    for begin in range(0, min(len(text), _MOST_CHARS), _PART_CHARS):
        for match in pattern.finditer(text, begin, begin + _PART_CHARS):
            word = match.group()
            if word not in known:
                known[word] = _term_of(word, wanted, stem)
            place = known[word]
            if place is not None:
                found.append(_Found(match.start(), match.end(), place))
                missing.discard(place)
        if not missing or len(found) >= _ENOUGH_FOUND or (found and begin >= _FAR_CHARS):
            break
    return found


def _term_of(word: str, wanted: dict[str, int], stem: Stem) -> int | None:
    """Which term a word of the text is a form of."""
    if _IS_UNSPACED.match(word):
        return wanted.get(word)
    by_stem = wanted.get(stem(word))
    return wanted.get(word.lower()) if by_stem is None else by_stem


def _wanted(terms: Sequence[Term]) -> dict[str, int]:
    """Which of the terms a stem, or a word as it was written, belongs to."""
    wanted: dict[str, int] = {}
    for place, term in enumerate(terms):
        for each in (*term.stems, term.word, term.word.lower()):
            wanted.setdefault(each, place)
    return wanted


def _pattern(terms: Sequence[Term]) -> re.Pattern[str] | None:
    """Words that begin as the terms do; of the commonest words only where nothing else is."""
    telling = [term for term in terms if not term.is_stop] or list(terms)
    unspaced = [re.escape(t.word) for t in telling if t.word and _IS_UNSPACED.match(t.word)]
    begins = {_shared(term) for term in telling if not _IS_UNSPACED.match(term.word)} - {""}
    parts = sorted(unspaced, key=len, reverse=True)
    if begins:
        either = "|".join(map(re.escape, sorted(begins)))
        parts.append(rf"\b(?:{either})\w*")
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _shared(term: Term) -> str:
    """The letters that all forms of a word begin with, as far as its stems tell."""
    forms = [term.word, *term.stems]
    shared = []
    for letters in zip(*forms, strict=False):
        if len(set(letters)) > 1:
            break
        shared.append(letters[0])
    return "".join(shared)


def _windows(
    text: str, found: Sequence[_Found], worth: Sequence[float], max_chars: int
) -> list[tuple[int, int]]:
    """One window with most of the words, or two that have more of them."""
    single, value = _best(found, worth, max_chars - _ELLIPSES, set())
    covered = {each.term for each in found if single[0] <= each.start < single[1]}
    half = (max_chars - len(_BETWEEN)) // 2
    if covered != {each.term for each in found} and half >= _LEAST_WINDOW:
        first, first_value = _best(found, worth, half - _ELLIPSES, set())
        known = {each.term for each in found if first[0] <= each.start < first[1]}
        second, more = _best(found, worth, half - _ELLIPSES, known)
        apart = second[0] >= first[1] or second[1] <= first[0]
        if apart and first_value + more > value * 1.1:
            return [_placed(text, each, half) for each in sorted((first, second))]
    return [_placed(text, single, max_chars)]


def _best(
    found: Sequence[_Found], worth: Sequence[float], width: int, known: set[int]
) -> tuple[tuple[int, int], float]:
    """The stretch of at most this width whose words are worth most, beyond those known."""
    best, best_value = (found[0].start, found[0].end), -1.0
    inside: dict[int, int] = {}
    value, first = 0.0, 0
    for each in found:
        had = inside.get(each.term, 0)
        new = worth[each.term] if not had and each.term not in known else 0.0
        value += new + _REPEATED * worth[each.term]
        inside[each.term] = had + 1
        while each.end - found[first].start > width and found[first] is not each:
            gone = found[first].term
            inside[gone] -= 1
            lost = worth[gone] if not inside[gone] and gone not in known else 0.0
            value -= lost + _REPEATED * worth[gone]
            first += 1
        if value > best_value + 1e-9:
            best, best_value = (found[first].start, each.end), value
    return best, best_value


def _placed(text: str, span: tuple[int, int], width: int) -> tuple[int, int]:
    """A window around a stretch: from the sentence it stands in, or some words before it."""
    start, end = span
    spare = max(0, width - _ELLIPSES - (end - start))
    earliest = max(0, start - spare)
    ends = [match.end() for match in _SENTENCE_END.finditer(text, earliest, start)]
    if earliest == 0 and start <= spare:
        begin = 0
    elif ends:
        begin = ends[-1] if start - ends[-1] >= spare // 4 or len(ends) == 1 else ends[-2]
    else:
        begin = _cut_start(text, max(0, start - spare // 3), start)
    stop = min(len(text), max(end, begin + max(width - _ELLIPSES, end - start)))
    if stop < len(text):
        stop = max(end, _cut_end(text, stop, end))
    return begin, stop


def _cut_start(text: str, at: int, latest: int) -> int:
    """The first beginning of a word from here on."""
    while 0 < at < latest and _is_within_word(text, at):
        at += 1
    return at


def _cut_end(text: str, at: int, earliest: int = 0) -> int:
    """The last end of a word up to here."""
    end = at
    while end > earliest and end < len(text) and _is_within_word(text, end):
        end -= 1
    return end or at


def _is_within_word(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if _IS_UNSPACED.match(before) or _IS_UNSPACED.match(after):
        return False
    return (before.isalnum() or before in "'’_") and (after.isalnum() or after in "'’_")


def _marked(text: str, start: int, end: int, found: Sequence[_Found]) -> Pieces:
    inside = [each for each in found if start <= each.start and each.end <= end]
    pieces: Pieces = []
    at = start
    for each in inside:
        if each.start > at:
            pieces.append((text[at : each.start], False))
        if each.end > at:
            pieces.append((text[max(at, each.start) : each.end], True))
        at = max(at, each.end)
    pieces.append((text[at:end], False))
    return [(_SPACE.sub(" ", piece), is_word) for piece, is_word in pieces if piece]


def _trimmed(pieces: Pieces) -> Pieces:
    """Without space at the ends."""
    if pieces:
        pieces[0] = (pieces[0][0].lstrip(), pieces[0][1])
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return pieces


def _fitting(pieces: Pieces, max_chars: int) -> Pieces:
    """Neighbours of one kind as one, and not a character too many."""
    joined: Pieces = []
    left = max_chars
    for piece, is_word in pieces:
        text = piece[: max(0, left)]
        left -= len(text)
        if text and joined and joined[-1][1] == is_word:
            joined[-1] = (joined[-1][0] + text, is_word)
        elif text:
            joined.append((text, is_word))
    return joined
