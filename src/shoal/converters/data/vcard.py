"""What does a card file say? Each card under the name it is for: vCard 2.1 to 4.0 (RFC 6350)."""

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.data.content_lines import ContentLine, read
from shoal.converters.writer import Run, Writer

_STRUCTURED = frozenset(("ADR", "ORG", "GENDER"))
_SHOWN = (
    *("NICKNAME", "ORG", "TITLE", "ROLE", "TEL", "EMAIL", "IMPP", "ADR", "LABEL", "URL", "BDAY"),
    *("ANNIVERSARY", "CATEGORIES", "NOTE", "RELATED", "X-SKYPE", "X-TWITTER"),
)


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    title, card, cards = "", list[ContentLine](), 0
    for line in read(source.text):
        if writer.full:
            break
        if line.name == "END" and line.value.strip().upper() == "VCARD":
            name = _write(card, writer)
            title, cards, card = title or name, cards + 1, []
        elif line.name != "BEGIN":
            card.append(line)
    if card:  # cut off
        title = title or _write(card, writer)
    page = writer.page(title)
    return decoded(page, source, writer.problem)


def _write(card: list[ContentLine], writer: Writer) -> str:
    """Whom it is for."""
    names = {line.name: line for line in reversed(card)}
    name = names["FN"].text if "FN" in names else ""
    if not name and "N" in names:
        family, given, *_ = [*names["N"].parts, "", ""]
        name = f"{given} {family}".strip()
    writer.heading(name, 1)
    for shown in _SHOWN:
        for line in card[:1000]:
            if line.name == shown and line.parameters.get("VALUE", "").lower() != "binary":
                writer.paragraph(_value(line))
    return name


def _value(line: ContentLine) -> list[Run]:
    text = line.text
    if line.name in _STRUCTURED:
        text = ", ".join(part.replace("\n", " ") for part in line.parts if part)
    href = text if line.name == "URL" else f"mailto:{text}" if line.name == "EMAIL" else ""
    if text.lower().startswith(("tel:", "mailto:")):
        text = text.partition(":")[2]
    return [Run(text, href=href)]
