"""How is a mail server spoken to? The one module that knows the library IMAPClient.

Mailboxes are only ever opened to be read (EXAMINE), and mails fetched with PEEK, so that no flag of
any mail changes. Every answer has a limit in bytes and a time. Faults of the line and the server
come out as `LineLost`, whose text is a sentence.
"""

import contextlib
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError
from imapclient.imap_utf7 import decode as decode_utf7
from imapclient.response_parser import parse_response

from shoal.sources.mail.address import ImapAddress
from shoal.sources.mail.places import LineLost, Refused

ANSWER_SECONDS = 20.0
"""For an answer of the server; longer, and the line is dead."""
PART_BYTES = 1_000_000
"""Of a mail that are fetched at once."""
_MOST_ANSWER_BYTES = 64_000_000
_AT_ONCE = 50_000
"""Numbers of mails in one answer: a line has limits."""
_KEEPALIVE = (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
_USER_TIMEOUT_MS = 45_000
_STATUS = "MESSAGES UIDNEXT UIDVALIDITY"
_STIRS = (b"EXISTS", b"EXPUNGE", b"VANISHED", b"STATUS", b"LIST")
_MOST_VANISHED = 10_000_000
_MISUNDERSTOOD = (
    *(IMAPClientError, ValueError, LookupError, TypeError, AttributeError),
    *(AssertionError, OverflowError, RecursionError),
)
"""What the library raises over answers that it was not made for."""
_RANGES = re.compile(rb"(\d{1,10})(?::(\d{1,10}))?")


class FolderStatus(NamedTuple):
    uid_validity: int
    uid_next: int
    messages: int
    modseq: int = 0
    """The last change of anything in it; 0 where the server does not count."""


class ImapLine:
    """A connection. Whatever fails, it is closed and of no more use."""

    def __init__(self, address: ImapAddress, password: str) -> None:
        self._address = address
        self._bytes = 0
        self._is_open = False
        self.is_idling = False
        with self._faults():
            self._client = IMAPClient(
                address.host,
                port=address.port,
                ssl=address.secure,
                ssl_context=ssl.create_default_context() if address.secure else None,
                timeout=ANSWER_SECONDS,
            )
        try:
            self._prepare(password)
        except BaseException:
            self.close()
            raise

    def _prepare(self, password: str) -> None:
        imap = self._client._imap
        imap.debug = 0  # it would format every line for its log
        self._read, imap.read = imap.read, self._limited
        self._keep_alive()
        with self._faults():
            if not self._address.secure:
                self._secure()
            self._client.login(self._address.user, password)
            self.has_idle = self._client.has_capability("IDLE")
            self._has_status_list = self._client.has_capability("LIST-STATUS")
            self.has_qresync = self._client.has_capability("QRESYNC")
            if self.has_qresync:
                self._client.enable("QRESYNC")

    def _secure(self) -> None:
        """Never a password over a line that others can listen on."""
        if self._client.has_capability("STARTTLS") and not self._address.is_here:
            self._client.starttls(ssl.create_default_context())
        elif not self._address.is_here:
            raise Refused(f"{self._address.host} offers no TLS, and a password needs it.")

    def _keep_alive(self) -> None:
        sock = self._client.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (*_KEEPALIVE, ("TCP_USER_TIMEOUT", _USER_TIMEOUT_MS)):
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

    def close(self) -> None:
        with contextlib.suppress(OSError, IMAPClientError):
            self._client.shutdown()

    # --- folders ----------------------------------------------------------------------------

    def statuses(self) -> dict[str, FolderStatus]:
        """Of every folder that can hold mails."""
        with self._faults():
            if self._is_open:
                self._leave()
            if self._has_status_list:
                return self._listed_statuses()
            found = {}
            for name in self._names():
                with contextlib.suppress(LookupError):
                    told = self._client.folder_status(name, _STATUS.split())
                    found[name] = _status({bytes(key): value for key, value in told.items()})
            return found

    def _leave(self) -> None:
        """Of an open folder a status says what we were told of it, which may not be the newest."""
        if self._client.has_capability("UNSELECT"):
            self._client.unselect_folder()
            self._is_open = False
        else:
            self._client.noop()

    def _names(self) -> list[str]:
        self._bytes = 0
        return [
            str(name)
            for flags, _, name in self._client.list_folders()
            if not {b"\\noselect", b"\\nonexistent"} & {flag.lower() for flag in flags}
        ]

    def _listed_statuses(self) -> dict[str, FolderStatus]:
        arguments = [b'""', b'"*"', b"RETURN (STATUS (%s))" % _STATUS.encode()]
        self._raw(b"LIST", arguments, uid=False)
        self._pop("LIST")
        found = {}
        for line in self._pop("STATUS"):
            name, values = parse_response(list(line) if isinstance(line, tuple) else [line])[:2]
            told = dict(zip(values[::2], values[1::2], strict=False))
            with contextlib.suppress(LookupError):
                shown = name if isinstance(name, bytes) else str(name).encode()
                found[decode_utf7(shown)] = _status(told)
        return found

    def examine(self, folder: str) -> FolderStatus:
        """Open a folder, to read only."""
        with self._faults():
            self._bytes = 0
            told = self._client.select_folder(folder, readonly=True)
            self._is_open = True
        return FolderStatus(
            int(told.get(b"UIDVALIDITY", 0)),
            int(told.get(b"UIDNEXT", 0)),
            int(told.get(b"EXISTS", 0)),
            int(told.get(b"HIGHESTMODSEQ", 0)),
        )

    # --- mails ------------------------------------------------------------------------------

    def uids(self, messages: int) -> Iterator[int]:
        """Of all mails in the open folder, in order."""
        for start in range(1, messages + 1, _AT_ONCE):
            with self._faults():
                self._bytes = 0
                found = self._client.search([f"{start}:{min(messages, start + _AT_ONCE - 1)}"])
            yield from sorted(found)

    def uids_since(self, uid: int) -> list[int]:
        with self._faults():
            self._bytes = 0
            # The last mail is always within "n:*", whatever its number.
            return sorted(each for each in self._client.search(["UID", f"{uid}:*"]) if each >= uid)

    def vanished_since(self, modseq: int) -> Iterator[int]:
        """What was removed from the open folder since then (RFC 7162)."""
        with self._faults():
            self._raw(b"FETCH", [b"1:*", b"(UID)", b"(CHANGEDSINCE %d VANISHED)" % modseq])
            self._pop("FETCH")
            lines = self._pop("VANISHED")
        left = _MOST_VANISHED
        for line in lines:
            for first, last in _RANGES.findall(bytes(line)):
                end = int(last or first)
                if end - int(first) >= left:
                    raise LineLost(f"{self._address.host} names more mails than there can be.")
                left -= end - int(first) + 1
                yield from range(int(first), end + 1)

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        with self._faults():
            self._bytes = 0
            told = self._client.fetch(uids, ["RFC822.SIZE"])
        return {uid: int(each.get(b"RFC822.SIZE", 0)) for uid, each in told.items()}

    def bodies(self, uids: Sequence[int]) -> dict[int, bytes]:
        """Whole mails; whoever asks has seen to it that they are small."""
        with self._faults():
            self._bytes = 0
            told = self._client.fetch(uids, ["BODY.PEEK[]"])
        return {
            uid: bytes(each[b"BODY[]"] or b"") for uid, each in told.items() if b"BODY[]" in each
        }

    def parts(self, uid: int, most: int) -> Iterator[bytes]:
        """A mail in pieces."""
        for start in range(0, most, PART_BYTES):
            with self._faults():
                self._bytes = 0
                told = self._client.fetch([uid], [f"BODY.PEEK[]<{start}.{PART_BYTES}>"])
            part = bytes(told.get(uid, {}).get(b"BODY[]<%d>" % start) or b"")
            if part:
                yield part
            if len(part) < PART_BYTES:
                return

    # --- waiting ----------------------------------------------------------------------------

    def idle(self) -> None:
        with self._faults():
            self._client.idle()
            self.is_idling = True

    def stirs(self, seconds: float) -> bool:
        """Whether the server tells of a change in the open folder within this time."""
        with self._faults():
            timeout = 0.0 if self._has_buffered() else seconds
            told = self._client.idle_check(timeout=timeout) if timeout else self._buffered()
        return any(word in each for each in told for word in _STIRS)

    def idle_done(self) -> bool:
        """End waiting, which also shows whether the line still lives."""
        with self._faults():
            self.is_idling = False
            _, told = self._client.idle_done()
        return any(word in each for each in told for word in _STIRS)

    def _has_buffered(self) -> bool:
        """Whether something came with the last answer, which no poll would tell."""
        sock = self._client.socket()
        sock.setblocking(False)
        try:
            return bool(self._client._imap.file.peek(1))
        except OSError:
            return False
        finally:
            sock.settimeout(ANSWER_SECONDS)

    def _buffered(self) -> list[tuple[Any, ...]]:
        """What has come is taken out by ending and beginning again."""
        _, told = self._client.idle_done()
        self._client.idle()
        return list(told)

    # --- the library ------------------------------------------------------------------------

    def _raw(self, command: bytes, arguments: list[bytes], *, uid: bool = True) -> None:
        self._bytes = 0
        kind, data = self._client._raw_command(command, arguments, uid=uid)
        if kind != "OK":
            raise IMAPClientError(data[0].decode("utf-8", "replace") if data else "")

    def _pop(self, name: str) -> list[Any]:
        found = self._client._imap.untagged_responses.pop(name, [])
        return [each for each in found if each]

    def _limited(self, size: int) -> bytes:
        self._bytes += size
        if self._bytes > _MOST_ANSWER_BYTES:
            raise LineLost(f"{self._address.host} sends more than was asked for.")
        return bytes(self._read(size))

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        host = self._address.host
        try:
            yield
        except LoginError as error:
            raise Refused(
                f"{host} refuses the name or the password of {self._address.user}."
            ) from error
        except ssl.SSLCertVerificationError as error:
            reason = error.verify_message.rstrip(".")
            raise Refused(f"The certificate of {host} is not to be trusted: {reason}.") from error
        except ssl.SSLError as error:
            where, reason = f"{host}:{self._address.port}", error.reason or "no reason was given"
            if reason == "WRONG_VERSION_NUMBER":
                raise LineLost(f"{where} does not begin with TLS: try imap://.") from error
            said = reason.lower().replace("_", " ")
            raise LineLost(f"{where} can't be reached by TLS: {said}.") from error
        except socket.gaierror as error:
            raise LineLost(f"There is no server of the name {host}.") from error
        except TimeoutError as error:
            raise LineLost(f"{host} does not answer.") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise LineLost(f"{host}:{self._address.port} can't be reached: {reason}.") from error
        except _MISUNDERSTOOD as error:
            said = " ".join(str(error).split())[:200]
            raise LineLost(f"{host} gave no answer that is understood: {said}.") from error


def _status(told: dict[bytes, Any]) -> FolderStatus:
    return FolderStatus(int(told[b"UIDVALIDITY"]), int(told[b"UIDNEXT"]), int(told[b"MESSAGES"]))
