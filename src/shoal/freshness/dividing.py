"""What of the refresher's books goes to which part, when a collection is divided or put together?

Sums over pages: what is known of groups of pages (priors.py) and what is planned for all (price.py)
are divided as the pages are, and added up again. A part is given the sum over its own pages; what
the books have beyond all that pages say (drift, and plans of pages that are gone) is shared out by
the number of pages, so that the parts always add up to the whole.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from shoal.freshness.price import POWERS, PriceState
from shoal.freshness.priors import Group, groups_of
from shoal.model.change_history import ChangeHistory

_WIDE = 2
"""The first groups of a page are those of the whole collection; the others are of its site."""


@dataclass
class Planned:
    """The pages of a part, in sums."""

    pages: int = 0
    per_second: float = 0.0
    appetite: float = 0.0
    groups: dict[str, Group] = field(default_factory=dict)
    """Those that are of no one site."""

    def add(self, history: ChangeHistory, policy: str) -> None:
        if history.interval_seconds > 0:
            self.pages += 1
            self.per_second += 1 / history.interval_seconds
            power = POWERS.get(policy, 0.0)  # type: ignore[call-overload]  # any text: a stored one
            self.appetite += float(history.price**power) / history.interval_seconds
        if history.counted:
            for key in groups_of("", history.media_type)[:_WIDE]:
                group = self.groups.setdefault(key, Group())
                group.pages += 1
                group.means += history.log_rate
                group.squares += history.log_rate**2 + history.log_rate_sd**2


def site_of_group(key: str) -> str | None:
    """The URL of the site that a group of pages is of; None for one of all sites."""
    kind, _, rest = key.partition(" ")
    if kind not in ("site", "path"):
        return None
    scheme, _, rest = rest.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/"


def all_planned(parts: Iterable[Planned]) -> Planned:
    whole = Planned()
    for part in parts:
        whole.pages += part.pages
        whole.per_second += part.per_second
        whole.appetite += part.appetite
        for key, group in part.groups.items():
            whole.groups[key] = both(whole.groups.get(key, Group()), group)
    return whole


def both(one: Group, other: Group) -> Group:
    return Group(one.pages + other.pages, one.means + other.means, one.squares + other.squares)


def part_of_group(key: str, stored: Group, part: Planned, whole: Planned) -> Group:
    own, known = part.groups.get(key, Group()), whole.groups.get(key, Group())
    share = own.pages / known.pages if known.pages else 0.0
    return Group(
        _part(stored.pages, known.pages, own.pages, share),
        _part(stored.means, known.means, own.means, share),
        _part(stored.squares, known.squares, own.squares, share),
    )


def part_of_price(stored: PriceState, part: Planned, whole: Planned) -> PriceState:
    share = part.pages / whole.pages if whole.pages else 0.0
    return PriceState(
        stored.policy,
        stored.price,
        round(_part(stored.pages, whole.pages, part.pages, share)),
        max(0.0, _part(stored.planned, whole.per_second, part.per_second, share)),
        max(0.0, _part(stored.appetite, whole.appetite, part.appetite, share)),
        stored.lowest,
        stored.unspent * share,
        round(stored.foreign * share),
    )


def both_prices(one: PriceState, other: PriceState) -> PriceState:
    """The price of two that are put together is their mean, by what is planned at each."""
    if one.policy != other.policy:
        return one if one.pages >= other.pages else other
    pages = max(1, one.pages + other.pages)
    mean = (one.price * one.pages + other.price * other.pages) / pages
    return PriceState(
        one.policy,
        mean if one.price != other.price else one.price,
        one.pages + other.pages,
        one.planned + other.planned,
        one.appetite + other.appetite,
        max(one.lowest, other.lowest),
        one.unspent + other.unspent,
        one.foreign + other.foreign,
    )


def _part(stored: float, known: float, own: float, share: float) -> float:
    return own + (stored - known) * share
