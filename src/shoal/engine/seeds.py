"""What does a crawl start from? Seeds and sitemaps as a person named them, as links."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from shoal.config import Config
from shoal.errors import UsageError
from shoal.focus.rules import ready_sets
from shoal.layout.layout import Layout
from shoal.model.link import Link
from shoal.model.urls.params import ParamRules
from shoal.sources.seeds import read_seeds, read_sitemaps
from shoal.worker.fetchers import require_schemes


def with_whole_paths(overrides: Mapping[str, object]) -> dict[str, object]:
    """A rules file is found again from wherever the crawl goes on; a ready set is a name."""
    rules = overrides.get("crawl.rules")
    if isinstance(rules, str) and rules not in ready_sets() and Path(rules).is_file():
        return {**overrides, "crawl.rules": str(Path(rules).resolve())}
    return dict(overrides)


def seeds_of(
    given: Iterable[str], config: Config, directory: Path, sitemaps: Iterable[str] = ()
) -> list[Link]:
    """The sitemaps and seeds on the command line, else the seeds of the settings; none are needed
    to go on."""
    params = ParamRules.from_names(config.url.strip, config.url.keep)
    listing = read_sitemaps(sitemaps, params)
    names = list(given) or ([] if listing else list(config.crawl.seeds))
    if not names and not listing and not Layout(directory).exists():
        raise UsageError(
            "Nothing to crawl: name at least one URL, as in: shoal crawl https://example.org/"
        )
    links = read_seeds(names, sys.stdin, params)
    require_schemes(link.url for link in links)
    return [*listing, *links]  # a URL that is both is a sitemap
