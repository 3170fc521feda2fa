"""Pages that are too large for a file, or hold what no editor would keep, made on the spot."""

from pathlib import Path

_PAGES = Path(__file__).parent / "pages"
_REFERENCES = "&amp;&#x110000;&#0;&nosuch;&#99999999999;&lt&gt&;&#;&#x;&"
_DEEP = "This sentence stands at the bottom of a very deep well of markup, where few would look. "


def _article() -> str:
    return (_PAGES / "news_article.html").read_text(encoding="utf-8")


def _into_body(markup: str) -> str:
    """The article with something odd in front of it."""
    page = _article()
    place = page.index(">", page.index("<body")) + 1
    return page[:place] + markup + page[place:]


def white_space() -> str:
    return " \r\n\t\f \u00a0\u2003" * 2000


def byte_order_mark() -> str:
    return "\ufeff" + _article()


def control_characters() -> str:
    """A NUL, a vertical tab or a DEL between words and within tags, as in files gone through a
    broken copy."""
    page = _article().replace(". ", ".\x00 \x0b").replace("<p>", "<p\x00>\x08\x1b[0m")
    return page.replace("</h2>", "\x7f</h2>\x01\x02\x9f")


def lone_surrogates() -> str:
    """Halves of pairs, which a `str` made with `surrogatepass` or from JSON can hold."""
    page = _article().replace(". ", ".\ud83d ").replace('class="share"', 'class="\udc00share"')
    return page + "\udfff"


def cut_in_a_tag() -> str:
    page = _article()
    return page[: page.index("The first crossing on Saturday")] + "<a href='/cut title=\"and"


def windows_line_ends() -> str:
    return _article().replace("\n", "\r\n")


def base64_images(size: int) -> str:
    image = '<img alt="" src="data:image/png;base64,' + "iVBORw0KGgoAAAA" * size + '">'
    return _article().replace("<h2>", image + "<h2>")


def json_first(size: int) -> str:
    """A shop's state, with texts and markup in it, before the first word of the page."""
    item = '{"sku":"A-1","title":"Socks","html":"<p>Warm socks for long nights at sea.</p>"},'
    return _into_body(f"<script>window.state = [{item * size}]</script>")


def odd_references() -> str:
    return _into_body(f"<p>{_REFERENCES * 10}</p>").replace(
        "The Marigold carries", "The caf&eacute; &amp; cr&egrave;me is run by the crew. She carries"
    )


def reference_flood(size: int) -> str:
    return f"<html><body><p>{_REFERENCES * size}</p></body></html>"


def angle_flood(size: int) -> str:
    return "".join(each * size for each in ("<", "<p", "</", "<!-", "<a b='", "<![CDATA["))


def comment_flood(size: int) -> str:
    return _into_body("<!-- a -->" * size + "<!-->" * 1000 + "<!--->" * 1000)


def _long(separator: str, wanted_chars: int) -> str:
    head = (
        "<!doctype html><html lang=en><head><title>The light at Senn</title></head><body><header>"
        "<a href=/>Coast Reader</a><nav><ul><li><a href=/wrecks>Shipwrecks</a><li><a href=/pilots>"
        "Pilots</a><li><a href=/maps>Maps</a></ul></nav></header><main><article>"
        "<h1>The light at Senn</h1><h2>Chapter 1: the keeper climbs the stair</h2>"
    )
    tail = (
        "<p>And that was the last night of the light, for in the morning the cable came ashore and"
        " nobody had to climb the stair again.</p></article></main><footer><a href=/rules>"
        "Reading room rules</a> <a href=/imprint>Imprint</a></footer></body></html>"
    )
    parts, size, night = [head], 0, 0
    while size < wanted_chars:
        night += 1
        part = (
            f"<p>In the watch before dawn he wrote the number {night} into the book, wound up the"
            f" clockwork that turned the lens, and looked out for the mail boat, {night % 7} hours"
            " late. The wind had gone round to the west, and the glass was falling slowly, as it"
            " had done on every evening of that week.</p>"
        )
        parts.append(part)
        size += len(part)
    return separator.join([*parts, tail])


def long_article(size: int) -> str:
    return _long("\n", size)


def one_long_line(size: int) -> str:
    return _long("", size)


def nested_divs(size: int) -> str:
    return "<html><body>" + "<div>" * size + f"<p>{_DEEP * 3}</p>" + "</div>" * size


def nested_inline(size: int) -> str:
    return "<html><body><p>" + "<b><i>" * size + _DEEP * 3 + "</i></b>" * size


def many_links(size: int) -> str:
    links = "".join(f"<li><a href=/{n}>Entry {n}</a>" for n in range(size))
    return f"<html><head><title>Index</title></head><body><ul>{links}</ul></body></html>"


def many_attributes(size: int) -> str:
    return _into_body("<div " + "a=1 " * size + "></div>")
