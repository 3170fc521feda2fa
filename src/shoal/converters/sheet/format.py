"""How does a spreadsheet show a number? As its format code says: dates, percent, currency.

The codes are Excel's (ECMA-376 part 1, 18.8.30), which every spreadsheet since speaks; names of
months and the marks for decimals and thousands are the English ones, as in the code itself. A cell
without a format is shown with the eleven characters that a standard column has room for.
"""

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from shoal.converters.sheet.date import DateFormat

_CODE_CHARS = 255
_DECIMAL = Context(prec=700, rounding=ROUND_HALF_UP)

_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | (?P<skipped>[_*].?)
    | \[(?P<bracket>[^\]]*)\]?
    | (?P<general>general) | (?P<half>am/pm|a/p|上午/下午)
    | (?P<exponent>e[+-](?=[0\#?]))
    | (?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e+|g+)
    | (?P<digit>[0\#?]) | (?P<mark>[.,%/@;]) | (?P<other>.)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_PLAIN = re.compile(r"(?P<a>[t%]*)(?P<w>0|#,##0)(?P<d>\.0+)?[t%]*")
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[0-9.]+)$")
_ELAPSED = re.compile(r"(?:h+|m+|s+)$", re.IGNORECASE)


class Token(NamedTuple):
    kind: str
    """`text`, `general`, `half`, `exponent`, `date`, `elapsed`, `digit`, `mark`."""
    text: str


class _Section:
    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.condition: tuple[str, float] | None = None
        self.plain: _Plain | None = None
        self.date: DateFormat | None = None

    def has(self, *kinds: str) -> bool:
        return any(token.kind in kinds for token in self.tokens)

    @property
    def is_negative(self) -> bool:
        """For negative numbers only, whose sign is then for the section itself to show."""
        return (
            self.condition is not None and self.condition[0][0] == "<" and (self.condition[1] <= 0)
        )

    def meets(self, value: float) -> bool:
        if self.condition is None:
            return False
        sign, bound = self.condition
        if sign == "<>":
            return value != bound
        return (
            ("<" in sign and value < bound)
            or (">" in sign and value > bound)
            or ("=" in sign and value == bound)
        )


class _Plain(NamedTuple):
    """The shape of most formats: digits in one row, which needs no look at each place."""

    before: str
    pattern: str
    """For Python's `format`."""
    step: Decimal
    factor: int
    after: str

    def show(self, value: float) -> str:
        number = (Decimal(f"{abs(value):.15g}") * self.factor).quantize(self.step, context=_DECIMAL)
        sign = "-" if value < 0 else ""
        return f"{sign}{self.before}{number:{self.pattern}}{self.after}"


class NumberFormat:
    def __init__(self, code: str) -> None:
        self._sections = _sections(code[:_CODE_CHARS])
        # A section made of `@` is for text, wherever it stands.
        self._numeric = [
            section for section in self._sections[:3] if ("mark", "@") not in section.tokens
        ] or self._sections
        first = self._sections[0]
        self.is_general = len(self._sections) == 1 and first.tokens == [("general", "General")]
        self.is_date = first.has("date", "elapsed") and not first.has("digit")
        for section in self._sections:
            section.plain = _plain(section.tokens)
            if section.has("date", "elapsed", "half"):
                section.date = DateFormat(section.tokens)

    def show(self, value: float, *, from_1904: bool = False) -> str:
        if not math.isfinite(value):
            return ""
        if self.is_general:
            return general(value)
        section, magnitude = self._choose(value)
        if section.plain is not None:
            return section.plain.show(magnitude)
        if section.date is not None:
            shown = section.date.show(value, from_1904=from_1904)
            return general(value) if shown is None else shown
        if section.has("general") or any(token == ("mark", "@") for token in section.tokens):
            return _around(section, general(magnitude))
        if not section.has("digit"):
            return "".join(token.text for token in section.tokens if token.kind == "text")
        return _show_number(section.tokens, magnitude)

    def show_text(self, text: str) -> str:
        """Text is shown as it is, but for the fourth section or one made of `@`."""
        last = self._sections[-1]
        if ("mark", "@") not in last.tokens or len(last.tokens) == 1:
            return text
        return _around(last, text)

    def _choose(self, value: float) -> tuple[_Section, float]:
        sections = self._numeric
        if len(sections) == 1:
            return sections[0], value
        if any(each.condition for each in sections):
            for each in sections[:-1]:
                if each.meets(value):
                    return each, abs(value) if each.is_negative else value
            return sections[-1], value
        if value < 0 and len(sections) > 1:
            return sections[1], -value
        if value == 0 and len(sections) > 2:
            return sections[2], value
        return sections[0], value


def general(value: float) -> str:
    if not math.isfinite(value):
        return ""
    magnitude = abs(value)
    if magnitude < 1e15 and value == int(value):
        return str(int(value))
    if 1e-4 <= magnitude < 1e15:
        decimals = max(0, 10 - len(str(int(magnitude))))
        shown = f"{value:.{decimals}f}"
        return shown.rstrip("0").rstrip(".") if decimals else shown
    short = f"{value:.9f}".rstrip("0")
    if magnitude < 1 and float(short) == value:
        return short
    digits = 14 if magnitude >= 1e15 else 5  # numbers that long are names: no digit may be lost
    mantissa, _, exponent = f"{value:.{digits}E}".partition("E")
    return f"{mantissa.rstrip('0').rstrip('.')}E{exponent}"


def _sections(code: str) -> list[_Section]:
    sections = [_Section()]
    for match in _TOKEN.finditer(code or "General"):
        kind, text = str(match.lastgroup), match[match.lastgroup or 0]
        section = sections[-1]
        if kind == "mark" and text == ";":
            if len(sections) == 4:
                break
            sections.append(_Section())
        elif kind == "bracket":
            _bracket(section, text)
        elif kind in {"quoted", "escaped", "other"}:
            if text:
                section.tokens.append(Token("text", text))
        elif kind != "skipped":
            section.tokens.append(Token(kind, text))
    return sections


def _bracket(section: _Section, text: str) -> None:
    if text.startswith("$"):  # a currency and a country: [$€-407]
        currency = text[1:].partition("-")[0]
        if currency:
            section.tokens.append(Token("text", currency))
    elif _ELAPSED.match(text):
        section.tokens.append(Token("elapsed", text.lower()))
    elif condition := _CONDITION.match(text):
        try:
            section.condition = condition[1], float(condition[2])
        except ValueError:
            section.condition = None


def _plain(tokens: list[Token]) -> _Plain | None:
    kinds = "".join(
        {"text": "t", "digit": token.text}.get(token.kind, token.text[0]) for token in tokens
    )
    match = _PLAIN.fullmatch(kinds)
    if match is None or any(token.kind not in {"text", "digit", "mark"} for token in tokens):
        return None
    before, whole, decimals = (match[name] or "" for name in ("a", "w", "d"))
    texts = ["%" if token == ("mark", "%") else token.text for token in tokens]
    end = len(before) + len(whole) + len(decimals)
    places = max(0, len(decimals) - 1)
    return _Plain(
        "".join(texts[: len(before)]),
        f"{',' if ',' in whole else ''}.{places}f",
        Decimal(1).scaleb(-places),
        100 ** kinds.count("%"),
        "".join(texts[end:]),
    )


def _around(section: _Section, shown: str) -> str:
    pieces: list[str] = []
    for token in section.tokens:
        if token.kind == "general" or token == ("mark", "@"):
            pieces.append(shown)
        elif token.kind in {"text", "mark"}:
            pieces.append(token.text)
    return "".join(pieces)


def _show_number(tokens: list[Token], value: float) -> str:
    sign = "-" if value < 0 else ""
    number = Decimal(f"{abs(value):.15g}")
    number *= 100 ** sum(token == ("mark", "%") for token in tokens)
    if ("mark", "/") in tokens:
        return sign + _show_fraction(tokens, number)
    if any(token.kind == "exponent" for token in tokens):
        return sign + _show_scientific(tokens, number)
    shown = _place(tokens, number)
    return shown if not sign or not any(map(str.isdigit, shown)) else sign + shown


def _place(tokens: list[Token], number: Decimal) -> str:
    """Each digit to its place, what stands between them kept."""
    digits = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    point = next((at for at, token in enumerate(tokens) if token == ("mark", ".")), len(tokens))
    whole = [at for at in digits if at < point]
    decimals = [at for at in digits if at > point]
    commas = [at for at, token in enumerate(tokens) if token == ("mark", ",")]
    grouped = any(whole[0] < at < whole[-1] for at in commas) if whole else False
    scaling = [at for at in commas if whole and whole[-1] < at < point]
    number = number.scaleb(-3 * len(scaling), _DECIMAL)
    text = f"{number.quantize(Decimal(1).scaleb(-len(decimals)), context=_DECIMAL):f}"
    left, _, right = text.partition(".")
    shown = dict(zip(whole, _spread(left.lstrip("0"), tokens, whole, grouped), strict=True))
    shown |= _trimmed(right, tokens, decimals)
    pieces: list[str] = []
    for at, token in enumerate(tokens):
        if at in shown:
            pieces.append(shown[at])
        elif at == point:
            pieces.append(("" if whole else left.lstrip("0")) + ".")
        elif token.kind != "digit" and token != ("mark", ","):
            pieces.append(token.text)
    return "".join(pieces)


def _spread(number: str, tokens: list[Token], places: list[int], grouped: bool) -> list[str]:
    """The digits of a whole number over its places; the first one takes all that are left."""
    shown: list[str] = []
    used = 0
    for at in reversed(places):
        first = at == places[0]
        if first and len(number) > used:
            taken = number[: len(number) - used]
        elif len(number) > used:
            taken = number[len(number) - used - 1]
        else:
            taken = "0" if tokens[at].text == "0" else ""
        piece = ""
        for digit in reversed(taken):
            piece = digit + ("," if grouped and used and used % 3 == 0 else "") + piece
            used += 1
        shown.append(piece)
    return shown[::-1]


def _trimmed(number: str, tokens: list[Token], places: list[int]) -> dict[int, str]:
    shown = dict(zip(places, number.ljust(len(places), "0"), strict=False))
    for at in reversed(places):
        if shown[at] != "0" or tokens[at].text == "0":
            break
        shown[at] = ""
    return shown


def _show_scientific(tokens: list[Token], number: Decimal) -> str:
    at = next(at for at, token in enumerate(tokens) if token.kind == "exponent")
    mantissa, tail = tokens[:at], tokens[at + 1 :]
    point = mantissa.index(Token("mark", ".")) if ("mark", ".") in mantissa else len(mantissa)
    whole = max(1, sum(token.kind == "digit" for token in mantissa[:point]))
    decimals = sum(token.kind == "digit" for token in mantissa[point:])
    power = number.adjusted() if number else 0
    power -= power % whole
    scaled = number.scaleb(-power, _DECIMAL)
    if scaled.quantize(Decimal(1).scaleb(-decimals), context=_DECIMAL) >= 10**whole:
        power, scaled = power + whole, scaled.scaleb(-whole, _DECIMAL)
    mark = "-" if power < 0 else ("+" if tokens[at].text[1] == "+" else "")
    return f"{_place(mantissa, scaled)}E{mark}{_place(tail, Decimal(abs(power)))}"


def _show_fraction(tokens: list[Token], number: Decimal) -> str:
    slash = tokens.index(Token("mark", "/"))
    below = "".join(token.text for token in tokens[slash + 1 :] if token.kind != "date")
    fixed = re.match(r"\s*([1-9][0-9]*)", below)
    digits = sum(token.kind == "digit" for token in tokens[slash + 1 :])
    value = Fraction(number)
    if fixed:
        bottom = int(fixed[1])
        value_top = round(value * bottom)
    else:
        near = value.limit_denominator(10 ** min(max(1, digits), 7) - 1)
        value_top, bottom = near.numerator, near.denominator
    spaced = any(token.kind == "text" and " " in token.text for token in tokens[:slash])
    if not spaced:
        return f"{value_top}/{bottom}"
    whole, top = divmod(value_top, bottom)
    if not top:
        return str(whole)
    return f"{whole} {top}/{bottom}" if whole else f"{top}/{bottom}"
