"""Which words that look like a name are none? Those of programs, of addresses and of the clock.

A text about programs has names of its own: `Match.lastindex`, `BytesIO`, `Hashable`. They stand
with a capital among words without one, as people do. What is written as no name ever is, is refused
anywhere; in a text that shows code, so is what stands there as code, too. The text alone decides,
so that a page that is read again has the same names.
"""

import re
from itertools import chain, islice

from shoal.model.words.marks import ORG, PERSON, PLACE

_CODE_WORD = re.compile(r"[_()=$`]|::|\.[a-z]+_|\.__|^\W*\w\W*$")
_DOTTED = re.compile(r"[^\W\d_]{2,}\.[^\W\d_]|[^\W\d_]\.[a-z]")
"""Not `U.S.` and `J.R.R. Tolkien`, nor `L.A.`."""
_SITE = re.compile(r"\.(?:com|org|net|edu|gov|io|ai|me|tv|in|us|uk|co\.uk|de|fr|eu|ca)(?:$|\W)")
"""Some organisations are called by their address."""
_HUMP = re.compile(r"[a-z][A-Z]")
_IN_NAMES = re.compile(
    r"\b(?:Ma?c|De|Des|Del|Della|Di|Du|Da|La|Le|Li|Lo|Van|Von|Vander|Fitz|San|St|O|Ja|Ro)['’]?[A-Z][a-z]"
)
"""McDonald, DiCaprio, LaGuardia, FitzGerald."""
_WORDS = re.compile(r"\W")
_CLOCKS = "utc gmt est edt cst cdt mst mdt pst pdt cet cest bst"
_TIMES = frozenset(_CLOCKS.split())
_PROGRAMS = "unicode python unix java linux perl ruby pascal gnu lru"
_NO_PLACES_IN_CODE = frozenset(_PROGRAMS.split())
_FIRMS = (
    "AccuWeather AstraZeneca BlackBerry BlackRock BuzzFeed CenturyLink ConocoPhillips CrowdStrike"
    " DeepMind DreamWorks DuPont eBay ExxonMobil FedEx FreeBSD GitHub GitLab GlaxoSmithKline"
    " HarperCollins HubSpot JetBlue LinkedIn MasterCard McAfee McKinsey MySpace NetBSD OpenAI"
    " OpenBSD PayPal PepsiCo PwC SanDisk ServiceNow SolarWinds SpaceX TechCrunch"
    " TripAdvisor UniCredit UnitedHealth VMware WeWork WhatsApp WordPress YouTube"
)
_KNOWN = frozenset(_FIRMS.split())
"""Organisations of one word with a capital within that programs do not call their own."""
_SIGNS_OF_CODE = (("()", r"\(\)"), ("(", r"\.[a-z_]\w*\("), ("::", r"::\w"), ("__", r"__[a-z]"))
"""What is looked for, where its first part is in the text: each begins with a sign, which a search
for it leaps to."""
_SIGNS = 4
"""From so many on a text shows code."""
_AS_CODE = re.compile(r"(?<=[\w)\]]\.)[A-Za-z]\w*|\b[A-Za-z]\w*(?=\(|\.[a-z_]|::)")


def is_refused(name: str, kind: str) -> bool:
    """Whether something can be no name, in whatever text it stands."""
    if _CODE_WORD.search(name) or name.lower() in _TIMES:
        return True
    if _DOTTED.search(name) and not (kind == ORG and _SITE.search(name.lower())):
        return True
    if kind == ORG:
        return False
    if name[-1].isdigit() or (_HUMP.search(name) and _HUMP.search(_IN_NAMES.sub("", name))):
        return True
    return name == "us" or (kind == PERSON and name.islower() and " " not in name)


class Code:
    """What a text shows as code, if it shows any."""

    def __init__(self, text: str) -> None:
        signs = (sign for part, sign in _SIGNS_OF_CODE if part in text)
        found = chain.from_iterable(re.finditer(sign, text) for sign in signs)
        self.is_shown = len(list(islice(found, _SIGNS))) == _SIGNS
        self._words = set(_AS_CODE.findall(text)) if self.is_shown else set[str]()

    def has(self, name: str, kind: str) -> bool:
        """Whether a name is rather a word of a program."""
        if not self.is_shown or name in _KNOWN:
            return False
        if kind == PLACE and _WORDS.split(name.lower(), maxsplit=1)[0] in _NO_PLACES_IN_CODE:
            return True
        is_hump = _HUMP.search(name) is not None and not _IN_NAMES.match(name)
        return " " not in name and (is_hump or name.islower() or name in self._words)
