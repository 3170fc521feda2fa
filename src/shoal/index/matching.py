"""How is a query put to tantivy? Its tree of parts as tantivy's tree of queries.

Words that should stand in a document are one flat union of stems in fields, each with its boost.
How many of them must stand there? One: the score decides, so that a long question finds something,
and a document with all the words is ahead of others. A stop word is left out where there is another
word; in a phrase it counts like any. Words that stand beside each other as they do in the query
score a little more.

Nothing raises, whatever the tree: parts beyond the limits are left out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Protocol, TypeGuard

from shoal.index.analysis import Token, tokens
from shoal.index.fields import MEMBER, PAGE, PHRASE_FIELDS, WORD_FIELDS, FieldWeights
from shoal.index.filters import Filters, all_of, any_of
from shoal.index.lengths import Scored
from shoal.index.native import NativeQuery, Occur, Schema
from shoal.index.terms import Known, Lexicon
from shoal.index.text_stems import hash_of
from shoal.model.candidate import Term
from shoal.model.query import AllOf, Clause, Dated, Is, OneOf, Phrase, Query, QueryPart, Rows, Word
from shoal.model.query import Occur as Asked
from shoal.model.words.words import language_of

MOST_WORDS = 128
"""Different ones."""
MOST_REPEATS = 512
MOST_PARTS = 256
MOST_DEPTH = 8
_NEAR_FIELDS = ("title", "content")
_SLOP = 1
_FARTHEST = 3
"""Two words with more than this between them, counted in stop words, are no pair."""
_NEAR_WEIGHT = 0.3
_MOST_PAIRS = 12
POINTS = 32
"""What is worth 1, where scores are whole numbers (exact_hits.py)."""
_MOST_POINTS = 4000
"""For one thing: all that may be asked for together is less than 2^24, up to which every whole
number is one that a score may be."""
_MOST_NAME_WORDS = 12


class Place(Protocol):
    """The index that a query is put to."""

    def count(self, field: str, stem: str) -> int: ...

    def scale(self, field: str, stems: Iterable[str]) -> float: ...


class Matching:
    """Makes the queries of one search."""

    def __init__(
        self, schema: Schema, place: Place, lexicon: Lexicon, weights: FieldWeights
    ) -> None:
        """The lexicon may know more documents than there are in this place."""
        self._schema = schema
        self._place = place
        self._filters = Filters(schema)
        self._lexicon = lexicon
        self._weights = weights
        self._parts_left = MOST_PARTS
        self._words_left = MOST_WORDS
        self._repeats_left = MOST_REPEATS
        self._counted: Counter[str] = Counter()
        self._known: dict[str, Known] = {}
        self._pairs: list[tuple[Token, Token]] = []
        self._asked: list[Token] = []
        self._scored: list[tuple[str, str, float]] = []
        self.has_words = False
        """Whether there is anything to score by."""

    def terms(self) -> list[Term]:
        """The words that are not negated, in the order of the query."""
        return [known.term(self._counted[text]) for text, known in self._known.items()]

    def scored(self) -> list[Scored]:
        """By which words a document is scored, in which fields; phrases not among them."""
        places = {text: place for place, text in enumerate(self._known)}
        return [Scored(places[text], field, worth) for text, field, worth in self._scored]

    def query(self, query: Query) -> NativeQuery | None:
        """None when nothing is looked for."""
        clauses = query.clauses[:MOST_PARTS]
        should = [each.part for each in clauses if each.occur is Asked.SHOULD]
        union = self._loose([part for part in should if _is_loose(part)])
        more = [self._part(part, 0) for part in should if not _is_loose(part)]
        union += [each for each in more if each is not None]
        must = [each.part for each in clauses if each.occur is Asked.MUST]
        required = [each for part in must if (each := self._part(part, 0)) is not None]
        says_words = any(_has_words(part, 0) for part in must)
        self.has_words = bool(union) or says_words
        negated = list(self._negated(clauses))
        if not union and not required and not negated:
            return None
        wanted = [(Occur.Must, each) for each in required]
        if not union and not required:
            everything = NativeQuery.term_set_query(self._schema, "kind", [PAGE, MEMBER])
            wanted.append((Occur.Must, everything))  # but what is negated
        if union:
            # Where only filters are required, at least one of the words is too.
            wanted.append((Occur.Should if says_words else Occur.Must, any_of(union)))
        wanted += [(Occur.MustNot, each) for each in negated]
        return wanted[0][1] if len(wanted) == 1 else NativeQuery.boolean_query(wanted)

    def _negated(self, clauses: Sequence[Clause]) -> Iterable[NativeQuery]:
        """What must not be there is none of the query's terms."""
        kept, self._known = self._known, {}
        counted, self._counted = self._counted, Counter()
        scored, self._scored = self._scored, []
        for clause in clauses:
            if clause.occur is Asked.NOT and (each := self._part(clause.part, 0)) is not None:
                yield each
        self._known, self._counted, self._scored = kept, counted, scored

    # Words

    def _loose(self, parts: Sequence[Word]) -> list[NativeQuery]:
        """Plain words: a union of terms, without stop words where there are others."""
        found = [token for part in parts for token in self._take(part.text)]
        known = [self._note(token) for token in found]
        self._asked = found
        beside = [(at, each) for at, each in enumerate(known) if not each.is_stop]
        self._pairs = [
            (one.token._replace(position=at), two.token._replace(position=then))
            for (at, one), (then, two) in islice(pairwise(beside), _MOST_PAIRS)
            if then - at <= _FARTHEST
        ]
        telling = {each.token.text: each for each in known if not each.is_stop}
        chosen = telling or {each.token.text: each for each in known}
        queries = [
            each
            for text, one in chosen.items()
            for each in self._term_queries(one, WORD_FIELDS, self._counted[text])
        ]
        return queries or ([NativeQuery.empty_query()] if known else [])

    def names(self) -> list[bytes]:
        """The plain words as a whole, as a document would be called: by their hashes."""
        if not 0 < len(self._asked) <= _MOST_NAME_WORDS:
            return []
        ways = (*self._lexicon.languages, "")
        texts = [" ".join(self._lexicon.stem(each, way) for each in self._asked) for way in ways]
        return [hash_of(text) for text in dict.fromkeys(texts)]

    def with_nearness(self, wanted: NativeQuery) -> NativeQuery:
        """Scores words a little more that stand beside each other, or nearly, as in the query."""
        found = [
            each for pair in self._pairs for each in self._phrase_queries(pair, _NEAR_FIELDS, _SLOP)
        ]
        if not found:
            return wanted
        near = any_of(found)
        if not self._lexicon.is_restricted:  # otherwise they have few points
            near = NativeQuery.boost_query(near, _NEAR_WEIGHT)
        return NativeQuery.boolean_query([(Occur.Must, wanted), (Occur.Should, near)])

    def _take(self, text: str) -> list[Token]:
        found = tokens(text, self._repeats_left)
        self._repeats_left -= len(found)
        new = dict.fromkeys(token.text for token in found if token.text not in self._known)
        if len(new) <= self._words_left:
            self._words_left -= len(new)
            return found
        room = set(list(new)[: self._words_left])
        self._words_left = 0
        return [token for token in found if token.text in self._known or token.text in room]

    def _note(self, token: Token) -> Known:
        known = self._lexicon.look_up(token)
        self._known.setdefault(token.text, known)
        self._counted[token.text] += 1
        return known

    def _term_queries(
        self, known: Known, fields: Iterable[str], times: float = 1.0
    ) -> list[NativeQuery]:
        rarity = self._lexicon.rarity(known.documents)
        found = []
        for field in fields:
            worth = times * self._weights.of(field) * rarity
            if worth <= 0.0:
                continue
            self._scored.append((known.token.text, field, worth))
            if self._lexicon.is_restricted:
                found.append(_points([self._has(field, stem.text) for stem in known.stems], worth))
                continue
            for stem in known.stems:
                if not self._place.count(field, stem.text):
                    continue
                own = self._lexicon.rarity(stem.documents.get(field, 0))
                boost = worth / own * self._place.scale(field, (stem.text,))
                query = NativeQuery.term_query(self._schema, field, stem.text)
                found.append(NativeQuery.boost_query(query, boost))
        return found

    def _said(self, part: Word | Phrase) -> NativeQuery | None:
        """What is one word for people may be several here (`near-duplicate`, 東京大学)."""
        found = self._take(part.text)
        if len(found) > 1:
            return self._phrase_of(found, part.field)
        fields = (part.field,) if part.field in WORD_FIELDS else WORD_FIELDS
        return any_of(self._term_queries(self._note(found[0]), fields)) if found else None

    def _phrase_of(self, found: Sequence[Token], field: str) -> NativeQuery:
        """The words beside each other, all stemmed under one language."""
        for token in found:
            self._note(token)
        fields = (field,) if field in PHRASE_FIELDS else PHRASE_FIELDS
        return any_of(self._phrase_queries(found, fields, 0))

    def _phrase_queries(
        self, found: Sequence[Token], fields: Iterable[str], slop: int
    ) -> list[NativeQuery]:
        first = found[0].position
        ways = dict.fromkeys(
            tuple((token.position - first, self._lexicon.stem(token, language)) for token in found)
            for language in (*self._lexicon.languages, "")
        )
        if self._lexicon.is_restricted:
            return self._phrase_points(found, list(ways), fields, slop)
        return [
            NativeQuery.boost_query(
                NativeQuery.phrase_query(self._schema, field, list(way), slop),
                weight * self._place.scale(field, [stem for _, stem in way]),
            )
            for way in ways
            for field in fields
            if (weight := self._weights.of(field)) > 0.0
            and all(self._place.count(field, stem) for _, stem in way)
        ]

    def _phrase_points(
        self,
        found: Sequence[Token],
        ways: Sequence[Sequence[tuple[int, str]]],
        fields: Iterable[str],
        slop: int,
    ) -> list[NativeQuery]:
        known = (self._lexicon.look_up(token) for token in found)
        rarity = sum(self._lexicon.rarity(each.documents) for each in known)
        rarity *= _NEAR_WEIGHT if slop else 1.0
        return [
            _points(
                [NativeQuery.phrase_query(self._schema, field, [*way], slop) for way in ways],
                weight * rarity,
            )
            for field in fields
            if (weight := self._weights.of(field)) > 0.0
        ]

    def _has(self, field: str, stem: str) -> NativeQuery:
        return NativeQuery.term_query(self._schema, field, stem, "basic")

    # Parts of the tree

    def _part(self, part: QueryPart, depth: int) -> NativeQuery | None:
        self._parts_left -= 1
        if depth > MOST_DEPTH or self._parts_left < 0:
            return None
        match part:
            case Word() | Phrase():
                return self._said(part)
            case Is():
                return self._filters.has_value(part)
            case Dated():
                return self._filters.dated(part)
            case Rows():
                return self._filters.rows(part)
            case OneOf() | AllOf():
                parts = [self._part(each, depth + 1) for each in part.parts[:MOST_PARTS]]
                found = [each for each in parts if each is not None]
                if not found:
                    return None
                return any_of(found) if isinstance(part, OneOf) else all_of(found)


def asked_languages(query: Query) -> list[str]:
    """Of a `lang:` clause."""
    return [
        language_of(clause.part.value)
        for clause in query.clauses[:MOST_PARTS]
        if clause.occur is Asked.MUST
        and isinstance(clause.part, Is)
        and clause.part.field == "language"
    ][:1]


def _points(one_of: Sequence[NativeQuery], worth: float) -> NativeQuery:
    """A whole number, however many of them match."""
    points = max(1, min(_MOST_POINTS, round(worth * POINTS)))
    return NativeQuery.const_score_query(any_of(one_of), float(points))


def _is_loose(part: QueryPart) -> TypeGuard[Word]:
    return isinstance(part, Word) and not part.field


def _has_words(part: QueryPart, depth: int) -> bool:
    if isinstance(part, OneOf | AllOf):
        return depth <= MOST_DEPTH and any(_has_words(each, depth + 1) for each in part.parts)
    return isinstance(part, Word | Phrase)
