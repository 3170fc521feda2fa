"""How does it look? Tables, the live line and colours: the one module that knows rich.

Results go to standard output, everything else to standard error. A terminal gets tables that fit
it and a line that redraws itself; a pipe gets the same words in full, plain. NO_COLOR is respected
(rich does that).
"""

import sys
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from shoal.cli.terminal.wording import harmless, one_line
from shoal.model.record import to_json

_PIPE_COLUMNS = 100_000
"""A pipe has no width: nothing that goes into one is cut or wrapped."""


def say(text: str = "", *, strong: bool = False) -> None:
    """A line of the result."""
    _print(_console(sys.stdout), text, "bold" if strong else "")


def styled(parts: Iterable[tuple[str, str]]) -> None:
    """A line of the result whose parts have styles, such as `red`; none where it is empty."""
    line = Text()
    for text, style in parts:
        line.append(harmless(text), style=style)
    _console(sys.stdout).print(line, soft_wrap=True)


def remark(text: str) -> None:
    """A line beside the result: progress, hints."""
    _print(_console(sys.stderr), text, "")


def data(*chunks: bytes) -> None:
    """Bytes of the result, as they are."""
    stream(chunks)


def stream(chunks: Iterable[bytes]) -> int:
    """Bytes of the result, as they come. Returns how many bytes there were."""
    sys.stdout.flush()
    written = 0
    for chunk in chunks:
        written += sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
    return written


def json(value: object) -> None:
    """The result as one line of JSON."""
    data(to_json(value), b"\n")


def is_terminal() -> bool:
    return sys.stdout.isatty()


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()
) -> None:
    """Rows under headings; the columns named in `numbers` stand to the right."""
    console = _console(sys.stdout)
    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for name in columns:
        right = name in numbers
        drawn.add_column(
            name, justify="right" if right else "left", no_wrap=right, overflow="ellipsis"
        )
    for row in rows:
        drawn.add_row(*(Text(one_line(cell)) for cell in row))
    console.print(drawn)


def _print(console: Console, text: str, style: str) -> None:
    console.print(Text(harmless(text), style=style), soft_wrap=True)


def _console(stream: object) -> Console:
    is_out = stream is sys.stdout
    tty = (sys.stdout if is_out else sys.stderr).isatty()
    return Console(
        stderr=not is_out,
        width=None if tty else _PIPE_COLUMNS,
        highlight=False,
        markup=False,
        emoji=False,
    )


class LiveLine:
    """A few lines at the foot of a terminal (standard error) that are redrawn in place."""

    def __init__(self) -> None:
        self._live = Live(
            console=_console(sys.stderr), transient=True, auto_refresh=False, redirect_stdout=False
        )

    def draw(self, lines: Sequence[str]) -> None:
        shown = Text("\n", no_wrap=True, overflow="ellipsis").join(
            Text(one_line(line), style="" if number == 0 else "dim")
            for number, line in enumerate(lines)
        )
        self._live.update(shown, refresh=True)

    def above(self, text: str) -> None:
        """A line that stays, above those that move."""
        self._live.console.print(Text(harmless(text)), soft_wrap=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
