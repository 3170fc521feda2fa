"""How long does a search take among 100,000 pages? From the line that is typed to ten results.

    python -m benchmarks.search_speed                      100,000 pages: some minutes to make them
    python -m benchmarks.search_speed --pages 5000         a quick look

Pages are made of a vocabulary of Zipf's law and stored as a crawl stores them; the index is made
from the table. Queries have one to six words of all frequencies; asked one after another, each
answer with its snippets, as `Collection.search` gives it. Peers have no such whole to compare.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import shoal
from benchmarks import report
from shoal.access.indexing import reindex
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.model.compression import zstd
from shoal.model.document import Document, Understood
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.verdict import Finished, Verdict
from shoal.model.visit import Fetched, Visit

_WORDS = 50_000
_MEAN_WORDS = 400
_SITES = 500
_LETTERS = "etaoinshrdlcumwfgypbvk"


class Vocabulary:
    """Made-up words; the n-th is used 1/n as often as the first."""

    def __init__(self, chance: random.Random) -> None:
        lengths = chance.choices(range(3, 11), k=_WORDS)
        self.words = ["".join(chance.choices(_LETTERS, k=length)) for length in lengths]
        self._weights = list(accumulate(1 / (place + 1) for place in range(_WORDS)))
        self._chance = chance

    def text(self, words: int) -> str:
        return " ".join(self._chance.choices(self.words, cum_weights=self._weights, k=words))


async def _store(directory: Path, pages: int, chance: random.Random) -> None:
    words = Vocabulary(chance)
    engine = Engine(directory, load(directory, {}, {}))
    try:
        for number in range(pages):
            url = f"http://host{number % _SITES}.test/page/{number}"
            text = words.text(max(20, round(chance.expovariate(1 / _MEAN_WORDS))))
            document = Document(title=words.text(5), text=zstd(text.encode()), language="en")
            document.text_chars, document.media_type = len(text), "text/html"
            visit = Visit(url, row_key(url), site_key(site_of(url)), is_first=True)
            batch = engine._store.batch()
            fetched = Fetched(Outcome.OK, status=200, ended=time.time())
            finished = Finished(Verdict([document]))
            engine._store.keep(batch, visit, fetched, Understood([document]), finished)
            engine._store.commit(batch)
        engine.sync()
    finally:
        await engine.close()


def queries(chance: random.Random, count: int) -> list[str]:
    """Of common and of rare words alike."""
    words = Vocabulary(random.Random(1)).words
    places = [min(_WORDS - 1, int(10 ** chance.uniform(0.5, 4.5))) for _ in range(6 * count)]
    return [
        " ".join(words[place] for place in places[6 * n : 6 * n + 1 + n % 6]) for n in range(count)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.search_speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=600)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="search-speed-", dir=options.work) as home:
        directory = Path(home) / "c"
        asyncio.run(_store(directory, options.pages, random.Random(1)))
        began, cpu = time.monotonic(), time.process_time()
        made = reindex(directory)
        per_page_ms = 1000 * (time.process_time() - cpu) / made.documents
        print(f"{made.pages:,} pages indexed in {time.monotonic() - began:.0f} s")
        with shoal.open(directory) as collection:
            collection.search("warm up")
            asked, took, cpus = queries(random.Random(2), options.queries), [], []
            for each in asked:
                started, cpu = time.perf_counter(), time.process_time()
                collection.search(each)
                took.append(1000 * (time.perf_counter() - started))
                cpus.append(1000 * (time.process_time() - cpu))
    took.sort()
    rows = [
        ["ms to ten results, median", f"{statistics.median(took):.1f}"],
        ["p95", f"{took[len(took) * 95 // 100]:.1f}"],
        ["p99", f"{took[len(took) * 99 // 100]:.1f}"],
        ["CPU ms of a search, mean", f"{statistics.mean(cpus):.1f}"],
        ["CPU ms to index a page, mean", f"{per_page_ms:.2f}"],
    ]
    print(report.table([f"{options.queries} queries of 1 to 6 words", ""], rows))


if __name__ == "__main__":
    main()
