"""What /openapi.json says is so: requests that are made out of it find nothing, and events are as
it says."""

import json
import shutil
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
import schemathesis
import schemathesis.specs.openapi.checks  # they register themselves
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.config import SchemathesisConfig

from shoal.web.server.serve import make_app
from shoal.web.views import dashboard
from tests.web.little_web import LittleWeb, Serving, client_of

EXAMPLES = 6
SAME_CASES = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
OPEN = "ignored_auth"
"""On 127.0.0.1 no token is asked for."""
TOKEN = "a-token-that-nobody-guesses"
NOT_HARMLESS = ("/crawl/start", "/crawl/change", "/graph/compute")
"""They start processes, and a crawl would ask whatever seeds are made up."""


def operations(address: str, method: str, headers: dict[str, str]) -> list[Any]:
    """A value of the right form is to be accepted, but where the description says that it may be
    refused for what it means."""
    found = []
    for says_so in (False, True):
        config = SchemathesisConfig()
        acceptance = config.projects.default.checks.positive_data_acceptance
        if says_so:
            acceptance.expected_statuses = [*acceptance.expected_statuses, "400"]
        described = schemathesis.openapi.from_url(
            f"{address}openapi.json", config=config, headers=headers
        )
        wanted = described.include(method=method).exclude(path="/events")
        every: list[Any] = list(wanted.get_all_operations())
        kept = [each.ok() for each in every]
        found += [each for each in kept if ("400" in each.definition.raw["responses"]) == says_so]
    return [each for each in found if each.path.removesuffix(".json") not in NOT_HARMLESS]


def can_be_wrong(operation: Any) -> bool:
    """A form of texts that may all be left out has nothing to be wrong in."""
    body = operation.definition.raw.get("requestBody")
    if body is None:
        return bool(operation.query)
    (form,) = body["content"].values()
    return "required" in form["schema"]


def finds_nothing(every: list[Any], mode: GenerationMode, headers: dict[str, str]) -> None:
    checks = [each for each in CHECKS.get_all() if each.__name__ != OPEN]
    assert len(checks) > 9
    for operation in every:
        if mode is GenerationMode.NEGATIVE and not can_be_wrong(operation):
            continue

        @SAME_CASES
        @given(case=operation.as_strategy(generation_mode=mode))
        def asked(case: Any) -> None:
            case.call_and_validate(checks=checks, headers=headers)

        asked()


@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_what_is_made_out_of_it_finds_nothing(live_site: str, mode: GenerationMode) -> None:
    every = operations(live_site, "GET", {})
    assert len(every) > 30
    finds_nothing(every, mode, {})


@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_orders_that_are_made_out_of_it_find_nothing(
    web: LittleWeb, tmp_path: Path, mode: GenerationMode
) -> None:
    """On a copy: orders change what they are given to."""
    shutil.copytree(web.directory, tmp_path / "corpus")
    serving = Serving(make_app(tmp_path / "corpus", TOKEN))
    headers = {"authorization": f"Bearer {TOKEN}"}
    try:
        every = operations(serving.address, "POST", headers)
        assert len(every) > 18
        finds_nothing(every, mode, headers)
    finally:
        serving.close()


def test_it_says_where_a_meaning_is_wanted(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    refused = paths["/urls.json"]["get"]["responses"]["400"]
    assert "`where` must be a place" in refused["description"]
    assert refused["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Failed"
    }
    assert "400" not in paths["/sites.json"]["get"]["responses"]
    assert "`url` must be a URL" in paths["/page"]["get"]["responses"]["400"]["description"]


@pytest.mark.parametrize("body", ["", "host=", "host=a.example&host=b.example"])
def test_a_form_is_held_to_it(web: LittleWeb, body: str) -> None:
    serving = Serving(make_app(web.directory, TOKEN))
    headers = {
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/x-www-form-urlencoded",
    }
    with client_of(serving.address) as asking:
        answer = asking.post("/sites/pause.json", content=body, headers=headers)
    serving.close()
    assert answer.status_code == 400
    assert answer.json()["says"] in ("host is not given.", "host is given more than once.")


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
