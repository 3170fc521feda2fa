"""In which order is a collection crawled, as its settings say?"""

from shoal.config import Config
from shoal.config.values import weights_in
from shoal.focus.likeness import words_of
from shoal.focus.priority import PrioritySettings
from shoal.frontier.state.worth import Importance

_FOR_TOPIC = {"content": 1.0, "popularity": 0.0, "location": 0.0}
"""What counts for a topic where nothing is said of weights: popularity leads away from it."""


def importance_of(config: Config) -> Importance | None:
    """What decides in a crawl by importance; None: it goes in another order."""
    crawl = config.crawl
    if crawl.order != "importance":
        return None
    weights = weights_in(crawl.weights) or {}
    if crawl.topic:
        if crawl.weights == Config().crawl.weights:
            weights = _FOR_TOPIC
        return Importance(
            votes=crawl.popularity,
            words=(f"topic {crawl.topic}",),
            threshold=crawl.value,
            **weights,
        )
    return Importance(
        votes=crawl.popularity,
        words=words_of(crawl.about),
        threshold=crawl.value,
        **weights,
    )


def order_of(config: Config, rules: str) -> PrioritySettings:
    """What readers of pages are told of the order."""
    words = words_of(config.crawl.about) if config.crawl.order == "importance" else ()
    topic = config.crawl.topic if config.crawl.order == "importance" else ""
    drops = config.crawl.off_topic == "drop"
    return PrioritySettings(config.crawl.order, rules, words, topic, drops)
