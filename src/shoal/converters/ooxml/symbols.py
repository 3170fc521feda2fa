"""Which characters do the symbol fonts show? Unicode for codes of Symbol and Wingdings.

Office writes them as private characters U+F020 to U+F0FF, which mean nothing without the font.
What has no Unicode character of any use to a reader is left out.
"""

_SYMBOL_20 = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾"
    "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
_SYMBOL_A0 = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
_SYMBOL = {
    **{0x20 + index: char for index, char in enumerate(_SYMBOL_20)},
    **{0xA0 + index: char for index, char in enumerate(_SYMBOL_A0)},
    0xF1: "〉",
    0xF2: "∫",
}
_WINGDINGS = dict(
    zip(
        bytes.fromhex(
            "22 28 2a 46 4a 4c 6c 6e 6f 71 72 76 9f a7 a8 ab d8 df e0 e1 e2 e8 ef f0 f3 fb fc fd fe"
        ),
        "✂☎✉☞☺☹●■□❑❒❖•▪☐★➢←→↑↓➔⇦⇨⇔✗✓☒☑",
        strict=True,
    )
)
_WINGDINGS_2 = {0x50: "✓", 0x4F: "✗", 0x51: "☒", 0x52: "☑", 0xA3: "☐", 0x53: "☒", 0x54: "☒"}
_FONTS = {
    "symbol": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    "wingdings 3": {},
    "webdings": {},
}


def symbol(code: str, font: str) -> str:
    """Of a code in hexadecimal, as `w:sym` gives it."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    table = _FONTS.get(font.strip().lower())
    if table is not None and (number < 0x100 or 0xF000 <= number <= 0xF0FF):
        return table.get(number & 0xFF, "")
    return chr(number) if 0x20 <= number < 0xD800 else ""


def readable(text: str, font: str) -> str:
    """A text with its private characters replaced."""
    if not any("\uf000" <= char <= "\uf0ff" for char in text):
        return text
    table = _FONTS.get(font.strip().lower(), _SYMBOL)
    return "".join(
        table.get(ord(char) & 0xFF, "") if "\uf000" <= char <= "\uf0ff" else char for char in text
    )
