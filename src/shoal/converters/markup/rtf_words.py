"""What does each control word of RTF do? One table: word to deed.

Only what shows in the text or says what it is has an entry. Groups of words in `SKIPPED`, and those
with `\\*` whose word is not in `STARRED`, are passed over unread.
"""

from collections.abc import Callable

from shoal.converters.markup.rtf_document import Document, Place
from shoal.converters.markup.rtf_text import SYMBOL, codec_of_codepage
from shoal.model.page import Tag

Deed = Callable[[Document, int | None], None]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CHARACTERS = {
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "tab": "\t",
    "qmspace": "\u2005",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    **dict.fromkeys(("line", "lbr", "softline"), "\n"),
    "zwbo": "\u200b",
    "zwnbo": "\u2060",
    **dict.fromkeys(("ltrmark", "rtlmark"), ""),
}
SKIPPED = _words(
    """nonshppict shprslt colortbl atnid atnauthor atndate atnref atnicn atrfstart atrfend
    atnparent tc tcn xe rxe txe ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn mmathPict objname
    objtime private revtbl comment themedata colorschememapping datastore template pntxta pntxtb
    leveltext levelnumbers nextfile passwordhash bkmkstart bkmkend ffdeftext ffformat ffname
    ffhelptext ffstattext ffentrymcr ffexitmcr ffl filetbl userprops latentstyles rsidtbl
    generator xmlnstbl shptxtbackground picscaled panose falt fname mmathPr hlsrc hlfr hlloc
    objalias objsect listname"""
)
STARRED = _words(
    """fldinst shpinst shppict picprop upr ud do moMath moMathPara mmath listtable listoverridetable
    annotation objdata company footnote htmltag subtitle shptxt pict dptxbxtext nestrow
    nesttableprops pntext listtext cs ds ts background"""
)


def _place(place: Place) -> Deed:
    def deed(document: Document, _: int | None) -> None:
        document.state.place = place
        document.state.caught = [] if place is Place.FONTS else None

    return deed


def _shown(document: Document, _: int | None) -> None:
    document.state.place, document.state.caught = Place.BODY, None


def _unicode_twin(document: Document, _: int | None) -> None:
    """`{\\upr{ansi}{\\*\\ud unicode}}`: goes where the whole would have gone."""
    outer = document.states[-3 if len(document.states) > 2 else 0]
    document.state.place, document.state.caught = outer.place, outer.caught


def _catch(purpose: str) -> Deed:
    return lambda document, _: document.catch(purpose)


def _info(name: str) -> Deed:
    def deed(document: Document, _: int | None) -> None:
        if document.state.place is Place.INFO:
            document.catch(name)

    return deed


def _time(name: str) -> Deed:
    def deed(document: Document, _: int | None) -> None:
        document.info.times[name] = [0, 1, 1, 0, 0]
        document.state.purpose = name

    return deed


def _time_part(index: int) -> Deed:
    def deed(document: Document, number: int | None) -> None:
        parts = document.info.times.get(document.state.purpose)
        if parts is not None:
            parts[index] = number or 0

    return deed


def _flow(kind: Tag) -> Deed:
    return lambda document, _: document.new_flow(kind)


def _box(document: Document, _: int | None) -> None:
    kind = document.state.flow.kind  # a text box in a header is part of the header
    document.new_flow(kind)


def _paragraph(document: Document, _: int | None) -> None:
    state = document.state
    if state.place is Place.BODY:
        state.flow.end_paragraph(document.look(state))


def _break(document: Document, _: int | None) -> None:
    """A new section or page ends a paragraph only where there is no table around it."""
    if not document.state.in_table:
        _paragraph(document, None)


def _cell(document: Document, _: int | None) -> None:
    state = document.state
    look = document.look(state)
    look.table_depth = 1
    state.flow.end_cell(look)


def _nested_cell(document: Document, _: int | None) -> None:
    state = document.state
    look = document.look(state)
    look.table_depth = 2
    state.flow.end_cell(look)


def _row(document: Document, _: int | None) -> None:
    state = document.state
    look = document.look(state)
    look.table_depth = 1
    state.flow.end_row(look, is_header=state.is_header_row)


def _row_begins(document: Document, _: int | None) -> None:
    document.state.is_header_row = False


def _header_row(document: Document, _: int | None) -> None:
    document.state.is_header_row = True


def _plain(document: Document, _: int | None) -> None:
    state = document.state
    state.bold = state.hidden = False
    state.font = -1


def _bold(document: Document, number: int | None) -> None:
    if document.state.place is Place.STYLE:
        document.style.bold = number != 0
    else:
        document.state.bold = number != 0


def _hidden(document: Document, number: int | None) -> None:
    document.state.hidden = number != 0


def _style(document: Document, number: int | None) -> None:
    if document.state.place is Place.STYLE:
        document.style_number = number or 0
    else:
        document.state.style = number or 0


def _character_style(document: Document, number: int | None) -> None:
    if document.state.place is Place.STYLE:
        document.style_number = -1 - (number or 0)  # apart from those of paragraphs


def _based_on(document: Document, number: int | None) -> None:
    document.style.based_on = number or 0


def _outline(document: Document, number: int | None) -> None:
    level = number if number is not None and 0 <= number <= 9 else 9
    if document.state.place is Place.STYLE:
        document.style.outline = level
    else:
        document.state.outline = level


def _in_table(document: Document, number: int | None) -> None:
    document.state.in_table = number != 0


def _table_depth(document: Document, number: int | None) -> None:
    document.state.in_table = bool(number)
    document.state.table_depth = max(1, number or 1)


def _list(document: Document, number: int | None) -> None:
    if document.state.place is Place.OVERRIDES:
        document.overrides[number or 0] = document.list_id
    else:
        document.state.list_number = number or 0


def _list_level(document: Document, number: int | None) -> None:
    document.state.list_level = min(8, max(0, number or 0))


def _indent(document: Document, number: int | None) -> None:
    document.state.indent = number or 0


def _first_indent(document: Document, number: int | None) -> None:
    document.state.first_indent = number or 0


def _list_begins(document: Document, _: int | None) -> None:
    document.list_levels = []


def _number_format(document: Document, number: int | None) -> None:
    if document.state.place is Place.LISTS and len(document.list_levels) < 9:
        document.list_levels.append(number or 0)


def _list_id(document: Document, number: int | None) -> None:
    document.list_id = number or 0
    if document.state.place is Place.LISTS:
        document.lists[document.list_id] = document.list_levels


def _font(document: Document, number: int | None) -> None:
    if document.state.place is Place.FONTS:
        document.font = (number or 0, 1, 0)
        if document.state.caught:
            document.state.caught.clear()
    else:
        document.state.font = number or 0


def _font_charset(document: Document, number: int | None) -> None:
    document.font = (document.font[0], number or 0, document.font[2])


def _font_codepage(document: Document, number: int | None) -> None:
    document.font = (*document.font[:2], number or 0)


def _default_font(document: Document, number: int | None) -> None:
    document.default_font = number or 0


def _codepage(document: Document, number: int | None) -> None:
    codec = codec_of_codepage(number or 0)
    if codec and codec != SYMBOL:
        document.codec = codec


def _machine(codec: str) -> Deed:
    def deed(document: Document, _: int | None) -> None:
        document.codec = codec

    return deed


def _fallback_count(document: Document, number: int | None) -> None:
    document.state.uc = min(8, max(0, 1 if number is None else number))


DEEDS: dict[str, Deed] = {
    "par": _paragraph,
    **dict.fromkeys(("sect", "page", "column", "nestrow"), _break),
    "pard": lambda document, _: document.state.reset_paragraph(),
    "cell": _cell,
    "nestcell": _nested_cell,
    "row": _row,
    "trowd": _row_begins,
    "trhdr": _header_row,
    "intbl": _in_table,
    "itap": _table_depth,
    "plain": _plain,
    "b": _bold,
    **dict.fromkeys(("v", "deleted"), _hidden),
    "s": _style,
    **dict.fromkeys(("cs", "ds", "ts"), _character_style),
    "sbasedon": _based_on,
    "outlinelevel": _outline,
    "ls": _list,
    "ilvl": _list_level,
    "li": _indent,
    "fi": _first_indent,
    "list": _list_begins,
    "levelnfc": _number_format,
    "listid": _list_id,
    "f": _font,
    "fcharset": _font_charset,
    "cpg": _font_codepage,
    "deff": _default_font,
    "ansicpg": _codepage,
    "mac": _machine("mac_roman"),
    "pc": _machine("cp437"),
    "pca": _machine("cp850"),
    "uc": _fallback_count,
    "fonttbl": _place(Place.FONTS),
    "stylesheet": _place(Place.STYLES),
    "listtable": _place(Place.LISTS),
    "listoverridetable": _place(Place.OVERRIDES),
    "info": _place(Place.INFO),
    **dict.fromkeys(("pict", "shpinst", "picprop", "upr", "do", "object"), _place(Place.MUTED)),
    **dict.fromkeys(("background", "sp", "mmath"), _place(Place.MUTED)),
    **dict.fromkeys(("result", "moMath", "moMathPara"), _shown),
    "ud": _unicode_twin,
    **dict.fromkeys(("listtext", "pntext"), _catch("marker")),
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), _flow(Tag.ASIDE)),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), _flow(Tag.ASIDE)),
    **dict.fromkeys(("footnote", "annotation"), _flow(Tag.ASIDE)),
    **dict.fromkeys(("shptxt", "dptxbxtext"), _box),
    "fldinst": _catch("field"),
    "sn": _catch("property name"),
    "sv": _catch("property"),
    "objdata": _catch("object"),
    "creatim": _time("created"),
    "revtim": _time("revised"),
    **{word: _info(word) for word in ("title", "author", "subject", "keywords", "doccomm")},
    **{word: _info(word) for word in ("operator", "company", "manager", "category")},
    "printim": _time("printed"),
    "buptim": _time("backed up"),
    **{word: _time_part(at) for at, word in enumerate(("yr", "mo", "dy", "hr", "min"))},
}
