"""What does an RTF reader know while it reads? Fonts, styles, lists, and the state of each group.

A group inherits its parent's state and gives it back when it ends (RTF 1.9.1, "Conventions of an
RTF Reader"). Groups nest as deep as the file likes: the states are a list, and beyond `_DEEPEST` a
group shares its parent's state.
"""

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from shoal.converters.markup.rtf_flow import Flow, Look, Piece
from shoal.converters.markup.rtf_text import DINGBATS, SYMBOL, codec_of_font, whole
from shoal.converters.writer import Run
from shoal.model.page import Tag

_DEEPEST = 20_000
_BODY_LEVEL = 9
_STEP_TWIPS = 360
_TYPED = re.compile(r"[ \t]*([•–·▪‣◦\-*]|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)])\t")
_STYLES = {
    "title": (Tag.HEADING, 1),
    **dict.fromkeys(("caption", "illustration", "table"), (Tag.CAPTION, 0)),
    **dict.fromkeys(("quote", "quotations", "intense quote", "block text"), (Tag.QUOTE, 0)),
    **dict.fromkeys(("preformatted text", "html preformatted", "source code"), (Tag.PRE, 0)),
    "definition term": (Tag.TERM, 0),
    "definition": (Tag.DEFINITION, 0),
}


class Place(Enum):
    """What the text of a group is."""

    BODY = auto()
    MUTED = auto()
    """Not shown, but groups inside may be."""
    CAUGHT = auto()
    """Kept until the group ends, then looked at: see `State.purpose`."""
    FONTS = auto()
    STYLES = auto()
    STYLE = auto()
    LISTS = auto()
    OVERRIDES = auto()
    INFO = auto()


@dataclass(slots=True)
class Style:
    name: str = ""
    outline: int = _BODY_LEVEL
    based_on: int = -1
    bold: bool = False


class State:
    __slots__ = (
        *("place", "purpose", "caught", "flow", "own_flow", "uc", "font", "codec", "bold"),
        *("hidden", "href", "style", "outline", "in_table", "table_depth", "list_number"),
        *("list_level", "is_header_row", "indent", "first_indent"),
    )

    def __init__(self, flow: Flow) -> None:
        self.place = Place.BODY
        self.purpose = ""
        self.caught: list[str] | None = None
        self.flow = flow
        self.own_flow = False
        self.uc = 1
        self.font = -1
        self.codec = ""
        self.bold = self.hidden = self.in_table = self.is_header_row = False
        self.href = ""
        self.reset_paragraph()

    def reset_paragraph(self) -> None:
        self.style, self.outline, self.list_number, self.list_level = 0, _BODY_LEVEL, 0, 0
        self.in_table, self.table_depth = False, 1
        self.indent = self.first_indent = 0

    def inner(self) -> "State":
        other = State.__new__(State)
        for name in State.__slots__:
            setattr(other, name, getattr(self, name))
        other.own_flow, other.purpose = False, ""
        return other


@dataclass(slots=True)
class Info:
    texts: dict[str, str] = field(default_factory=dict)
    times: dict[str, list[int]] = field(default_factory=dict)


class Document:
    def __init__(self) -> None:
        self.body = Flow()
        self.states = [State(self.body)]
        self.too_deep = 0
        self.codec = "cp1252"
        self.default_font = 0
        self.font_codecs: dict[int, str] = {}
        self.fonts_tell = False
        """Some font has a charset that is not the Western one."""
        self.font = (0, 1, 0)
        """Number, charset and code page of the font that is being declared."""
        self.styles: dict[int, Style] = {}
        self.style = Style()
        self.style_number = 0
        self.lists: dict[int, list[int]] = {}
        """The number format (`\\levelnfc`) of each level of a list,"""
        self.overrides: dict[int, int] = {}
        """and the list that an `\\ls` means."""
        self.list_levels: list[int] = []
        self.list_id = 0
        self.info = Info()
        self.property_name = ""
        self.objects: list[str] = []

    @property
    def state(self) -> State:
        return self.states[-1]

    def open(self) -> None:
        if len(self.states) >= _DEEPEST:
            self.too_deep += 1
            return
        state = self.states[-1].inner()
        if state.place is Place.STYLES:
            state.place, state.caught = Place.STYLE, []
            self.style, self.style_number = Style(), 0
        self.states.append(state)

    def close(self) -> bool:
        """False when there is no group left to close."""
        if self.too_deep:
            self.too_deep -= 1
            return True
        if len(self.states) == 1:
            return False
        state = self.states.pop()
        if state.own_flow:
            state.flow.end(self.look(state))
            self.states[-1].flow.anchor(state.flow.pieces)
        elif state.place is Place.STYLE and self.states[-1].place is Place.STYLES:
            self.style.name = "".join(state.caught or ()).partition(";")[0].strip().lower()
            self.styles[self.style_number] = self.style
        elif state.purpose and state.caught is not None:
            self._caught(state.purpose, whole("".join(state.caught)), state.codec)
        return True

    def text(self, text: str) -> None:
        state = self.states[-1]
        if state.caught is not None:
            state.caught.append(text)
            if state.place is Place.FONTS and ";" in text:
                self._declare_font("".join(state.caught))
                state.caught.clear()
        elif state.place is Place.BODY and not state.hidden:
            state.flow.add(text, state.bold, state.href)

    def _declare_font(self, name: str) -> None:
        number, charset, codepage = self.font
        codec = codec_of_font(charset, codepage, name.strip(" ;"))
        self.font_codecs[number] = codec
        self.fonts_tell |= codec not in ("", "cp1252", SYMBOL, DINGBATS)

    def catch(self, purpose: str) -> None:
        state = self.states[-1]
        state.place, state.purpose, state.caught = Place.CAUGHT, purpose, []

    def new_flow(self, kind: Tag) -> None:
        state = self.states[-1]
        state.flow, state.own_flow, state.place = Flow(kind), True, Place.BODY
        state.caught, state.bold, state.hidden, state.href = None, False, False, ""
        state.reset_paragraph()

    def codec_now(self) -> str:
        state = self.states[-1]
        font = self.default_font if state.font < 0 else state.font
        found = self.font_codecs.get(font) or self.codec
        # Whoever gives every font the charset 0 does not know about charsets.
        return self.codec if found == "cp1252" and not self.fonts_tell else found

    def look(self, state: State) -> Look:
        style = self.styles.get(state.style, Style())
        look = Look(style_is_bold=style.bold, heads_column=style.name == "table heading")
        look.table_depth = state.table_depth if state.in_table else 0
        level = state.outline if state.outline < _BODY_LEVEL else self._style_level(state.style)
        if level < _BODY_LEVEL:
            look.kind, look.level = Tag.HEADING, level + 1
            if not any(character.isalnum() for character in state.flow.marker):
                state.flow.marker = ""  # a heading has a number or nothing before it
        elif state.list_number or state.flow.marker:
            self._list_look(state, look)
        elif state.first_indent < 0 and (typed := _TYPED.match(state.flow.beginning())):
            self._typed_look(state, look, typed)
        else:
            look.kind, look.level = _STYLES.get(style.name, (Tag.PARAGRAPH, 0))
        return look

    def _typed_look(self, state: State, look: Look, typed: re.Match[str]) -> None:
        """Marks that stand in the text, before a hanging indent, are a list as well."""
        numbered = typed[1][-1] in ".)"
        look.kind = Tag.NUMBERED if numbered else Tag.ITEM
        look.marker = typed[1] if numbered else ""
        look.typed_chars = typed.end()
        look.level = min(9, max(0, state.indent + state.first_indent) // _STEP_TWIPS + 1)

    def _style_level(self, number: int) -> int:
        for _ in range(10):  # styles may be based on each other in a ring
            style = self.styles.get(number)
            if style is None:
                break
            if style.outline < _BODY_LEVEL:
                return style.outline
            if style.name.startswith("heading ") and style.name[8:].strip().isdecimal():
                return max(0, int(style.name[8:].strip()[:2]) - 1)
            number = style.based_on
        return _BODY_LEVEL

    def _list_look(self, state: State, look: Look) -> None:
        levels = self.lists.get(self.overrides.get(state.list_number, -1), [])
        form = levels[state.list_level] if state.list_level < len(levels) else -1
        marker = state.flow.marker
        if not marker and (form in (-1, 255) or not levels):
            return
        if form in (255, 23) or (form < 0 and marker in ("•", "o")) or marker == "•":
            state.flow.marker = ""
            look.kind = Tag.ITEM
        else:
            look.kind = Tag.NUMBERED
        look.level = state.list_level + 1

    def _caught(self, purpose: str, text: str, codec: str) -> None:
        parent = self.states[-1]
        if purpose == "marker":
            marker = text.strip()
            is_number = any(map(str.isalnum, marker)) and codec not in (SYMBOL, DINGBATS)
            parent.flow.marker = marker if is_number else "•"
        elif purpose == "field":
            parent.href = link_of(text) or parent.href
        elif purpose == "property name":
            self.property_name = text.strip()
        elif purpose == "property":
            kind = {"wzDescription": Tag.CAPTION, "gtextUNICODE": Tag.PARAGRAPH}.get(
                self.property_name
            )
            if kind and text.strip():
                parent.flow.anchor([Piece(kind, [Run(text)])])
        elif purpose == "object":
            self.objects.append(text)
        else:
            self.info.texts.setdefault(purpose, text.strip())


def link_of(instruction: str) -> str:
    """Where `HYPERLINK "http://…" \\l "place"` leads to."""
    words = instruction.replace("\u201c", '"').replace("\u201d", '"').strip()
    if words[:9].upper() != "HYPERLINK":
        return ""
    target, place, rest = "", "", words[9:].strip()
    for _ in range(8):
        if rest.startswith("\\l"):
            place, rest = _argument(rest[2:])
        elif rest.startswith("\\"):
            takes_one = rest[1:2] in ("o", "t")
            rest = rest[2:].lstrip()
            if takes_one:
                _, rest = _argument(rest)
        elif rest:
            target, rest = _argument(rest)
        else:
            break
    return f"{target}#{place}" if place else target


def _argument(text: str) -> tuple[str, str]:
    text = text.strip()
    if text.startswith('"'):
        value, _, rest = text[1:].partition('"')
    else:
        value, _, rest = text.partition(" ")
    return value.strip().replace("\\\\", "\\"), rest.strip()
