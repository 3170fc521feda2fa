"""Which query parameters say nothing about the document, and are stripped from its URL?

Tracking parameters say where a reader came from, session parameters who the reader is; with
either, one page has endlessly many URLs. The lists name what is stripped unless the
user says otherwise; every other parameter stays, in its place. A name ending in ``*`` stands
for all names that begin so. Names are compared without case.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

TRACKING = (
    *("utm_*", "mtm_*", "hsa_*", "stm_*"),
    *("_ga", "_gl", "_gac", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid"),
    *("gad_source", "gad_campaignid", "ga_source", "ga_medium", "ga_term", "ga_content"),
    *("ga_campaign", "ga_place", "fbclid", "fb_action_ids", "fb_action_types", "fb_source"),
    *("fb_ref", "igshid", "igsh", "msclkid", "twclid", "ttclid", "li_fat_id", "epik", "rdt_cid"),
    *("yclid", "ymclid", "ysclid", "_openstat", "mc_cid", "mc_eid", "mkt_tok", "_kx", "__s"),
    *("_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "vero_id", "vero_conv"),
    *("oly_anon_id", "oly_enc_id", "wickedid", "rb_clickid", "irclickid", "zanpid", "s_kwcid"),
    *("ef_id", "dm_i", "_bta_tid", "_bta_c", "elqtrackid", "ml_subscriber", "ml_subscriber_hash"),
    *("pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid"),
    *("piwik_campaign", "piwik_kwd", "_branch_match_id", "wt.mc_id", "spm"),
    *("guccounter", "guce_referrer", "guce_referrer_sig"),
)

SESSION = (
    *("phpsessid", "phpsessionid", "jsessionid", "aspsessionid*", "asp.net_sessionid"),
    *("cfid", "cftoken", "sessid", "sessionid", "session_id", "session-id", "_session_id"),
    *("sessionkey", "session_key", "usersessionid", "jservsessionid*", "bv_sessionid"),
    *("bv_engineid", "oscsid", "xtcsid", "zenid"),
)

# Names that often mean something else ("session=keynote"): stripped only with an id as value.
SESSION_WITH_ID = ("sid", "psid", "sess", "session", "ssid", "osid")

ASP_NET_SESSION = "asp.net_sessionid"  # the name under which /(S(id))/ path segments are judged

# Hex; a UUID; letters with digits and no separator; base64 with both cases and a digit. A title
# made into a slug ("python3-for-beginners") is none of these.
_ID = re.compile(
    r"""[0-9a-fA-F]{16,}
    | [0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}
    | (?=[^0-9]*[0-9]) (?=[^a-zA-Z]*[a-zA-Z]) [0-9a-zA-Z]{16,}
    | (?=[^0-9]*[0-9]) (?=[^a-z]*[a-z]) (?=[^A-Z]*[A-Z]) [0-9a-zA-Z+/_-]{16,} (?:=|%3D){0,2}""",
    re.VERBOSE,
)


def looks_like_id(value: str) -> bool:
    return len(value) >= 16 and _ID.fullmatch(value) is not None


@dataclass(frozen=True, slots=True)
class _Names:
    """A set of lower-case names, some of them open at the end."""

    exact: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        exact: set[str] = set()
        prefixes: set[str] = set()
        for name in names:
            stem = name.strip().lower()
            is_open = stem.endswith("*")
            stem = stem.removesuffix("*")
            if "*" in stem or not (stem or is_open):
                raise ValueError(
                    f"{name!r} is not a parameter name: write the name, or its beginning and a *"
                )
            (prefixes if is_open else exact).add(stem)
        return cls(frozenset(exact), tuple(sorted(prefixes)))

    def __contains__(self, name: str) -> bool:
        return name in self.exact or name.startswith(self.prefixes)


@dataclass(frozen=True, slots=True)
class ParamRules:
    """What is stripped: ``strip``, and ``strip_ids`` with an id as value, unless in ``keep``."""

    strip: _Names
    strip_ids: _Names
    keep: _Names

    @classmethod
    def from_names(cls, strip: Iterable[str] = (), keep: Iterable[str] = ()) -> Self:
        """The default lists with the user's names added and taken out; ``keep`` wins."""
        return cls(
            strip=_Names.of((*TRACKING, *SESSION, *strip)),
            strip_ids=_Names.of(SESSION_WITH_ID),
            keep=_Names.of(keep),
        )

    def strips(self, name: str, value: str) -> bool:
        # "&amp;" escaped twice in a page leaves "amp;" before the name.
        name = name.lower().removeprefix("amp;")
        if name in self.strip or (name in self.strip_ids and looks_like_id(value)):
            return name not in self.keep
        return False


DEFAULT = ParamRules.from_names()
