"""Every part of a query, by real searches."""

from pathlib import Path

import pytest

from shoal.index.fields import POSITION_KEY, FieldWeights
from shoal.index.reader import IndexReader
from shoal.index.terms import STOP_WEIGHT
from shoal.model.candidate import Where
from shoal.model.principal import OWNER
from shoal.model.query import AllOf, Dated, Is, OneOf, Phrase, Rows, Word
from tests.index.made import entry, found, mixed, must, search, should, words, written

ENTRIES = [
    entry("reef", "Clownfishes live in the reef among sea anemones.", title="Coral reefs"),
    entry("pond", "Carp live in a pond. The reef is far.", fetched=1_500_000_000.0),
    entry(
        "haus",
        "Viele Häuser stehen über dem Fluss",
        "de",
        site="www.example.de",
        url="https://www.example.de/haus",
        published=1_000_000_000.0,
    ),
    entry("tokyo", "東京大学は日本の大学である。", "ja", title="大学"),
    entry("thai", "ภาษาไทยเป็นภาษาที่มีระดับเสียง", "th"),
    entry(
        "paper.pdf",
        "Anemones sting",
        media_type="application/pdf",
        source="feed",
        marks=["topic=biology"],
        is_member=True,
    ),
    entry("called", "Nothing of it here", anchors=[("sea dragon", 3), ("leafy", 1)]),
    entry("framed", "Some text", rest="Imprint dragon", headings="Kelp", bold="weedy"),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return written(tmp_path_factory.mktemp("index") / "index", ENTRIES)


def test_words_are_stemmed_by_the_documents_language(reader: IndexReader) -> None:
    assert found(reader, "clownfish") == ["reef"]
    assert found(reader, "haus") == found(reader, "HÄUSERN") == ["haus"]
    assert found(reader, "uber") == ["haus"]


def test_any_word_finds_and_more_words_are_ahead(reader: IndexReader) -> None:
    assert found(reader, "reef anemones nosuchword")[0] == "reef"
    assert set(found(reader, "reef anemones nosuchword")) == {"reef", "pond", "paper.pdf"}
    assert found(reader, "nosuchword") == []


@pytest.mark.parametrize(
    ("field", "word", "names"),
    [
        ("title", "coral", ["reef"]),
        ("headings", "kelp", ["framed"]),
        ("bold", "weedy", ["framed"]),
        ("content", "coral", []),
        ("rest", "imprint", ["framed"]),
        ("anchor", "dragons", ["called"]),
        ("url", "paper", ["paper.pdf"]),
        ("nonsense", "coral", ["reef"]),
    ],
)
def test_a_word_in_one_field(reader: IndexReader, field: str, word: str, names: list[str]) -> None:
    assert found(reader, must(Word(word, field))) == names
    assert found(reader, should(Word(word, field))) == names


def test_fields_weigh(reader: IndexReader) -> None:
    assert found(reader, "reef") == ["reef", "pond"]
    plain = FieldWeights(title=0.0, url=0.0)
    hits = reader.candidates(words("coral"), OWNER, plain, 10)
    assert hits.found == []
    odd = FieldWeights(title=float("nan"), content=-1.0, url=float("inf"))
    assert reader.candidates(words("coral live"), OWNER, odd, 10).found == []


def test_what_others_call_it_counts_more_than_its_frame(reader: IndexReader) -> None:
    assert found(reader, "dragon") == ["called", "framed"]
    assert found(reader, must(Phrase("dragon leafy"))) == [], "two anchor texts are no phrase"


def test_must_and_not(reader: IndexReader) -> None:
    assert found(reader, must(Word("reef"), Word("live"))) == ["reef", "pond"]
    assert found(reader, mixed(must=Word("reef"), not_=Word("carps"))) == ["reef"]
    assert found(reader, mixed(should=Word("reef"), not_=Word("anemone"))) == ["pond"]
    assert found(reader, mixed(must=Word("nosuchword"), should=Word("reef"))) == []
    assert found(reader, mixed(must=Word("live"), should=Word("carp")))[0] == "pond"
    assert len(found(reader, mixed(must=Word("live"), should=Word("carp")))) == 2
    others = found(reader, mixed(not_=Word("reef")))
    assert others, "all but what is negated"
    assert not {"reef", "pond"} & {*others}


def test_one_of_and_all_of(reader: IndexReader) -> None:
    either = OneOf((Word("carp"), Phrase("sea anemone")))
    assert set(found(reader, must(either))) == {"pond", "reef"}
    both = AllOf((Word("live"), OneOf((Word("pond"), Word("nosuchword")))))
    assert found(reader, should(both)) == ["pond"]
    assert found(reader, mixed(should=Word("live"), not_=either)) == []


def test_phrases(reader: IndexReader) -> None:
    assert found(reader, must(Phrase("the reef is far"))) == ["pond"], "stop words count"
    assert found(reader, must(Phrase("reef the"))) == []
    assert found(reader, must(Phrase("viele haus stehen"))) == ["haus"]
    assert found(reader, must(Phrase("coral reef", "title"))) == ["reef"]
    assert found(reader, must(Phrase("coral reef", "content"))) == []
    assert found(reader, must(Phrase("!"))) == []
    assert found(reader, must(Phrase("carps"))) == ["pond"]


@pytest.mark.parametrize("text", ["東京", "京大", "東京大学", "大学は日本の", "日", "学"])
def test_any_part_of_a_text_without_spaces(reader: IndexReader, text: str) -> None:
    assert found(reader, must(Phrase(text))) == found(reader, must(Word(text))) == ["tokyo"]
    assert found(reader, text) == ["tokyo"]


def test_parts_that_are_not_there(reader: IndexReader) -> None:
    assert found(reader, must(Word("東大"))) == found(reader, must(Phrase("学大"))) == []
    assert found(reader, must(Word("ไทยเป็น"))) == ["thai"]
    assert found(reader, must(Phrase("ไทยมี"))) == []
    assert found(reader, must(Phrase("大学 は"))) == [], "a break is a break"


@pytest.mark.parametrize(
    ("field", "value", "names"),
    [
        ("site", "example.de", {"haus"}),
        ("site", "WWW.example.de.", {"haus"}),
        ("site", "de", {"haus"}),
        ("site", "ample.de", set()),
        ("type", "pdf", {"paper.pdf"}),
        ("type", "application/pdf", {"paper.pdf"}),
        ("type", ".PDF", {"paper.pdf"}),
        ("type", "application/*", {"paper.pdf"}),
        ("language", "DE", {"haus"}),
        ("source", "feed", {"paper.pdf"}),
        ("mark", "topic=biology", {"paper.pdf"}),
        ("mark", "topic", {"paper.pdf"}),
        ("mark", "topic=", set()),
        ("nonsense", "x", set()),
        ("key", POSITION_KEY, set()),
    ],
)
def test_filters(reader: IndexReader, field: str, value: str, names: set[str]) -> None:
    assert set(found(reader, must(Is(field, value)))) == names


def test_a_filter_and_words(reader: IndexReader) -> None:
    site = Is("site", "example.org")
    assert found(reader, mixed(must=site, should=Word("carp"))) == ["pond"]
    assert found(reader, mixed(must=site, should=Word("nosuchword"))) == []
    assert found(reader, mixed(must=site, should=Word("haus"))) == []
    assert "reef" not in found(reader, mixed(must=site, not_=Word("reef")))
    assert "called" in found(reader, mixed(must=site, not_=Word("reef")))


def test_a_filter_alone_gives_the_newest_first(reader: IndexReader) -> None:
    query = must(OneOf((Is("site", "example.org"), Is("site", "example.de"))))
    hits = search(reader, query)
    assert hits.total == len(hits.found) == len(ENTRIES)
    assert found(reader, query)[-2:] == ["pond", "haus"], "published counts before fetched"
    assert len(search(reader, query, limit=3).found) == 3


def test_dates(reader: IndexReader) -> None:
    assert found(reader, must(Dated(before=1_400_000_000.0))) == ["haus"]
    assert found(reader, must(Dated(1_000_000_000.0, 1_500_000_000.0))) == ["haus"]
    assert found(reader, must(Dated(1_000_000_000.1, 1_500_000_000.1))) == ["pond"]
    assert len(found(reader, must(Dated(after=1_600_000_000.0)))) == len(ENTRIES) - 2
    assert len(found(reader, must(Dated(before=float("inf"))))) == len(ENTRIES)
    assert found(reader, must(Dated(after=float("nan"), before=float("-inf")))) == []
    assert found(reader, must(Dated())) == []
    assert found(reader, mixed(should=Word("reef"), must=Dated(before=1_600_000_000.0))) == ["pond"]


def test_rows(reader: IndexReader) -> None:
    rows = (ENTRIES[0].row, b"org,nowhere)/", b"\xff\x00")
    assert found(reader, must(Rows(rows))) == ["reef"]
    assert found(reader, mixed(should=Word("live"), must=Rows(rows))) == ["reef"]
    assert found(reader, mixed(should=Word("live"), not_=Rows(rows))) == ["pond"]
    assert found(reader, must(Rows(()))) == []
    assert found(reader, must(Rows((POSITION_KEY.encode(), b"position", b"")))) == []


def test_stop_words_matter_only_among_themselves(reader: IndexReader) -> None:
    assert set(found(reader, "the")) == {"reef", "pond"}
    assert found(reader, "in the pond") == ["pond"]
    terms = {term.word: term for term in search(reader, words("the pond the")).terms}
    assert terms["the"].weight == pytest.approx(2 * STOP_WEIGHT)
    assert terms["pond"].weight == 1.0


def test_terms_and_counts(reader: IndexReader) -> None:
    hits = search(reader, mixed(should=Word("reefs"), should2=Word("sea"), not_=Word("pond")))
    reef, sea = hits.terms
    assert (reef.word, reef.documents, sea.documents) == ("reefs", 2, 1)
    assert "reef" in reef.stems
    first = hits.found[0]
    assert first.counts[0].content == 1
    assert first.counts[0].where == Where.CONTENT | Where.TITLE | Where.URL
    assert first.counts[1].where == Where.CONTENT | 0
    assert (first.length, hits.documents) == (8, len(ENTRIES))
    assert hits.mean_length == pytest.approx(
        sum(hit.length for hit in search(reader, must(Dated(before=float("inf")))).found)
        / len(ENTRIES)
    )
    called = search(reader, words("dragon leafy")).found[0]
    assert [count.anchor for count in called.counts] == [3, 1]
    assert called.counts[0].where == Where.ANCHOR | 0
    framed = search(reader, must(Word("dragon"), Word("imprint"))).found[0]
    assert framed.counts[0].where == Where.REST | 0


def test_words_beside_each_other_are_ahead(tmp_path: Path) -> None:
    near = "sun moon star rain wind salt snow"
    far = "sun moon rain wind salt snow star"
    reader = written(tmp_path / "index", [entry("a", far), entry("b", near), entry("c", far)])
    assert found(reader, "moon star")[0] == "b"


def test_a_language_is_asked_for(tmp_path: Path) -> None:
    """Its stemmer is used, however rare the language is in the collection."""
    many = [entry(str(number), f"number {number}") for number in range(120)]
    reader = written(tmp_path / "index", [*many, entry("книга", "старыми книгами", "ru")])
    assert search(reader, words("книга")).found == []
    query = mixed(should=Word("книга"), must=Is("language", "ru"))
    assert len(search(reader, query).found) == 1


def test_what_a_text_is_about(reader: IndexReader) -> None:
    text = "The clownfish and the anemones: anemones sting, clownfishes do not. It is so."
    assert set(reader.like(text, "en", 2, OWNER)) == {"clownfish", "anemones"}
    assert reader.like("", "en", 5, OWNER) == reader.like(text, "en", 0, OWNER) == []
