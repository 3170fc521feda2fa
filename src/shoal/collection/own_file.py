"""What does a file of one's own say, now? The copy that is shown of a document that is not
archived.

It is read where it stands, if it still has the digest of what was read, and only for who may read
it there at this moment, whatever was so when it was taken in.
"""

import os
import stat
from pathlib import Path

from shoal.model.access import readers_of
from shoal.model.digest import payload_digest
from shoal.model.principal import Principal
from shoal.model.urls.file_url import path_of_file_url
from shoal.sources.disk.permissions import NOBODY_KNOWS, Permissions, acl_of
from shoal.store.pages import StoredPage


def is_own(page: StoredPage) -> bool:
    """Whether a source brought it: what a crawl reads of this machine is public."""
    return page.url.startswith("file:///") and bool(page.document.readers)


def body_of(page: StoredPage, principal: Principal) -> bytes:
    """Empty when it can't be had. The page is that of the file itself, not of one inside it."""
    document = page.document
    if not is_own(page) or document.name:
        return b""
    path = path_of_file_url(page.url)
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(number, "rb") as file:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or status.st_size != document.body_bytes:
            return b""
        words, _ = Permissions().readers(path, status, acl_of(path))
        if not principal.may_read(words):
            return b""
        try:
            body = file.read(document.body_bytes)
        except OSError:
            return b""
    return body if payload_digest(body) == document.body_digest else b""


def readers_now(path: Path) -> tuple[str, ...]:
    """Of a file or a folder, as the disk says; nobody, when it does not say."""
    whole = os.fsencode(path)
    try:
        status = path.lstat()
    except OSError:
        return tuple(readers_of([NOBODY_KNOWS]))
    return Permissions().readers(whole, status, acl_of(whole))[0]
