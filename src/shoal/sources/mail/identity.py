"""Which mail is it? The same one in an mbox, a Maildir and on a server has one name.

The name is a digest of the whole mail as it was received, without what mailbox programs write into
it: how lines end, how `From ` is quoted, and the fields of their own bookkeeping. The Message-ID is
part of it, but does not decide alone: anybody can write any. Mails come in pieces of any length,
and no more of one is held than its head.
"""

import hashlib
from base64 import b32encode

ID_BYTES = 16
HEAD_BYTES = 1_000_000
"""Of a head that is looked at; behind it everything counts as body."""

_BOOKKEEPING = frozenset(
    {b"status", b"x-status", b"x-keywords", b"x-uid", b"x-imap", b"x-imapbase"}
    | {b"x-mozilla-status", b"x-mozilla-status2", b"x-mozilla-keys", b"content-length", b"lines"}
)


class MailDigest:
    """Takes a mail piece by piece; lines may end either way."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=ID_BYTES)
        self._head: bytearray | None = bytearray()
        self._return = False
        self._breaks = 0
        self.is_expunged = False
        """Whether its mailbox program has deleted it and only left it in the file."""

    def feed(self, piece: bytes) -> None:
        if self._return:
            piece = b"\r" + piece
        self._return = piece.endswith(b"\r")
        piece = piece[: len(piece) - self._return].replace(b"\r\n", b"\n")
        if self._head is None:
            self._body(piece)
            return
        searched = max(0, len(self._head) - 1)
        self._head += piece
        if self._head.find(b"\n\n", searched) >= 0 or len(self._head) > HEAD_BYTES:
            self._end_head()

    def _end_head(self) -> None:
        head, _, body = bytes(self._head or b"").partition(b"\n\n")
        self._head = None
        self._hash.update(self._without_bookkeeping(head) + b"\n\n")
        self._body(body)

    def _without_bookkeeping(self, head: bytes) -> bytes:
        kept: list[bytes] = []
        is_left_out = False
        for line in head.split(b"\n"):
            if not line.startswith((b" ", b"\t")):
                name, _, value = line.partition(b":")
                name = name.strip().lower()
                is_left_out = name in _BOOKKEEPING
                if name == b"x-mozilla-status":
                    self.is_expunged = _is_expunged(value)
            if not is_left_out:
                kept.append(line.rstrip())
        return b"\n".join(kept).strip(b"\n")

    def _body(self, piece: bytes) -> None:
        """All but the line breaks at the end, of which a mailbox may add one."""
        text = piece.rstrip(b"\n")
        if text:
            while self._breaks:  # never more at once than a piece has
                some = min(self._breaks, 1 << 16)
                self._hash.update(b"\n" * some)
                self._breaks -= some
            self._hash.update(text)
        self._breaks += len(piece) - len(text)

    def digest(self) -> bytes:
        """The name, when the last piece was fed."""
        if self._return:
            self.feed(b"")
            self._return = False
        if self._head is not None:
            self._end_head()
        return self._hash.digest()


def _is_expunged(value: bytes) -> bool:
    """Thunderbird's flag of mails that go when the folder is compacted."""
    try:
        return bool(int(value.strip()[:8] or b"0", 16) & 8)
    except ValueError:
        return False


def id_of(digest: bytes) -> str:
    """As it stands in a URL."""
    return b32encode(digest).decode("ascii").rstrip("=").lower()


def url_of_mail(account: str, digest: bytes) -> str:
    return f"mail://{account}/{id_of(digest)}"
