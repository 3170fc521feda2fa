"""What do the peers find, each in its documented best set-up for English text?

    bm25s          method `lucene`, its English stop words, PyStemmer: as its README does it
    bm25s-words    the same without a stemmer
    fts5           SQLite's bm25(), the porter tokenizer, words joined by OR
    tantivy        the tokenizer `en_stem`, the default parser, which takes any of the words

Run in a process of its own: `search_peers.py NAME FOLDER ANSWERS` writes the ids of the first ten
documents for each query. It imports nothing of Shoal.
"""

import json
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

Texts = Sequence[tuple[str, str]]
Answers = list[list[str]]
_DEPTH = 10


def bm25s_stemmed(documents: Texts, queries: Texts) -> Answers:
    import Stemmer  # type: ignore[import-not-found]  # noqa: PLC0415 - only here is it installed

    return _bm25s(documents, queries, Stemmer.Stemmer("english"))


def bm25s_words(documents: Texts, queries: Texts) -> Answers:
    return _bm25s(documents, queries, None)


def _bm25s(documents: Texts, queries: Texts, stemmer: object) -> Answers:
    import bm25s  # noqa: PLC0415

    def cut(texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    retriever = bm25s.BM25(method="lucene")
    retriever.index(cut([text for _, text in documents]), show_progress=False)
    answers = []
    for _, query in queries:
        asked, most = cut([query]), min(_DEPTH, len(documents))
        found, marks = retriever.retrieve(asked, k=most, show_progress=False)
        pairs = zip(found[0], marks[0], strict=True)
        answers.append([documents[place][0] for place, mark in pairs if mark > 0])
    return answers


def fts5(documents: Texts, queries: Texts) -> Answers:
    with sqlite3.connect(":memory:") as database:
        database.execute(
            "create virtual table page using fts5(id unindexed, text, tokenize='porter unicode61')"
        )
        database.executemany("insert into page values (?, ?)", documents)
        wanted = "select id from page where page match ? order by bm25(page) limit ?"
        answers = []
        for _, query in queries:
            words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
            answers.append([row[0] for row in database.execute(wanted, (words, _DEPTH))])
    return answers


def tantivy(documents: Texts, queries: Texts) -> Answers:
    import tantivy as native  # noqa: PLC0415

    builder = native.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text", tokenizer_name="en_stem")
    index = native.Index(builder.build())
    writer = index.writer()
    for name, text in documents:
        writer.add_document(native.Document(id=name, text=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    answers = []
    for _, query in queries:
        words = " ".join(re.findall(r"\w+", query.lower()))  # its parser knows operators
        found = searcher.search(index.parse_query(words, ["text"]), _DEPTH)
        answers.append([searcher.doc(address)["id"][0] for _, address in found.hits])
    return answers


PEERS: dict[str, tuple[Callable[[Texts, Texts], Answers], str]] = {
    "bm25s": (bm25s_stemmed, "bm25s"),
    "bm25s-words": (bm25s_words, "bm25s"),
    "fts5": (fts5, ""),
    "tantivy": (tantivy, "tantivy"),
}


def main() -> None:
    name, given, answers = sys.argv[1:]
    documents, queries = json.loads(Path(given).read_text(encoding="utf-8"))
    search, package = PEERS[name]
    try:
        found = {
            "answers": search([tuple(each) for each in documents], [tuple(q) for q in queries]),
            "version": version(package) if package else sqlite3.sqlite_version,
        }
    except ImportError as error:
        found = {"fault": str(error)}
    Path(answers).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
