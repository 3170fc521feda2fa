"""In which order is a collection crawled, as its settings say?"""

from shoal.config import Config
from shoal.config.values import weights_in
from shoal.errors import UsageError
from shoal.focus.likeness import words_of
from shoal.focus.priority import PrioritySettings
from shoal.frontier.state.worth import Importance


def importance_of(config: Config) -> Importance | None:
    """What decides in a crawl by importance; None: it goes in another order."""
    crawl = config.crawl
    if crawl.order != "importance":
        if crawl.stop_when is not None:
            raise UsageError("only a crawl by importance stops by value: add --order importance")
        return None
    weights = weights_in(crawl.weights) or {}
    return Importance(
        votes=crawl.popularity,
        words=words_of(crawl.about),
        threshold=crawl.value,
        **weights,
    )


def order_of(config: Config, rules: str) -> PrioritySettings:
    """What readers of pages are told of the order."""
    words = words_of(config.crawl.about) if config.crawl.order == "importance" else ()
    return PrioritySettings(config.crawl.order, rules, words)
