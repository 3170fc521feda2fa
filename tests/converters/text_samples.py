"""Which converter reads which sample of the text family, and a short way to run it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.converters.context import Context, Converted, Converter, nothing_inside
from shoal.converters.data import (
    bibliography,
    calendar,
    delimited,
    json_text,
    localisation,
    notebook,
    plist,
    shortcut,
    source,
    subtitles,
    vcard,
    xml_text,
)
from shoal.converters.limits import Limits
from shoal.converters.links import LinkMaker
from shoal.converters.markup import (
    asciidoc,
    latex,
    man,
    markdown,
    org,
    pod,
    rst,
    rtf,
    texinfo,
    wiki,
)
from shoal.model.page import Block

SAMPLES = Path(__file__).parent / "samples"

CONVERTERS: dict[str, Converter] = {
    "rtf": rtf.convert,
    "md": markdown.convert,
    "rst": rst.convert,
    "org": org.convert,
    "adoc": asciidoc.convert,
    "textile": wiki.convert_textile,
    "mediawiki": wiki.convert,
    "tex": latex.convert,
    "man": man.convert,
    "texi": texinfo.convert,
    "pod": pod.convert,
    **dict.fromkeys(("csv", "tsv"), delimited.convert),
    **dict.fromkeys(("json", "ndjson", "geojson", "json-feed"), json_text.convert),
    **dict.fromkeys(("source", "diff", "yaml", "toml", "ini", "properties"), source.convert),
    "ipynb": notebook.convert,
    **dict.fromkeys(("srt", "vtt", "ass", "sub", "lrc"), subtitles.convert),
    **dict.fromkeys(("sbv", "smi"), subtitles.convert),
    "ics": calendar.convert,
    "vcf": vcard.convert,
    **dict.fromkeys(
        ("xml", "docbook", "jats", "tei", "dita", "xlf", "tmx", "xlz"), xml_text.convert
    ),
    **dict.fromkeys(("svg", "mml", "rss", "atom", "opml", "kml", "gpx", "kmz"), xml_text.convert),
    **dict.fromkeys(("xmp", "resx", "android", "ttml"), xml_text.convert),
    **dict.fromkeys(("plist", "bplist", "webloc"), plist.convert),
    **dict.fromkeys(("url", "desktop"), shortcut.convert),
    "po": localisation.convert_po,
    "strings": localisation.convert_strings,
    **dict.fromkeys(("bib", "ris", "enw", "nbib"), bibliography.convert),
}


def listed() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((SAMPLES / "text.json").read_text("utf-8"))
    return found


def run(
    convert: Converter,
    body: bytes | str,
    name: str = "file",
    inside: Callable[..., list[Converted]] | None = None,
) -> Converted:
    """Of its own document."""
    data = body.encode() if isinstance(body, str) else body
    return run_all(convert, data, name, inside)[0]


def run_all(
    convert: Converter,
    body: bytes,
    name: str = "file",
    inside: Callable[..., list[Converted]] | None = None,
    limits: Limits | None = None,
) -> list[Converted]:
    return convert(body, context_for(name, inside, limits))


def context_for(
    name: str = "file",
    inside: Callable[..., list[Converted]] | None = None,
    limits: Limits | None = None,
) -> Context:
    links = LinkMaker.__new__(LinkMaker)  # the converters here make no links
    url = f"https://reef.example/{name}"
    return Context(url, "", links, limits or Limits(), inside=inside or nothing_inside)


def blocks_of(convert: Converter, body: bytes | str) -> list[tuple[str, int, str, str]]:
    return [
        (block.kind.value, block.level, block.marker, block.text)
        for block in run(convert, body).page.blocks
    ]


def bold_of(block: Block) -> list[str]:
    return [block.text[start:end] for start, end in block.bold]


def links_of(block: Block) -> list[tuple[str, str]]:
    return [(block.text[start:end], href) for start, end, href in block.links]
