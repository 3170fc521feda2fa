"""What does a POD file say? Perl's plain old documentation (perlpod), also amid Perl code."""

import re

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.markup.inline import Markup, Span, bold, literal, nothing, plain
from shoal.converters.writer import Writer
from shoal.model.page import Tag

_COMMAND = re.compile(r"=([a-zA-Z]\w*)\s*(.*)", re.DOTALL)
_NUMBER = re.compile(r"([0-9]{1,9})[.)]?(?:\s+|$)")
_ESCAPES = {"lt": "<", "gt": ">", "verbar": "|", "sol": "/", "nbsp": " "}
_LEVELS = {"head1": 1, "head2": 2, "head3": 3, "head4": 4}


def _link(found: re.Match[str]) -> Span:
    label, _, target = found[1].rpartition("|")
    href = target if target.startswith(("http:", "https:", "mailto:")) else ""
    return Span(label or target.replace("/", " "), href=href)


_INLINE = Markup(
    (r"[CF]<<+\s(.{1,500}?)\s>>+", literal()),
    (r"B<<+\s(.{1,500}?)\s>>+", bold()),
    (r"[IS]<<+\s(.{1,500}?)\s>>+", plain()),
    (r"E<(\w{1,20})>", lambda found: Span(_ESCAPES.get(found[1], ""), literal=True)),
    (r"L<([^<>]+)>", _link),
    (r"B<((?:[^<>]|[A-Z]<[^<>]*>)*)>", bold()),
    (r"[ICFS]<((?:[^<>]|[A-Z]<[^<>]*>)*)>", plain()),
    (r"[ZX]<[^<>]*>", nothing),
)


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    name = _write(source.text.replace("\r\n", "\n"), writer)
    title, _, about = name.partition(" - ")
    page = writer.page(title or writer.first_heading)
    page.description = about
    return decoded(page, source, writer.problem)


def _write(text: str, writer: Writer) -> str:
    """What stands in the section NAME: the name and what it is for."""
    depth, is_pod, skipped, section, name = 0, False, False, "", ""
    item: tuple[bool, str] | None = None
    for paragraph in re.split(r"\n[ \t]*\n", text):
        words = paragraph.strip("\n")
        command = _COMMAND.match(words)
        if command:
            kind, rest = command[1], command[2].strip()
            is_pod = kind != "cut"
            if kind in ("begin", "for"):
                skipped = kind == "begin" and not rest.startswith((":", "text"))
            elif kind == "end":
                skipped = False
            elif kind in _LEVELS:
                section = rest
                writer.heading(_INLINE.runs(rest), _LEVELS[kind])
            elif kind == "over":
                depth += 1
            elif kind == "back":
                depth, item = max(0, depth - 1), None
            elif kind == "item":
                item = _item(rest, depth, writer)
        elif is_pod and not skipped and words.strip():
            if section == "NAME" and not name:
                name = " ".join(words.split())
            _paragraph(words, item, depth, writer)
            item = None
        if writer.full:
            break
    return name


def _item(text: str, depth: int, writer: Writer) -> tuple[bool, str] | None:
    """Whether the paragraph that follows is the item's text, and its number."""
    number = _NUMBER.match(text)
    if text in ("*", "-", ""):
        return (False, "")
    if number and not text[number.end() :]:
        return (True, f"{number[1]}.")
    if text.startswith("* "):
        writer.item(_INLINE.runs(text[2:]), max(1, depth))
    else:
        writer.other(Tag.TERM, _INLINE.runs(text))
    return None


def _paragraph(words: str, item: tuple[bool, str] | None, depth: int, writer: Writer) -> None:
    if words[0] in " \t":
        writer.preformatted(words)
    elif item:
        writer.item(_INLINE.runs(words), max(1, depth), numbered=item[0], marker=item[1])
    else:
        writer.paragraph(_INLINE.runs(words))
