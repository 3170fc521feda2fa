from collections.abc import Callable

from shoal.learn.arrays import Keys, Table, Values
from shoal.learn.words import Part

def count(
    parts: tuple[Part, ...],
    pairs: bool,
    make: Callable[[str], bytes],
    known: dict[str, bytes],
    /,
) -> tuple[bytes, bytes]: ...
def learn(
    weights: Table,
    squares: Table,
    columns: Keys,
    values: Values,
    offsets: Keys,
    targets: Table,
    worth: Values,
    order: Keys,
    outputs: int,
    rate: float,
    l2: float,
    exclusive: bool,
    /,
) -> None: ...
def scores(
    weights: Table, columns: Keys, values: Values, offsets: Keys, outputs: int, /
) -> bytes: ...
def said(
    keys: bytes,
    values: bytes,
    known: bytes,
    rareness: bytes,
    tables: tuple[bytes, ...],
    constant: float,
    /,
) -> list[list[float]]: ...
def columns(keys: Keys, known: Keys, /) -> bytes: ...
