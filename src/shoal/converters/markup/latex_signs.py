"""Which characters do the commands of TeX stand for? Accents, ligatures, and named signs."""

import unicodedata

_COMBINING = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
    "t": "\u0361",
}


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


SIGNS = {
    **_pairs(
        """ss ß ae æ AE Æ oe œ OE Œ o ø O Ø aa å AA Å l ł L Ł i ı j ȷ dh ð DH Ð th þ TH Þ ng
        ŋ NG Ŋ dots … ldots … textellipsis … cdots ⋯ textendash – textemdash —
        textquoteleft ‘ textquoteright ’ textquotedblleft “ textquotedblright ”
        guillemotleft « guillemotright » textbullet • copyright © textcopyright ©
        textregistered ® texttrademark ™ pounds £ euro € texteuro € S § P ¶ dag † ddag ‡
        textdegree ° textbackslash \\ textasciitilde ~ textasciicircum ^ textbar |
        textless < textgreater > textunderscore _ LaTeX LaTeX TeX TeX LaTeXe LaTeX2e
        BibTeX BibTeX textperiodcentered · textexclamdown ¡ textquestiondown ¿ textmu µ
        textonehalf ½ quotedblbase „ quotesinglbase ‚ guilsinglleft ‹ guilsinglright ›
        textdollar $ slash /"""
    ),
    "quad": " ",
    "qquad": " ",
    "space": " ",
    "hspace": " ",
    "newline": "\n",
    "linebreak": "\n",
    "par": "\n\n",
}


def accented(accent: str, letter: str) -> str:
    """Empty when it is no accent."""
    combining = _COMBINING.get(accent)
    if combining is None:
        return ""
    letter = {"\\i": "i", "\\j": "j"}.get(letter, letter)
    if not letter:
        return ""
    return unicodedata.normalize("NFC", letter[0] + combining) + letter[1:]
