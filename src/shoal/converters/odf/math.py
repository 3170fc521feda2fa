"""How does a formula read in one line? `a/b`, `x^2`, `√(n)`: MathML as plain text.

As a person would type it, so that its names and numbers can be found.
"""

from shoal.converters.xml import Element, local

_MAX_DEPTH = 60
_TOKENS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_SKIPPED = frozenset(
    {"annotation", "annotation-xml", "mspace", "none", "mprescripts", "maligngroup"}
)
_JOINED = {"mfrac": "/", "msup": "^", "msub": "_", "munder": "_", "mover": "^", "mroot": " root "}


def linear(math: Element, depth: int = 0) -> str:
    name = local(math)
    if name in _TOKENS:
        return " ".join("".join(map(str, math.itertext())).split())
    if name in _SKIPPED or depth > _MAX_DEPTH:
        return ""
    parts = [linear(child, depth + 1) for child in math]
    if name in _JOINED and len(parts) == 2:
        left, right = map(_grouped, parts)
        return f"{left}{_JOINED[name]}{right}" if right else left
    if name in ("msubsup", "munderover") and len(parts) == 3:
        base, low, high = map(_grouped, parts)
        return f"{base}_{low}^{high}"
    if name == "msqrt":
        return f"√({' '.join(filter(None, parts))})"
    separator = ", " if name in ("mtr", "mlabeledtr") else "; " if name == "mtable" else " "
    return separator.join(filter(None, parts))


def _grouped(part: str) -> str:
    return f"({part})" if " " in part else part
