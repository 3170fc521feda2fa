"""What words are the pages made of?

Sentences follow a few English patterns over a small vocabulary of the sea, with real function
words, so that language detectors, charset detectors and text classifiers see something like prose.
Some words are not ASCII, so that a wrong charset shows.
"""

from __future__ import annotations

import random

_NOUNS = """
reef shoal current tide anchor harbour lagoon coral kelp plankton herring mackerel tang wrasse goby
blenny seahorse octopus squid cuttlefish lobster shrimp crab urchin starfish sponge anemone turtle
dolphin whale seal otter gull heron pelican net hook line boat skipper sailor island beach cliff
estuary delta river stream pond lake aquarium filter pump tank heater light gravel pebble shell
pearl scale fin gill tail eye school spawn larva egg nursery predator prey depth surface storm wave
swell breeze fog moon season summer winter market auction kitchen recipe soup stew catch quota
census survey record map chart compass lighthouse pier dock ferry canal research station laboratory
sample species family genus colony population habitat café façade
"""
_ADJECTIVES = """
tropical cold deep shallow bright dark quiet noisy ancient young rare common silver golden striped
spotted blue green crimson hidden famous forgotten gentle fierce hungry patient curious slow swift
northern southern coastal open narrow wide salty fresh warm clear murky healthy fragile busy lonely
annual nightly local distant careful naïve
"""
_VERBS = """
follows avoids crosses guards feeds watches circles leaves enters changes shelters supports
surprises delights troubles measures describes protects joins outlives warms cools hides finds
carries needs attracts resembles replaces explains
"""
_SECTIONS = """
fish reefs boats people science travel recipes news history gear weather markets events gallery
library letters
"""
_TAILS = (
    "in the early morning",
    "during the long winter",
    "after the first storm",
    "for most of the year",
    "without any warning",
    "near the old harbour",
    "because the water is warm",
    "when the moon is full",
    "as every sailor knows",
    "although nobody has seen it",
    "before the season ends",
    "at a depth of {n} metres",
    "more than {n} times a day",
    "since {y}",
    "according to a survey of {n} divers",
    "unless the wind turns",
    "between the islands",
    "by the end of {y}",
    "and so do its {n} neighbours",
    "with great care",
)
_PATTERNS = (
    "The {a} {s} {v} the {o}, {t}.",
    "{t}, the {s} {v} a {a} {o} and the {p}.",
    "It is said that the {s} of the {p} {v} every {a} {o}, {t}.",
    "Neither the {s} nor the {a} {p} {v} the {o} {t}.",
    "What the {a} {s} really {v} is the {o}; the {p} comes later, {t}.",
    "There are {n} kinds of {s}, and each one {v} its own {a} {o} {t}.",
)

NOUNS = tuple(_NOUNS.split())
ADJECTIVES = tuple(_ADJECTIVES.split())
VERBS = tuple(_VERBS.split())
SECTIONS = tuple(_SECTIONS.split())


def sentence(rng: random.Random) -> str:
    """One sentence of the pool."""
    number, year = rng.randrange(2, 900), rng.randrange(1890, 2024)
    tail = rng.choice(_TAILS).format(n=number, y=year)
    text = rng.choice(_PATTERNS).format(
        a=rng.choice(ADJECTIVES),
        s=rng.choice(NOUNS),
        v=rng.choice(VERBS),
        o=rng.choice(NOUNS),
        p=rng.choice(NOUNS),
        t=tail,
        n=number,
    )
    return text[0].upper() + text[1:]
