"""Whom does a text name? People, places and organisations, each as one thing in its document.

The compiled module (_names.c) finds where names stand, sentence by sentence. What follows from the
whole document is settled here: the same words are of one kind, the kind that most places speak for;
a single word that is part of a person's name means the person who was last called by it in full.
Only languages that have a model are read. Without the compiled module nothing is found.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from shoal.model.words.marks import ORG, PERSON, PLACE, Value, joined
from shoal.naming.not_names import Code, is_refused

native: ModuleType | None
try:
    from shoal.naming import _names

    native = _names
except ImportError:  # no compiler was at hand
    native = None

KINDS = (PERSON, PLACE, ORG)
MODELS = {"en": "english.bin"}
"""The languages that have one."""
MOST_CHARS = 300_000
"""Of a text, that are read."""
MOST_NAMES = 40
"""Of a kind and a document, that are kept: those that are named most often and most surely."""
LEAST_CONFIDENCE = 0.5
"""Of a name that is kept: what was seen less surely in all its places is left out."""
_BIAS = 0.5
"""Against no name: as many are missed as are wrong."""
_NAME_CHARS = 100
_MOST_WORDS = 12
_SPACE = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")
_NO_NAME = re.compile(r"[@#/\\<>{}|\[\]]|^www\.|^https?:", re.IGNORECASE)
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof)\b\.?\s+(?=\w)", re.IGNORECASE)
_ENDING = re.compile(r"['’]s$|['’]$")


class Named(NamedTuple):
    """One place where something is named."""

    start: int
    end: int
    kind: str
    name: str
    """Whom or what: of a person the full name, where the document has it."""
    confidence: float


def can_read(language: str) -> bool:
    """Whether names are found in texts of a language."""
    return native is not None and _code(language) in MODELS


def named_in(text: str, language: str = "en") -> list[Named]:
    """Every place where somebody or something is named, in the order of the text."""
    if not can_read(language):
        return []
    text = text[:MOST_CHARS]
    found = _model(_code(language)).spans(text, True, _BIAS)
    code = Code(text if found else "")
    places = [
        Named(start, end, KINDS[kind], name, confidence)
        for start, end, kind, confidence in found
        if (name := _plain(text[start:end], KINDS[kind])) and not code.has(name, KINDS[kind])
    ]
    full = list(_in_full(_of_one_kind(places)))
    return [each for each in full if not (code.is_shown and _is_half(each))]


def marker() -> Callable[[str, str], list[tuple[str, str]]]:
    """`marks_of`, with all models read: who locks itself in can open no file later."""
    for code in MODELS:
        if can_read(code):
            _model(code)
    return marks_of


def marks_of(text: str, language: str) -> list[tuple[str, str]]:
    """The marks of a document, by name, as its row keeps them; empty where it names nobody or is in
    a language without a model, so that what it named before is forgotten."""
    names: dict[str, dict[str, list[Named]]] = {kind: {} for kind in KINDS}
    for each in named_in(text, language):
        names[each.kind].setdefault(each.name.casefold(), []).append(each)
    return [(kind, joined(_best(of_kind.values()))) for kind, of_kind in names.items()]


def _best(names: Iterable[list[Named]]) -> list[Value]:
    values = [
        Value(places[0].name, max(each.confidence for each in places), len(places))
        for places in names
    ]
    sure = [value for value in values if value.chance >= LEAST_CONFIDENCE]
    return sorted(sure, key=lambda value: (-value.times * value.chance, value.text))[:MOST_NAMES]


def _of_one_kind(places: list[Named]) -> list[Named]:
    votes: dict[str, dict[str, float]] = {}
    for each in places:
        own = votes.setdefault(each.name.casefold(), {})
        own[each.kind] = own.get(each.kind, 0.0) + each.confidence
    kinds = {name: max(own, key=lambda kind: own[kind]) for name, own in votes.items()}
    return [each._replace(kind=kinds[each.name.casefold()]) for each in places]


def _in_full(places: list[Named]) -> Iterator[Named]:
    """`Smith` after `Ann Smith` is Ann Smith."""
    called: dict[str, str] = {}
    for each in places:
        words = each.name.casefold().split()
        if each.kind == PERSON and len(words) > 1:
            called[words[0]] = called[words[-1]] = each.name
        full = called.get(each.name.casefold(), "") if each.kind == PERSON else ""
        yield each._replace(name=full) if full else each


def _is_half(each: Named) -> bool:
    """A word taken for a person whom nothing calls in full: where there is code, mostly its own."""
    return each.kind == PERSON and " " not in each.name


def _plain(text: str, kind: str) -> str:
    """A name as it is kept; empty for what can be none."""
    text = text[: _NAME_CHARS + 1]
    if title := _TITLE.match(text):
        if kind != PERSON and " of " in text:
            return ""  # somebody of an organisation, taken for one thing
        text = text[title.end() :] if kind == PERSON else text
    name = _ENDING.sub("", _SPACE.sub(" ", text).strip())
    is_name = 1 < len(name) <= _NAME_CHARS and name.count(" ") < _MOST_WORDS
    is_name = is_name and bool(_LETTER.search(name)) and not _NO_NAME.search(name)
    return name if is_name and not is_refused(name, kind) else ""


def _code(language: str) -> str:
    return re.split("[-_]", language.strip().lower(), maxsplit=1)[0]


@cache
def _model(code: str) -> "_names.Model":
    return _names.Model(Path(__file__).with_name(MODELS[code]).read_bytes())
