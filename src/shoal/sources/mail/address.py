"""Which account is meant, what is it called, and where is its password?

An account is an address (`imaps://ann@mail.example.org`) or a path. Its name stands in the URLs of
its mails, so it must never change and never be another's. A password comes from a file that nobody
else may read, from systemd, or from the environment; it is never part of an address, and nothing
here keeps it or shows it.
"""

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from shoal.errors import UsageError

_VARIABLE = "SHOAL_MAIL_PASSWORD"
PORTS = {"imaps": 993, "imap": 143}
_MOST_SECRET_BYTES = 4_096
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9.-]+")
_NOT_IN_A_VARIABLE = re.compile(r"[^A-Z0-9]+")
_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")


class ImapAddress(NamedTuple):
    host: str
    port: int
    user: str
    secure: bool
    """TLS from the first byte; else it begins with STARTTLS."""

    @property
    def account(self) -> str:
        """`ann-at-mail.example.org`: no domain that pages are of."""
        port = "" if self.port == PORTS["imaps" if self.secure else "imap"] else f"-{self.port}"
        user = self.user.removesuffix(f"@{self.host}")
        return _named(f"{user}-at-{self.host}{port}")

    @property
    def is_here(self) -> bool:
        """On this machine, where nobody listens on the line."""
        return _LOOPBACK.fullmatch(self.host) is not None


def is_imap(text: str) -> bool:
    return text.lower().startswith(("imap://", "imaps://"))


def imap_address(text: str) -> ImapAddress:
    """`imaps://user@host`, with a port if it is not the usual one."""
    example = "write it as imaps://user@host"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"This is no address of a mail server: {example}.") from error
    if parts.password is not None:
        raise UsageError(
            "An address must not hold a password: put it into a file of mode 0600 and name that "
            "with --password-file, or into SHOAL_MAIL_PASSWORD."
        )
    if parts.scheme not in PORTS or not parts.hostname or not parts.username:
        raise UsageError(f"This is no address of a mail server: {example}.")
    user = unquote(parts.username)
    if any(ord(sign) < 32 for sign in user):
        raise UsageError(f"This is no address of a mail server: {example}.")
    return ImapAddress(
        parts.hostname, port or PORTS[parts.scheme], user, secure=parts.scheme == "imaps"
    )


def account_of_path(path: Path) -> str:
    """A name for what lies at a path; paths of one name differ by a digest."""
    whole = os.fsencode(path.absolute())
    name = _NOT_IN_A_NAME.sub("-", path.name.lower()).strip("-.")[:40] or "mail"
    return f"{name}-{hashlib.sha256(whole).hexdigest()[:8]}"


def _named(text: str) -> str:
    name = _NOT_IN_A_NAME.sub("-", text.lower()).strip("-.")
    if name != text:  # another may be spelled the same
        name = f"{name[:80]}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return name


def variable_of(account: str) -> str:
    """The variable of the environment that may hold an account's password."""
    return f"{_VARIABLE}_{_NOT_IN_A_VARIABLE.sub('_', account.upper())}"


def without_passwords(environment: Mapping[str, str]) -> dict[str, str]:
    """For a process that asks no mail server."""
    return {name: value for name, value in environment.items() if not name.startswith(_VARIABLE)}


def password_of(
    account: str, file: Path | None = None, environment: Mapping[str, str] = os.environ
) -> str:
    """From a file that was named, from systemd's credentials, from the environment: whichever is
    first there."""
    if file is not None:
        return _from_file(file)
    if folder := environment.get("CREDENTIALS_DIRECTORY"):
        for name in (f"shoal-mail-{account}", "shoal-mail"):
            if (Path(folder) / name).is_file():
                return _from_file(Path(folder) / name)
    for variable in (variable_of(account), _VARIABLE):
        if environment.get(variable):
            return environment[variable]
    raise UsageError(
        f"There is no password for {account}: put it into a file of mode 0600 and name that with "
        f"--password-file, or set {variable_of(account)}."
    )


def _from_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise UsageError(f"{path} is no file that could hold a password.")
            if found.st_mode & 0o077:
                raise UsageError(
                    f"Others may read the password in {path}: set its mode to 0600 first."
                )
            secret = file.read(_MOST_SECRET_BYTES + 1)
    except OSError as error:
        raise UsageError(f"The password in {path} can't be read: {error.strerror}.") from error
    line = secret.split(b"\n", 1)[0].rstrip(b"\r")
    if not line or len(secret) > _MOST_SECRET_BYTES:
        raise UsageError(f"{path} holds no password: its first line must be one.")
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"The password in {path} is no text in UTF-8.") from error
