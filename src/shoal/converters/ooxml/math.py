"""How does a formula read as a line of text? As one would type it: `a/b`, `x^2`, `√(x)`.

Office Math (ISO/IEC 29500-1, 22.1) is a tree of a few shapes; each is written in its linear form,
with brackets only where a part is longer than one sign.
"""

from shoal.converters.ooxml.ooxml import first
from shoal.converters.xml import Element, attribute, local


def math_text(element: Element | None) -> str:
    return _children(element).strip()


def _children(element: Element | None) -> str:
    return "".join(map(_text, element)) if element is not None else ""


def _text(element: Element) -> str:
    name = local(element)
    if name == "t":
        return element.text or ""
    if name.endswith("Pr") or name == "annotation":
        return ""
    part = {local(each): each for each in element}
    if name == "f":
        return f"{_group(part.get('num'))}/{_group(part.get('den'))}"
    if name in ("sSup", "sSub", "sSubSup", "limLow", "limUpp"):
        below = part.get("lim" if name == "limLow" else "sub")
        above = part.get("lim" if name == "limUpp" else "sup")
        low = f"_{_group(below)}" if below is not None else ""
        high = f"^{_group(above)}" if above is not None else ""
        return _children(part.get("e")) + low + high
    if name == "rad":
        return f"{_children(part.get('deg'))}√{_group(part.get('e'))}"
    if name == "nary":
        sign = first(element, "naryPr", "chr")
        shown = attribute(sign, "val") if sign is not None else "∫"
        low, high = _children(part.get("sub")), _children(part.get("sup"))
        bounds = (f"_{low}" if low else "") + (f"^{high}" if high else "")
        return f"{shown}{bounds} {_children(part.get('e'))}"
    if name == "d":
        return _delimited(element)
    if name == "func":
        return f"{_children(part.get('fName'))} {_children(part.get('e'))}"
    if name == "m":
        rows = (" ".join(map(_children, row)) for row in element if local(row) == "mr")
        return "; ".join(rows)
    return _children(element)


def _delimited(element: Element) -> str:
    opening, closing = first(element, "dPr", "begChr"), first(element, "dPr", "endChr")
    start = attribute(opening, "val") if opening is not None else "("
    end = attribute(closing, "val") if closing is not None else ")"
    held = ", ".join(_children(each) for each in element if local(each) == "e")
    return f"{start}{held}{end}"


def _group(element: Element | None) -> str:
    text = _children(element).strip()
    return f"({text})" if len(text) > 1 and not text.isalnum() else text
