"""How well are people, places and organisations found, and at what cost?

    python -m benchmarks.entities                  CPU on the pages of SHOAL_DATA/wcxb-dev
    python -m benchmarks.entities --every 10       each tenth page
    python -m benchmarks.entities --marked FILE…   F1 on marked sentences too

The cost: every page is read as a child process of a crawl reads it (scan, clean, sketch), once
without and once with names, and what was more is put beside what reading took; both in this
process, page by page, so that a busy machine slows both. FILE is CoNLL or IOB2 text, or the same
gzip'd: a token a line, its label in the last column (or the third, where lines begin with a number
and `# text =` says how the sentence is written). A name counts if it is found exactly, with its
kind (CoNLL). `text` is what marks are made of: whole documents, where the file parts them
(`# newdoc`), so that what is known of a name elsewhere counts. The model has learned from the files
of SHOAL_DATA: what it scores on those says nothing; `python -m training.entities --folds` does.
"""

import argparse
import gzip
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.extract_scores import data_folder
from shoal.converters.limits import Limits
from shoal.focus.priority import PrioritySettings
from shoal.focus.scope import ScopeSettings
from shoal.model.compression import unzstd
from shoal.model.content import content_text
from shoal.model.document import Document
from shoal.model.outcome import Outcome
from shoal.model.record import changed, pack
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from shoal.naming.names import KINDS, marks_of, named_in
from shoal.worker.child import Worker, make
from shoal.worker.child_config import ChildConfig
from training.entities.corpus import Sentence, marked_file
from training.entities.scores import Tally

_WARM_PAGES = 20


def main(every: int, marked: Sequence[Path]) -> None:
    for file in marked:
        for name, tally in scores(marked_file(file)):
            print(f"{file.name:30} {name:9} {tally.line()}", flush=True)
    if every:
        reading, naming, marking, pages, named = cost(every)
        print(f"{pages:,} pages, {named:,} names: reading {reading / pages * 1e3:.2f} ms a page")
        print(f"names {naming / pages * 1e3:.3f} ms a page, .. of reading {naming / reading:.1%}")
        print(f"the same measured alone {marking / pages * 1e3:.3f} ms, {marking / reading:.1%}")


def scores(sentences: Sequence[Sentence]) -> Iterator[tuple[str, Tally]]:
    """Each sentence for itself, and whole documents."""
    alone, whole = Tally(), Tally()
    for each in sentences:
        alone.add(each, _spans(each.text))
    yield "sentences", alone
    documents: dict[str, list[Sentence]] = {}
    for number, each in enumerate(sentences):
        documents.setdefault(each.document or str(number), []).append(each)
    for document in documents.values():
        found, start = _spans("\n".join(each.text for each in document)), 0
        for each in document:
            end = start + len(each.text)
            own = [(at - start, to - start, kind) for at, to, kind in found if start <= at < end]
            whole.add(each, own)
            start = end + 1
    yield "text", whole


def _spans(text: str) -> list[tuple[int, int, int]]:
    return [(each.start, each.end, KINDS.index(each.kind)) for each in named_in(text)]


def cost(every: int) -> tuple[float, float, float, int, int]:
    """CPU seconds: of reading, what it took more with names, of making the marks alone; how many
    pages, and how many names were kept."""
    config = _config()
    plain, naming = make(pack(config)), make(pack(changed(config, names=True)))
    without = with_names = alone = 0.0
    pages = named = 0
    for number, (url, html) in enumerate(_pages(every)):
        readers = (
            (plain, naming) if number % 2 else (naming, plain)
        )  # who is first warms the caches
        spent = {}
        for reader in readers:
            began = time.process_time()
            documents = _read(reader, url, html)
            spent[reader is naming] = time.process_time() - began
        text = unzstd(documents[0].text).decode() if documents[0].text else ""
        content = content_text(text, documents[0].line_scores) or text
        began = time.process_time()
        marks = marks_of(content, documents[0].language)
        took = time.process_time() - began
        if number < _WARM_PAGES // every + 1:
            continue
        without, with_names, alone = without + spent[False], with_names + spent[True], alone + took
        pages += 1
        named += sum(value.count("\n") + 1 for _, value in marks if value)
    return without, with_names - without, alone, pages, named


def _read(reader: Worker, url: str, html: bytes) -> list[Document]:
    row = row_key(url)
    visit = Visit(url, row, row, VisitKind.PAGE, keep=Keep.TEXT)
    headers = [("content-type", "text/html; charset=utf-8")]
    fetched = Fetched(Outcome.OK, 200, headers=headers, body=html)
    return reader(visit, fetched, False).documents


def _pages(every: int) -> Iterator[tuple[str, bytes]]:
    with gzip.open(data_folder() / "wcxb-dev" / "pages.jsonl.gz", "rt") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                page = json.loads(line)
                yield (
                    page["url"] or f"https://example.org/{number}",
                    page["html"].encode("utf-8", "replace"),
                )


def _config() -> ChildConfig:
    return ChildConfig(
        scope=ScopeSettings(kind="any"),
        priority=PrioritySettings(),
        product_token="shoal",  # noqa: S106 - no secret, a name
        strip=(),
        keep=(),
        limits=Limits(),
        warc_directory="",
        warc_max_bytes=0,
        software="Shoal",
        content="model",
        prints=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entities")
    parser.add_argument("--every", type=int, default=1, help="each so many pages; 0: none")
    parser.add_argument("--marked", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    main(given.every, given.marked)
