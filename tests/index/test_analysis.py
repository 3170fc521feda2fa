"""Words and stems: many languages, scripts without spaces, accents, and whatever else comes."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.index.analysis import STEMMERS, Analysis, Stemmer, tokens
from shoal.index.stop_words import STOP_WORDS
from shoal.index.text_stems import PlainPieces, hash_of, make_pieces
from shoal.model.words.words import MOST_WORD_CHARS, folded, language_of, normal, words

ANALYSIS = Analysis()
TEXTS = st.text(max_size=200) | st.text(
    alphabet="aé日本ไท한글 '-_.\u0301\u200d٣ß\u3000\ud800\x00", max_size=80
)


def stems(text: str, language: str) -> list[str]:
    return ANALYSIS.stems(text, language).text.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quick-brown fox_jumps!", ["the", "quick", "brown", "fox", "jumps"]),
        ("don't l’économie O'Neill", ["don", "t", "l", "économie", "o", "neill"]),
        ("Straße ﬁsh ＦＵＬＬ", ["strasse", "fish", "full"]),
        ("soft\u00adhyphen na\u200cme", ["softhyphen", "name"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ΛΌΓΟΣ Москва", ["λόγοσ", "москва"]),
        ("3.14 x86_64", ["3", "14", "x86", "64"]),
        ("", []),
        ("… — !!!", []),
    ],
)
def test_words_are_letters_and_digits(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京大学", ["東京", "京大", "大学", "学"]),
        ("猫", ["猫"]),
        ("東京 大学", ["東京", "京", "大学", "学"]),
        ("ｶﾀｶﾅ", ["カタ", "タカ", "カナ", "ナ"]),
        ("한국어", ["한국", "국어", "어"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("Python入門", ["python", "入門", "門"]),
        ("猫。犬", ["猫", "犬"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_pairs(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_query_has_the_positions_of_a_document() -> None:
    text = "in 東京大学 the 猫 ไทย end"
    placed = dict(enumerate(words(text)))
    for token in tokens(text, 100):
        assert placed[token.position] == token.text
    assert [token.text for token in tokens(text, 100) if token.is_prefix] == ["猫"]
    assert len(tokens(text, 3)) == 3


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", "fish fishes fishing"),
        ("de", "Haus Häuser Häusern haus"),
        ("fr", "économie économies economie"),
        ("es", "canción canciones cancion"),
        ("it", "libro libri"),
        ("pt", "livro livros"),
        ("ru", "книга книги книгами"),
        ("sv", "människa människor manniska"),
        ("fi", "talo talossa talon"),
        ("el", "λόγος λόγοι"),
        ("ar", "كتاب الكتاب"),
        ("tr", "kitap kitaplar"),
    ],
)
def test_forms_of_a_word_have_one_stem(language: str, forms: str) -> None:
    assert len(set(stems(forms, language))) == 1


def test_a_language_without_a_stemmer_keeps_its_words() -> None:
    assert stems("fishes książkami", "pl") == ["fishes", "ksiazkami"]
    assert stems("fishes", "") == ["fishes"]


@pytest.mark.parametrize(
    ("accented", "plain"),
    [("über", "uber"), ("Łódź", "lodz"), ("øre", "ore"), ("Việt", "viet"), ("čaj", "caj")],
)
def test_accents_are_folded(accented: str, plain: str) -> None:
    assert folded(normal(accented)) == plain


@pytest.mark.parametrize("word", ["が", "ガ", "हिन्दी", "ไม้", "ཀྵ"])
def test_marks_that_are_vowels_or_voices_stay(word: str) -> None:
    assert folded(normal(word)) == normal(word)


def test_every_stemmer_is_there_and_stop_words_are_as_words_are_cut() -> None:
    for language in STEMMERS:
        assert Stemmer(language).stem("a")
        assert STOP_WORDS[language]
        for word in STOP_WORDS[language]:
            assert words(word) == [word]


def test_a_language_is_its_first_part() -> None:
    assert [language_of(tag) for tag in ("de-AT", "pt_BR", " EN ", "")] == ["de", "pt", "en", ""]


def test_a_very_long_word_is_cut() -> None:
    assert words("x" * 10_000) == ["x" * MOST_WORD_CHARS]
    assert stems("x" * 10_000, "en") == stems("x" * 20_000, "en")


@given(TEXTS, st.sampled_from(["", "en", "de", "ar", "ta", "ja"]))
def test_any_text_has_stems_that_are_single_words(text: str, language: str) -> None:
    found = ANALYSIS.stems(text, language)
    assert found.words == len(found.text.split()) == len(words(text))
    assert all(len(stem) <= 3 * MOST_WORD_CHARS for stem in found.text.split())
    assert len(found.hashes) == 4 * len(found.counts) == 4 * len(set(found.text.split()))


@given(TEXTS)
def test_normal_form_and_case_do_not_matter(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert stems(text, "") == stems(unicodedata.normalize("NFC", decomposed), "")


@given(st.lists(TEXTS, max_size=5), st.sampled_from([1, 2, 1000]))
def test_the_compiled_form_is_the_plain_one(texts: list[str], most: int) -> None:
    """Whatever was remembered before, and though pieces are forgotten."""
    compiled = pytest.importorskip("shoal.index._stems").Pieces
    make = Stemmer("en").of_piece
    native, plain = compiled(make, most), PlainPieces(make, most)
    for text in texts:
        assert native.stems(text) == plain.stems(text)


def test_counts_and_hashes_are_in_the_order_of_the_text() -> None:
    for pieces in (make_pieces(str.lower, 10), PlainPieces(str.lower, 10)):
        text, hashes, counts, total = pieces.stems("B a b C " + "b " * 300)
        assert text.startswith("b a b c b b")
        assert hashes == hash_of("b") + hash_of("a") + hash_of("c")
        assert (counts, total) == (bytes([255, 1, 1]), 304)


def test_what_makes_stems_may_fail_and_is_let_go() -> None:
    compiled = pytest.importorskip("shoal.index._stems").Pieces

    def fail(piece: str) -> str:
        raise ValueError(piece)

    pieces = compiled(fail, 10)
    before = sys.getrefcount(fail)
    for _ in range(3):
        with pytest.raises(ValueError, match="word"):
            pieces.stems("word")
    with pytest.raises(TypeError):
        pieces.stems(b"word")
    with pytest.raises(ValueError, match="pieces"):
        compiled(fail, 0)
    del pieces
    assert sys.getrefcount(fail) == before - 1
