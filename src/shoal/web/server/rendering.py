"""How does a value become a page? The one module that knows Jinja2.

Escaping is on for every template, and a name that is missing is an error, not an empty place. What
comes from pages is hostile: characters that control a terminal or turn the direction of writing
are replaced wherever a text is put out, and only http and https URLs become links.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlencode

import jinja2

from shoal.collection.report.freshness_units import length_of_time
from shoal.web.views.display_names import kind, language_name

_TEMPLATES = Path(__file__).parents[1] / "templates"
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_WEB = re.compile(r"https?://[^\s\\]", re.IGNORECASE)


def harmless(value: object) -> object:
    """Without what would turn the direction of the text around it, or could not be encoded."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return _CONTROLS.sub("\ufffd", value)
    return value


def web_address(url: str) -> str:
    """The URL if a browser may be sent there, else nothing: no javascript:, data: or file:."""
    return url if _WEB.match(url) and not _CONTROLS.search(url) else ""


def clipped(text: str, most: int = 200) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def size(value: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if value < 1000:
            return f"{value:,.0f} bytes" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:,.1f} TB"


def date(value: float | str) -> str:
    """`2026-11-15`, of unix seconds or an ISO time."""
    return moment(value)[:10]


def moment(value: float | str) -> str:
    """`2026-11-15 10:30 UTC`, of unix seconds or an ISO time."""
    try:
        when = (
            datetime.fromisoformat(value)
            if isinstance(value, str)
            else datetime.fromtimestamp(value, UTC)
        )
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return clipped(str(value), 40)


def path(base: str, **parameters: object) -> str:
    """A path of ours with a query; what is empty is left out."""
    given = {k: str(v) for k, v in parameters.items() if v not in ("", None, False)}
    return f"{base}?{urlencode(given, errors='replace', quote_via=quote)}" if given else base


def plural(value: int, one: str, many: str = "") -> str:
    return f"{value:,} {one if value == 1 else many or one + 's'}"


class Templates:
    def __init__(self) -> None:
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_TEMPLATES),
            autoescape=True,
            auto_reload=False,
            undefined=jinja2.StrictUndefined,
            finalize=harmless,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        texts = (web_address, clipped, plural, kind, language_name)
        filters = (*texts, number, size, date, moment, length_of_time)
        self._environment.filters.update({each.__name__: each for each in filters})
        self._environment.globals["path"] = path

    def render(self, name: str, values: Mapping[str, object]) -> str:
        return self._environment.get_template(name).render(values)
