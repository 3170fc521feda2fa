"""What is a stored value? The one place where values become bytes and bytes become values.

Every value that is written to the table or sent to a child process is a `Struct`, packed as a
MessagePack array: fields are never reordered or removed, new ones are appended with a default, so
that a row written by an older release still reads. `VERSION` is stored with the collection.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from msgspec import DecodeError, ValidationError
from msgspec import Struct as Struct
from msgspec import field as field
from msgspec import to_builtins as to_builtins
from msgspec.json import decode as json_decode
from msgspec.json import encode as json_encode
from msgspec.json import schema_components
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace as _replace

VERSION = 1
"""Schema version of a collection's rows. Raise it when an older release could misread them."""

JSON_ERRORS = (DecodeError, ValidationError, UnicodeDecodeError)

Value = TypeVar("Value")


@cache
def _decoder(kind: Any) -> Decoder[Any]:
    return Decoder(kind)


pack: Callable[[object], bytes] = Encoder().encode
"""A value as bytes. No function of ours around it: it is called thirty times a page."""


def unpack(kind: type[Value], data: bytes) -> Value:
    value: Value = _decoder(kind).decode(data)  # type: ignore[arg-type]  # a type is hashable
    return value


def changed(value: Value, **fields: object) -> Value:
    """A copy with other values in these fields."""
    return _replace(value, **fields)  # type: ignore[type-var]  # a Struct


def to_json(value: object) -> bytes:
    return json_encode(value)


def from_json(kind: type[Value], data: bytes) -> Value:
    return json_decode(data, type=kind)


def schemas(kinds: Sequence[type]) -> tuple[dict[type, Any], dict[str, Any]]:
    """The JSON Schema of each kind, as a reference, and all that is referred to by its name, for
    the components of an OpenAPI description."""
    found, components = schema_components(kinds, ref_template="#/components/schemas/{name}")
    return dict(zip(kinds, found, strict=True)), components
