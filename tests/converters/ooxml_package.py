"""Short ways to make Office packages for the tests: a body in, the bytes of a file out."""

import io
import zipfile

from shoal.converters.context import Context, Converted
from shoal.converters.limits import Limits
from shoal.model.page import Block, Page
from tests.converters.parts import context

NAMESPACES = " ".join(
    f'xmlns:{name}="urn:{name}"'
    for name in (
        "w",
        "wp",
        "wps",
        "wx",
        "aml",
        "a",
        "p",
        "r",
        "m",
        "mc",
        "v",
        "o",
        "c",
        "dgm",
        "pkg",
    )
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def package(parts: dict[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def xml(root: str, held: str) -> str:
    return f"<{root} {NAMESPACES}>{held}</{root}>"


def relations(*each: tuple[str, str, str]) -> str:
    """(id, kind, target); what has a scheme is outside."""
    return "<Relationships>{}</Relationships>".format(
        "".join(
            f'<Relationship Id="{identity}" Type="{OFFICE}{kind}" Target="{target}"'
            + (' TargetMode="External"/>' if ":" in target else "/>")
            for identity, kind, target in each
        )
    )


def noting_context() -> tuple[Context, list[tuple[str, bytes]]]:
    """A context that notes what is handed on as a document within."""
    noted: list[tuple[str, bytes]] = []

    def inside(data: bytes, name: str, _declared: str = "") -> list[Converted]:
        noted.append((name, data))
        return [Converted(Page(), name)]

    plain = context()
    held = Context(plain.url, "", plain.links, Limits(), inside=inside)
    return held, noted


def shown(blocks: list[Block]) -> list[tuple[str, int, str, str]]:
    """Kind, level, marker and text of each block."""
    return [(block.kind.value, block.level, block.marker, block.text) for block in blocks]
