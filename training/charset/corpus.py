"""Which texts are the models made of? Translations within Debian packages, one file a language.

Catalogues (.mo), browser strings (.xpi), help pages (.html, .page), manual pages and fortunes say
ordinary things in a hundred languages and are free to count. Packages are read as they are, from
the archive's tar stream; nothing is installed. Lines are kept once, and what was left in
English is dropped: a line that stands in the British package too is no translation.

    python training/charset/corpus.py PACKAGES_DIRECTORY CORPUS_DIRECTORY
"""

import gzip
import html
import io
import re
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

BYTES_PER_SOURCE = 2_500_000
"""Of each language from each kind of package: no source may drown the others."""

ENGLISH = frozenset(("the", "this", "which", "your", "with"))
NOT_LATIN = (
    " am ar as be bg bn dz el fa gu he hi hy ja ka kk km kn ko ky lo mk ml mn mr my ne or pa ru si"
    " sr ta te tg th tt ug uk ur zh-cn zh-tw "
)

_LANGUAGE_IN_PATH = (
    ("mo", re.compile(r"/(?:locale|translations)/([^/]+)/LC_MESSAGES/[^/]+\.mo$")),
    ("help", re.compile(r"/libreoffice/help/([^/]+)/text/.*\.html$")),
    ("guide", re.compile(r"/installation-guide-amd64/([^/]+)/.*\.html$")),
    ("page", re.compile(r"/usr/share/help/([^/]+)/gnome-help/.*\.page$")),
    ("handbook", re.compile(r"/debian-handbook/html/([^/]+)/[^/]+\.html$")),
    ("man", re.compile(r"/usr/share/man/([^/]+)/man\d/.*\.gz$")),
)
_XPI = re.compile(r"langpack-([\w-]+?)@")
_FORTUNES = re.compile(r"^fortunes-(?!br)(\w+?)_")  # "br" is Brazilian there
_TAG = re.compile(r"<(script|style|pre|code)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"%\d*\$?[-+#\d.]*l?[a-zA-Z]|\$\w+|\{[^{}]*\}|&\w+;|\\[nt\"]|https?://\S+|_(?=\w)|\w+[./]\w[\w./]*"
)
_ROFF = re.compile(r"^[.'].*$|\\f.|\\m?\(..|\\[-&e|^/,]", re.MULTILINE)
_RENAMED = {
    "no": "nb", "nb-no": "nb", "nn-no": "nn", "pt-br": "pt", "pt-pt": "pt", "zh": "zh-cn",
    "zh-hans": "zh-cn", "zh-hant": "zh-tw", "zh-hk": "zh-tw", "sr-latin": "sr-latn",
    "sr@latin": "sr-latn",
    "sr@ijekavian": "sr", "sr@ijekavianlatin": "sr-latn", "ca-valencia": "ca", "ca@valencia": "ca",
    "iw": "he", "in": "id", "kmr": "ku", "en-gb": "en", "en-us": "en", "racv": "ca", "fil": "tl",
}  # fmt: skip


def language_of(name: str) -> str:
    """`pt_BR` and `ru_RU.UTF-8` as this corpus calls them: a language, rarely with its script."""
    code = name.partition(".")[0].replace("_", "-").lower()
    if "@" in code and code not in _RENAMED:
        return "other"  # another script or dialect under the same code
    if code in _RENAMED:
        return _RENAMED[code]
    if code in ("zh-cn", "zh-tw", "sr-latn"):
        return code
    return _RENAMED.get(code.split("-")[0], code.split("-")[0])


def catalogue(data: bytes) -> Iterator[str]:
    """The translations within a gettext catalogue; those equal to their original are left out."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack_from(order + "3I", data, 8)
    for index in range(1, count):
        pair = [
            data[offset : offset + length]
            for table in (originals, translations)
            for length, offset in [struct.unpack_from(order + "2I", data, table + 8 * index)]
        ]
        if pair[0] != pair[1]:
            yield from pair[1].decode("utf-8", "ignore").replace("\0", "\n").splitlines()


def strings(data: bytes) -> Iterator[str]:
    """The values within a browser's language pack."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for name in package.namelist():
            if name.endswith((".ftl", ".properties")):
                for line in package.read(name).decode("utf-8", "ignore").splitlines():
                    if not line.startswith("#"):
                        yield line.partition("=")[2] if re.match(r"[\w.-]+ *=", line) else line


def prose(kind: str, data: bytes) -> Iterator[str]:
    if kind == "man":
        text = _ROFF.sub(" ", gzip.decompress(data).decode("utf-8", "ignore"))
    else:
        text = html.unescape(_TAG.sub("\n", data.decode("utf-8", "ignore")))
    yield from text.splitlines()


def members(package: Path) -> Iterator[tuple[str, str, Iterator[str]]]:
    """(language, kind, lines) of every text within a package."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    stream = subprocess.Popen(command, stdout=subprocess.PIPE)
    with tarfile.open(fileobj=stream.stdout, mode="r|") as archive:
        for member in archive:
            path = member.name
            data = archive.extractfile(member) if member.isfile() else None
            if data is None:
                continue
            if found := _XPI.search(path):
                yield language_of(found[1]), "xpi", strings(data.read())
            elif "/games/fortunes" in path and not path.endswith((".dat", ".u8")):
                if found := _FORTUNES.match(package.name):
                    text = data.read().decode("utf-8", "ignore")
                    yield language_of(found[1]), "fortunes", iter(text.splitlines())
            else:
                for kind, pattern in _LANGUAGE_IN_PATH:
                    if found := pattern.search(path):
                        body = data.read()
                        lines = catalogue(body) if kind == "mo" else prose(kind, body)
                        yield language_of(found[1]), kind, lines
    stream.wait()


def clean(line: str) -> str:
    return " ".join(_PLACEHOLDER.sub(" ", _TAG.sub(" ", line)).replace("&", "").split())


def is_foreign(line: str, language: str) -> bool:
    """A line left in English, or (where the script is another) one of names and commands."""
    if language == "en":
        return False
    if f" {language} " in NOT_LATIN:
        return sum(map(str.isascii, line)) * 10 > 6 * len(line)
    return not ENGLISH.isdisjoint(line.lower().split())


def main(packages: Path, corpus: Path) -> None:
    files = sorted(packages.glob("*.deb"), key=lambda path: ("en-gb" not in path.name, path.name))
    english: set[int] = set()
    seen: dict[str, set[int]] = {}
    kept: dict[tuple[str, str], int] = {}
    for package in files:
        source = re.split(r"[-_]", package.name)[0]
        for language, _, lines in members(package):
            known = seen.setdefault(language, set())
            out: list[str] = []
            for raw in lines:
                line = clean(raw)
                mark = zlib.crc32(line.encode())
                if len(line) < 12 or mark in known or (language != "en" and mark in english):
                    continue
                if is_foreign(line, language):
                    continue
                known.add(mark)
                out.append(line)
            if language == "en":
                english |= known
            key = (language, source)
            if out and kept.get(key, 0) < BYTES_PER_SOURCE:
                text = "\n".join(out) + "\n"
                kept[key] = kept.get(key, 0) + len(text.encode())
                folder = corpus / language
                folder.mkdir(parents=True, exist_ok=True)
                with (folder / f"{source}.txt").open("a", encoding="utf-8") as file:
                    file.write(text)
        print(package.name, file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
