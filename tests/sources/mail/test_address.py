"""Accounts and their passwords: names that last, and secrets that stay where they are."""

from pathlib import Path

import pytest

from shoal.errors import UsageError
from shoal.model.urls.rowkey import row_key, url_of
from shoal.model.urls.url import canonical
from shoal.sources.mail.address import (
    account_of_path,
    imap_address,
    is_imap,
    password_of,
    variable_of,
)
from shoal.sources.mail.identity import url_of_mail


@pytest.mark.parametrize(
    ("text", "account"),
    [
        ("imaps://ann@mail.example.org", "ann-at-mail.example.org"),
        ("imaps://ann%40example.org@example.org", "ann-at-example.org"),
        ("imaps://ann@example.org:1993", "ann-at-example.org-1993"),
        ("imap://ann@localhost", "ann-at-localhost"),
    ],
)
def test_the_name_of_an_account(text: str, account: str) -> None:
    assert is_imap(text)
    assert imap_address(text).account == account
    url = url_of_mail(account, b"0123456789abcdef")
    assert canonical(url) == url
    assert url_of(row_key(url)) == url


def test_accounts_that_are_spelled_alike_differ() -> None:
    one = imap_address("imaps://ann%2Bx@example.org").account
    two = imap_address("imaps://ann%20x@example.org").account
    assert one != two
    assert account_of_path(Path("/a/box")) != account_of_path(Path("/b/box"))
    assert account_of_path(Path("/a/Box of Ann.mbox")).startswith("box-of-ann.mbox-")


@pytest.mark.parametrize("text", ["imaps://", "imaps://host", "imaps://a@h:x", "imaps://a%0A@h"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError, match="write it as imaps://user@host"):
        imap_address(text)


def test_no_password_in_an_address() -> None:
    with pytest.raises(UsageError, match="must not hold a password") as caught:
        imap_address("imaps://ann:secret@example.org")
    assert "secret" not in str(caught.value)


def test_where_a_password_comes_from(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from a file\n")
    secret.chmod(0o600)
    assert password_of("ann-at-x.org", secret, {}) == "from a file"
    (tmp_path / "shoal-mail-ann-at-x.org").write_text("from systemd")
    (tmp_path / "shoal-mail-ann-at-x.org").chmod(0o400)
    given = {"CREDENTIALS_DIRECTORY": str(tmp_path), "SHOAL_MAIL_PASSWORD": "of all"}
    assert password_of("ann-at-x.org", None, given) == "from systemd"
    assert password_of("bob-at-x.org", None, given) == "of all"
    assert variable_of("bob-at-x.org") == "SHOAL_MAIL_PASSWORD_BOB_AT_X_ORG"
    given["SHOAL_MAIL_PASSWORD_BOB_AT_X_ORG"] = "of bob"
    assert password_of("bob-at-x.org", None, given) == "of bob"
    with pytest.raises(UsageError, match=r"There is no password for bob-at-x\.org"):
        password_of("bob-at-x.org", None, {})


def test_a_password_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    with pytest.raises(UsageError, match="can't be read: No such file"):
        password_of("ann", secret, {})
    secret.write_text("of all the world")
    secret.chmod(0o640)
    with pytest.raises(UsageError, match=r"Others may read the password in .*: set its mode"):
        password_of("ann", secret, {})
    secret.write_text("\n")
    secret.chmod(0o600)
    with pytest.raises(UsageError, match="holds no password"):
        password_of("ann", secret, {})
    secret.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="no text in UTF-8"):
        password_of("ann", secret, {})
    with pytest.raises(UsageError, match="can't be read: Is a directory"):
        password_of("ann", tmp_path, {})
