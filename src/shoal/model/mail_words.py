"""By which words are mails found? Who wrote to whom, in which folder and thread.

What a mail says of itself, and what its mailbox says of it, stands in a document's `fields`, as it
is. The index has it as marks, `mail.from=ann`, and a query asks for such marks: both are made here,
so that they are the same. All of it comes from whoever wrote the mail, and is bounded.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

FROM, TO, THREAD, FOLDER, HAS, MESSAGE_ID = (
    *("from", "to", "thread"),
    *("folder", "has", "message-id"),
)
CC = "cc"
"""Beside `to`, which has all addressees."""
ATTACHMENT = "attachment"
Fields: TypeAlias = Sequence[tuple[str, str]]
OF_THE_SOURCE = (FOLDER,)
"""What a mail does not say of itself."""
MAX_VALUE_CHARS = 8_000
"""Of a field that is kept: some two hundred addresses."""
_MARKED = (FROM, TO, THREAD, FOLDER, HAS)
_PREFIX = "mail."
_MOST_WORDS = 90
"""Of one field. The index takes two hundred for each document."""
_WORD_CHARS = 100
_ID_CHARS = 300
_ADDRESS = re.compile(r"[^\s<>()\[\],;:\"@]{1,100}@[^\s<>()\[\],;:\"@]{1,200}")
_WORD = re.compile(r"\w+")
_ID = re.compile(r"<([^<>\s]{1,998})>")


def thread_of(message_id: str, in_reply_to: str, references: str) -> str:
    """The Message-ID of the mail that began it, as far as this one tells."""
    for told in (references, in_reply_to, message_id):
        found = _ID.search(told[:MAX_VALUE_CHARS])
        if found:
            return found[1][:_ID_CHARS]
    return ""


def marks_of(fields: Iterable[tuple[str, str]]) -> list[str]:
    """The marks of a mail, each once."""
    found: dict[str, dict[str, None]] = {}
    for name, value in fields:
        if name in _MARKED:
            words = found.setdefault(name, {})
            for word in _words(name, value[:MAX_VALUE_CHARS]):
                if len(words) < _MOST_WORDS:
                    words[word] = None
    return [f"{_PREFIX}{name}={word}" for name, words in found.items() for word in words]


def asked_marks(name: str, value: str) -> list[str]:
    """The marks that a mail must have which is asked for by `from:value` and the like."""
    value = value.strip()
    if name in (FROM, TO) and "@" not in value and "." not in value:
        words = [_folded(word) for word in _WORD.findall(value)]
    elif name in (FROM, TO):
        words = [_folded(value).strip("@")]
    elif name == HAS:
        words = [_folded(value).removesuffix("s")]
    elif name == FOLDER:
        words = [_folded(value).strip("/")]
    else:
        words = [value.strip("<>")[:_ID_CHARS]]
    return [f"{_PREFIX}{name}={word[:_ID_CHARS]}" for word in words if word][:_MOST_WORDS]


def _words(name: str, value: str) -> Iterator[str]:
    if name in (FROM, TO):
        yield from _address_words(value)
    elif name == FOLDER:
        parts = _folded(value).strip("/").split("/")
        yield from ("/".join(parts[:end])[:_ID_CHARS] for end in range(len(parts), 0, -1))
        yield parts[-1][:_ID_CHARS]
    elif value:
        yield value[:_ID_CHARS]


def _address_words(value: str) -> Iterator[str]:
    """`ann@mail.example.org`, `ann`, `mail.example.org`, `example.org`, and words of the name."""
    value = _folded(value)
    for found in _ADDRESS.finditer(value):
        local, _, domain = found[0].rpartition("@")
        yield found[0][:_ID_CHARS]
        yield local[:_WORD_CHARS]
        labels = domain.strip(".").split(".")
        for start in range(max(1, len(labels) - 1)):
            yield ".".join(labels[start:])[:_ID_CHARS]
        yield from (word[:_WORD_CHARS] for word in _WORD.findall(local))
    for word in _WORD.findall(_ADDRESS.sub(" ", value)):
        yield word[:_WORD_CHARS]


def _folded(text: str) -> str:
    """Without capitals and accents: nobody remembers those of a name."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))
