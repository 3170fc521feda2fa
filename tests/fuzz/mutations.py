"""How do real pages become inputs that nobody thought of? They are cut, mixed and broken."""

import html.entities
from functools import cache
from pathlib import Path
from random import Random

_TESTS = Path(__file__).resolve().parent.parent
_BITS = (
    *("<", ">", "</", "/>", "<!--", "-->", "--!>", "<![CDATA[", "]]>", "<!doctype", "<?", "<>"),
    *("<script>", "</script", "<style>", "<svg>", "</svg>", "<math>", "<pre>", "</pre>", "<xmp>"),
    *("<title>", "</title>", "<textarea>", "<template>", "<noscript>", "<img alt=x>", "<p\n"),
    *("<a href=/x>", "<a href='/y' rel=z>", "</a>", "<td>", "<li>", "<br>", "<h1>", "<table>"),
    *(" class='comment", " hidden", ' href="', "&", "&#", "&#x", "&nbsp;", "&amp", "&#1114112;"),
    *(";", '"', "'", "=", "/", " ", "\n", "\r\n", "\t", "\f", "\v", "\0", "\x1b", "\x1f", "\x7f"),
    *("é", "ß", "\xa0", "\x85", "\u0130", "\u0301", "\u2028", "\u3000", "中文", "かな", "ไทย"),
    *("हिन्दी", "\u0964", "\u05d0\u05b0", "\ud800", "\udfff", "😀", "\U0010ffff", "word ", "a" * 60),
)
_REPEATS = (2, 3, 70, 300)


@cache
def _sources() -> list[str]:
    pages = [each.read_text("utf-8", "replace") for each in sorted(_TESTS.rglob("*.html"))]
    return [*filter(None, pages), " ".join(f"&{name}" for name in html.entities.html5)]


def page(random: Random) -> str:
    """A stretch of a page with some damage; now and then hardly anything."""
    text = _stretch(random, random.choice((9, 90, 900, 900, 5000)))
    for _ in range(random.randrange(14)):
        at = random.randrange(len(text) + 1)
        end = at + random.choice((0, 0, 1, 5, 40))
        text = text[:at] + _put(random, text) + text[end:]
    return text


def _stretch(random: Random, most: int) -> str:
    source = random.choice(_sources())
    start = random.randrange(len(source))
    return source[start : start + random.randrange(most)]


def _put(random: Random, text: str) -> str:
    match random.randrange(8):
        case 0:
            return random.choice(_BITS) * random.choice(_REPEATS)
        case 1:
            return chr(random.randrange(0x110000))
        case 2:
            return _stretch(random, 60)
        case 3:
            at = random.randrange(len(text) + 1)
            return text[at : at + 50].swapcase()
    return random.choice(_BITS)


def damaged(random: Random, data: bytes) -> bytes:
    """A few bytes are others, or it ends too early."""
    changed = bytearray(data)
    for _ in range(random.randrange(4)):
        if changed:
            changed[random.randrange(len(changed))] = random.choice((0, 1, 127, 128, 255))
    return bytes(changed[: random.choice((None, None, random.randrange(len(data) + 1)))])
