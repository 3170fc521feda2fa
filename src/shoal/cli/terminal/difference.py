"""How do two texts differ, for people? Hunks with some context; markers always, colours where a
terminal has them."""

from collections.abc import Iterator, Sequence
from itertools import islice

from shoal.analysis.near_duplicates import Compared, Piece
from shoal.cli.commands.analysis.dups import Asked
from shoal.cli.terminal import screen
from shoal.cli.terminal.wording import count

_STYLES = {"same": "", "only_a": "red", "only_b": "green"}
_SIGNS = {"same": " ", "only_a": "-", "only_b": "+"}
_MARKERS = {"same": ("", ""), "only_a": ("[-", "-]"), "only_b": ("{+", "+}")}
_MOST_SAME_CHARS = 160
_MOST_CHANGED_CHARS = 2000

Styled = list[tuple[str, str]]


def show(found: Compared, names: tuple[str, str], asked: Asked) -> None:
    a, b = names
    difference = found.difference
    if asked.json:
        pieces = [{"kind": kind, "text": text} for kind, text in difference.pieces]
        facts = {
            "resemblance": found.resemblance,
            "a_in_b": found.a_in_b,
            "b_in_a": found.b_in_a,
            "cosine": found.cosine,
            "share_changed": difference.share_changed,
            "cut": difference.cut,
        }
        screen.json({"a": a, "b": b, **facts, "pieces": pieces})
        return
    screen.styled([(f"--- {a}", "red")])
    screen.styled([(f"+++ {b}", "green")])
    hunks = difference.hunks()
    for hunk in islice(hunks, asked.at_most):
        screen.say("@@")
        for line in hunk:
            screen.styled(_line(line))
    rest = sum(1 for _ in hunks)
    if rest:
        screen.say(f"and {count(rest, 'change')} more (--limit N shows more, --json all)")
    screen.say()
    for fact in _facts(found):
        screen.say(fact)


def _facts(found: Compared) -> Iterator[str]:
    changed = found.difference.share_changed
    if changed:
        yield f"{changed:.1%} of the words of both are changed."
    else:
        yield "Word for word the same."
    yield (
        f"Of all runs of three words both have {found.resemblance:.0%}; the second has "
        f"{found.a_in_b:.0%} of the first's, the first {found.b_in_a:.0%} of the second's."
    )
    yield f"By their words alone they are alike to {found.cosine:.2f} (cosine)."
    if found.difference.cut:
        yield found.difference.cut


def _line(pieces: Sequence[Piece]) -> Styled:
    """A line of one kind has its sign before it; one that is changed in part, marks within."""
    kinds = {piece.kind for piece in pieces}
    if len(kinds) == 1:
        (kind,) = kinds
        said = "".join(piece.text for piece in pieces).rstrip()
        return [(f"{_SIGNS[kind]} {_shortened(said, kind)}", _STYLES[kind])]
    line: Styled = [("~ ", "")]
    for kind, text in pieces:
        before, after = _MARKERS[kind]
        said = text.rstrip()
        room = " " if text != said else ""
        line += [(f"{before}{_shortened(said, kind)}{after}", _STYLES[kind]), (room, "")]
    return line


def _shortened(text: str, kind: str) -> str:
    """Without the middle, where it is long."""
    most = _MOST_SAME_CHARS if kind == "same" else _MOST_CHANGED_CHARS
    flat = text.replace("\n", " ")
    if len(flat) <= most:
        return flat
    start, _, _ = flat[: most // 2].rpartition(" ")
    _, _, end = flat[-most // 2 :].partition(" ")
    return f"{start or flat[: most // 2]} … {end or flat[-most // 2 :]}"
