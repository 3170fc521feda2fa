"""How is a charset read? Python's codecs, browsers' tables where they differ, and our own.

`as_browsers` reads what the web reads: windows-125x have no holes among the controls, EUC-JP is
Microsoft's, gb2312 is gb18030. `as_registered` is for XML and files: a text that keeps to the
registered charset is read by that (JIS's wave dash stays one), a text that does not by its
superset. Whatever does not decode becomes U+FFFD; nothing raises.
"""

import codecs
import json
import re
from functools import cache

from shoal.converters.characters.indic import iscii
from shoal.converters.characters.labels import CODECS
from shoal.converters.characters.model import tables

_PATCHES = {"koi8-u": {0xAE: "ў", 0xBE: "Ў"}, "windows-1255": {0xCA: "\u05ba"}}
_REGISTERED = {
    "shift_jis": (("shift_jis", "shift_jis"), ("windows-31j", "cp932")),
    "gbk": (("gb2312", "gb2312"), ("gbk", "gbk"), ("gb18030", "gb18030")),
    "gb18030": (("gb2312", "gb2312"), ("gbk", "gbk"), ("gb18030", "gb18030")),
    "euc-jp": (("euc-jp", "euc_jp"),),
    "big5": (("big5", "big5"),),
}
_GB18030_2022 = str.maketrans(
    "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7"
    "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
    "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f"
    "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
)
"""What Python's codec still puts into the private area."""
_PRIVATE = re.compile("[\ue5e5-\ue864]")
_MICROSOFT_JIS = str.maketrans("〜‖−¢£¬", "～∥－￠￡￢")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_EUC_TW = re.compile(rb"[\x00-\x7f]+|\x8e\xa2[\xa1-\xfe]{2}|\x8e\xa1[\xa1-\xfe]{2}|[\xa1-\xfe]{2}")
_NO_LIMIT = 1 << 62


def as_browsers(data: bytes, charset: str) -> str:
    """The text, with the Encoding Standard's tables where the charset is one of the web's."""
    codec = CODECS[charset]
    if codec.startswith("("):
        return _own(data, charset, codec)
    if codec.startswith("cp125") or charset in ("windows-874", "koi8-u"):
        return codecs.charmap_decode(data, "replace", table_of(charset))[0]
    if codec == "euc_jp":
        return data.decode(codec, "shoal-euc-jp").translate(_MICROSOFT_JIS)
    if codec == "gb18030":
        text = data.decode(codec, "shoal-gb18030")
        return text.translate(_GB18030_2022) if _PRIVATE.search(text) else text
    text = data.decode(codec, "replace")
    return _LONE_SURROGATE.sub("\ufffd", text) if codec == "utf_7" else text


def as_registered(data: bytes, charset: str) -> tuple[str, str]:
    """(text, name of the charset that read it)."""
    for name, codec in _REGISTERED.get(charset, ()):
        try:
            return data.decode(codec), name
        except UnicodeDecodeError:
            continue  # the next one reads more
    return as_browsers(data, charset), charset


@cache
def table_of(charset: str) -> str:
    """The 256 characters of a single-byte charset."""
    if charset == "x-user-defined":
        return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in range(256))
    if CODECS[charset] == "(table)":
        return tables()[charset]
    codec = CODECS[charset]
    table = [bytes([byte]).decode(codec, "replace") for byte in range(256)]
    if charset.startswith("windows-"):
        for byte in range(0x80, 0xA0):
            table[byte] = chr(byte) if table[byte] == "\ufffd" else table[byte]
    for byte, character in _PATCHES.get(charset, {}).items():
        table[byte] = character
    return "".join(table)


def strict_runs(data: bytes, charset: str, faults_allowed: int) -> tuple[str, int]:
    """What can be read between faults, and how many there were; it stops when they are too many."""
    if charset == "euc-tw":
        return euc_tw(data, faults_allowed)
    codec = CODECS[charset]
    runs: list[str] = []
    faults = 0
    while data:
        try:
            runs.append(data.decode(codec))
            break
        except UnicodeDecodeError as error:
            runs.append(data[: error.start].decode(codec))
            faults += len(data) - error.start > 3  # else the sample was cut within a character
            if faults > faults_allowed:
                break
            data = data[error.end :]
    return "".join(runs), faults


def euc_tw(data: bytes, faults_allowed: int = _NO_LIMIT) -> tuple[str, int]:
    """CNS 11643, planes 1 and 2, as EUC: Python has no codec for it."""
    plane_1, plane_2 = tables()["cns-1"], tables()["cns-2"]
    runs: list[str] = []
    faults = position = 0
    while position < len(data):
        match = _EUC_TW.match(data, position)
        if match is None:
            faults += len(data) - position > 3
            if faults > faults_allowed:
                break
            runs.append("\ufffd")
            position += 1
            continue
        piece = match[0]
        position = match.end()
        if piece[0] < 0x80:
            runs.append(piece.decode("ascii"))
        else:
            plane = plane_2 if piece[:2] == b"\x8e\xa2" and len(piece) == 4 else plane_1
            runs.append(plane[(piece[-2] - 0xA1) * 94 + piece[-1] - 0xA1])
    return "".join(runs), faults


def _own(data: bytes, charset: str, codec: str) -> str:
    if codec == "(table)":
        return codecs.charmap_decode(data, "replace", table_of(charset))[0]
    if codec == "(cns)":
        return euc_tw(data)[0]
    if codec == "(tscii)":
        letters: list[str] = json.loads(tables()["tscii"])
        return "".join([letters[byte] or "\ufffd" for byte in data])
    if codec == "(iscii)":
        return iscii(data, charset)
    return "\ufffd" if data else ""  # "replacement": the standard reads nothing of it


def _vendor_rows(error: UnicodeError) -> tuple[str, int]:
    """EUC-JP's rows that NEC and IBM added, by way of their places in Shift_JIS."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) < 2 or min(pair) < 0xA1 or max(pair) > 0xFE:
        return "\ufffd", error.end
    lead, trail = divmod((pair[0] - 0xA1) * 94 + pair[1] - 0xA1, 188)
    lead += 0x81 if lead < 0x1F else 0xC1
    trail += 0x40 if trail < 0x3F else 0x41
    return bytes([lead, trail]).decode("cp932", "replace")[:1], error.start + 2


def _lone_euro(error: UnicodeError) -> tuple[str, int]:
    """0x80 by itself is Microsoft's euro sign in GBK."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "€" if error.object[error.start] == 0x80 else "\ufffd", error.end


# The registry of error handlers is Python's own; these names are ours.
codecs.register_error("shoal-euc-jp", _vendor_rows)
codecs.register_error("shoal-gb18030", _lone_euro)
