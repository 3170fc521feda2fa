"""How is a model kept? As bytes that say what they are, so that none is taken for another."""

import zlib
from collections.abc import Callable
from typing import TypeVar

from shoal.errors import DamagedError
from shoal.model.compression import unzstd, zstd
from shoal.model.record import JSON_ERRORS, Struct, pack, unpack

_FORM = b"shoal model 1\n"
"""Raised when an older release could misread it."""

Stored = TypeVar("Stored", bound=Struct)
Model = TypeVar("Model")


def written(stored: Struct) -> bytes:
    body = zstd(pack(stored))
    return _FORM + zlib.crc32(body).to_bytes(4, "big") + body


def read(kind: type[Stored], data: bytes, make: Callable[[Stored], Model]) -> Model:
    """What `make` makes of it. Raises DamagedError when it is no model of this kind, or not
    whole."""
    body = data[len(_FORM) + 4 :]
    said = data[len(_FORM) : len(_FORM) + 4]
    if not data.startswith(_FORM) or zlib.crc32(body).to_bytes(4, "big") != said:
        raise DamagedError("it is no model that this release reads")
    try:
        return make(unpack(kind, unzstd(body)))
    except (*JSON_ERRORS, ValueError, IndexError) as error:
        raise DamagedError(f"the model can't be read: {error}") from None
