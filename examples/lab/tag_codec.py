"""How much smaller is HTML when its tags are codes? An encoder and a decoder for the exercise.

    python tag_codec.py encode page.html page.tags
    python tag_codec.py decode page.tags page.html
    python tag_codec.py measure FILE or FOLDER …

A page hardly ever uses all 256 byte values; one that it leaves free can stand for a tag without
any escaping, so that every file, HTML or not, comes back exactly. There are two steps, each with
its way back. `drop_end_tags` knows structure: an end tag that closes the innermost open element
needs no name. `code_tags` knows repetition: a tag that comes again and again, or the part of one
around an attribute's value (`<a href="`), is one byte, and a table in front says which.
"""

import gzip
import re
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

TAG = re.compile(rb"</?([A-Za-z][^\s/<>]*)[^<>]*>")
VALUE = re.compile(rb'(?<==")[^"]*(?=")')
VOID = frozenset(b"area base br col embed hr img input link meta source track wbr".split())
MAX_OPEN = 100  # of deeper nesting only the innermost elements are remembered
MAX_TEXT = 255  # the length of a code's text is one byte, so no byte unfolds into more than this

Step = Callable[[bytes], bytes]


class OpenElements:
    """What is open at a point of the page. Encoder and decoder see the same tags before that
    point, so they always agree, also about pages that are badly nested."""

    def __init__(self) -> None:
        self._names: deque[bytes] = deque(maxlen=MAX_OPEN)

    def end_tag(self) -> bytes | None:
        """The tag that would close the innermost element."""
        return b"</%b>" % self._names[-1] if self._names else None

    def close_innermost(self) -> None:
        self._names.pop()

    def follow(self, tag: re.Match[bytes]) -> None:
        if not tag[0].startswith(b"</"):
            if tag[1].lower() not in VOID and not tag[0].endswith(b"/>"):
                self._names.append(tag[1])
        elif tag[1] in self._names:
            while self._names.pop() != tag[1]:
                continue


def drop_end_tags(data: bytes) -> bytes:
    """Each end tag that is the expected one becomes the byte that stands in front of the page."""
    free = free_bytes(data)
    if not free:
        return b"\0" + data
    code, elements = bytes(free[:1]), OpenElements()

    def shortened(tag: re.Match[bytes]) -> bytes:
        expected = elements.end_tag()
        elements.follow(tag)
        return code if tag[0] == expected else tag[0]

    return b"\1" + code + TAG.sub(shortened, data)


def restore_end_tags(data: bytes) -> bytes:
    if data[:1] == b"\0":
        return data[1:]
    if data[:1] != b"\1" or len(data) < 2:
        raise ValueError("this is not a page without end tags")
    elements, restored = OpenElements(), bytearray()
    for number, text in enumerate(data[2:].split(data[1:2])):
        if number:  # between two texts is an end tag
            end_tag = elements.end_tag()
            if end_tag is None:
                raise ValueError("an end tag stands where nothing is open")
            restored += end_tag
            elements.close_innermost()
        restored += text
        for tag in TAG.finditer(text):
            elements.follow(tag)
    return bytes(restored)


def code_tags(data: bytes) -> bytes:
    """The number of codes, for each its byte, length and text, and then the data with codes."""
    codes = dict(zip(worth_a_code(data), free_bytes(data)[:255], strict=False))
    table = b"".join(bytes([code, len(text)]) + text for text, code in codes.items())

    def coded(tag: re.Match[bytes]) -> bytes:
        texts = [tag[0]] if tag[0] in codes else parts(tag[0])
        return b"".join(bytes([codes[text]]) if text in codes else text for text in texts)

    return bytes([len(codes)]) + table + TAG.sub(coded, data)


def expand_tags(data: bytes) -> bytes:
    texts = [bytes([value]) for value in range(256)]
    try:
        position = 1
        for _ in range(data[0]):
            code, end = data[position], position + 2 + data[position + 1]
            texts[code] = data[position + 2 : end]
            position = end
    except IndexError:
        raise ValueError("the table of codes is cut off") from None
    if position > len(data):
        raise ValueError("the table of codes is cut off")
    return b"".join([texts[value] for value in data[position:]])


def encode(data: bytes) -> bytes:
    return code_tags(drop_end_tags(data))


def decode(data: bytes) -> bytes:
    """What `encode` was given. ValueError if these bytes can't be from there."""
    return restore_end_tags(expand_tags(data))


def free_bytes(data: bytes) -> list[int]:
    """The byte values that do not occur."""
    return sorted(set(range(256)).difference(data))


def parts(tag: bytes) -> list[bytes]:
    """The tag cut before and after each attribute's value: `<a href="`, `/fish`, `">`."""
    found, position = [], 0
    for value in VALUE.finditer(tag):
        found += [tag[position : value.start()], value[0]]
        position = value.end()
    return [part for part in (*found, tag[position:]) if part]


def worth_a_code(data: bytes) -> list[bytes]:
    """What saves more than its place in the table costs, the best first: of the tags that occur
    more than once, and of the parts of those that do not."""
    tags = Counter(tag[0] for tag in TAG.finditer(data))
    uses = Counter({tag: count for tag, count in tags.items() if count > 1})
    for tag, count in tags.items():
        if count == 1:
            uses.update(parts(tag))
    saved = {
        text: count * (len(text) - 1) - (len(text) + 2)
        for text, count in uses.items()
        if len(text) <= MAX_TEXT
    }
    return sorted(
        (text for text in saved if saved[text] > 0), key=lambda text: (-saved[text], text)
    )


def measure(pages: list[bytes]) -> str:
    """What the codec saves alone and in front of compressors, each page by itself."""
    import zstandard  # noqa: PLC0415 - encoding and decoding need the standard library alone

    compressors: dict[str, Step] = {
        "alone": bytes,
        "gzip -9": lambda data: gzip.compress(data, 9),
        "zstd -3": zstandard.ZstdCompressor(level=3).compress,
        "zstd -19": zstandard.ZstdCompressor(level=19).compress,
    }
    steps: dict[str, Step] = {
        "as it is": bytes,
        "end tags dropped": drop_end_tags,
        "all of the codec": encode,
    }
    size = sum(map(len, pages))
    tag_size = sum(len(tag[0]) for page in pages for tag in TAG.finditer(page))
    lines = [f"{len(pages):,} pages, {size:,} bytes, {tag_size / size:.1%} of them tags"]
    lines.append(" " * 16 + "".join(f"{name:>10}" for name in compressors))
    for name, step in steps.items():
        prepared = [step(page) for page in pages]
        sizes = [sum(len(compress(page)) for page in prepared) for compress in compressors.values()]
        lines.append(f"{name:16}" + "".join(f"{each / size:10.2%}" for each in sizes))
    started = time.perf_counter()
    encoded = [encode(page) for page in pages]
    middle = time.perf_counter()
    decoded = [decode(page) for page in encoded]
    ended = time.perf_counter()
    speeds = (size / (middle - started) / 1e6, size / (ended - middle) / 1e6)
    unlike = sum(before != after for before, after in zip(pages, decoded, strict=True))
    lines.append("encodes {:.1f} MB/s, decodes {:.1f} MB/s".format(*speeds))
    lines.append(f"{unlike} pages differ after encoding and decoding")
    return "\n".join(lines)


def html_files(names: list[str]) -> list[bytes]:
    paths = [
        file
        for path in map(Path, names)
        for file in (sorted(path.rglob("*.html")) if path.is_dir() else [path])
    ]
    pages = [page for path in paths if (page := path.read_bytes())]
    if not pages:
        raise ValueError(f"no page of HTML in {', '.join(names)}")
    return pages


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["--help"]:
                print(__doc__.rstrip())
            case ["encode", source, target]:
                Path(target).write_bytes(encode(Path(source).read_bytes()))
            case ["decode", source, target]:
                Path(target).write_bytes(decode(Path(source).read_bytes()))
            case ["measure", _, *_]:
                print(measure(html_files(arguments[1:])))
            case _:
                raise ValueError("use: encode SOURCE TARGET | decode SOURCE TARGET | measure FILE…")
    except (OSError, ValueError) as error:
        print(f"tag_codec: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
