"""Whom a text names: places that are told, one thing for each name, and texts that mean harm."""

import random
import struct
import time
from pathlib import Path

import pytest

pytest.importorskip("shoal.naming._names", reason="no compiled module")

from shoal.model.words.marks import values
from shoal.naming._names import Model
from shoal.naming.names import (
    KINDS,
    MODELS,
    MOST_CHARS,
    MOST_NAMES,
    Named,
    can_read,
    marks_of,
    named_in,
)
from shoal.naming.not_names import Code, is_refused

NEWS = (
    "Ann Smith met Barack Obama in Paris on Monday. Smith said that Google Inc. will open an "
    "office in New York City.\nShe spoke for the United Nations."
)
SHIPPED = Path(__file__).parents[2] / "src" / "shoal" / "naming" / MODELS["en"]


def told(text: str, language: str = "en") -> list[tuple[str, str]]:
    return [(each.kind, each.name) for each in named_in(text, language)]


def test_people_places_and_organisations_are_named_where_they_stand() -> None:
    found = named_in(NEWS)
    assert [(each.kind, NEWS[each.start : each.end]) for each in found] == [
        ("person", "Ann Smith"),
        ("person", "Barack Obama"),
        ("place", "Paris"),
        ("person", "Smith"),
        ("org", "Google Inc."),
        ("place", "New York City"),
        ("org", "United Nations"),
    ]
    assert all(0 < each.confidence <= 1 for each in found)


def test_who_was_called_in_full_is_meant_by_a_part_of_the_name() -> None:
    assert told(NEWS)[3] == ("person", "Ann Smith")
    marks = dict(marks_of(NEWS, "en"))
    assert [(each.text, each.times) for each in values(marks["person"])] == [
        ("Ann Smith", 2),
        ("Barack Obama", 1),
    ]


def test_the_same_words_are_of_one_kind_in_a_document() -> None:
    text = "\n".join(
        (
            "Jordan said that she would come.",
            "We flew to Jordan and to Syria, and from Jordan to Egypt.",
            "Mrs. Jordan left.",
            "The king of Jordan spoke in Jordan.",
        )
    )
    kinds = {each.kind for each in named_in(text) if each.name == "Jordan"}
    assert len(kinds) == 1


@pytest.mark.parametrize("language", ["", "de", "fr-CA", "english", "xx\x00"])
def test_a_language_without_a_model_has_no_names(language: str) -> None:
    assert not can_read(language)
    assert named_in(NEWS, language) == []
    assert dict(marks_of(NEWS, language)) == dict.fromkeys(KINDS, "")


def test_english_is_read_by_any_of_its_tags() -> None:
    assert told(NEWS, "en-GB") == told(NEWS, "EN_us") == told(NEWS)


def test_a_text_that_names_nobody_takes_old_marks_back() -> None:
    assert marks_of("it rains and the wind blows.", "en") == [(kind, "") for kind in KINDS]


def test_names_have_no_more_than_so_many_values() -> None:
    first = ("Ann", "John", "Mary", "Peter", "Susan", "David", "Laura")
    last = ("Smith", "Brown", "Miller", "Baker", "Turner", "Cooper", "Walker", "Clark")
    text = "\n".join(f"Mr. {one} {two} came to London." for one in first for two in last)
    marks = dict(marks_of(text, "en"))
    assert len(values(marks["person"])) == MOST_NAMES
    assert [each.text for each in values(marks["place"])] == ["London"]


HOSTILE = {
    "one word without an end": "A" * 500_000,
    "capitals": "Ann Smith " * 60_000,
    "signs": "'.@#&,-" * 60_000,
    "apostrophes": "O'" * 100_000,
    "control characters": "Ann\x00 Smith\x1b[2J in \x07Paris\r\n" * 100,
    "halves of surrogates": "Ann \ud800Smith\udfff in Paris. " * 100,
    "marks on marks": "A\u0301\u0301\u0301nn " * 5_000,
    "other scripts": "Анна Смит 北京 القاهرة ישראל " * 5_000,
    "beyond the plane": "\U0001d400\U0001d41a \U0001f600 " * 5_000,
    "addresses": "https://a.example/?q=Ann@Smith.example " * 3_000,
    "lines": "\n" * 300_000,
    "empty": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_cost_no_more_than_others(name: str) -> None:
    text = HOSTILE[name]
    last = 0
    for each in named_in(text):
        assert last <= each.start < each.end <= min(len(text), MOST_CHARS)
        assert len(each.name) <= 100
        last = each.end
    for _, cell in marks_of(text, "en"):
        assert len(cell) < 10_000
        assert not any(ord(sign) < 32 and sign not in "\t\n" for sign in cell)
        cell.encode()


def test_any_text_has_its_words_in_order() -> None:
    model, draw = Model(SHIPPED.read_bytes()), random.Random(11)
    signs = "abAB .,'’\n-&@#:/\u00e9\u4e2d\U0001f600\x00 19InStUs"
    for _ in range(2_000):
        text = "".join(draw.choices(signs, k=draw.randrange(60)))
        last = 0
        for start, end, _ in struct.iter_unpack("iii", model.tokens(text)):
            assert last <= start < end
            assert not text[last:start].strip()  # nothing but space is left out
            last = end
        assert not text[last:].strip()
        model.spans(text)


def test_what_is_no_model_is_refused() -> None:
    data = SHIPPED.read_bytes()
    for wrong in (b"", b"SHOALNE1", data[:-1], data + b"\0", b"X" + data[1:], data[:500]):
        with pytest.raises(ValueError, match="no model"):
            Model(wrong)
    many = struct.pack("<8sIII", b"SHOALNE1", 2**32 - 1, 2**32 - 1, 2**32 - 1)
    with pytest.raises(ValueError, match="no model"):
        Model(many + data[20:])


def test_a_memory_that_is_full_is_begun_again() -> None:
    """More different words than are remembered give what they give alone."""
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdefghijklmno", k=9)).title() for _ in range(20_000)]
    found = Model(SHIPPED.read_bytes())
    for start in range(0, len(words), 1_000):
        found.spans(" ".join(words[start : start + 1_000]))
    assert found.spans(NEWS) == Model(SHIPPED.read_bytes()).spans(NEWS)


def test_a_title_is_no_part_of_a_name() -> None:
    assert next(each.name for each in named_in("Dr. Laura Turner works in Berlin.")) == (
        "Laura Turner"
    )
    assert all(isinstance(each, Named) for each in named_in(NEWS))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "person") for name in ("Pattern.groupindex", "L.append", "BytesIO", "max", "V")),
        *((name, "place") for name in ("Unicode 9", "C.", "UTC", "BytesIO", "os.listdir", "us")),
        *((name, "org") for name in ("unittest.getTestCaseNames", "AF_UNIX", "main()", "utc")),
    ],
)
def test_words_of_programs_and_clocks_are_refused_anywhere(name: str, kind: str) -> None:
    assert is_refused(name, kind)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "person") for name in ("J.R.R. Tolkien", "Paul McCartney", "Leonardo DiCaprio")),
        *((name, "place") for name in ("U.S.", "LaGuardia", "kerala", "Fort McMurray", "US")),
        *((name, "org") for name in ("Amazon.com", "PayPal", "FOX 7", "U.S. Department of Energy")),
    ],
)
def test_names_that_look_a_little_like_code_stay(name: str, kind: str) -> None:
    assert not is_refused(name, kind)


MANUAL = (
    "Guido van Rossum wrote it, and Mark Hammond helped. Guido works with Mark in New York.\n"
    "Textbox was made by Fredrik Lundh. Hashable was made by Maildir and GitHub.\n"
    "Call Textbox(win), then run.start(1), box.edit(2), collections.abc.Hashable.check(3) and go()."
)


def test_in_a_text_that_shows_code_a_word_is_no_person_unless_named_in_full() -> None:
    people = {name for kind, name in told(MANUAL) if kind == "person"}
    assert people == {"Guido van Rossum", "Mark Hammond", "Fredrik Lundh"}
    prose = MANUAL.rpartition("\n")[0]
    assert not Code(prose).is_shown
    assert Code(MANUAL).is_shown
    assert Code(MANUAL).has("Hashable", "org")
    assert Code(MANUAL).has("BaseProxy", "org")
    assert not Code(MANUAL).has("GitHub", "org")
    assert not Code(prose).has("Hashable", "org")


def test_signs_of_code_cost_no_more_than_their_text_is_long() -> None:
    for sign in ("a.", "a_", "(", "A::", "a.b", "__", "a()"):
        began = time.process_time()
        Code(sign * (MOST_CHARS // len(sign)))
        assert time.process_time() - began < 5, sign
