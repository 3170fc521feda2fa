"""What do TIFF files say? The tags of every page: scans, faxes, maps, raw pictures of cameras."""

from shoal.converters.context import Context, Converted
from shoal.converters.media.exif import IPTC, PHOTOSHOP, XMP, Directory, Tiff, read_directory
from shoal.converters.media.iptc import read_iptc, read_resources
from shoal.converters.media.tags import Tags, tagged
from shoal.converters.media.xmp import read_xmp

_WIDTH, _HEIGHT, _SUBFILE = 0x0100, 0x0101, 0x00FE


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    tiff = Tiff(body)
    size = ""
    for directory in tiff.directories():
        read_directory(tiff, directory, tags)
        _packets(tiff, directory, tags)
        is_preview = tiff.number(directory, _SUBFILE) & 1
        if not is_preview and not size and _WIDTH in directory.entries:
            size = f"{tiff.number(directory, _WIDTH)} × {tiff.number(directory, _HEIGHT)}"
    tags.add("Dimensions", size)


def _packets(tiff: Tiff, directory: Directory, tags: Tags) -> None:
    if XMP in directory.entries:
        read_xmp(tiff.raw(directory, XMP), tags)
    if IPTC in directory.entries:
        raw = tiff.raw(directory, IPTC)
        tags.spend(len(raw))
        if tiff.order == "<" and raw[3:4] == b"\x1c":  # written as numbers of the other order
            whole = raw[: len(raw) - len(raw) % 4]
            raw = b"".join(whole[at : at + 4][::-1] for at in range(0, len(whole), 4))
        read_iptc(raw, tags)
    if PHOTOSHOP in directory.entries:
        raw = tiff.raw(directory, PHOTOSHOP)
        tags.spend(len(raw))
        read_resources(raw, tags)
