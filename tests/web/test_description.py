"""What /openapi.json says is so: requests that are made out of it find nothing, and events are as
it says."""

import json
from typing import Any

import httpx
import jsonschema
import pytest
import schemathesis
import schemathesis.specs.openapi.checks  # they register themselves
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS

from shoal.web.views import dashboard

EXAMPLES = 6
SAME_CASES = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
MEANING = "positive_data_acceptance"
"""Refuses 400 to what has the right form; but 'no url' is a word, and means no page."""
OPEN = "ignored_auth"
"""On 127.0.0.1 no token is asked for."""


def operations(address: str) -> list[Any]:
    described = schemathesis.openapi.from_url(f"{address}openapi.json")
    reading = described.include(method="GET").exclude(path="/events")
    found: list[Any] = list(reading.get_all_operations())
    return [each.ok() for each in found]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_what_is_made_out_of_it_finds_nothing(live_site: str, mode: GenerationMode) -> None:
    every = operations(live_site)
    assert len(every) > 30
    checks = [each for each in CHECKS.get_all() if each.__name__ not in (MEANING, OPEN)]
    assert len(checks) > 8
    for operation in every:
        if mode is GenerationMode.NEGATIVE and not operation.query:
            continue  # there is nothing to be wrong in

        @SAME_CASES
        @given(case=operation.as_strategy(generation_mode=mode))
        def asked(case: Any) -> None:
            case.call_and_validate(checks=checks)

        asked()


def test_another_method_is_told_which_there_are(client: httpx.Client) -> None:
    assert "GET" in client.request("TRACE", "/store.json").headers["allow"]
    assert client.get("/crawl/stop").headers["allow"] == "POST"


@pytest.mark.parametrize(
    "query", ["page=1&page=2", "page=", "page=1_0", "page=%D9%A3", "explain=null", "explain="]
)
def test_what_it_does_not_allow_is_refused(client: httpx.Client, query: str) -> None:
    assert client.get(f"/search.json?{query}").status_code == 400


def test_events_are_as_it_says(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    told = client.get("/openapi.json").json()
    media = told["paths"]["/events"]["get"]["responses"]["200"]["content"]["text/event-stream"]
    kind = media["schema"]["contentSchema"] | {"components": told["components"]}
    monkeypatch.setattr(dashboard, "_STREAM_SECONDS", 0.1)
    lines = client.get("/events", timeout=30).text.splitlines()
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert events
    for each in events:
        jsonschema.validate(each, kind, jsonschema.Draft202012Validator)
