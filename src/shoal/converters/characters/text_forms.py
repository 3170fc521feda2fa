"""Which spellings are the same word? The Unicode form for matching a text.

`normalised` is for comparing and finding: NFKC and case folding make full-width letters, ligatures,
Arabic presentation forms, circled digits and capitals equal to the plain ones; what is invisible
(soft hyphen, joiners, marks of direction, variation selectors) is dropped, quotes and dashes that
charsets disagree about (wave dash, minus, bar) become one. It loses information: never show it.
"""

import re
import unicodedata

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("〜～∼", "~"),
        **dict.fromkeys("‘’‚‛′ʼ＇", "'"),
        **dict.fromkeys("“”„‟″＂", '"'),
        **dict.fromkeys("‖∥", "|"),
        "ـ": "",  # Arabic's tatweel only stretches a line
    }
)


def normalised(text: str) -> str:
    """The form under which spellings of a word are equal; for matching only."""
    if text.isascii():
        return text.lower()
    text = _INVISIBLE.sub("", text).translate(_ALIKE)
    # Folding can undo the composition (ǰ, ΐ), hence the second pass; then it is stable.
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _INVISIBLE.sub("", text).translate(_ALIKE)
