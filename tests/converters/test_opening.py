"""Documents inside documents: named, bounded, and each at its own cost."""

from collections.abc import Mapping
from email.message import EmailMessage

import pytest

from shoal.converters.context import Context, Converted, Converter
from shoal.converters.limits import Limits
from shoal.converters.opening import documents
from shoal.converters.registry import Registry
from shoal.converters.writer import Run, Writer
from shoal.model.page import Page
from shoal.model.record import changed
from tests.converters.archive_parts import zipped
from tests.converters.parts import context

BOX = "application/x-box"


def box(body: bytes, context: Context) -> list[Converted]:
    """`name=data;name=data`; brackets stand for the separators of a box within it."""
    found = [Converted(Page(title=context.name, text="a box"))]
    for member in body.decode().split(";"):
        name, _, data = member.partition("=")
        inner = data.replace("[", "=").replace("]", ";")
        kind = BOX if "=" in inner else "text/plain"
        found += context.inside(inner.encode(), name, kind)
    return found


def faulty(_body: bytes, _context: Context) -> list[Converted]:
    raise ZeroDivisionError


def greedy(_body: bytes, _context: Context) -> list[Converted]:
    raise MemoryError


def linking(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    href = body.decode()
    writer.paragraph([Run("see "), Run("the fish", href=href), Run("x", href="mailto:a@b")])
    return [Converted(writer.page())]


ADDED: Mapping[str, Converter] = {
    BOX: box,
    "text/x-faulty": faulty,
    "text/x-greedy": greedy,
    "text/x-linking": linking,
    "text/x-silent": lambda _body, _context: [],
}


def opened(body: str, kind: str = BOX, limits: Limits | None = None) -> list[Converted]:
    known = changed(context(limits=limits), media_type=kind)
    return documents(Registry(ADDED), body.encode(), known)


def names(found: list[Converted]) -> list[str]:
    return [each.name for each in found]


def test_members_are_named_typed_and_read() -> None:
    own, *members = opened("a.txt=fish;b.txt=ray")
    assert (own.name, own.media_type, own.page.text) == ("", BOX, "a box")
    assert [(each.name, each.media_type, each.page.text) for each in members] == [
        ("a.txt", "text/plain", "fish"),
        ("b.txt", "text/plain", "ray"),
    ]


def test_members_of_members_bear_both_names() -> None:
    assert names(opened("in=a[x]b[y;c=z")) == ["", "in", "in/a", "in/b", "c"]


def test_a_member_knows_its_name() -> None:
    assert opened("dir/in=a[x]")[1].page.title == "in"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", "unnamed"),
        (" \n ", "unnamed"),
        ("/etc/passwd", "etc/passwd"),
        ("a\x00b\x1bc\u202e", "a b c"),
        ("x" * 1000 + ".txt", "x" * 296 + ".txt"),
    ],
)
def test_names_are_for_people(name: str, shown: str) -> None:
    assert names(opened(f"{name}=fish"))[1] == shown


def test_equal_names_are_told_apart() -> None:
    assert names(opened("a=x;b=y;a=z;a=w")) == ["", "a", "b", "a (2)", "a (3)"]


@pytest.mark.parametrize(("depth", "found"), [(0, [""]), (1, ["", "in"]), (2, ["", "in", "in/a"])])
def test_no_deeper_than_allowed(depth: int, found: list[str]) -> None:
    assert names(opened("in=a[x]", limits=Limits(depth=depth))) == found


def test_too_many_members_are_left_out_and_said() -> None:
    found = opened("a=1;b=2;c=3;d=4", limits=Limits(members=2))
    assert names(found) == ["", "a", "b"]
    assert found[0].problem == "2 members left out: too many"


def test_too_many_bytes_are_left_out_and_said() -> None:
    found = opened("a=12345;b=123456;c=12", limits=Limits(unpacked_bytes=8))
    assert names(found) == ["", "a", "c"]
    assert found[0].problem == "1 member left out: too large"


def test_what_is_left_out_is_said_where_it_lies_and_of_the_whole() -> None:
    found = {each.name: each.problem for each in opened("in=a[x]b[y;c=z", limits=Limits(depth=1))}
    assert found == {
        "": "2 members left out: too deep, first in in",
        "in": "2 members left out: too deep",
        "c": "",
    }
    both = opened("a=1;in=b[22222222]c[3]d[4", limits=Limits(unpacked_bytes=26, members=3))
    assert both[0].problem == "2 members left out: 1 too large, 1 too many, first in in"


def test_a_member_has_the_size_that_it_was_unpacked_to() -> None:
    assert [each.bytes for each in opened("in=a[four]b[x;c=12345")] == [0, 10, 4, 1, 5]


def test_a_mailbox_is_no_level() -> None:
    mails = "".join(
        f"From a@b Mon Jan  1 10:00:0{at} 2026\nSubject: {at}\n\nx\n\n" for at in (1, 2)
    )
    found = documents(
        Registry.installed(),
        mails.encode(),
        changed(context(limits=Limits(depth=0)), media_type="application/mbox"),
    )
    assert names(found) == ["", "1.eml", "2.eml"]
    assert {each.problem for each in found} == {""}


def test_mailboxes_can_not_nest_without_end() -> None:
    line = "From a@b Mon Jan  1 10:00:01 2026\n"
    nested = "".join(">" * at + line for at in range(500)) + "\nx\n"
    known = changed(context(), media_type="application/mbox")
    found = documents(Registry.installed(), nested.encode(), known)
    assert [(each.name, each.media_type) for each in found] == [
        ("", "application/mbox"),
        ("1.eml", "message/rfc822"),
    ]


def test_an_empty_member_is_none() -> None:
    found = opened("a=;b=x")
    assert names(found) == ["", "b"]
    assert found[0].problem == ""


def holding(kind: str) -> Converter:
    def convert(_body: bytes, context: Context) -> list[Converted]:
        members = [*context.inside(b"1", "a", "text/plain"), *context.inside(b"2", "b", kind)]
        return [Converted(Page(text="own")), *members, *context.inside(b"3", "c", "text/plain")]

    return convert


def test_a_member_that_its_converter_fails_at_costs_itself() -> None:
    registry = Registry({**ADDED, BOX: holding("text/x-faulty")})
    found = documents(registry, b"x", changed(context(), media_type=BOX))
    assert [(each.name, each.page.text) for each in found] == [
        *(("", "own"), ("a", "1"), ("b", ""), ("c", "3"))
    ]
    assert found[2].problem == "can't be read: ZeroDivisionError"


def test_running_out_of_memory_is_for_the_process_to_end() -> None:
    registry = Registry({**ADDED, BOX: holding("text/x-greedy")})
    with pytest.raises(MemoryError):
        documents(registry, b"x", changed(context(), media_type=BOX))


def test_a_fault_of_the_whole_is_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        opened("x", "text/x-faulty")


def test_there_is_always_a_document() -> None:
    assert [each.page for each in opened("", BOX)] == [Page()]
    assert [each.page for each in opened("x", "text/x-silent")] == [Page()]
    (unknown,) = opened("x", "application/x-nobody-knows")
    assert unknown.problem == "no converter for application/x-nobody-knows"


def test_links_are_those_of_the_blocks() -> None:
    (found,) = opened("../eel?a=1#top", "text/x-linking")
    assert [(link.url, link.text) for link in found.page.links] == [
        ("https://reef.example/eel?a=1", "the fish")
    ]
    assert found.page.blocks[0].links == [
        (4, 12, "https://reef.example/eel?a=1#top"),
        (12, 13, "mailto:a@b"),
    ]


def test_a_link_to_nowhere_stays_as_it_was_written() -> None:
    (found,) = opened("http://[", "text/x-linking")
    assert found.page.links == []
    assert found.page.blocks[0].links[0] == (4, 12, "http://[")


def test_an_archive_in_a_mail_of_a_mailbox_is_read() -> None:
    packed = zipped(("deep.txt", b"a fish deep down"), ("in.zip", zipped(("x.txt", b"deeper"))))
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ann@reef.example", "A pack"
    mail.set_content("See what is attached.")
    mail.add_attachment(packed, maintype="application", subtype="zip", filename="pack.zip")
    box = b"From ann@reef.example Mon Jan  1 10:00:01 2026\n" + mail.as_bytes() + b"\n"
    found = documents(Registry.installed(), box, changed(context(), media_type="application/mbox"))
    of = {each.name: each for each in found}
    assert of["1.eml/pack.zip/deep.txt"].page.text == "a fish deep down"
    assert of["1.eml/pack.zip"].bytes == len(packed)
    assert of["1.eml/pack.zip/in.zip"].problem == "1 member left out: too deep"
    said = "1 member left out: too deep, first in 1.eml/pack.zip/in.zip"
    assert of[""].problem == said
