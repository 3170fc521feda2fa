"""What is looked for? A line of text read as a query, as far as it can be understood.

    query  = unit { [OR | AND] unit }           OR binds its two neighbours, `|` is the same
    unit   = [+ | - | NOT] [field:] ( word | "phrase" | "(" query ")" )

There is no wrong query: what is not understood is read as words and said in the notes. A plain
word should stand in a page, a phrase or a field must. Words and depth are bounded, so a text of any
length costs a bounded search. Pure: what a page's links and words are is asked of `Pages`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from shoal.model.query import (
    AllOf,
    Clause,
    Is,
    Occur,
    OneOf,
    Phrase,
    Query,
    QueryPart,
    Rows,
    Word,
)
from shoal.search.fields import FILTERS, TEXT_FIELDS, dated, restriction
from shoal.search.tokens import MOST_CHARACTERS, Token, TokenKind, cleaned, is_prose, tokens

MOST_WORDS = 128
"""Different ones; a question that is pasted from a text has up to a hundred."""
MOST_REPEATS = 512
_MOST_DEPTH = 8
_MOST_RELATED = 24
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_CLIPPED = re.compile(r"\A\w['’]|['’]\w\Z")
"""The letter that is no word of its own: library's, l'avion."""


class Like(NamedTuple):
    """A page, and the words that tell it from others."""

    row: bytes
    words: Sequence[str]


class Pages(Protocol):
    """What the parser asks of a collection."""

    def linking_to(self, url: str) -> Sequence[bytes]: ...

    def like(self, url: str) -> Like | None: ...


def parse(text: str, now: float, pages: Pages | None = None) -> Query:
    notes: list[str] = []
    if len(text) > MOST_CHARACTERS:
        notes.append(f"only the first {MOST_CHARACTERS:,} characters were read")
    plain = cleaned(text)
    reader = _Reader(list(tokens(plain, notes)), notes, now, pages, prose=is_prose(plain))
    clauses = _merged(reader.query())
    if clauses and all(each.occur is Occur.NOT for each in clauses):
        notes.append("only what is not wanted is named: everything else was looked for")
    return Query(tuple(clauses), tuple(notes), text[:MOST_CHARACTERS])


class _Reader:
    """Reads the tokens once, from left to right."""

    def __init__(
        self, found: list[Token], notes: list[str], now: float, pages: Pages | None, *, prose: bool
    ) -> None:
        self._tokens = found
        self._at = 0
        self._notes = notes
        self._now = now
        self._pages = pages
        self._prose = prose
        self._words: set[str] = set()
        self._repeats = 0

    def query(self) -> list[Clause]:
        clauses: list[Clause] = []
        while self._at < len(self._tokens):  # a bracket too many ends a group, not the query
            clauses += self._group("", depth=0)
        return clauses

    def _group(self, field: str, depth: int) -> list[Clause]:
        """Up to the bracket that closes it, or the end."""
        units: list[list[Clause]] = []
        joint: TokenKind | None = None
        refused, closed = "", False
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.kind is TokenKind.CLOSE:
                closed = True
                break
            if token.kind in (TokenKind.OR, TokenKind.AND):
                if not units:
                    self._lone(token.kind)
                joint = token.kind if units else None
                continue
            if token.kind is TokenKind.NOT:
                refused = "-"
                continue
            if refused:
                token, refused = token._replace(sign=refused), ""
            unit = self._unit(token, field, depth)
            if not unit:
                continue
            if joint is not None:
                unit = self._joined(joint, units.pop(), unit)
                joint = None
            units.append(unit)
        if joint is not None or refused:
            self._lone(joint or TokenKind.NOT)
        if closed != (depth > 0):
            self._note("a bracket has no partner; it was left out")
        return [clause for unit in units for clause in unit]

    def _unit(self, token: Token, field: str, depth: int) -> list[Clause]:
        if token.field and token.field not in TEXT_FIELDS and token.field not in FILTERS:
            return self._unknown(token)
        if token.kind is TokenKind.OPEN:
            inner = self._nested(TEXT_FIELDS.get(token.field, field), depth)
            return _signed(inner, token.sign)
        if token.field in FILTERS:
            return self._filter(token)
        return self._text(token, TEXT_FIELDS.get(token.field, field))

    def _nested(self, field: str, depth: int) -> list[Clause]:
        if depth < _MOST_DEPTH:
            return self._group(field, depth + 1)
        self._note(f"brackets within brackets, more than {_MOST_DEPTH} deep, were left out")
        return []

    def _text(self, token: Token, field: str) -> list[Clause]:
        """Words and phrases. A word of several parts is one unit where an operator is meant for
        all of it: then a phrase."""
        if token.text.endswith(":") and token.text[:-1].lower() in FILTERS:
            self._note(f"nothing stands behind {token.text}; write it without a space")
        words = self._admitted(token.text)
        if not words:
            return []
        occur = _OCCUR[token.sign]
        if token.kind is TokenKind.PHRASE and len(words) > 1:
            should = self._prose and not token.sign
            part = Phrase(" ".join(words), field)
            return [Clause(Occur.SHOULD if should else occur or Occur.MUST, part)]
        if token.kind is TokenKind.PHRASE and not self._prose:
            occur = occur or Occur.MUST  # a quoted word is meant as it stands
        if field or occur:
            part_ = Phrase(" ".join(words), field) if len(words) > 1 else Word(words[0], field)
            return [Clause(occur or Occur.MUST, part_)]
        return [Clause(Occur.SHOULD, Word(word)) for word in words]

    def _admitted(self, text: str) -> list[str]:
        """The words of a text, as long as there is room for them."""
        admitted = []
        for word in words_of(text):
            key = word.lower()
            known = key in self._words
            if self._repeats >= MOST_REPEATS or (not known and len(self._words) >= MOST_WORDS):
                self._note(f"only the first {MOST_WORDS} words were looked for")
                break
            self._words.add(key)
            self._repeats += 1
            admitted.append(word)
        return admitted

    def _unknown(self, token: Token) -> list[Clause]:
        self._note(f"{token.field}: is no field; it was read as words")
        plain = token._replace(field="")
        after = self._nested("", _MOST_DEPTH - 1) if token.kind is TokenKind.OPEN else []
        value = [] if token.kind is TokenKind.OPEN else self._text(plain, "")
        return [*self._text(Token(TokenKind.WORD, token.field), ""), *value, *after]

    def _filter(self, token: Token) -> list[Clause]:
        name, value = FILTERS[token.field], token.text.strip("'<>")
        occur = Occur.NOT if token.sign == "-" else Occur.MUST
        if name == "links":
            return self._linking(value, occur)
        if name == "related":
            return self._related(value)
        if name in ("before", "after"):
            date = dated(name, value, self._now)
            if date is None:
                says = "2024, 2024-05, 2024-05-01 or 7d"
                return self._not_understood(f"{token.field}:{value} is no date ({says})")
            return [Clause(occur, date)]
        parts = restriction(name, value)
        if not parts:
            return self._not_understood(f"{token.field}:{value} names nothing")
        return [Clause(occur, parts[0] if len(parts) == 1 else AllOf(parts))]

    def _linking(self, url: str, occur: Occur) -> list[Clause]:
        rows = tuple(self._pages.linking_to(url)) if self._pages else ()
        if not rows:
            self._note(f"no page that links to {url} is known")
        return [Clause(occur, Rows(rows))]

    def _related(self, url: str) -> list[Clause]:
        like = self._pages.like(url) if self._pages else None
        if like is None:
            self._note(f"{url} is not in the collection, so nothing can be related to it")
            return [Clause(Occur.MUST, Rows(()))]
        words = [Clause(Occur.SHOULD, Word(word)) for word in like.words[:_MOST_RELATED]]
        return [*words, Clause(Occur.NOT, Rows((like.row,)))]

    def _joined(self, joint: TokenKind, before: list[Clause], after: list[Clause]) -> list[Clause]:
        if joint is TokenKind.AND:
            return [_must(clause) for clause in (*before, *after)]
        either = (*before, *after)
        if any(clause.occur is Occur.NOT for clause in either):
            self._note("OR beside something that is not wanted was left out")
            return list(either)
        first = _one(before)
        parts = first.parts if isinstance(first, OneOf) else (first,)
        is_must = all(clause.occur is Occur.MUST for clause in either)
        return [Clause(Occur.MUST if is_must else Occur.SHOULD, OneOf((*parts, _one(after))))]

    def _lone(self, operator: TokenKind) -> None:
        self._note(f"{operator.name} needs something on both sides; it was left out")

    def _not_understood(self, said: str) -> list[Clause]:
        self._note(f"{said}; it was left out")
        return []

    def _note(self, said: str) -> None:
        if said not in self._notes and len(self._notes) < _MOST_NOTES:
            self._notes.append(said if len(said) <= _LONGEST_NOTE else f"{said[:_LONGEST_NOTE]}…")


_MOST_NOTES = 8
_LONGEST_NOTE = 300
_OCCUR: dict[str, Occur | None] = {"+": Occur.MUST, "-": Occur.NOT, "": None}


def words_of(text: str) -> Iterator[str]:
    """The words of a text, each without the letter that an apostrophe clips off."""
    for found in _WORD.finditer(text):
        whole = _CLIPPED.sub("", found.group())
        yield from (part for part in re.split("['’]", whole) if part.strip("_"))


def _signed(inner: list[Clause], sign: str) -> list[Clause]:
    """What a sign before a bracket means for what stands within."""
    if not inner or not sign:
        return inner
    if sign == "-":
        wanted = tuple(clause.part for clause in inner if clause.occur is not Occur.NOT)
        return (
            [Clause(Occur.NOT, OneOf(wanted) if len(wanted) > 1 else wanted[0])] if wanted else []
        )
    return [_must(clause) for clause in inner]


def _must(clause: Clause) -> Clause:
    return clause if clause.occur is Occur.NOT else Clause(Occur.MUST, clause.part)


def _one(clauses: Sequence[Clause]) -> QueryPart:
    """What stands on one side of an OR."""
    if len(clauses) == 1:
        return clauses[0].part
    return AllOf(tuple(clause.part for clause in clauses))


def _merged(clauses: Sequence[Clause]) -> list[Clause]:
    """Two sites, or two types, mean either of them: no page is of both."""
    filters: dict[str, list[QueryPart]] = {}
    rest: list[Clause] = []
    for clause in clauses:
        part = clause.part
        if clause.occur is Occur.MUST and isinstance(part, Is) and part.field != "mark":
            filters.setdefault(part.field, []).append(part)
        else:
            rest.append(clause)
    either = [OneOf(tuple(same)) if len(same) > 1 else same[0] for same in filters.values()]
    return [*rest, *(Clause(Occur.MUST, part) for part in either)]
