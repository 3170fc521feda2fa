"""What does an XMP packet say? RDF in XML (ISO 16684-1), as pictures, films and drawings carry it.

A property is an attribute or an element of an `rdf:Description`; its value is text, or a list of
texts in a `Bag`, `Seq` or `Alt` (languages; the default comes first). Known ones are told.
"""

import re

from shoal.converters import xml
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, iso_date

_MAX_BYTES = 5_000_000
_MAX_ELEMENTS = 20_000
_NAMES = {
    "title": names.TITLE, "creator": names.CREATOR, "description": names.DESCRIPTION,
    "subject": names.KEYWORDS, "Keywords": names.KEYWORDS, "rights": names.COPYRIGHT,
    "publisher": "Publisher", "contributor": "Contributor", "source": "Source",
    "Headline": "Headline", "Credit": "Credit", "City": "City", "State": "State",
    "Country": "Country", "Location": "Sublocation", "Instructions": "Instructions",
    "CaptionWriter": "Writer", "AuthorsPosition": "Job title", "Category": "Category",
    "SupplementalCategories": "Category", "UsageTerms": "Usage terms", "Event": "Event",
    "PersonInImage": "Person", "OrganisationInImageName": "Organisation", "Make": "Camera",
    "Model": "Camera model", "Lens": "Lens", "ImageDescription": names.DESCRIPTION,
    "UserComment": names.COMMENT, "Artist": names.CREATOR, "artist": names.ARTIST,
    "album": "Album", "composer": "Composer", "genre": "Genre", "logComment": names.COMMENT,
    "WebStatement": "Web page", "Nickname": "Nickname", "Label": "Label", "AltTextAccessibility":
    names.DESCRIPTION, "ExtDescrAccessibility": names.DESCRIPTION, "TransmissionReference":
    "Reference", "CountryName": "Country", "Sublocation": "Sublocation", "ProvinceState": "State",
    "Transcript": names.COMMENT, "hierarchicalSubject": names.KEYWORDS,
}  # fmt: skip
_DATES = {
    "DateCreated": "Created",
    "CreateDate": "Created",
    "DateTimeOriginal": "Taken",
    "ModifyDate": names.MODIFIED,
}
_SKIPPED = frozenset({"History", "DerivedFrom", "Pantry", "Ingredients", "Thumbnails", "Versions"})
_DEGREES = re.compile(r"(\d+),(\d+(?:\.\d+)?)(?:,(\d+(?:\.\d+)?))?\s*([NSEW])")


def read_xmp(data: bytes, tags: Tags) -> None:
    tags.spend(min(len(data), _MAX_BYTES))
    start = data.find(b"<x:xmpmeta")
    if start < 0:
        start = max(0, data.find(b"<rdf:RDF"))
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00<" in data[:200]:
        start = 0
    root = xml.parse(data[start : start + _MAX_BYTES].rstrip(b"\x00"))
    if root is None:
        return
    gps: dict[str, str] = {}
    count = 0
    for description in xml.named(root, "Description"):
        if _is_skipped(description):
            continue
        for key, value in description.attrib.items():
            _tell(str(key).rpartition("}")[2], [str(value)], gps, tags)
        for prop in description:
            count += 1
            if count > _MAX_ELEMENTS:
                return
            name = xml.local(prop)
            if name in _NAMES or name in _DATES or name.startswith("GPS"):
                _tell(name, _values(prop), gps, tags)
    if "GPSLatitude" in gps and "GPSLongitude" in gps:
        latitude, longitude = _degrees(gps["GPSLatitude"]), _degrees(gps["GPSLongitude"])
        if latitude is not None and longitude is not None:
            tags.add("Location", f"{latitude:.5f}, {longitude:.5f}")


def _is_skipped(description: xml.Element) -> bool:
    return any(xml.local(above) in _SKIPPED for above in description.iterancestors())


def _values(prop: xml.Element) -> list[str]:
    items = list(xml.named(prop, "li"))
    if not items:
        return [xml.all_text(prop)]
    if any(True for _ in xml.named(prop, "Alt")):
        return [xml.all_text(items[0])]
    return [xml.all_text(item) for item in items]


def _tell(name: str, values: list[str], gps: dict[str, str], tags: Tags) -> None:
    if name in _DATES:
        tags.add(_DATES[name], iso_date(values[0]))
    elif name.startswith("GPS"):
        gps[name] = values[0]
    elif name in _NAMES:
        for value in values:
            if name == "hierarchicalSubject":
                value = value.rpartition("|")[2]  # noqa: PLW2901  # the last of its path
            tags.add(_NAMES[name], value)


def _degrees(text: str) -> float | None:
    """`54,19.278N` and `54,19,17N`."""
    match = _DEGREES.match(text.strip())
    if match is None:
        return None
    value = int(match[1]) + float(match[2]) / 60 + float(match[3] or 0) / 3600
    return -value if match[4] in "SW" else value
