"""Calendars, cards, subtitles, catalogues, bibliographies: the hard lines of each."""

from shoal.converters.data import bibliography, calendar, localisation, subtitles, vcard
from tests.converters.text_samples import blocks_of, links_of, run


def test_calendar_leaves_alarms_out_and_unfolds() -> None:
    source = (
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:Dive\\, ea\r\n rly\r\n"
        "DTSTART;TZID=X:20240506T080000\r\nBEGIN:VALARM\r\nDESCRIPTION:no\r\nEND:VALARM\r\n"
        "ATTENDEE;CN=Mara:mailto:m@x.example\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nSUMMARY:Cut o"
    )
    assert blocks_of(calendar.convert, source) == [
        ("h", 2, "", "Dive, early"),
        ("p", 0, "", "2024-05-06 08:00"),
        ("p", 0, "", "Attendee: Mara"),
        ("h", 2, "", "Cut o"),
    ]


def test_old_cards_with_their_own_charset() -> None:
    source = (
        b"BEGIN:VCARD\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:=D8rsted;=\nHans\n"
        b"EMAIL;INTERNET:h@x.example\nEND:VCARD\n"
    )
    page = run(vcard.convert, source).page
    assert (page.title, page.text) == ("Hans Ørsted", "Hans Ørsted\nh@x.example")
    assert links_of(page.blocks[1]) == [("h@x.example", "mailto:h@x.example")]


def test_subtitles_without_blank_lines_and_said_twice() -> None:
    source = "1\n00:00:01,0 --> 00:00:02,0\nOne\n2\n00:00:03,0 --> 00:00:04,0\nTwo {\\an8}x\n\n"
    source += "3\n00:00:05,0 --> 00:00:06,0\nTwo x\n"
    assert run(subtitles.convert, source).page.text == "One\nTwo x"


def test_substation_takes_commas_and_leaves_drawings_out() -> None:
    source = (
        "[Script Info]\nTitle: T\n[Events]\nFormat: Start, End, Text\n"
        "Dialogue: 0:00:01.00,0:00:02.00,a, b\\Nc\nDialogue: 0,0,{\\p1}m 0 0 l 1 1{\\p0}\n"
    )
    assert run(subtitles.convert, source).page.text == "a, b c"


def test_catalogue() -> None:
    source = (
        'msgid ""\nmsgstr "Project-Id-Version: P\\n"\n\n#, fuzzy\n'
        'msgctxt "menu"\nmsgid "one\\tfish"\n'
        'msgid_plural "%d fish"\nmsgstr[0] "ein Fisch"\nmsgstr[1] ""\n'
    )
    page = run(localisation.convert_po, source).page
    assert (page.title, page.text.split("\n")) == ("P", ["one fish", "%d fish", "ein Fisch"])


def test_bibtex_values() -> None:
    source = (
        "@comment{x}\n@string{j = {Reefs}}\n"
        '@article{k, title = {A {B}{\\\'e} "q"}, journal = j # { 2},\n'
        ' author = "Kelp, M. and {\\O}rsted, H.", year = 1999}\n@book{cut, title = {Never ends'
    )
    assert blocks_of(bibliography.convert, source) == [
        ("h", 2, "", 'A Bé "q"'),
        ("p", 0, "", "Kelp, M., Ørsted, H."),
        ("p", 0, "", "Reefs 2"),
        ("p", 0, "", "1999"),
        ("h", 2, "", "Never ends"),
    ]
