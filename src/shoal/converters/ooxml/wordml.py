"""What does an Office document in one XML file say? The same as the same document in a zip file.

Two kinds: "Flat OPC" (`pkg:package`, since 2007), whose parts are those of the zip file, and
WordprocessingML 2003 (`w:wordDocument`), the forerunner, with properties of its own.
"""

from shoal.converters.context import Context, Converted
from shoal.converters.ooxml import docx, pptx
from shoal.converters.ooxml.ooxml import Parts, bounded, first, iso_date
from shoal.converters.xml import Element, all_text, local, named, parse
from shoal.model.page import Page


def convert(body: bytes, context: Context) -> list[Converted]:
    kept = bounded(body)
    root = parse(kept)
    if root is None:
        return [Converted(Page(), problem="damaged: no XML")]
    if local(root) == "package":
        parts = Parts.of_flat(root)
        is_slides = parts.main("ppt/presentation.xml", "word/document.xml").startswith("ppt/")
        read = pptx.read if is_slides else docx.read
        found = read(parts, context)
    else:
        document = (
            root if local(root) == "wordDocument" else next(named(root, "wordDocument"), root)
        )
        found = docx.read_2003(document, context)
        _describe(found[0].page, document)
    if len(kept) < len(body):
        found[0].problem = found[0].problem or f"cut after {len(kept)} bytes"
    return found


def _describe(page: Page, root: Element) -> None:
    properties = first(root, "DocumentProperties")
    if properties is None:
        return
    values = {local(each): " ".join(all_text(each).split()) for each in properties}
    page.title = values.get("Title", "")[:1000] or page.title
    page.author = values.get("Author", "") or values.get("LastAuthor", "")
    page.published = iso_date(values.get("Created", ""))
    page.modified = iso_date(values.get("LastSaved", ""))
    page.description = (values.get("Description", "") or values.get("Subject", ""))[:2000]
    page.keywords = values.get("Keywords", "")[:2000]
