"""What does a file of one's own say, now? The copy that is shown of a document that is not
archived.

It is read where it stands, if it still has the digest of what was read, and only for who may read
it there at this moment, whatever was so when it was taken in.
"""

import os
import stat

from shoal.model.digest import payload_digest
from shoal.model.principal import Principal
from shoal.model.urls.file_url import path_of_file_url
from shoal.sources.disk.permissions import Permissions, acl_of
from shoal.store.pages import StoredPage


def body_of(page: StoredPage, principal: Principal) -> bytes:
    """Empty when it can't be had."""
    document = page.document
    if not page.url.startswith("file:///") or document.name or not document.readers:
        return b""  # no file that a source brought, or one inside another
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
