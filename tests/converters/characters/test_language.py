"""Languages: scripts that say it all, and the languages that share one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.characters.language import SAMPLE_CHARACTERS, detect

SENTENCES = {
    "en": "The fish live on the reef and nobody knows how many of them there are in the water.",
    "de": "Die Fische leben auf dem Riff und niemand weiß, wie viele es im Wasser gibt.",
    "fr": "Les poissons vivent sur le récif et personne ne sait combien il y en a dans l'eau.",
    "es": "Los peces viven en el arrecife y nadie sabe cuántos hay en el agua de esta costa.",
    "pt": "Os peixes vivem no recife e ninguém sabe quantos existem na água desta costa.",
    "it": "I pesci vivono sulla barriera e nessuno sa quanti ce ne siano nelle acque della costa.",
    "nl": "De vissen leven op het rif en niemand weet hoeveel er in het water zijn.",
    "sv": "Fiskarna lever på revet och ingen vet hur många som finns i vattnet.",
    "fi": "Kalat elävät riutalla eikä kukaan tiedä, kuinka monta niitä vedessä on.",
    "pl": "Ryby żyją na rafie i nikt nie wie, ile ich jest w wodzie przy tym brzegu.",
    "cs": "Ryby žijí na útesu a nikdo neví, kolik jich ve vodě u tohoto pobřeží je.",
    "hu": "A halak a zátonyon élnek, és senki sem tudja, hányan vannak a vízben.",
    "tr": "Balıklar resifte yaşıyor ve suda kaç tane olduğunu kimse bilmiyor.",
    "vi": "Những con cá sống trên rạn san hô và không ai biết có bao nhiêu con trong nước.",
    "id": "Ikan hidup di terumbu karang dan tidak ada yang tahu berapa banyak di dalam air.",
    "ru": "Рыбы живут на рифе, и никто не знает, сколько их в воде у этого берега.",
    "uk": "Риби живуть на рифі, і ніхто не знає, скільки їх у воді біля цього берега.",
    "bg": "Рибите живеят на рифа и никой не знае колко са те във водата край този бряг.",
    "ar": "تعيش الأسماك على الشعاب المرجانية ولا أحد يعرف كم عددها في الماء.",
    "fa": "ماهی‌ها روی صخره‌های مرجانی زندگی می‌کنند و هیچ کس نمی‌داند چند تا هستند.",
    "hi": "मछलियाँ चट्टान पर रहती हैं और कोई नहीं जानता कि पानी में कितनी हैं।",
    "el": "Τα ψάρια ζουν στον ύφαλο και κανείς δεν ξέρει πόσα είναι.",
    "he": "הדגים חיים על השונית ואיש אינו יודע כמה יש במים.",
    "th": "ปลาอาศัยอยู่ในแนวปะการังและไม่มีใครรู้ว่ามีกี่ตัว",
    "ja": "魚はサンゴ礁に住んでいて、何匹いるのか誰も知らない。",
    "zh": "鱼生活在珊瑚礁上，没有人知道水里有多少。",
    "ko": "물고기는 산호초에 살고 있으며 아무도 얼마나 있는지 모릅니다.",
    "ka": "თევზები რიფზე ცხოვრობენ და არავინ იცის რამდენია.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_tells_its_language(code: str) -> None:
    found = detect(SENTENCES[code])
    assert found.code == code
    assert found.confidence > 0.5


@pytest.mark.parametrize("text", ["", "   ", "12:34 — 56 %", "a", "…"])
def test_what_has_no_words_has_no_language(text: str) -> None:
    assert detect(text).code == ""
    assert detect(text).confidence == 0.0


def test_more_text_makes_it_surer() -> None:
    sure = detect(SENTENCES["nl"] * 3).confidence
    assert sure > detect("De vis zwemt").confidence
    assert sure > 0.95


def test_a_few_foreign_words_change_nothing() -> None:
    assert detect(SENTENCES["ja"] + " Windows 11 and HTML").code == "ja"
    assert detect("HTML Facebook Twitter " + SENTENCES["ru"] * 3).code == "ru"


def test_only_the_beginning_and_the_middle_of_a_long_text_count() -> None:
    text = SENTENCES["de"] * (SAMPLE_CHARACTERS // 20) + SENTENCES["fr"] * 5000
    assert detect(text).code in ("de", "fr")


@given(st.text(max_size=400))
def test_nothing_raises(text: str) -> None:
    code, confidence = detect(text)
    assert isinstance(code, str)
    assert 0.0 <= confidence <= 1.0
