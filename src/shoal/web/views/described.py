"""How do programs learn what is here? /openapi.json and /opensearch.xml, made out of the same table
as the routes; /robots.txt, which keeps everyone out; and /health, for whoever keeps it running."""

from html import escape

from shoal.model.record import Struct, to_json
from shoal.web.server.http import Request, Response
from shoal.web.server.openapi import description
from shoal.web.server.site import Site
from shoal.web.server.view import HEALTH, View

_OPENSEARCH = """\
<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>{short}</ShortName>
  <Description>Search the collection {name}</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Image height="32" width="32" type="image/svg+xml">{origin}/static/shoal.svg</Image>
  <Url type="text/html" method="get"
       template="{origin}/search?q={{searchTerms}}&amp;page={{startPage?}}"/>
  <Url type="application/json" method="get"
       template="{origin}/search.json?q={{searchTerms}}&amp;page={{startPage?}}"/>
  <Url type="application/opensearchdescription+xml" rel="self" template="{origin}/opensearch.xml"/>
</OpenSearchDescription>
"""
_MOST_SHORT_CHARS = 16
"""As OpenSearch 1.1 has it."""


def openapi(site: Site, request: Request) -> Response:
    from shoal.web.server.routes import views  # noqa: PLC0415 - its table has this module's views too

    del site, request
    return Response(to_json(description(views())), media_type="application/json")


def opensearch(site: Site, request: Request) -> Response:
    name = site.name
    described = _OPENSEARCH.format(
        short=escape(f"Shoal {name}"[:_MOST_SHORT_CHARS]),
        name=escape(name),
        origin=escape(f"{request.url.scheme}://{request.url.netloc}"),
    )
    return Response(described, media_type="application/opensearchdescription+xml")


def robots(site: Site, request: Request) -> Response:
    del site, request
    return Response("User-agent: *\nDisallow: /\n", media_type="text/plain")


class Health(Struct):
    says: str


def health(site: Site, request: Request) -> Response:
    """Whether what is served can be read now, or waits to be begun: 503 with a sentence when it
    can't. It tells nothing of it, and needs no token."""
    del request
    if not site.has_begun():
        return Response(to_json(Health("nothing is gathered yet")), media_type="application/json")
    with site.reading() as collection:
        collection.page("http://health.example/")
    return Response(to_json(Health("well")), media_type="application/json")


VIEWS = (
    View(
        HEALTH,
        health,
        "Whether the collection can be read, without a token.",
        twin=False,
        media_type="application/json",
    ),
    View(
        "/openapi.json",
        openapi,
        "This description (OpenAPI 3.1).",
        twin=False,
        media_type="application/json",
    ),
    View(
        "/opensearch.xml",
        opensearch,
        "How a browser searches here (OpenSearch 1.1).",
        twin=False,
        media_type="application/opensearchdescription+xml",
    ),
    View("/robots.txt", robots, "Nothing for crawlers.", twin=False, media_type="text/plain"),
)
