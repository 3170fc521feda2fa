"""The query language: everything is understood as far as possible, and nothing is an error."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.query import AllOf, Clause, Dated, Is, Occur, OneOf, Phrase, Query, Rows, Word
from shoal.search.dates import moment
from shoal.search.parse import MOST_REPEATS, MOST_WORDS, Like, parse

NOW = 1_700_000_000.0  # 2023-11-14
DAY = 86_400.0
MUST, SHOULD, NOT = Occur.MUST, Occur.SHOULD, Occur.NOT


class Pages:
    def linking_to(self, url: str) -> Sequence[bytes]:
        return [b"row 1", b"row 2"] if url == "http://reef.example/" else []

    def like(self, url: str) -> Like | None:
        return Like(b"own", ["coral", "polyp"]) if url == "http://reef.example/" else None


def read(text: str) -> list[tuple[Occur, object]]:
    return [(clause.occur, clause.part) for clause in parse(text, NOW, Pages()).clauses]


def notes(text: str) -> str:
    return "; ".join(parse(text, NOW, Pages()).notes)


def should(*words: str) -> list[tuple[Occur, object]]:
    return [(SHOULD, Word(word)) for word in words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("coral reef", should("coral", "reef")),
        ('"great barrier" reef', [(MUST, Phrase("great barrier")), (SHOULD, Word("reef"))]),
        ("“great barrier”", [(MUST, Phrase("great barrier"))]),
        ('"coral"', [(MUST, Word("coral"))]),
        ("+coral -reef", [(MUST, Word("coral")), (NOT, Word("reef"))]),
        ("coral NOT reef", [(SHOULD, Word("coral")), (NOT, Word("reef"))]),
        ("coral AND reef", [(MUST, Word("coral")), (MUST, Word("reef"))]),
        ('-"coral reef"', [(NOT, Phrase("coral reef"))]),
        ("-sea-horse", [(NOT, Phrase("sea horse"))]),
        ("sea-horse", should("sea", "horse")),
        ("diver's l'océan", should("diver", "océan")),
        ("--help", should("help")),
    ],
)
def test_words_phrases_and_signs(text: str, expected: list[tuple[Occur, object]]) -> None:
    assert read(text) == expected


def test_or_binds_its_neighbours() -> None:
    either = OneOf((Word("coral"), Word("kelp")))
    assert read("coral OR kelp reef") == [(SHOULD, either), (SHOULD, Word("reef"))]
    assert read("coral|kelp") == [(SHOULD, either)]
    assert read("猫 OR 犬") == [(SHOULD, OneOf((Word("猫"), Word("犬"))))]
    three = OneOf((Word("a"), Word("b"), Word("c")))
    assert read("a OR b OR c") == [(SHOULD, three)]


def test_brackets() -> None:
    assert read("(coral reef)") == should("coral", "reef")
    both = AllOf((Word("coral"), Word("reef")))
    assert read("(coral reef) OR kelp") == [(SHOULD, OneOf((both, Word("kelp"))))]
    assert read("+(coral reef)") == [(MUST, Word("coral")), (MUST, Word("reef"))]
    assert read("-(coral reef)") == [(NOT, OneOf((Word("coral"), Word("reef"))))]
    assert read("title:(coral reef)") == [
        (MUST, Word("coral", "title")),
        (MUST, Word("reef", "title")),
    ]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("intitle:coral", Word("coral", "title")),
        ('inurl:"sea horse"', Phrase("sea horse", "url")),
        ("inanchor:coral", Word("coral", "anchor")),
        ("heading:coral", Word("coral", "headings")),
        ("site:Reef.example", Is("site", "reef.example")),
        ("site:https://reef.example/", Is("site", "reef.example")),
        ("filetype:.PDF", Is("type", "pdf")),
        ("lang:de-AT", Is("language", "de")),
        ("source:seed", Is("source", "seed")),
        ("mark:topic=Coral", Is("mark", "topic=Coral")),
        ("from:Ann", Is("mark", "mail.from=ann")),
        ("sender:ann@example.org", Is("mark", "mail.from=ann@example.org")),
        (
            'to:"Bob Ray"',
            AllOf((Is("mark", "mail.to=bob"), Is("mark", "mail.to=ray"))),
        ),
        ("has:attachment", Is("mark", "mail.has=attachment")),
        ('folder:"Old Taxes"', Is("mark", "mail.folder=old taxes")),
        ("thread:<a@example.org>", Is("mark", "mail.thread=a@example.org")),
        ("subject:invoice", Word("invoice", "title")),
        ("after:2024-05", Dated(after=1_714_521_600.0)),
        ("before:7d", Dated(before=NOW - 7 * DAY)),
        ("link:http://reef.example/", Rows((b"row 1", b"row 2"))),
    ],
)
def test_fields(text: str, part: object) -> None:
    assert read(text) == [(MUST, part)]
    assert read(f"-{text}") == [(NOT, part)]


def test_a_site_with_a_path() -> None:
    below = AllOf((Is("site", "reef.example"), Phrase("a b", "url")))
    assert read("site:reef.example/a/b") == [(MUST, below)]


def test_two_sites_are_either() -> None:
    either = OneOf((Is("site", "a.example"), Is("site", "b.example")))
    assert read("site:a.example site:b.example") == [(MUST, either)]
    assert len(read("mark:a=1 mark:b=2")) == 2


def test_related_pages_have_its_words_and_are_not_it() -> None:
    found = read("related:http://reef.example/")
    assert found == [*should("coral", "polyp"), (NOT, Rows((b"own",)))]
    assert read("related:http://other.example/") == [(MUST, Rows(()))]
    assert "not in the collection" in notes("related:http://other.example/")


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ('"coral reef', None, "never closed"),
        ("coral )", ["coral"], "bracket"),
        ("(coral", ["coral"], "bracket"),
        ("coral OR", ["coral"], "OR needs something"),
        ("OR coral", ["coral"], "OR needs something"),
        ("+ coral", ["coral"], "stands alone"),
        ("colour:red", ["colour", "red"], "colour: is no field"),
        ("after:yesteryear coral", ["coral"], "is no date"),
        ("before:2024-13-45 coral", ["coral"], "is no date"),
        ("site: reef.example", ["site", "reef", "example"], "nothing stands behind site:"),
        ("link:http://nobody.example/ coral", None, "no page that links to"),
        ("-coral", None, "only what is not wanted"),
    ],
)
def test_what_was_not_understood_is_said(text: str, words: list[str] | None, said: str) -> None:
    assert said in notes(text)
    if words is not None:
        assert read(text) == should(*words)


def test_a_sentence_is_prose() -> None:
    """Dashes and capitals are no operators there, and a quotation need not stand as it is."""
    assert read("which methods -dash exact OR not- are there?") == should(
        "which", "methods", "dash", "exact", "OR", "not", "are", "there"
    )
    assert (SHOULD, Phrase("to be")) in read('Who said "to be" and what was it about?')
    assert read("STRESS ON REEFS AND KELP OR SAND") == should(
        "STRESS", "ON", "REEFS", "AND", "KELP", "OR", "SAND"
    )
    assert read("NATO OR EU") == [(SHOULD, OneOf((Word("NATO"), Word("EU"))))]


def test_what_is_repeated_counts_again() -> None:
    assert read("reef reef") == should("reef", "reef")


def test_it_is_bounded() -> None:
    many = parse(" ".join(f"w{n}" for n in range(1000)), NOW)
    assert len(many.clauses) == MOST_WORDS
    assert "only the first" in many.notes[0]
    assert len(parse("reef " * 5000, NOW).clauses) <= MOST_REPEATS
    assert parse("(" * 100_000, NOW).clauses == ()
    assert parse("(a " * 1000, NOW).notes
    assert len(parse("x" * 1_000_000, NOW).text) < 10_000


@given(st.text(alphabet=st.sampled_from('ab "+-()|:.?\x00\ud800“猫é OR'), max_size=80))
def test_nothing_is_an_error(text: str) -> None:
    query = parse(text, NOW, Pages())
    assert isinstance(query, Query)
    for word in _words(query.clauses):
        assert word.text
        word.text.encode()  # no half of a surrogate pair


def _words(clauses: Sequence[Clause]) -> list[Word]:
    parts: list[object] = [clause.part for clause in clauses]
    found = []
    while parts:
        part = parts.pop()
        if isinstance(part, OneOf | AllOf):
            parts += part.parts
        elif isinstance(part, Word):
            found.append(part)
    return found


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2024", 1_704_067_200.0),
        ("2024-05", 1_714_521_600.0),
        ("2024/05/01", 1_714_521_600.0),
        ("2w", NOW - 14 * DAY),
        ("1y", NOW - 365 * DAY),
        ("0000", None),
        ("2024-02-30", None),
        ("soon", None),
    ],
)
def test_dates(text: str, when: float | None) -> None:
    assert moment(text, NOW) == when
