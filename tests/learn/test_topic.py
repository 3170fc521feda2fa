"""What a handful of examples teach."""

import pytest

from shoal.errors import DamagedError
from shoal.learn.features import Features
from shoal.learn.link_value import Clues, LinkValue
from shoal.learn.topic import TopicModel, page_maker, page_parts

_FISH = ["trout swim in the cold river", "the cod lives in the cold sea", "salmon leap the river"]
_OTHERS = [
    "the motor of the car is cold",
    "a train leaves the station",
    "the king wore a crown in the hall",
    "bread is baked in the morning",
    "she plays the violin in the hall",
]
_MAKER = page_maker()


def _of(text: str, title: str = "") -> Features:
    return _MAKER.of(page_parts(title, text))


def _model() -> TopicModel:
    return TopicModel.made(list(map(_of, _FISH)), [], list(map(_of, _OTHERS)))


def test_a_page_like_the_examples_is_nearer_than_others() -> None:
    model = _model()
    assert model.near(_of("trout and salmon in the river")) > 0.6
    assert model.near(_of("the train and the car")) < 0.2
    assert model.chance(_of("trout and salmon in the river")) > 0.5
    assert model.chance(_of("the train and the car")) < 0.1


def test_the_words_that_decided_are_told() -> None:
    told = _model().decided(_MAKER, page_parts("Salmon", "the salmon left the station"))
    weights = {each.word: each.weight for each in told if each.part == "text"}
    assert weights["salmon"] > 0 > weights["station"]


def test_a_no_turns_away_what_is_like_it() -> None:
    page = _of("the cold sea of the north")
    refused = [_of("the cold sea is grey"), _of("a cold sea and a cold coast")]
    usual = list(map(_of, _OTHERS))
    taught = TopicModel.made(list(map(_of, _FISH)), refused, usual)
    assert taught.near(page) < _model().near(page)


def test_some_ordinary_pages_may_be_on_topic() -> None:
    hidden = [_of("salmon and trout in the river"), _of("a trout in the river")]
    usual = [*map(_of, _OTHERS * 2), *hidden]
    model = TopicModel.made(list(map(_of, _FISH)), [], usual)
    assert model.near(hidden[0]) > 2 * max(model.near(_of(each)) for each in _OTHERS)


def test_short_texts_are_judged_at_once_as_one_by_one() -> None:
    model, texts = _model(), ["trout", "", "the train", "salmon river"]
    one_by_one = [model.near(_of(each)) for each in texts]
    assert model.near_all([_of(each) for each in texts]) == pytest.approx(one_by_one, abs=1e-5)
    assert model.near_all([]) == []


def test_it_is_kept_as_bytes() -> None:
    model = _model()
    again = TopicModel.from_bytes(model.to_bytes())
    assert again.near(_of(_FISH[0])) == model.near(_of(_FISH[0]))
    with pytest.raises(DamagedError):
        TopicModel.from_bytes(model.to_bytes()[:-3])


@pytest.mark.parametrize(
    ("yes", "no", "ordinary"),
    [([], [], []), ([], _OTHERS, []), ([], [], _OTHERS), (_FISH[:1], [], []), (_FISH, _FISH, [])],
)
def test_whatever_was_said_there_is_a_chance(
    yes: list[str], no: list[str], ordinary: list[str]
) -> None:
    model = TopicModel.made(list(map(_of, yes)), list(map(_of, no)), list(map(_of, ordinary)))
    for text in (*_FISH, *_OTHERS, "", "鱼 在 海 里"):
        assert 0.0 <= model.chance(_of(text)) <= 1.0
    if not yes:
        assert all(model.chance(_of(text)) < 0.5 for text in _FISH)


def test_words_alone_make_a_topic() -> None:
    words = _of("salmon trout")
    model = TopicModel.made([], [], list(map(_of, _OTHERS)), words)
    assert model.chance(_of("a salmon and a trout")) > 0.5 > model.chance(_of(_OTHERS[1]))


def test_links_are_valued_by_what_such_links_came_to() -> None:
    values, likely, unlikely = LinkValue(), Clues(anchor=1.0), Clues(around=1.0)
    for _ in range(200):
        values.learn(likely, 0.0)
        values.learn(unlikely, 1.0)
    assert values.value(unlikely) > values.value(likely)
    again = LinkValue.from_bytes(values.to_bytes())
    assert again.value(likely) == values.value(likely)
    with pytest.raises(DamagedError):
        LinkValue.from_bytes(b"nonsense")
