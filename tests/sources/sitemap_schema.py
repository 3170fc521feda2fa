"""The rules of sitemaps.org's two schemas (sitemap.xsd, siteindex.xsd), as a checker of our own.

Element order, how often each may stand, the values' ranges, the limits of a file. It uses a real
XML parser, so what is not well-formed or not escaped fails too.
"""

import gzip
import re
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ORDER = {
    "url": ["loc", "lastmod", "changefreq", "priority"],
    "sitemap": ["loc", "lastmod"],
}
FREQUENCIES = {"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}
DATE = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d))?"
)
URL = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+/[A-Za-z0-9._~!$&'()*+,;=:@/%?-]*")


def faults(path: Path, base_url: str) -> list[str]:
    """What the schema, or the protocol, does not allow in this file."""
    raw = path.read_bytes()
    body = gzip.decompress(raw) if path.suffix == ".gz" else raw
    body.decode("utf-8", "strict")
    root = ElementTree.fromstring(body)  # noqa: S314 - we wrote it ourselves
    item = {f"{SPACE}urlset": "url", f"{SPACE}sitemapindex": "sitemap"}.get(root.tag)
    if item is None:
        return [f"the root is {root.tag}"]
    found = []
    if len(body) > 50 * 1024 * 1024:
        found.append("longer than 50 MiB")
    if not 1 <= len(root) <= 50_000:
        found.append(f"{len(root)} entries")
    for number, element in enumerate(root):
        if element.tag != SPACE + item:
            found.append(f"{number}: {element.tag} in {root.tag}")
        found += [f"{number}: {fault}" for fault in _entry_faults(element, ORDER[item], base_url)]
    return found


def _entry_faults(element: ElementTree.Element, order: list[str], base_url: str) -> list[str]:
    names = [child.tag.removeprefix(SPACE) for child in element]
    found = []
    if names != [name for name in order if name in names] or "loc" not in names:
        found.append(f"its elements are {names}")
    values = {child.tag.removeprefix(SPACE): child.text or "" for child in element}
    url = values.get("loc", "")
    if not 12 <= len(url) < 2048 or not URL.fullmatch(url) or urlsplit(url).fragment:
        found.append(f"no URL: {url!r}")
    if not url.startswith(base_url):
        found.append(f"{url} does not stand below the sitemap")
    if "lastmod" in values and not DATE.fullmatch(values["lastmod"]):
        found.append(f"no date: {values['lastmod']!r}")
    if "changefreq" in values and values["changefreq"] not in FREQUENCIES:
        found.append(f"no frequency: {values['changefreq']!r}")
    if "priority" in values and not 0 <= float(values["priority"]) <= 1:
        found.append(f"no priority: {values['priority']!r}")
    return found
