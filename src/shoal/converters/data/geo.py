"""What do map files say? The names and descriptions of places: KML (also in a KMZ) and GPX."""

from shoal.converters.html import blocks as html_blocks
from shoal.converters.markup.front_matter import iso_date
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named
from shoal.model.page import Page

_FOLDERS = frozenset(("Document", "Folder", "NetworkLink"))
_PLACES = frozenset(("Placemark", "GroundOverlay", "ScreenOverlay", "PhotoOverlay"))


def write_kml(root: Element, writer: Writer) -> Page:
    title = ""
    for element in root.iter():
        if writer.full:
            break
        name = local(element)
        if name in _FOLDERS:
            depth = sum(1 for above in element.iterancestors() if local(above) in _FOLDERS)
            heading = _child(element, "name")
            title = title or heading
            writer.heading(heading, depth + 1)
        elif name in _PLACES:
            writer.paragraph([Run(_child(element, "name"), bold=True)])
            writer.paragraph(_child(element, "address"))
            for data in named(element, "Data", "SimpleData"):
                value = _child(data, "value") or all_text(data).strip()
                writer.paragraph(f"{attribute(data, 'name')}: {value}" if value else "")
        else:
            continue
        _write_markup(_child(element, "description") or _child(element, "Snippet"), writer)
    page = writer.page(title)
    page.author = next((_child(author, "name") for author in named(root, "author")), "")
    return page


def write_gpx(root: Element, writer: Writer) -> Page:
    metadata = next((child for child in root if local(child) == "metadata"), root)
    title = _child(metadata, "name")
    writer.heading(title, 1)
    writer.paragraph(_child(metadata, "desc"))
    for element in named(root, "wpt", "rte", "trk", "rtept"):
        if writer.full:
            break
        name = _child(element, "name")
        if local(element) in ("rte", "trk"):
            writer.heading(name, 2)
            title = title or name
        else:
            writer.paragraph([Run(name, bold=True)])
        for part in ("desc", "cmt"):
            writer.paragraph(_child(element, part))
    page = writer.page(title)
    page.author = next((_child(author, "name") for author in named(metadata, "author")), "")
    page.published = iso_date(_child(metadata, "time"))
    return page


def _child(element: Element, name: str) -> str:
    return next((all_text(child).strip() for child in element if local(child) == name), "")


def _write_markup(text: str, writer: Writer) -> None:
    if "<" in text:
        html_blocks.write_blocks(text, writer)
    else:
        writer.paragraph(text)
