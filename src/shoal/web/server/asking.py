"""Who asks? The owner, or a person whose token, proxy or socket says who they are.

    a token          the owner's, printed by `serve`; a user's, made by `shoal user add`
    a proxy          which has asked for a password, and names the user in a header that is believed
                     of its own addresses only
    a local socket   the system says which user is at the other end

Where none of these is set up, whoever reaches the loopback is the owner, as ever. Groups and roles
are looked up for each request, so that whoever lost one finds nothing more by it.
"""

from contextvars import ContextVar
from pathlib import Path

from shoal.access.people import Users, digest_of, person, person_of_uid
from shoal.config.sections import Access
from shoal.model.principal import OWNER, Principal
from shoal.web.server.credentials import cookie_of, has_cookie, same
from shoal.web.server.http import Request

UID = "uid:"
"""How the address of a client at a local socket begins; its number follows."""

asked_by: ContextVar[Principal | None] = ContextVar("asked_by", default=None)
"""Who asks, while a request is answered; None: nobody in particular."""


class Asking:
    def __init__(
        self, directory: Path, token: str | None, settings: Access, principal: Principal = OWNER
    ) -> None:
        """`principal` is whoever has the owner's token."""
        self._directory = directory
        self._token = token
        self._settings = settings
        self._principal = principal
        self._users = Users(directory)

    def who(self, request: Request) -> Principal | None:
        """None: nobody that is known here."""
        at = "" if request.client is None else request.client.host
        if at.startswith(UID):
            return self._at_socket(int(at[len(UID) :]))
        if key := self.key_of(bearer_of(request)) or self._key_in_cookie(request):
            return self._having(key)
        if name := self._named_by_proxy(request, at):
            return person(name, self._settings.roles)
        return self._principal if self.is_open() else None

    def key_of(self, token: str) -> str:
        """What a cookie is made of for whoever shows this token; empty: nobody has it."""
        if not token:
            return ""
        if self._token is not None and same(token, self._token):
            return self._token
        digest = digest_of(token)
        return digest if self._users.having(digest) else ""

    def _having(self, key: str) -> Principal:
        if self._token is not None and same(key, self._token):
            return self._principal
        return person(self._users.having(key), self._settings.roles)

    def _key_in_cookie(self, request: Request) -> str:
        keys = [*([] if self._token is None else [self._token]), *self._users.digests()]
        return next((key for key in keys if has_cookie(request, *cookie_of(key))), "")

    def _at_socket(self, uid: int) -> Principal:
        """The owner of the directory could read it all anyway, and so could root."""
        if uid in (0, self._directory.stat().st_uid):
            return self._principal
        return person_of_uid(uid, self._settings.roles)

    def _named_by_proxy(self, request: Request, at: str) -> str:
        header = self._settings.proxy_header
        if not header or at not in self._settings.proxy_addresses:
            return ""
        given = request.headers.getlist(header)
        return given[0].strip() if len(given) == 1 else ""  # a second one is somebody's trick

    def ask_for(self, token: str) -> None:
        """From now on, where nobody was asked before."""
        self._token = token

    def is_open(self) -> bool:
        """Whether whoever reaches us is taken for the owner."""
        return self._token is None and not asks_who(self._directory, self._settings)


def asks_who(directory: Path, settings: Access) -> bool:
    """Whether some may read more than others: then nobody is taken for the owner unasked."""
    return bool(settings.proxy_header) or bool(Users(directory).names())


def bearer_of(request: Request) -> str:
    """The token that a program sent: no browser adds this header by itself."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    return bearer.strip() if scheme.lower() == "bearer" else ""
