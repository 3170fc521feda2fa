"""The Scope and the Prioritizer port: what is asked of every URL, and must never fail."""

import pytest

from shoal.focus.priority import FixedPriority, PrioritySettings
from shoal.focus.scope import CrawlScope, ScopeSettings
from shoal.model.document import Document
from shoal.model.link import LinkSource
from shoal.ports import Prioritizer, Scope
from tests.converters.parts import LengthPrioritizer, WordScope

URLS = (
    *("https://reef.example/", "https://reef.example/secret?a=1#b", "file:///x", "ftp://h:21/"),
    *("", "://", "no scheme", "https://", "https://[::1]/", "https://ü.example/\0", "x" * 5000),
)
SCOPES: list[Scope] = [
    CrawlScope(ScopeSettings(roots=["https://reef.example/"])),
    CrawlScope(ScopeSettings(kind="any", exclude=["secret"])),
    WordScope(),
]
PRIORITIZERS: list[Prioritizer] = [
    FixedPriority(PrioritySettings()),
    FixedPriority(PrioritySettings("priority", "priority 0.9 regex /secret/\n")),
    LengthPrioritizer(),
]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("url", URLS)
def test_a_refusal_is_words_on_one_line_and_always_the_same(scope: Scope, url: str) -> None:
    refusal = scope.refuses(url)
    assert refusal == scope.refuses(url) == refusal.strip()
    assert "\n" not in refusal
    assert len(refusal) < 300


@pytest.mark.parametrize("scope", SCOPES)
def test_some_are_wanted_and_some_are_not(scope: Scope) -> None:
    assert scope.refuses("https://reef.example/") == ""
    assert any(scope.refuses(url) for url in URLS)


@pytest.mark.parametrize("scope", SCOPES)
def test_an_ordinary_document_is_kept(scope: Scope) -> None:
    assert scope.drops(Document(title="Clownfish")) == ""


@pytest.mark.parametrize("prioritizer", PRIORITIZERS)
@pytest.mark.parametrize("url", URLS)
def test_a_priority_lies_between_nought_and_one(prioritizer: Prioritizer, url: str) -> None:
    for source in LinkSource:
        for text in ("", "fish", "x" * 1000):
            found = prioritizer.priority(url, source, text)
            assert 0.0 <= found <= 1.0
            assert found == prioritizer.priority(url, source, text)
