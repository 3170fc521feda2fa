"""How is something told to a server? A form is posted, and its answer is a status with a sentence.

Only hubs are posted to (WebSub, section 5.1), at URLs that feeds name: the fetcher's guard judges
the address of each, also of those that redirects lead to. A redirect is followed where it keeps the
method (307, 308), and never from https to http: the form carries a secret.
"""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlencode

from shoal.fetch.http import HttpFetcher
from shoal.model.outcome import Outcome
from shoal.model.urls.url import resolve
from shoal.model.visit import Fetched, Visit

MOST_REDIRECTS = 5
_KEEPS_METHOD = (307, 308)
_MOST_SAID_CHARS = 200


class Posted(NamedTuple):
    status: int
    """0: nobody answered."""
    problem: str
    """Why it was not accepted, in one sentence; empty when it was."""


async def post_form(
    http: HttpFetcher, url: str, fields: Iterable[tuple[str, str]], *, private_ok: bool = False
) -> Posted:
    """Never raises for what the world does. `private_ok`: it may be at a private address."""
    form = urlencode(list(fields)).encode()
    status = 0
    for _ in range(MOST_REDIRECTS + 1):
        fetched = await http.post(Visit(url, b"", b"", private_ok=private_ok), form)
        status = fetched.status
        if status not in _KEEPS_METHOD:
            return _judged(fetched)
        named = fetched.header("location")
        onward = (resolve(named, url) if named else None) or ""
        is_secure = url.startswith("https://")
        if not onward.startswith("https://" if is_secure else ("https://", "http://")):
            return Posted(status, "It leads on to where a form can't be sent.")
        url = onward.partition("#")[0]
    return Posted(status, f"It leads on more than {MOST_REDIRECTS} times.")


def _judged(fetched: Fetched) -> Posted:
    if fetched.outcome is Outcome.OK:
        return Posted(fetched.status, "")
    if not fetched.status:
        return Posted(0, fetched.note or f"It did not answer ({fetched.outcome}).")
    said = fetched.body[: 4 * _MOST_SAID_CHARS].decode("utf-8", "replace")
    plain = " ".join("".join(each if each.isprintable() else " " for each in said).split())
    told = "" if plain.startswith("<") else plain[:_MOST_SAID_CHARS]
    return Posted(fetched.status, f"It answered {fetched.status}" + (f": {told}" if told else "."))
