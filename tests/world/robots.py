"""What does a host's robots.txt say?

One meaning in several spellings (case, spaces, comments, line ends, groups of other crawlers, a
group split in two), as real files have them: RFC 9309, section 2.2. Which pages a rule closes is
known from the layout, not by matching, so the truth does not depend on a second robots.txt parser.
"""

from __future__ import annotations

from dataclasses import dataclass

PRIVATE = "private"
_BRANDS = ("common", "deep", "north")


@dataclass(frozen=True)
class RobotsMix:
    """Shares of hosts by the kind of their robots.txt; the rest allow everything."""

    disallow: float = 0.2
    crawl_delay: float = 0.02
    missing: float = 0.15
    error: float = 0.01
    crawl_delay_seconds: float = 1.0


@dataclass(frozen=True)
class RobotsFile:
    """One host's robots.txt and what it means."""

    status: int
    text: str
    private_section: int | None = None
    crawl_delay_seconds: float | None = None


def robots_text(host: int, private: int | None, delay_seconds: float | None) -> str:
    """The same meaning in several spellings, as real files have them."""
    rules = [f"Disallow: /{PRIVATE}/"] if private is not None else ["Disallow:"]
    if delay_seconds is not None:
        rules.append(f"Crawl-delay: {delay_seconds:g}")
    brand = _BRANDS[host % len(_BRANDS)]
    other = [f"User-agent: {brand}bot-of-another-house", "Disallow: /", ""]
    if host % 4 == 0:
        lines = ["User-agent: *", *rules]
    elif host % 4 == 1:
        lines = ["# who may read what", *other, "user-agent: *  # everybody", *rules]
    elif host % 4 == 2:
        lines = ["USER-AGENT:*", *[rule.replace(": ", ":") for rule in rules], "", *other]
    else:
        lines = ["User-agent: *", "Disallow: /never-linked/", "", *other, "User-agent: *", *rules]
    return ("\r\n" if host % 2 else "\n").join(lines) + "\n"
