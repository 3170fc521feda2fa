"""What was found out about a page by computing, how is it kept, and by which words is it found?

What a person says of a page (`shoal mark`) is one value for a name. What is computed may have many:
they stand in the one cell of their name, a line each, with numbers behind tabs: how sure it is,
from 0 to 1, then a count. The index has them as marks, `class=science/biology`, and a query asks
for such marks: both are made here, so that they are the same.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

CLASS, TREE, TOPIC, PERSON, PLACE, ORG = ("class", "tree", "topic", "person", "place", "org")
COMPUTED = (CLASS, TREE, TOPIC, PERSON, PLACE, ORG)
PATHS = (CLASS, TREE)
"""Their values are ways down a tree: what is asked for finds all below it."""
_NAMES = (PERSON, PLACE, ORG)
"""Their values are also found by each of their words."""
MOST_VALUES = 64
"""Of one name."""
MOST_LEVELS = 12
MOST_WAYS = 500
"""Of a tree, that are counted for one search."""
VALUE_CHARS = 200
_MOST_NUMBERS = 4
_WORD = re.compile(r"\w+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class Value(NamedTuple):
    text: str
    chance: float = 1.0
    """How sure it is, from 0 to 1."""
    times: int = 0
    """How often it stands there; 0 where that means nothing."""


def joined(values: Iterable[Value]) -> str:
    """As the cell keeps them; what is empty or comes again is left out."""
    lines: dict[str, str] = {}
    for value in values:
        text = plain(value.text)
        if text and len(lines) < MOST_VALUES:
            times = f"\t{value.times}" if value.times > 0 else ""
            lines.setdefault(text, f"{text}\t{min(1.0, max(0.0, value.chance)):.2f}{times}")
    return "\n".join(lines.values())


def values(text: str) -> list[Value]:
    """What `joined` made; whatever else it may be, this gives values."""
    return [_value(line) for line in text.split("\n")[:MOST_VALUES] if line]


def _value(line: str) -> Value:
    text, *numbers = line.split("\t")[: _MOST_NUMBERS + 1]
    try:
        chance = float(numbers[0]) if numbers else 1.0
        times = int(numbers[1]) if numbers[1:] else 0
    except ValueError:
        return Value(text)
    return Value(text, min(1.0, max(0.0, chance)), max(0, times))


def shown(text: str) -> dict[str, float]:
    """For people and programs: each value with its chance."""
    return {each.text: each.chance for each in values(text)}


def plain(text: str) -> str:
    """One line without signs that nobody sees."""
    return " ".join(_CONTROL.sub(" ", text).split())[:VALUE_CHARS].strip()


def marks_of(name: str, text: str) -> list[str]:
    """The marks by which a value is found, of what a cell holds."""
    if name not in COMPUTED:
        return [f"{name}={text}"]
    known = values(text)
    found = dict.fromkeys(word for each in known for word in (each.text, *_words(name, each.text)))
    return [f"{name}={word}" for word in found]


def asked_marks(name: str, value: str) -> list[str]:
    """The marks that a page must have which is asked for by `class:value` and the like; all of
    them."""
    word = folded(value)
    if name in PATHS:
        word = word.strip("/")
    return [f"{name}={word}"] if word else []


def facet_values(name: str, text: str) -> list[str]:
    """What is counted of a cell: the values as they are written, of a tree with all above them."""
    found = dict.fromkeys(
        step
        for each in values(text)
        for step in (ways(each.text) if name in PATHS else [each.text])
    )
    return list(found)


def ways(path: str) -> list[str]:
    """A way down a tree, and all above it, from the top."""
    parts = [part for part in path.split("/") if part][:MOST_LEVELS]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def folded(text: str) -> str:
    """Without capitals and accents: nobody remembers those of a name."""
    apart = unicodedata.normalize("NFKD", plain(text).casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _words(name: str, value: str) -> Iterator[str]:
    whole = folded(value)
    if name in PATHS:
        yield from ways(whole)
        return
    yield whole
    if name in _NAMES:
        yield from _WORD.findall(whole)
