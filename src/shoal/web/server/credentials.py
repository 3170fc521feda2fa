"""What does a browser show instead of a token? A cookie that was made out of it."""

import hashlib
import hmac

from shoal.web.server.http import Request


def cookie_of(key: str) -> tuple[str, str]:
    """Its name, one for each key, since cookies of a host are shared by all its ports; and its
    value."""
    name = f"shoal-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    return name, hmac.new(key.encode(), b"cookie", hashlib.sha256).hexdigest()


def has_cookie(request: Request, name: str, value: str) -> bool:
    return same(request.cookies.get(name, ""), value)


def same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
