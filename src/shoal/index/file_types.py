"""By which names is a kind of file asked for? `filetype:pdf`, `type:text/html`, `type:image`.

A document answers to its media type, to both halves of it, and to the ending of its URL. Where the
name that people use is none of these, the table has it.
"""

import re

_NAMES = {
    "application/epub+zip": ("epub",),
    "application/gzip": ("gz",),
    "application/javascript": ("js",),
    "application/msword": ("doc", "word"),
    "application/vnd.ms-excel": ("xls", "excel"),
    "application/vnd.ms-powerpoint": ("ppt", "powerpoint"),
    "application/vnd.oasis.opendocument.presentation": ("odp",),
    "application/vnd.oasis.opendocument.spreadsheet": ("ods",),
    "application/vnd.oasis.opendocument.text": ("odt",),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": (
        "pptx",
        "powerpoint",
    ),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ("xlsx", "excel"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("docx", "word"),
    "application/xhtml+xml": ("html", "htm", "xhtml"),
    "audio/mpeg": ("mp3",),
    "image/jpeg": ("jpg", "jpeg"),
    "image/svg+xml": ("svg",),
    "image/tiff": ("tif", "tiff"),
    "message/rfc822": ("eml", "mail"),
    "text/html": ("htm",),
    "text/javascript": ("js",),
    "text/markdown": ("md",),
    "text/plain": ("txt",),
    "text/x-tex": ("tex",),
    "application/postscript": ("ps", "eps"),
}
_ENDING = re.compile(r"\.([a-z0-9]{1,8})\Z")


def type_words(media_type: str, url: str) -> list[str]:
    """All that a document of this type, at this URL, answers to."""
    major, _, minor = media_type.partition("/")
    found = [media_type, major, minor, minor.removeprefix("x-")]
    found += minor.split("+")[1:]  # xml of atom+xml
    found += _NAMES.get(media_type, ())
    path = re.split(r"[?#]", url.lower()[:4_000], maxsplit=1)[0]
    name = path.partition("://")[2].partition("/")[2].rpartition("/")[2]
    if ending := _ENDING.search(name):
        found.append(ending[1])
    return [each for each in dict.fromkeys(found) if each]


def asked_type(name: str) -> str:
    """What someone asked for, as a document may answer to it: `.PDF`, `image/*`."""
    return name.strip().lower().lstrip(".").removesuffix("/*").partition(";")[0]
