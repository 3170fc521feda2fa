"""How does an item of a feed read as a page? HTML around its text, so that it is read like any."""

from html import escape

from shoal.model.listings.feed import Item


def article_html(item: Item) -> bytes:
    language = f' lang="{escape(item.language)}"' if item.language else ""
    metas = (
        ("author", item.author),
        ("article:published_time", item.published),
        ("article:modified_time", item.updated),
    )
    said = "".join(
        f'<meta name="{name}" property="{name}" content="{escape(value)}">'
        for name, value in metas
        if value
    )
    if item.license:
        said += f'<link rel="license" href="{escape(item.license)}">'
    title = escape(item.title)
    page = (
        f'<!doctype html><html{language}><head><meta charset="utf-8"><title>{title}</title>{said}'
        f"</head><body><article><h1>{title}</h1>\n{item.content or item.summary}\n"
        "</article></body></html>"
    )
    return page.encode("utf-8", "replace")
