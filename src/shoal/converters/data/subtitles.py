"""What is said in a subtitle file? The lines, without their times and looks.

SubRip, WebVTT, SubStation (SSA and ASS), MicroDVD and SubViewer (.sub), SBV, SAMI, LRC lyrics; TTML
is XML and read as such. Which one it is shows in the lines themselves.
"""

import html
import re
from collections.abc import Callable, Iterator

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.html import blocks as html_blocks
from shoal.converters.writer import Writer

_ARROW = re.compile(r"\s*(?:\d+:)?\d+:\d+(?:[.,]\d+)?\s*-->\s*(?:\d+:)?\d+:\d+")
_TIMES = re.compile(r"\s*\d+:\d+:\d+[.,]\d+,\d+:\d+:\d+[.,]\d+\s*$")
_TAG = re.compile(r"</?[A-Za-z0-9:.][^<>]{0,200}>|\{\\[^{}]{0,300}\}")
_FRAMES = re.compile(r"\s*\{\d+\}\{\d*\}(.*)$")
_BRACED = re.compile(r"\{[^{}]{0,100}\}")
_LYRIC = re.compile(r"\s*((?:\[\d+:\d+(?:[.:]\d+)?\])+)(.*)$")
_LYRIC_TAG = re.compile(r"\s*\[([a-z]{2,8}):(.*)\]\s*$", re.IGNORECASE)
_WORD_TIME = re.compile(r"<\d+:\d+(?:[.:]\d+)?>")
_DIALOGUE_COMMAS = 9


class _Facts:
    title = ""
    author = ""


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    facts = _Facts()
    head = source.text[:4000].lower()
    if "<sami" in head:
        facts.title = html_blocks.write_blocks(source.text, writer)
    else:
        before = ""
        for line in _reader_of(head)(source.text.lstrip("\ufeff").splitlines(), facts):
            text = html.unescape(line).strip()
            if text != before:  # rolling captions say a line twice
                writer.paragraph(text)
            before = text
            if writer.full:
                break
    page = writer.page(facts.title)
    page.author = facts.author
    return decoded(page, source, writer.problem)


_Reader = Callable[[list[str], _Facts], Iterator[str]]


def _reader_of(head: str) -> _Reader:
    if "[script info]" in head or "\ndialogue:" in head:
        return _substation
    lines = head.splitlines()
    if any(_FRAMES.match(line) for line in lines[:20]):
        return _microdvd
    if any(_LYRIC.match(line) for line in lines[:40]) and "-->" not in head:
        return _lyrics
    return _cues


def _cues(lines: list[str], facts: _Facts) -> Iterator[str]:
    """A line of times, then text up to a blank line. What stands before the times is a name."""
    text: list[str] | None = None
    skipped = False
    for line in lines:
        if _ARROW.match(line) or _TIMES.match(line):
            if text:
                # Without a blank line between, the last line was the number of this cue.
                yield _TAG.sub("", " ".join(text[:-1] if text[-1].strip().isdecimal() else text))
            text, skipped = [], False
        elif line.startswith(("NOTE", "STYLE", "REGION", "WEBVTT")) and text is None:
            skipped = True
            if line.startswith("WEBVTT") and " - " in line:
                facts.title = line.partition(" - ")[2]
        elif not line.strip():
            if text:
                yield _TAG.sub("", " ".join(text))
            text, skipped = None, False
        elif text is not None and not skipped:
            text.append(line.replace("[br]", " ").replace("|", " "))
    if text:
        yield _TAG.sub("", " ".join(text))


def _substation(lines: list[str], facts: _Facts) -> Iterator[str]:
    commas = _DIALOGUE_COMMAS
    in_events = False
    for line in lines:
        name, _, value = line.partition(":")
        name = name.strip().lower()
        if line.startswith("["):
            in_events = "events" in line.lower()
        elif name == "title":
            facts.title = value.strip()
        elif name == "original script":
            facts.author = value.strip().strip("<>")
        elif name == "format" and in_events:
            commas = value.count(",")
        elif name == "dialogue":
            text = value.split(",", commas)[-1]
            drawing = "\\p1" in text
            text = re.sub(r"\{[^{}]{0,500}\}", "", text)
            if not drawing:
                yield text.replace("\\N", " ").replace("\\n", " ").replace("\\h", " ")


def _microdvd(lines: list[str], _: _Facts) -> Iterator[str]:
    for line in lines:
        found = _FRAMES.match(line)
        if found and not re.fullmatch(r"[\d.]+", found[1].strip()):  # the first gives frames/s
            yield _BRACED.sub("", found[1]).replace("|", " ")


def _lyrics(lines: list[str], facts: _Facts) -> Iterator[str]:
    for line in lines:
        found, tag = _LYRIC.match(line), _LYRIC_TAG.match(line)
        if found:
            yield _WORD_TIME.sub("", found[2])
        elif tag and tag[1].lower() == "ti":
            facts.title = tag[2].strip()
        elif tag and tag[1].lower() == "ar":
            facts.author = tag[2].strip()
