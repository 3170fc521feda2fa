"""Where do two texts differ? Word by word, to be read by people.

White space is no difference: a text that is wrapped again is the same text. Pieces end where a line
ends, so that they can be shown line by line.

The words that stay are a longest common subsequence, found with one row of bits per word (Hyyrö
2004): two stretches of eight thousand words take hundredths of a second. Larger ones are first cut
at runs of words that stand exactly once in both (as patience diff does with lines). What is still
too large, as in long texts that repeat a few words for ever, is shown as changed without being
compared, and `cut` says so: time and memory are bounded whatever the texts.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal, NamedTuple

ChangeKind = Literal["same", "only_a", "only_b"]
Place = tuple[int, int]
"""Where equal words stand in a and in b."""

MOST_CHARS = 4_000_000
MOST_WORDS = 150_000
"""Of each text; what is beyond is not read."""
MOST_CELLS = 1 << 26
"""Words of a times words of b in a stretch that is compared in one go: 8 MB of bits."""
MOST_CELLS_IN_ALL = 1 << 31
_MOST_ROUNDS = 8
_ANCHOR_WORDS = (1, 4)
_WORDS_PER_ANCHOR = 256
_LEAST_SAME = 3
"""Fewer words between two larger changes stayed by chance ("of the")."""

_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts without spaces, whose characters are words."""
_WORD = re.compile(rf"((?!\s)[{_ALONE}]|[^\s{_ALONE}]+)(\s*)")
_GAPS = ("", " ", "\n", "\n\n")
_LINE_ENDS = 2


class Piece(NamedTuple):
    kind: ChangeKind
    text: str
    """With single spaces; a line break only at its end, two where a paragraph ends."""


@dataclass(frozen=True, slots=True)
class Difference:
    pieces: tuple[Piece, ...]
    share_changed: float
    """Of the words of both texts: 0 for equal ones, 1 where nothing stays."""
    cut: str
    """What was not compared, in a sentence; mostly empty."""

    def lines(self) -> Iterator[list[Piece]]:
        line: list[Piece] = []
        for piece in self.pieces:
            line.append(piece)
            if piece.text.endswith("\n"):
                yield line
                line = []
        if line:
            yield line

    def hunks(self, context_lines: int = 1) -> Iterator[list[list[Piece]]]:
        """The lines that changed, with some around them; lines far from any change are left out."""
        lines = list(self.lines())
        start, end = 0, 0  # of the hunk at hand
        for at, line in enumerate(lines):
            if all(piece.kind == "same" for piece in line):
                continue
            if at - context_lines > end:
                if end:
                    yield lines[start:end]
                start = at - context_lines
            end = at + context_lines + 1
        if end:
            yield lines[start:end]


class Run(NamedTuple):
    """Equal words, one after the other in both texts."""

    a: int
    b: int
    length: int


class _Text(NamedTuple):
    words: list[str]
    gaps: list[int]
    """What follows each word: its place in _GAPS."""
    is_cut: bool


def difference(a: str, b: str) -> Difference:
    ours, theirs = _read(a), _read(b)
    numbers: dict[str, int] = {}
    runs, not_compared = common_runs(
        [numbers.setdefault(word, len(numbers)) for word in ours.words],
        [numbers.setdefault(word, len(numbers)) for word in theirs.words],
    )
    runs = _without_chance(_slid(runs, ours, theirs), len(ours.words), len(theirs.words))
    in_all = len(ours.words) + len(theirs.words)
    same = 2 * sum(run.length for run in runs)
    said = []
    if ours.is_cut or theirs.is_cut:
        most = f"{MOST_WORDS:,} words or {MOST_CHARS:,} characters"
        said.append(f"Only the first {most} of a text were compared.")
    if not_compared:
        said.append(f"{not_compared:,} words were too many to compare; they are shown as changed.")
    return Difference(
        pieces=tuple(_pieces(ours, theirs, runs)),
        share_changed=(in_all - same) / in_all if in_all else 0.0,
        cut=" ".join(said),
    )


def common_runs(a: Sequence[int], b: Sequence[int]) -> tuple[list[Run], int]:
    """A common subsequence of two texts whose words are numbers, the longest one wherever it could
    be had, and how many words were not compared."""
    runs: list[Run] = []
    not_compared, cells_left = 0, MOST_CELLS_IN_ALL
    stretches = [(0, len(a), 0, len(b), 0)]
    while stretches:
        a_start, a_end, b_start, b_end, rounds = stretches.pop()
        before = _equal_at_start(a[a_start:a_end], b[b_start:b_end])
        runs.append(Run(a_start, b_start, before))
        a_start, b_start = a_start + before, b_start + before
        after = _equal_at_start(a[a_start:a_end][::-1], b[b_start:b_end][::-1])
        a_end, b_end = a_end - after, b_end - after
        runs.append(Run(a_end, b_end, after))
        cells = (a_end - a_start) * (b_end - b_start)
        if not cells:
            continue
        ours, theirs = a[a_start:a_end], b[b_start:b_end]
        if cells <= min(MOST_CELLS, cells_left):
            cells_left -= cells
            runs += [Run(a_start + i, b_start + j, 1) for i, j in longest_common(ours, theirs)]
            continue
        anchors = _anchors(ours, theirs) if rounds < _MOST_ROUNDS else []
        if not anchors:
            not_compared += len(ours) + len(theirs)
            continue
        i, j = 0, 0
        for next_i, next_j in [*anchors, (len(ours), len(theirs))]:
            if next_i > i or next_j > j:
                places = (a_start + i, a_start + next_i, b_start + j, b_start + next_j)
                stretches.append((*places, rounds + 1))
            i, j = next_i, next_j
    return _joined(runs), not_compared


def longest_common(a: Sequence[int], b: Sequence[int]) -> list[Place]:
    """The places of a longest common subsequence, by bits: in row j, bit i is 0 where the longest
    one of a[: i + 1] and b[: j + 1] is longer than that of a[:i] and b[: j + 1]."""
    if len(a) < len(b):  # few long rows take less time than many short ones
        return [(i, j) for j, i in longest_common(b, a)]
    has: dict[int, int] = {}
    for i, word in enumerate(a):
        has[word] = has.get(word, 0) | 1 << i
    ones = (1 << len(a)) - 1
    row = ones
    rows = [row]
    for word in b:
        matching = row & has.get(word, 0)
        row = (row + matching | row - matching) & ones
        rows.append(row)
    pairs = []
    i, j = len(a), len(b)
    while i and j:
        if rows[j] >> (i - 1) & 1:
            i -= 1
        elif not rows[j - 1] >> (i - 1) & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[Place]:
    """Where words, or else runs of words, stand exactly once in each text: as many as are in the
    same order in both. Of those that adjoin only the first."""
    best: list[Place] = []
    for length in _ANCHOR_WORDS:
        in_a, in_b = _only_once(a, length), _only_once(b, length)
        chain = _rising([(i, in_b[run]) for run, i in in_a.items() if run in in_b])
        best = max(best, chain, key=len)
        if len(best) * _WORDS_PER_ANCHOR >= min(len(a), len(b)):
            break  # a few could be words that have moved
    known = set(best)
    return [(i, j) for i, j in best if (i - 1, j - 1) not in known]


def _only_once(words: Sequence[int], length: int) -> dict[tuple[int, ...], int]:
    """Runs of so many words by where they stand, in order."""
    runs = list(zip(*(words[skip:] for skip in range(length)), strict=False))
    times = Counter(runs)
    return {run: at for at, run in enumerate(runs) if times[run] == 1}


def _rising(pairs: Sequence[Place]) -> list[Place]:
    """The longest subsequence whose places rise in b as they do in a (patience sorting)."""
    ends: list[int] = []  # the least place in b at which a chain of each length ends,
    last: list[int] = []  # and which pair it is
    before = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1], last[at : at + 1] = [j], [number]
    chain = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _equal_at_start(a: Sequence[int], b: Sequence[int]) -> int:
    pairs = zip(a, b, strict=False)
    return next((at for at, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def _joined(runs: Iterable[Run]) -> list[Run]:
    """In order, and as few as possible."""
    joined: list[Run] = []
    for run in sorted(run for run in runs if run.length):
        last = joined[-1] if joined else Run(-1, -1, 0)
        if (run.a, run.b) == (last.a + last.length, last.b + last.length):
            joined[-1] = Run(last.a, last.b, last.length + run.length)
        else:
            joined.append(run)
    return joined


def _slid(runs: Sequence[Run], a: _Text, b: _Text) -> list[Run]:
    """Where words stand in one text only, it may be as true that they begin somewhat earlier or
    later ("of the [cat of the] dog"). They join the change beside them, or else begin a line."""
    slid = list(runs[:1])
    for run in runs[1:]:
        last = slid[-1]
        a_start, b_start = last.a + last.length, last.b + last.length
        shift = 0
        if b_start == run.b:
            shift = _shift(a, a_start, run.a, last.length, run.length)
        elif a_start == run.a:
            shift = _shift(b, b_start, run.b, last.length, run.length)
        slid[-1] = Run(last.a, last.b, last.length + shift)
        slid.append(Run(run.a + shift, run.b + shift, run.length - shift))
    return [run for run in slid if run.length]


def _shift(text: _Text, start: int, end: int, most_left: int, most_right: int) -> int:
    words, left, right = text.words, 0, 0
    while left < most_left and words[start - 1 - left] == words[end - 1 - left]:
        left += 1
    while right < most_right and words[start + right] == words[end + right]:
        right += 1
    if left == most_left:
        return -left
    if right == most_right:
        return right
    gaps = {shift: text.gaps[start + shift - 1] for shift in range(-left, right + 1)}
    best = max(gaps, key=gaps.__getitem__)
    return best if gaps[best] >= _LINE_ENDS else 0


def _without_chance(runs: Sequence[Run], of_a: int, of_b: int) -> list[Run]:
    kept: list[Run] = []
    a, b = 0, 0  # where the change before the run begins
    for run, following in pairwise([*runs, Run(of_a, of_b, 0)]):
        before = max(run.a - a, run.b - b)
        after = max(following.a - run.a, following.b - run.b) - run.length
        if run.length >= min(_LEAST_SAME, before, after):
            kept.append(run)
            a, b = run.a + run.length, run.b + run.length
    return kept


def _read(text: str) -> _Text:
    found = _WORD.finditer(text[:MOST_CHARS])
    pairs = [word.groups() for word in islice(found, MOST_WORDS)]
    gaps = [1 if gap == " " else _gap(gap) for _, gap in pairs]
    is_cut = len(text) > MOST_CHARS or next(found, None) is not None
    return _Text([word for word, _ in pairs], gaps, is_cut)


def _gap(white_space: str) -> int:
    return min(1 + white_space.count("\n"), 3) if white_space else 0


def _pieces(a: _Text, b: _Text, runs: Sequence[Run]) -> Iterator[Piece]:
    i, j = 0, 0
    for run in [*runs, Run(len(a.words), len(b.words), 0)]:
        yield from _by_line("only_a", a.words[i : run.a], a.gaps[i : run.a])
        yield from _by_line("only_b", b.words[j : run.b], b.gaps[j : run.b])
        i, j = run.a + run.length, run.b + run.length
        gaps = map(max, a.gaps[run.a : i], b.gaps[run.b : j])
        yield from _by_line("same", a.words[run.a : i], gaps)


def _by_line(kind: ChangeKind, words: Iterable[str], gaps: Iterable[int]) -> Iterator[Piece]:
    text: list[str] = []
    for word, gap in zip(words, gaps, strict=True):
        text += word, _GAPS[gap]
        if gap >= _LINE_ENDS:
            yield Piece(kind, "".join(text))
            text.clear()
    if text:
        yield Piece(kind, "".join(text))
