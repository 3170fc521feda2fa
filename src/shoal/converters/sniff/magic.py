"""How do files begin? Bytes that leave no doubt, each with the media type they stand for."""

import re

_MARKS: dict[bytes, str] = {
    b"%PDF-": "application/pdf",
    b"PK\x03\x04": "application/zip",
    b"PK\x05\x06": "application/zip",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "application/x-ole-storage",
    b"{\\rtf": "application/rtf",
    b"\xdb\xa5\x2d\x00": "application/x-msword-2",
    b"\xffWPC": "application/vnd.wordperfect",
    b"\x31\xbe\x00\x00\x00\xab": "application/x-mswrite",
    b"\x32\xbe\x00\x00\x00\xab": "application/x-mswrite",
    b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d": "application/onenote",
    b"\xa1\x2f\xff\x43\xd9\xef\x76\x4c": "application/onenote",
    b"\x78\x9f\x3e\x22": "application/ms-tnef",
    b"\x00\x00\x1a\x00": "application/vnd.lotus-1-2-3",
    b"\x00\x00\x02\x00\x04\x04": "application/vnd.lotus-1-2-3",
    b"\x00\x00\x02\x00\x06\x04": "application/vnd.lotus-1-2-3",
    b"\x00\x00\x02\x00\x20\x51": "application/x-quattropro-dos",
    b"\x00\x00\x02\x00\x01\x10": "application/x-quattropro-win",
    b"\x00\x00\x02\x00\x02\x10": "application/x-quattropro-win",
    b"\x09\x00\x04\x00": "application/vnd.ms-excel",
    b"\x09\x02\x06\x00": "application/vnd.ms-excel",
    b"\x09\x04\x06\x00": "application/vnd.ms-excel",
    b"\x09\x08\x08\x00\x00\x05": "application/vnd.ms-excel",
    b"\x09\x08\x10\x00\x00\x06": "application/vnd.ms-excel",
    b"\x1f\x8b": "application/gzip",
    b"BZh": "application/x-bzip2",
    b"\xfd7zXZ\x00": "application/x-xz",
    b"\x28\xb5\x2f\xfd": "application/zstd",
    b"\x04\x22\x4d\x18": "application/x-lz4",
    b"\x1f\x9d": "application/x-compress",
    b"\xff\x06\x00\x00sNaPpY": "application/x-snappy-framed",
    b"LZIP": "application/x-lzip",
    b"\x5d\x00\x00": "application/x-lzma",
    b"7z\xbc\xaf\x27\x1c": "application/x-7z-compressed",
    b"Rar!\x1a\x07": "application/vnd.rar",
    b"!<arch>\ndebian-binary": "application/vnd.debian.binary-package",
    b"!<arch>\n": "application/x-archive",
    b"070701": "application/x-cpio",
    b"070702": "application/x-cpio",
    b"070707": "application/x-cpio",
    b"\xc7\x71": "application/x-cpio",
    b"\x71\xc7": "application/x-cpio",
    b"\xed\xab\xee\xdb": "application/x-rpm",
    b"MSCF\x00\x00\x00\x00": "application/vnd.ms-cab-compressed",
    b"ITSF": "application/vnd.ms-htmlhelp",
    b"\x00\x05\x16\x00": "application/applefile",
    b"\x00\x05\x16\x07": "application/applefile",
    b"WARC/": "application/warc",
    b"filedesc://": "application/x-ia-arc",
    b"bplist": "application/x-bplist",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"II*\x00": "image/tiff",
    b"MM\x00*": "image/tiff",
    b"II+\x00": "image/tiff",
    b"MM\x00+": "image/tiff",
    b"IIU\x00": "image/tiff",
    b"IIRO": "image/tiff",
    b"IIRS": "image/tiff",
    b"\x00\x00\x00\x0cjP  \r\n": "image/jp2",
    b"\x00\x00\x00\x0cJXL \r\n": "image/jxl",
    b"8BPS": "image/vnd.adobe.photoshop",
    b"\xd7\xcd\xc6\x9a": "image/wmf",
    b"\x01\x00\x09\x00\x00\x03": "image/wmf",
    b"\x02\x00\x09\x00\x00\x03": "image/wmf",
    b"AC10": "image/vnd.dwg",
    b"AutoCAD Binary DXF": "image/vnd.dxf",
    b"\x00\x00\x01\x00": "image/x-icon",
    b"AT&TFORM": "image/vnd.djvu",
    b"%!PS": "application/postscript",
    b"\x04%!PS": "application/postscript",
    b"\xc5\xd0\xd3\xc6": "application/postscript",
    b"ID3": "audio/mpeg",
    b"fLaC": "audio/flac",
    b"OggS": "application/ogg",
    b"MThd": "audio/midi",
    b".snd": "audio/basic",
    b"MAC ": "audio/x-ape",
    b"wvpk": "audio/x-wavpack",
    b"MP+": "audio/x-musepack",
    b"MPCK": "audio/x-musepack",
    b"APETAGEX": "audio/mpeg",
    b"#!AMR": "audio/amr",
    b"0&\xb2u\x8ef\xcf\x11": "video/x-ms-asf",
    b"\x1aE\xdf\xa3": "video/x-matroska",
    b"FLV\x01": "video/x-flv",
    b"FWS": "application/x-shockwave-flash",
    b"CWS": "application/x-shockwave-flash",
    b"ZWS": "application/x-shockwave-flash",
    b"\x00\x01\x00\x00\x00": "font/ttf",
    b"OTTO\x00": "font/otf",
    b"true\x00": "font/ttf",
    b"ttcf\x00": "font/collection",
    b"wOFF": "font/woff",
    b"wOF2": "font/woff2",
    b"\x7fELF": "application/x-executable",
    b"MZ": "application/vnd.microsoft.portable-executable",
    b"\xca\xfe\xba\xbe": "application/java-vm",
    b"SQLite format 3\x00": "application/vnd.sqlite3",
    b"d8:announce": "application/x-bittorrent",
    b"CDF\x01": "application/x-netcdf",
    b"CDF\x02": "application/x-netcdf",
    b"CDF\x05": "application/x-netcdf",
    b"\x89HDF\r\n\x1a\n": "application/x-hdf5",
}
_BY_FIRST: dict[int, list[tuple[bytes, str]]] = {}
for _mark, _kind in sorted(_MARKS.items(), key=lambda item: -len(item[0])):
    if _kind:
        _BY_FIRST.setdefault(_mark[0], []).append((_mark, _kind))

_BOXES = {
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"M4P ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heic",
    b"msf1": "image/heic",
    b"hevc": "image/heic",
    b"hevx": "image/heic",
    b"heim": "image/heic",
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"3gp4": "video/3gpp",
    b"3gp5": "video/3gpp",
    b"3gp6": "video/3gpp",
    b"3g2a": "video/3gpp",
}
_RIFF = {b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo", b"WEBP": "image/webp"}
_FORM = {b"AIFF": "audio/aiff", b"AIFC": "audio/aiff"}
_OLD_QUICKTIME = (b"moov", b"mdat", b"wide", b"pnot", b"free", b"skip")
_FAR = (
    (8, b"0M3C", "application/x-prt"),
    (128, b"DICM", "application/dicom"),
    (257, b"ustar", "application/x-tar"),
    (32769, b"CD001", "application/x-iso9660-image"),
)
_PATTERNS = (
    (
        re.compile(rb"BM.{4}\x00\x00\x00\x00.\x00\x00\x00[\x0c\x28\x40\x6c\x7c]", re.DOTALL),
        "image/bmp",
    ),
    (
        re.compile(rb"(?:\xef\xbb\xbf)?(?:\s*999\r?\n[^\n]*\n)*\s*0\r?\nSECTION\r?\n\s*2\r?\n"),
        "image/vnd.dxf",
    ),
    (
        re.compile(rb"d(?:13:announce-list|7:comment|10:created by|13:creation date|4:info)"),
        "application/x-bittorrent",
    ),
    (re.compile(rb"[\s\x00]{0,100}%PDF-[12]\.\d"), "application/pdf"),
)


def magic_kind(body: bytes) -> str:
    """Empty when the first bytes could be anything's."""
    if not body:
        return ""
    for mark, kind in _BY_FIRST.get(body[0], ()):
        if body.startswith(mark):
            return kind
    return _far_marks(body)


def _far_marks(body: bytes) -> str:
    """Marks that stand a little way in."""
    for place, mark, kind in _FAR:
        if body.startswith(mark, place):
            return kind
    for pattern, kind in _PATTERNS:
        if pattern.match(body, 0, 2000):
            return kind
    return _media_kind(body)


def _media_kind(body: bytes) -> str:
    """Of containers that name what they hold, and of streams."""
    form = body[8:12]
    if body[4:8] == b"ftyp":
        return _BOXES.get(form, "video/mp4")
    if body[0] == 0 and body[4:8] in _OLD_QUICKTIME:
        return "video/quicktime"
    if body.startswith((b"RIFF", b"RF64", b"BW64")):
        return _RIFF.get(form, "")
    if body.startswith(b"FORM"):
        return _FORM.get(form, "")
    if body[:4] == b"\x01\x00\x00\x00" and body[40:44] == b" EMF":
        return "image/emf"
    if body[0] == 0xFF and len(body) > 2 and body[1] & 0xE6 == 0xE2 and body[2] & 0xF0 != 0xF0:
        return "audio/mpeg"
    is_adts = body[0] == 0xFF and body[1:2] in (b"\xf0", b"\xf1", b"\xf8", b"\xf9")
    return "audio/aac" if is_adts else ""
