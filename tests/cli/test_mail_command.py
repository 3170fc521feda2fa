"""`shoal mail`, as a newcomer would use it."""

import tempfile
import time
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from signal import SIGTERM

import pytest
from imapclient import IMAPClient

import shoal as python
from shoal.worker.outlook import program
from tests.cli.command import Shoal
from tests.sources.mail.account import in_mbox, written
from tests.sources.mail.dovecot import PASSWORD, Dovecot
from tests.sources.mail.outlook_file import outlook_file

PATIENCE_SECONDS = 60.0
NEXT = "Find them again: shoal search WORDS\n"


@pytest.fixture
def server() -> Iterator[Dovecot]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        dovecot = Dovecot(Path(name))
        try:
            yield dovecot
        finally:
            dovecot.stop()


def test_a_mailbox_is_added_and_found(shoal: Shoal) -> None:
    box = shoal.directory / "box"
    box.write_bytes(in_mbox(written(1, "A walrus sleeps on the ice.\n")))
    assert shoal.ok("mail", "add", "box").text == f"{box.resolve()}: 1 mail\n{NEXT}"
    assert "Number 1" in shoal.ok("search", "from:ann walrus").text
    (line,) = shoal.ok("mail", "--json").json
    assert (line["kind"], line["documents"], line["whole"]) == ("mail", 1, True)
    assert shoal.ok("mail").text == f"{box.resolve()}: 1 mail\n"
    assert shoal.ok("sources").text == f"{box.resolve()}: 1 mail\n"
    box.write_bytes(in_mbox(written(1, "A walrus sleeps on the ice.\n"), written(2)))
    assert shoal.ok("mail", "add", "box", "--json").json["read"] == 1
    assert "2 documents are gone" in shoal.ok("sources", "remove", "box").text
    assert shoal.ok("mail", "--json").json == []


def test_an_attachment_is_as_old_as_its_mail(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ann@x.example", "bob@x.example", "Notes"
    mail["Date"], mail["Message-ID"] = "Mon, 03 Mar 2025 10:00:00 +0000", "<notes@x.example>"
    mail.set_content("They are attached.")
    mail.add_attachment("An axolotl never grows up.", filename="axolotl.txt")
    (tmp_path / "box").write_bytes(in_mbox(mail.as_bytes()))
    python.add_mail(tmp_path / "box", dir=tmp_path / "corpus")
    with python.open(tmp_path / "corpus") as collection:
        assert collection.search("to:bob grows before:2026-01").total == 1
        assert collection.search("to:bob grows after:2026-01").total == 0


def test_a_file_of_outlook(shoal: Shoal) -> None:
    if not program():
        pytest.skip("readpst is not installed")
    mails = [written(1, "A walrus sleeps on the ice.\n"), written(2, "Seals.\n")]
    file = shoal.directory / "archive.pst"
    file.write_bytes(outlook_file({"Inbox": mails}))
    added = shoal.ok("mail", "add", "archive.pst")
    assert added.text == f"{file.resolve()}: 2 mails\n{NEXT}"
    assert "Number 1" in shoal.ok("search", "from:ann folder:inbox walrus").text
    file.write_bytes(outlook_file({"Inbox": mails[:1], "Old": [written(3)]}))
    done = shoal.ok("mail", "add", "archive.pst", "--json").json
    assert (done["read"], done["gone"], done["sources"][0]["documents"]) == (1, 1, 2)
    file.write_bytes(b"!BDN and then nothing")
    assert shoal.refuses("mail", "add", "archive.pst") == (
        f"{file.resolve()} is damaged, or no mailbox of Outlook."
    )
    assert shoal.ok("mail", "--json").json[0]["documents"] == 2
    assert not list((shoal.directory / "corpus" / "outlook").iterdir())
    says = shoal.refuses("mail", "add", "archive.pst", PATH="/nonexistent")
    assert "install the Debian package pst-utils" in says


def test_python_does_the_same(tmp_path: Path) -> None:
    (tmp_path / "box").write_bytes(in_mbox(written(1, "A walrus sleeps on the ice.\n")))
    added = python.add_mail(tmp_path / "box", dir=tmp_path / "corpus")
    assert (added.read, added.sources[0].documents) == (1, 1)
    with python.open(tmp_path / "corpus") as collection:
        assert collection.search("subject:number walrus").total == 1


def test_an_account_with_its_password_in_the_environment(shoal: Shoal, server: Dovecot) -> None:
    client = IMAPClient("127.0.0.1", server.port, ssl=False, timeout=30)
    client.login("ann", PASSWORD)
    client.append("INBOX", written(1, "A walrus sleeps on the ice.\n"))
    added = shoal.ok("mail", "add", server.address, SHOAL_MAIL_PASSWORD=PASSWORD)
    assert added.text == f"{server.address}: 1 mail\n{NEXT}"
    assert PASSWORD not in added.err
    watching = shoal.start("watch", SHOAL_MAIL_PASSWORD=PASSWORD, SHOAL_INDEX_FOLLOW="yes")
    client.append("INBOX", written(2, "Forty grey seals were counted near the harbour today.\n"))
    end = time.monotonic() + PATIENCE_SECONDS
    while "Number 2" not in shoal.ok("search", "seals").text:
        assert time.monotonic() < end
    watching.signal(SIGTERM)
    assert watching.wait().code == 128 + SIGTERM
    client.shutdown()
    assert not any(
        PASSWORD.encode() in path.read_bytes()
        for path in (shoal.directory / "corpus").rglob("*")
        if path.is_file()
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["nowhere"], "can't be read: No such file or directory."),
        (["/dev/null"], "is neither a file nor a folder."),
        ([""], "An empty name is no mailbox; an account on a server is written as imaps://"),
        (["ann@x.example"], "ann@x.example is no file here; an account on a server is written as"),
        (["."], "is no mailbox: neither an mbox file nor a Maildir."),
        (["imaps://host"], "write it as imaps://user@host."),
        (["imaps://ann:pw@host"], "An address must not hold a password"),
        (["imaps://ann@host.invalid"], "There is no password for ann-at-host.invalid"),
        (["imaps://ann@host.invalid", "--password-file", "no"], "can't be read: No such file"),
    ],
)
def test_a_mistake_is_one_sentence(shoal: Shoal, given: list[str], says: str) -> None:
    (shoal.directory / "empty").touch()
    assert says in shoal.refuses("mail", "add", *given)
    assert not (shoal.directory / "corpus").exists()


def test_where_no_mailbox_is_read_it_says_how(shoal: Shoal) -> None:
    (shoal.directory / "a").mkdir()
    shoal.ok("add", "a")
    assert "shoal mail add PATH" in shoal.ok("mail").err
