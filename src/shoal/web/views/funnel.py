"""Where did all URLs go? The funnel, whose counts add up, each number with the list behind it.

discovered = queued + in flight + answered + excluded + failed
answered   = fetched + redirect + gone + source (sitemaps, feeds, requisites)
fetched    = indexed + waiting for the index + duplicate + noindex + empty + …

Documents inside others are no URLs: they stand beside it.
"""

from collections.abc import Mapping

from shoal.layout.snapshot import Status
from shoal.model.record import Struct
from shoal.web.server.rendering import path


class Step(Struct):
    name: str
    count: int
    href: str
    """The list of what is counted."""
    share: int
    """Percent of all that were discovered, for its bar."""
    below: list["Step"] = []
    """What it consists of."""


def funnel(status: Status) -> Step:
    whole = status.discovered

    def step(name: str, count: int, state: str, reason: str = "") -> Step:
        share = round(100 * count / whole) if whole else 0
        return Step(name, count, path("/urls", state=state, reason=reason), share)

    def parts(state: str, reasons: Mapping[str, int]) -> list[Step]:
        return [step(name, count, state, name) for name, count in reasons.items()]

    fetched = step("fetched", status.fetched, "fetched")
    fetched.below = parts("fetched", status.fetched_by_fate)
    gone = step("gone", status.gone, "gone")
    gone.below = parts("gone", status.gone_by_status)
    answered = step("answered", status.answered, "answered")
    answered.below = [
        fetched,
        *([step("unchanged", status.unchanged, "unchanged")] if status.unchanged else []),
        step("redirect", status.redirect, "redirect"),
        gone,
        *([step("source", status.source, "source")] if status.source else []),
    ]
    excluded = step("excluded", status.excluded, "excluded")
    excluded.below = parts("excluded", status.excluded_by_reason)
    failed = step("failed", status.failed, "failed")
    failed.below = parts("failed", status.failed_by_reason)
    discovered = step("discovered", whole, "any")
    discovered.below = [
        step("queued", status.queued, "queued"),
        step("in flight", status.in_flight, "in flight"),
        answered,
        excluded,
        failed,
    ]
    return discovered


def inside(status: Status) -> Step:
    """Documents inside others, by fate."""

    def step(name: str, count: int, reason: str = "") -> Step:
        share = min(100, round(100 * count / max(1, status.discovered)))
        return Step(name, count, path("/urls", state="inside", reason=reason), share)

    found = step("inside", status.inside)
    found.below = [step(name, count, name) for name, count in status.inside_by_fate.items()]
    return found


def counts(step: Step, above: str = "") -> dict[str, int]:
    """Every number by its place, as `failed/timeout`: what a live page replaces."""
    name = f"{above}/{step.name}" if above else step.name
    found = {name: step.count}
    for below in step.below:
        found |= counts(below, "" if step.name == "discovered" else name)
    return found
