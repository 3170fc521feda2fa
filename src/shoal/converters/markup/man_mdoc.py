"""What do the semantic macros of mdoc(7) show? A line of them, called one after another."""

from shoal.converters.markup.man_roff import arguments, runs_of
from shoal.converters.writer import Run

_AROUND = {
    "Op": ("[", "]"),
    "Oo": ("[", ""),
    "Oc": ("]", ""),
    "Dq": ("“", "”"),
    "Qq": ('"', '"'),
    "Sq": ("‘", "’"),
    "Pq": ("(", ")"),
    "Bq": ("[", "]"),
    "Aq": ("<", ">"),
    "Ql": ("‘", "’"),
    "Brq": ("{", "}"),
}
_BOLD = frozenset(("Nm", "Fl", "Cm", "Ic", "Sy", "Fn", "Fd"))
_SHOWN = frozenset(
    (
        *("Ar", "Em", "Pa", "Li", "Va", "Vt", "Ev", "Dv", "Er", "An", "Lk", "Mt", "No", "Ns", "Xr"),
        *("Ft", "Fa", "Tn", "Ad", "St", "Ux", "Bx", "Fx", "Nx", "Ox", "At", "Sx", "In", "Cd", "Dl"),
        *("D1", "Ms", "Rv", "Ex", "Sm", "Ap"),
    )
)
_CLOSING = frozenset((".", ",", ":", ";", ")", "]", "?", "!"))


def mdoc_runs(name: str, rest: str) -> list[Run]:
    """Empty for a macro that shows nothing."""
    if name not in _BOLD and name not in _SHOWN and name not in _AROUND:
        return []
    runs: list[Run] = []
    ends: list[str] = []
    bold, glued = False, True
    words = [name, *arguments(rest)]
    for at, word in enumerate(words):
        if word in _AROUND and (at == 0 or len(word) == 2 or word == "Brq"):
            begin, end = _AROUND[word]
            runs.append(Run(begin if glued else f" {begin}"))
            glued, bold = True, False
            ends.append(end)
        elif word in _BOLD or word in _SHOWN:
            bold = word in _BOLD
            if word == "Fl":
                following = words[at + 1] if at + 1 < len(words) else ""
                runs.append(Run("-" if glued else " -", True))
                glued = following not in _BOLD and following not in _SHOWN
            elif word in ("Ns", "Ap"):
                glued = True
        elif word == "Xr":
            bold = False
        else:
            closing = word in _CLOSING
            runs += [Run("" if glued or closing else " "), *runs_of(word, bold and not closing)]
            glued = word in ("(", "[")
    runs.append(Run("".join(reversed(ends))))
    return [run for run in runs if run.text]
