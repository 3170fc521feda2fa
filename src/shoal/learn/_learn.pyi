from collections.abc import Callable

from shoal.learn.steps import Table
from shoal.learn.words import Keys, Values

def count(
    text: str,
    seed: int,
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
