"""What does a PDF say? Its text in reading order, told apart into headings, paragraphs, lists.

A page's words come from PDFium. If the file is tagged, its structure tree says what they are;
otherwise their places and looks do (pdf_rows, pdf_layout, pdf_headings). Pages are read one by one
within a budget of time; what runs on every page and which sizes are headings is settled at the end.
"""

import time
from dataclasses import dataclass, field

from shoal.converters.context import Context, Converted
from shoal.converters.pdf.headings import body_size, mark_headings, unsaid
from shoal.converters.pdf.info import About, about
from shoal.converters.pdf.layout import arranged
from shoal.converters.pdf.library import (
    Attachment,
    Entry,
    Pdf,
    Unreadable,
    attachments,
    draws,
    is_whole,
    opened,
    outline,
    page_of,
)
from shoal.converters.pdf.lines import lines_of
from shoal.converters.pdf.mend import mended
from shoal.converters.pdf.nesting import flattened
from shoal.converters.pdf.notes import Notes, link_words, notes_of
from shoal.converters.pdf.piece import Piece
from shoal.converters.pdf.rows import pieces_of
from shoal.converters.pdf.running import mark_margins, settle_running
from shoal.converters.pdf.tags import tagged
from shoal.converters.pdf.text import MOST_WORDS, PageText, Wanted, Word, words_of
from shoal.converters.pdf.tree import tree_of
from shoal.converters.pdf.write import write_pieces
from shoal.converters.pdf.xfa import xfa_lines
from shoal.converters.writer import Writer, text_of
from shoal.model.page import Page, Tag

_PAGES, _SECONDS = 5_000, 20.0
_TITLE_TIMES, _TITLE_CHARS = 1.12, 200
_END, _TAIL_BYTES = b"%%EOF", 2_048
_TREE_SHARE = 0.5
"""Of the words that a structure tree must name to be believed."""


@dataclass(slots=True)
class _Read:
    """What was read of a document."""

    pages: list[list[Piece]] = field(default_factory=list)
    notes: list[Notes] = field(default_factory=list)
    files: list[Attachment] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """Of a form whose pages are not there."""
    known: About = field(default_factory=About)
    empty: int = 0
    words: int = 0
    """That may still be asked for."""
    whole: bool = True
    problem: str = ""


def convert(body: bytes, context: Context) -> list[Converted]:
    start = max(0, body.find(b"%PDF-"))
    sent = body = body[start:] if start else body
    body = flattened(sent)
    try:
        read = _read(body, context)
    except Unreadable as fault:
        read = _Read(problem=str(fault), whole=False)
    if not read.whole and read.problem != "encrypted" and not any(read.pages):
        read = _mended(body, context) or read
    if not read.whole and _END not in body[-_TAIL_BYTES:]:
        read.problem = read.problem or "damaged: cut off"
    if body is not sent:
        read.problem = read.problem or "marks nested too deep: left out"
    return _made(read, context)


def _mended(body: bytes, context: Context) -> _Read | None:
    """What can be read with a new table of objects; None when that is nothing."""
    fixed = mended(body)
    try:
        read = _read(fixed, context) if fixed else None
    except Unreadable:
        return None
    if read is None or not any(read.pages):
        return None
    read.problem = read.problem or "damaged: mended"
    return read


def _read(body: bytes, context: Context) -> _Read:
    read = _Read()
    limits = context.limits
    until, chars = time.monotonic() + _SECONDS, limits.text_chars
    read.words = MOST_WORDS
    with opened(body) as pdf:
        read.whole = is_whole(pdf)
        read.known = about(pdf, body)
        read.entries = outline(pdf)
        read.files = list(attachments(pdf, limits.members, limits.member_bytes))
        for number in range(min(pdf.page_count, _PAGES)):
            if time.monotonic() > until or chars <= 0:
                read.problem = f"cut after {number} of {pdf.page_count} pages"
                break
            held = sum(len(file.data) for file in read.files)
            chars -= _read_page(pdf, number, read, chars, limits.member_bytes - held)
            if read.words <= 0:
                read.problem = f"cut within page {number + 1} of {pdf.page_count}: too many words"
                break
        read.lines = xfa_lines(pdf, limits.text_chars - chars) if pdf.form else []
        if pdf.page_count > _PAGES:
            read.problem = f"cut after {_PAGES} of {pdf.page_count} pages"
    return read


def _read_page(pdf: Pdf, number: int, read: _Read, most_chars: int, most_bytes: int) -> int:
    with page_of(pdf, number) as page:
        if page is None:
            read.problem = "damaged: pages missing"
            read.pages.append([])
            read.notes.append(Notes())
            return 0
        notes = notes_of(pdf, page, most_bytes)
        nodes = tree_of(page)
        boxes = [box for box, _ in notes.links]
        text = words_of(page, Wanted(most_chars, bool(nodes), boxes, read.words))
        read.words -= text.asked
        link_words(text.words, notes.links)
        pieces: list[Piece] = []
        rest = text.words
        if nodes:
            pieces, rest = tagged(nodes, text.words, number + 1)
            outside = sum(not word.style.artifact for word in rest)
            if outside > _TREE_SHARE * len(text.words):
                pieces, rest = [], text.words
        pieces += _laid_out(rest, text, number + 1)
        read.empty += not text.words and draws(page)
    read.pages.append(pieces)
    read.notes.append(notes)
    read.files += notes.files
    return sum(len(word.text) + 1 for word in text.words)


def _laid_out(words: list[Word], text: PageText, page: int) -> list[Piece]:
    """Pieces of what no structure tree names; those that the file calls artifacts are asides."""
    pieces: list[Piece] = []
    for artifact in (False, True):
        chosen = [word for word in words if word.style.artifact is artifact]
        turns = sorted(
            {word.style.turn for word in chosen},
            key=lambda turn: -sum(word.style.turn == turn for word in chosen),
        )
        for turn in turns:
            some = pieces_of(lines_of([w for w in chosen if w.style.turn == turn]), page)
            mark_margins(some, text.box.turned(turn))
            if artifact:
                for piece in some:
                    piece.kind, piece.margin = Tag.ASIDE, True
            pieces += some
    return pieces


def _made(read: _Read, context: Context) -> list[Converted]:
    settle_running(read.pages)
    for number, pieces in enumerate(read.pages):
        told = [piece for piece in pieces if piece.tagged]
        loose = [piece for piece in pieces if not piece.tagged]
        if told:
            middle = sum(piece.bottom for piece in loose) / (len(loose) or 1)
            above = [piece for piece in loose if piece.margin and piece.bottom > middle]
            below = [piece for piece in loose if not (piece.margin and piece.bottom > middle)]
            read.pages[number] = [*above, *told, *below]
        else:
            read.pages[number] = arranged(loose)
    everything = [piece for pieces in read.pages for piece in pieces]
    mark_headings(everything, read.entries)
    writer = Writer(context.limits)
    write_pieces(writer, everything, read.notes)
    for line in read.lines:
        writer.paragraph(line)
    for title in unsaid(read.entries, text_of(writer.blocks)):
        writer.other(Tag.ASIDE, title)
    page = writer.page(read.known.title or _largest(everything))
    _describe(page, read.known)
    problem = read.problem or writer.problem
    if not problem and read.empty and read.empty * 2 > len(read.pages):
        problem = "no text: scanned pages"
    made = [Converted(page, problem=problem)]
    for file in read.files[: context.limits.members]:
        made += context.inside(file.data, file.name, file.media_type)
    return made


def _largest(pieces: list[Piece]) -> str:
    """The largest text of the first page, else the first heading."""
    first = [
        piece
        for piece in pieces
        if piece.page == 1 and piece.kind in (Tag.HEADING, Tag.PARAGRAPH) and piece.lines <= 4
    ]
    if first:
        largest = max(first, key=lambda piece: piece.size)
        if largest.size > _TITLE_TIMES * body_size(pieces) and len(largest.text) <= _TITLE_CHARS:
            return largest.text
    headings = (piece.text for piece in pieces if piece.kind is Tag.HEADING)
    return next(headings, "")


def _describe(page: Page, known: About) -> None:
    page.author, page.description, page.keywords = known.author, known.description, known.keywords
    page.published, page.modified = known.published, known.modified
    page.language = known.language
