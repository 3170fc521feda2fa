"""How is a page's text tagged? The part of the structure tree that belongs to it, as plain nodes.

PDFium gives a tree for each page (ISO 32000-1, 14.7). A child on another page is there as a gap:
so an element that goes on after a page break is known by its first child being one.
"""

import ctypes
from dataclasses import dataclass, field
from typing import Any

from shoal.converters.pdf.library import raw, wide

_NODES, _DEPTH = 50_000, 100
_OWN_TEXT = frozenset({"Figure", "Formula"})


@dataclass(slots=True)
class Node:
    kind: str
    kids: list["Node | int"] = field(default_factory=list)
    """Elements, and numbers of marked content on the page."""
    alt: str = ""
    goes_on: bool = False
    """It began on an earlier page."""
    breaks_off: bool = False
    """It ends on a later page."""


class _Walk:
    def __init__(self) -> None:
        self.left = _NODES
        self.open: set[int] = set()

    def node(self, element: Any, depth: int) -> Node | None:
        address = ctypes.cast(element, ctypes.c_void_p).value or 0
        if depth > _DEPTH or self.left <= 0 or address in self.open:
            return None
        self.left -= 1
        self.open.add(address)
        node = Node(wide(raw.FPDF_StructElement_GetType, element))
        if node.kind in _OWN_TEXT:
            node.alt = wide(raw.FPDF_StructElement_GetAltText, element).strip()
        count = max(0, raw.FPDF_StructElement_CountChildren(element))
        for number in range(min(count, self.left)):
            child = raw.FPDF_StructElement_GetChildAtIndex(element, number)
            kid: Node | int | None
            if child:
                kid = self.node(child, depth + 1)
            else:
                mcid = raw.FPDF_StructElement_GetChildMarkedContentID(element, number)
                kid = mcid if mcid >= 0 else None
            if kid is not None:
                node.kids.append(kid)
            else:
                node.goes_on = node.goes_on or number == 0
                node.breaks_off = number == count - 1
        self.open.discard(address)
        return node


def tree_of(page: Any) -> list[Node]:
    """The topmost elements; none when the page is not tagged."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return []
    walk = _Walk()
    try:
        count = min(_NODES, max(0, raw.FPDF_StructTree_CountChildren(tree)))
        roots = [raw.FPDF_StructTree_GetChildAtIndex(tree, number) for number in range(count)]
        nodes = [walk.node(root, 0) for root in roots if root]
    finally:
        raw.FPDF_StructTree_Close(tree)
    return [node for node in nodes if node is not None]
