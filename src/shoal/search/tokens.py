"""Of which signs does a query consist? Words, phrases, brackets and operators, left to right.

Nothing is refused: a quote that is never closed reaches to the end, a sign that stands alone is
left out and said. A sentence (it ends with a full stop or a question mark, or is long) is prose:
its dashes and capitals are no operators.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

MOST_CHARACTERS = 8192
_PROSE_WORDS = 32
_SHORT_WORDS = 4

_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u2069]"
)
_SPELLED = str.maketrans(
    dict.fromkeys("“”„‟«»＂「」『』", '"') | {"（": "(", "）": ")", "：": ":", "｜": "|"}
)
_SENTENCE = re.compile(r"[^\W\d_]\s*[.?!。？！…][\s\"')]*\Z")
_FIELD = re.compile(r"([A-Za-z]{2,16}):(?=[^\s:/)])")
_RUN = re.compile(r'[^\s"()|]+')
_WHOLE = re.compile(r"[^\s\"]+")
"""The value of a field that is an address, which may hold brackets."""
_ADDRESSES = frozenset(("link", "related", "site", "inurl", "url"))
_SIGNS = re.compile(r"[-+\u2212]+")
_OPERATORS = {"OR": "OR", "AND": "AND", "NOT": "NOT"}


class TokenKind(Enum):
    WORD = auto()
    PHRASE = auto()
    OPEN = auto()
    CLOSE = auto()
    OR = auto()
    AND = auto()
    NOT = auto()


class Token(NamedTuple):
    kind: TokenKind
    text: str = ""
    sign: str = ""
    """`+`, `-` or nothing."""
    field: str = ""
    """The name before a colon, in small letters, whether it is known or not."""


def cleaned(text: str) -> str:
    """Without what can't be seen or stored, typographic signs as plain ones, and not too long."""
    return _UNPRINTABLE.sub(" ", text[:MOST_CHARACTERS]).translate(_SPELLED).strip()


def is_prose(text: str) -> bool:
    words = text.split()
    return len(words) > _PROSE_WORDS or (
        len(words) > _SHORT_WORDS and _SENTENCE.search(text) is not None
    )


def _is_shouted(text: str) -> bool:
    """All in capitals: operators can't be told from words."""
    return len(text.split()) > _SHORT_WORDS and text == text.upper() != text.lower()


def tokens(text: str, notes: list[str]) -> Iterator[Token]:
    """The signs of a text that was `cleaned`; what was not understood is added to the notes."""
    prose = is_prose(text)
    shouted = _is_shouted(text)
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = at
        sign, at = _sign(text, at, notes, prose=prose)
        if at > start and not sign:
            continue
        token, at = _token(text, at, sign, notes)
        operator = _OPERATORS.get(token.text) if token.kind is TokenKind.WORD else None
        if operator and not (prose or shouted or sign or token.field):
            token = Token(TokenKind[operator])
        yield token


def _sign(text: str, at: int, notes: list[str], *, prose: bool) -> tuple[str, int]:
    """The sign at a place, if one begins there, and where it ends."""
    found = _SIGNS.match(text, at)
    if found is None:
        return "", at
    alone = found.end() == len(text) or text[found.end()].isspace()
    if alone and not prose:
        _note(notes, f"{found.group()} stands alone and was left out; write it before a word")
    if alone or prose or len(found.group()) > 1:
        return "", found.end()  # a dash, or an option such as --help
    return ("+" if found.group() == "+" else "-"), found.end()


def _token(text: str, at: int, sign: str, notes: list[str]) -> tuple[Token, int]:
    field = ""
    if named := _FIELD.match(text, at):
        field, at = named[1].lower(), named.end()
    begins = text[at]
    if begins == '"':
        end = text.find('"', at + 1)
        if end < 0:
            _note(notes, "a quotation mark is never closed; it reaches to the end")
            end = len(text)
        return Token(TokenKind.PHRASE, text[at + 1 : end].strip(), sign, field), end + 1
    if begins in "()|":
        kind = {"(": TokenKind.OPEN, ")": TokenKind.CLOSE, "|": TokenKind.OR}[begins]
        return Token(kind, begins, sign, field), at + 1
    run = (_WHOLE if field in _ADDRESSES else _RUN).match(text, at)
    end = run.end() if run else at + 1
    return Token(TokenKind.WORD, text[at:end], sign, field), end


def _note(notes: list[str], said: str) -> None:
    if said not in notes:
        notes.append(said)
