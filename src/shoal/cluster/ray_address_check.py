"""Does a Ray cluster answer at an address? Asked before Ray is, which tries for many minutes."""

import socket

from shoal.errors import UsageError

_ANSWER_SECONDS = 10.0


def must_answer(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        return  # `auto`, or a client's address: that is Ray's to find out
    try:
        socket.create_connection((host, int(port)), _ANSWER_SECONDS).close()
    except OSError as error:
        raise UsageError(
            f"No Ray cluster answers at {address!r} ({error.strerror or error}); "
            "start one, or leave --address away to try it on this machine."
        ) from error
