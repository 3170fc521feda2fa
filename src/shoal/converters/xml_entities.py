"""Which entities does an XML file use without declaring them? HTML's names, mostly, and bare `&`.

libxml2 drops an undeclared entity, and from the first one on `&amp;` as well. So HTML's names are
written as numbers, unknown names are left out, and a bare `&` is escaped, before it is parsed.
Files that declare entities of their own, and those in UTF-16 or UTF-32, are left alone.
"""

import re
from html.entities import html5

_SEEN = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"
    rb"|&(?:#[0-9]{1,7};|#x[0-9A-Fa-f]{1,6};|([A-Za-z][\w.\-]{0,60});)?",
    re.DOTALL,
)
_PREDEFINED = frozenset((b"amp", b"lt", b"gt", b"quot", b"apos"))


def mend(data: bytes) -> bytes:
    if b"&" not in data or b"<!ENTITY" in data or b"\0" in data[:200]:
        return data
    return _SEEN.sub(_mended, data)


def _mended(found: re.Match[bytes]) -> bytes:
    if found[0] == b"&":
        return b"&amp;"
    name = found[1]
    if name is None or name in _PREDEFINED:
        return found[0]
    characters = html5.get(f"{name.decode('ascii', 'replace')};", "")
    return "".join(f"&#{ord(each)};" for each in characters).encode()
