"""What are the members called? Names in the charset of whoever packed them.

Old zip and tar files say nothing of their charset, and names are too short for statistics alone.
So the East Asian charsets are told by their common characters, DOS pages by their letters, which
lie where Windows' pages have signs, and the detector's answer must give letters. All names of an
archive are taken to be in one charset. A name is text to show, never a path.
"""

import re

from shoal.converters.characters import charset

_ASCII = bytes(range(128))
_DOS_LETTERS = re.compile(rb"[\x80-\xa5\xe1]*")
_PAIRS = re.compile(rb"[\x80-\xff]{2}")
_MIN_KOREAN_PAIRS = 6
"""As many characters in a row are hardly all in that part of the Chinese ones."""
_HANGUL = re.compile(rb"(?:[\xa1\xa3\xb0-\xc8][\xa1-\xfe]|[\x00-\x7f])*")
_SHAPES = (
    ("gbk", re.compile(rb"(?:[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]|[\x00-\x7f])*")),
    ("euc-jp", re.compile(rb"(?:[\xa1\xa3-\xa5\xb0-\xcf][\xa1-\xfe]|[\x00-\x7f])*")),
    ("big5", re.compile(rb"(?:[\xa1\xa4-\xc6][\x40-\x7e\xa1-\xfe]|[\x00-\x7f])*")),
    (
        "shift_jis",
        re.compile(rb"(?:\x81[\x40\x5b]|[\x82\x83\x88-\x98][\x40-\x7e\x80-\xfc]|[\x00-\x7f])*"),
    ),
)
"""Of the commonest characters only; the first that fits."""
_WIDE_BESIDE_LETTER = re.compile(r"(?<=[a-z])[\u2e80-\uffef]|[\u2e80-\uffef](?=[a-z])")
_CYRILLIC = re.compile(r"[\u0400-\u04ff\s\x00-\x7f]*")
_SIGNS = frozenset(" \u00a0·、。（）【】《》「」『』［］！，：；－～—–‘’“”„«»№°§&_-+")
_JUDGED_NAMES = 500


def decode_names(names: list[bytes]) -> list[str]:
    foreign = [name for name in names[:_JUDGED_NAMES] if not name.isascii()]
    label = _charset(b"\n".join(foreign)) if foreign else "utf-8"
    return [_decode(name, label) for name in names]


def _charset(sample: bytes) -> str:
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError:
        detected = charset.decode(sample).charset
    else:
        return "utf-8"
    if _CYRILLIC.fullmatch(_decode(sample, detected)):
        return detected
    if _HANGUL.fullmatch(sample) and len(_PAIRS.findall(sample)) >= _MIN_KOREAN_PAIRS:
        return "euc-kr"
    for label, shape in _SHAPES:
        if shape.fullmatch(sample) and _is_plausible(sample, label):
            return label
    if _DOS_LETTERS.fullmatch(sample.translate(None, _ASCII)):
        return "cp437"
    return detected if _is_plausible(sample, detected) else "windows-1252"


def _is_plausible(sample: bytes, label: str) -> bool:
    """Whether it reads as words: letters, and few of them wide ones amid Latin words."""
    text = _decode(sample, label)
    foreign = [character for character in text if not character.isascii()]
    if not all(character.isalnum() or character in _SIGNS for character in foreign):
        return False
    return len(_WIDE_BESIDE_LETTER.findall(text)) * 2 <= len(foreign)


def _decode(name: bytes, label: str) -> str:
    if name.isascii():
        return name.decode("ascii")
    if label in ("utf-8", "cp437"):
        return name.decode(label, "replace")
    return charset.decode(name, label).text
