"""A real mail server: counts are the server's, no flag changes, and the line may break."""

import contextlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from imapclient import IMAPClient

from shoal.sources.mail import imap as imap_module
from shoal.sources.mail import imap_line
from shoal.sources.mail.address import imap_address
from shoal.sources.mail.imap import ImapMailbox
from shoal.sources.mail.mbox import Mbox, MboxState, read_mail
from shoal.sources.mail.places import LineLost, Refused
from tests.sources.mail.account import (
    Account,
    listed,
    local,
    mail_data,
    unpacked_maildir,
    unpacked_mbox,
    written,
)
from tests.sources.mail.dovecot import PASSWORD, Dovecot

PLAIN = "imap_capability = IMAP4rev1\n"
"""A server of the old kind: no IDLE, no LIST-STATUS, no QRESYNC."""


@pytest.fixture
def place() -> Iterator[Path]:
    """Open to the user that the server works as, which pytest's own folders are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(params=["", PLAIN], ids=["new", "old"])
def server(request: pytest.FixtureRequest, place: Path) -> Iterator[Dovecot]:
    yield from started(place, request.param)


@pytest.fixture
def new_server(place: Path) -> Iterator[Dovecot]:
    yield from started(place)


def started(place: Path, more: str = "", **given: Any) -> Iterator[Dovecot]:
    dovecot = Dovecot(place, more, **given)
    try:
        yield dovecot
    finally:
        dovecot.stop()


@pytest.fixture
def accounts() -> Iterator[list[Account]]:
    """Closed at the end."""
    made: list[Account] = []
    yield made
    for account in made:
        account.source.close()


def reading(dovecot: Dovecot, accounts: list[Account], port: int = 0) -> Account:
    address = f"imap://ann@127.0.0.1:{port or dovecot.port}"
    mailbox = ImapMailbox(imap_address(address), lambda: PASSWORD, ("mail:ann",))
    accounts.append(Account(mailbox))
    return accounts[-1]


@pytest.fixture
def other(server: Dovecot) -> Iterator[IMAPClient]:
    yield from connected(server)


@pytest.fixture
def new_other(new_server: Dovecot) -> Iterator[IMAPClient]:
    yield from connected(new_server)


def connected(dovecot: Dovecot) -> Iterator[IMAPClient]:
    """Another program of the same person."""
    client = IMAPClient("127.0.0.1", dovecot.port, ssl=False, timeout=30)
    client.login("ann", PASSWORD)
    try:
        yield client
    finally:
        client.shutdown()


def flags_of(client: IMAPClient, folder: str) -> dict[int, set[bytes]]:
    client.select_folder(folder, readonly=True)
    told = client.fetch(client.search(), ["FLAGS"])
    return {uid: set(each[b"FLAGS"]) for uid, each in told.items()}


def test_all_real_mails_once_each(
    shoal_data: Path, tmp_path: Path, place: Path, accounts: list[Account]
) -> None:
    """The mbox and the Maildir, behind a server: the same mails under the same names."""
    path = unpacked_mbox(shoal_data, tmp_path / "box")
    maildir = unpacked_maildir(shoal_data, tmp_path)
    shutil.copytree(maildir, place / "mail")
    for name in ("new", "cur", "tmp"):
        (place / "mail" / ".List" / name).mkdir(parents=True)
    mbox = Mbox(path, MboxState())
    for number, each in enumerate(mbox.places()):
        mail = b"".join(read_mail(path, each))
        (place / "mail" / ".List" / "cur" / f"{number}.M1P1.x:2,S").write_bytes(mail)
    for dovecot in started(place):
        dovecot.give(place / "mail")
        account = reading(dovecot, accounts)
        account.follow()
        at_once = {
            folder: sum(folder in each for each in account.folders.values())
            for folder in ("INBOX", "List", "Archive", "Archive/2019")
        }
        files, box = local(maildir), local(path)
        files.follow()
        box.follow()
        rows = listed(mail_data(shoal_data) / "usrp-users-maildir.jsonl.gz")
        total = 1500 + sum(not row["in_mbox"] for row in rows)
        assert set(account.bodies) == set(files.bodies) | set(box.bodies)
        assert len(account.bodies) == total
        told = account.mailbox.folders()
        assert sorted(name.replace(".", "/") for name in told) == [
            "Archive", "Archive/2019", "INBOX", "List"
        ]  # fmt: skip
        assert at_once["List"] == 1500
        assert at_once["INBOX"] + at_once["Archive"] == sum(
            ".Archive.2019" not in row["path"] for row in rows
        )
        assert not account.follow()
        account.source.close()


def test_mails_come_move_and_go(
    server: Dovecot, other: IMAPClient, accounts: list[Account]
) -> None:
    account = reading(server, accounts)
    assert not account.follow()
    other.create_folder("Archive")
    other.append("INBOX", written(1))
    other.append("INBOX", written(2))
    other.append("Archive", written(2))
    assert account.follow() == {"Taken": 2, "Shared": 1}
    assert sorted(account.folders.values()) == [["Archive", "INBOX"], ["INBOX"]]
    assert set(account.readers.values()) == {("mail:ann",)}
    other.select_folder("INBOX")
    other.copy([1], "Archive")
    other.delete_messages([1])
    other.expunge()
    told = account.follow()
    assert not told["Taken"]
    assert not told["Gone"]
    assert sorted(account.folders.values()) == [["Archive"], ["Archive", "INBOX"]]
    other.delete_messages([2])
    other.expunge()
    assert account.follow() == {"Shared": 1}
    other.select_folder("Archive")
    other.delete_messages([1])
    other.expunge()
    assert account.follow() == {"Gone": 1}
    assert not account.follow()
    assert not account.follow(everything=True)


def test_a_folder_gets_another_name(
    server: Dovecot, other: IMAPClient, accounts: list[Account]
) -> None:
    other.create_folder("Grüße & Küsse")
    for number in range(5):
        other.append("Grüße & Küsse", written(number))
    account = reading(server, accounts)
    assert account.follow() == {"Taken": 5}
    assert list(account.folders.values()) == [["Grüße & Küsse"]] * 5
    other.rename_folder("Grüße & Küsse", "Old/Letters")
    told = account.follow()
    assert not told["Taken"]
    assert not told["Gone"]
    assert list(account.folders.values()) == [["Old/Letters"]] * 5
    other.delete_folder("Old/Letters")
    assert account.follow() == {"Gone": 5}


def test_other_numbers_and_the_same_mails(server: Dovecot, accounts: list[Account]) -> None:
    for other in connected(server):
        for number in range(5):
            other.append("INBOX", written(number))
    account = reading(server, accounts)
    assert account.follow() == {"Taken": 5}
    account.source.close()
    server.stop()
    validity = (server.mail / "dovecot-uidlist").read_text().splitlines()[0].split()[1]
    for each in server.mail.glob("dovecot*"):
        each.unlink()
    time.sleep(1.1)  # UIDVALIDITY is the second of its making
    server.start()
    assert not account.follow()
    assert (server.mail / "dovecot-uidlist").read_text().splitlines()[0].split()[1] != validity
    assert len(account.bodies) == 5
    assert not account.follow()


def test_no_flag_changes(server: Dovecot, other: IMAPClient, accounts: list[Account]) -> None:
    other.append("INBOX", written(1))
    other.append("INBOX", written(2), flags=[b"\\Flagged"])
    other.append("INBOX", written(3, "x" * 3_000_000))
    before = flags_of(other, "INBOX")
    account = reading(server, accounts)
    assert account.follow() == {"Taken": 3}
    account.source.wait(0.05)
    assert not account.follow(everything=True)
    account.source.close()
    after = flags_of(other, "INBOX")
    assert {uid: flags - {b"\\Recent"} for uid, flags in after.items()} == {
        uid: flags - {b"\\Recent"} for uid, flags in before.items()
    }
    assert not any(b"\\Seen" in flags for flags in after.values())


def test_a_long_mail_comes_in_parts(
    new_server: Dovecot, new_other: IMAPClient, accounts: list[Account]
) -> None:
    body = "".join(f"{number:07}\n" for number in range(400_000))
    new_other.append("INBOX", written(1, body))
    account = reading(new_server, accounts)
    assert account.follow() == {"Taken": 1}
    (found,) = account.bodies.values()
    assert found.replace(b"\r\n", b"\n") == written(1, body)


def test_idle_tells_of_a_delivery(
    new_server: Dovecot,
    new_other: IMAPClient,
    accounts: list[Account],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(imap_module, "RENEW_SECONDS", 540.0)
    account = reading(new_server, accounts)
    account.follow()
    for number in range(5):
        assert not account.source.wait(0.05)
        deliver = threading.Timer(0.1, new_other.append, ("INBOX", written(number)))
        deliver.start()
        assert account.source.wait(60)
        deliver.join()
        assert account.follow() == {"Taken": 1}


def test_the_other_folders_are_asked_after(
    server: Dovecot, other: IMAPClient, accounts: list[Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_module, "RENEW_SECONDS", 0.3)
    other.create_folder("Work")
    account = reading(server, accounts)
    account.follow()
    assert not account.source.wait(0.05)
    other.append("Work", written(1))
    assert account.source.wait(60)
    assert account.follow() == {"Taken": 1}


class Proxy:
    """Hands bytes on, until the line is cut without a word."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self.is_dead = threading.Event()
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        workers = []
        while True:
            try:
                here, _ = self._server.accept()
            except OSError:
                break
            there = socket.create_connection(("127.0.0.1", self._to))
            self._open += [here, there]
            dead = self.is_dead
            for pair in ((here, there), (there, here)):
                worker = threading.Thread(target=self._hand_on, args=(*pair, dead))
                worker.start()
                workers.append(worker)
        for worker in workers:
            worker.join()

    def _hand_on(self, source: socket.socket, to: socket.socket, dead: threading.Event) -> None:
        try:
            while data := source.recv(65_536):
                if not dead.is_set():
                    to.sendall(data)
        except OSError:
            return

    def mend(self) -> None:
        """Connections from now on live; those before do not."""
        self.is_dead = threading.Event()

    def close(self) -> None:
        for each in (self._server, *self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._thread.join()


def test_a_dead_line_is_noticed_and_made_anew(
    new_server: Dovecot,
    new_other: IMAPClient,
    accounts: list[Account],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert imap_module.RENEW_SECONDS + imap_line.ANSWER_SECONDS < 60
    monkeypatch.setattr(imap_module, "RENEW_SECONDS", 0.2)
    monkeypatch.setattr(imap_module, "_FIRST_DELAY", 0.1)
    monkeypatch.setattr(imap_line, "ANSWER_SECONDS", 1.0)
    proxy = Proxy(new_server.port)
    try:
        account = reading(new_server, accounts, proxy.port)
        account.follow()
        account.source.wait(0.05)
        proxy.is_dead.set()
        new_other.append("INBOX", written(1))
        assert not account.source.wait(30)
        mailbox = account.mailbox
        assert isinstance(mailbox, ImapMailbox)
        assert mailbox.problem == "127.0.0.1 does not answer."
        assert account.source.row().problem == mailbox.problem  # as people are told
        assert not account.follow()
        proxy.mend()
        for _ in range(20):
            if account.source.wait(30):
                break
        assert account.follow() == {"Taken": 1}
        assert not mailbox.problem
        account.source.close()
    finally:
        proxy.close()


def test_a_line_that_breaks_amid_a_pass(
    new_server: Dovecot, new_other: IMAPClient, accounts: list[Account]
) -> None:
    for number in range(130):
        new_other.append("INBOX", written(number))
    account = reading(new_server, accounts)
    mailbox = account.mailbox
    assert isinstance(mailbox, ImapMailbox)
    for at, group in enumerate(account.source.changes(False)):
        for change in group:
            account._take(change)
        if not at and mailbox._line is not None:
            mailbox._line._client.socket().shutdown(socket.SHUT_RDWR)
    account.follow()
    assert len(account.bodies) == 130


def test_faults_are_a_sentence_each(new_server: Dovecot, place: Path) -> None:
    def said(address: str, password: str = PASSWORD) -> str:
        mailbox = ImapMailbox(imap_address(address), lambda: password, ())
        with pytest.raises(LineLost) as caught:
            mailbox.check()
        mailbox.close()
        return str(caught.value)

    assert said(new_server.address, "wrong") == (
        "127.0.0.1 refuses the name or the password of ann."
    )
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        assert said(f"imaps://ann@127.0.0.1:{port}") == (
            f"127.0.0.1:{port} can't be reached: Connection refused."
        )
    assert said(f"imaps://ann@127.0.0.1:{new_server.port}") == (
        f"127.0.0.1:{new_server.port} does not begin with TLS: try imap://."
    )
    assert said("imaps://ann@no-such-host.invalid") == (
        "There is no server of the name no-such-host.invalid."
    )


@pytest.fixture
def certificate(place: Path) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("needs the command openssl")
    key, cert = place / "key.pem", place / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert],
        check=True, capture_output=True,
    )  # fmt: skip
    both = place / "both.pem"
    both.write_bytes(cert.read_bytes() + key.read_bytes())
    return both


def test_tls_and_whom_to_trust(
    place: Path, certificate: Path, accounts: list[Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    for dovecot in started(place, certificate=certificate):
        address = imap_address(f"imaps://ann@localhost:{dovecot.secure_port}")
        mailbox = ImapMailbox(address, lambda: PASSWORD, ("mail:ann",))
        with pytest.raises(Refused, match="The certificate of localhost is not to be trusted: "):
            mailbox.check()
        trusting = ssl.create_default_context(cafile=str(certificate))
        monkeypatch.setattr(ssl, "create_default_context", lambda trusting=trusting: trusting)
        assert mailbox.check() == 0
        account = Account(mailbox)
        accounts.append(account)
        account.follow()
        assert not account.source.wait(0.05)
        for client in connected(dovecot):
            client.append("INBOX", written(1))
        assert account.source.wait(60)
        assert account.follow() == {"Taken": 1}
        wrong = imap_address(f"imaps://ann@127.0.0.1:{dovecot.secure_port}")
        with pytest.raises(Refused, match="IP address mismatch"):
            ImapMailbox(wrong, lambda: PASSWORD, ()).check()
        account.source.close()


HELLO = b"* OK [CAPABILITY IMAP4rev1] hello\r\n"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"* LIST () {9999999999}\r\n" + b"x" * 100, "sends more than was asked for"),
        (b"* LIST " + b"(" * 2_000_000, "gave no answer that is understood"),
        (b"* LIST " + b"(" * 5_000 + b"\r\nTAG OK\r\n", "gave no answer that is understood"),
        (b"* LIST \xff\xfe\x00 {x} )(\r\nTAG OK\r\n", "gave no answer that is understood"),
        (b"* NONSENSE\r\n* 99999999999999999999999 EXISTS\r\n", "does not answer"),
        (b"", "does not answer"),
    ],
)
def test_a_hostile_server(answer: bytes, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap_line, "ANSWER_SECONDS", 1.0)
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            connection.sendall(HELLO)
            while line := lines.readline():
                tag, _, rest = line.partition(b" ")
                if rest.upper().startswith(b"LIST"):
                    try:
                        connection.sendall(answer.replace(b"TAG", tag))
                    except OSError:
                        return
                    done.wait(30)
                    return
                connection.sendall(b"* CAPABILITY IMAP4rev1\r\n" + tag + b" OK done\r\n")

    server = threading.Thread(target=serve)
    server.start()
    address = imap_address(f"imap://ann@127.0.0.1:{listener.getsockname()[1]}")
    mailbox = ImapMailbox(address, lambda: PASSWORD, ())
    try:
        with pytest.raises(LineLost, match=said):
            mailbox.check()
    finally:
        mailbox.close()
        done.set()
        server.join()
        listener.close()


def test_nobody_listens_to_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that offers no TLS is told nothing, unless it is on this machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    heard: list[bytes] = []

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            connection.sendall(HELLO)
            while line := lines.readline():
                heard.append(line)
                tag = line.partition(b" ")[0]
                connection.sendall(b"* CAPABILITY IMAP4rev1\r\n" + tag + b" OK done\r\n")

    server = threading.Thread(target=serve)
    server.start()
    port = listener.getsockname()[1]
    address = imap_address(f"imap://ann@127.0.0.1:{port}")
    monkeypatch.setattr(type(address), "is_here", False)
    with pytest.raises(Refused, match="offers no TLS, and a password needs it"):
        ImapMailbox(address, lambda: PASSWORD, ()).check()
    server.join()
    listener.close()
    assert not any(b"LOGIN" in line.upper() for line in heard)
