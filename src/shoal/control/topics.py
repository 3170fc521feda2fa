"""How does a person make a topic, and say yes or no to its pages?

What is said goes the way of all commands: to the crawl that runs, which learns from it at once, or
into the collection that rests. Only pages that everyone may read teach a topic, since its words and
what it finds are shown to all.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from shoal.access.opening import is_there, open_collection
from shoal.collection.collection import Collection
from shoal.collection.report.topics import topic_line, topic_lines
from shoal.control.commands import Place, give
from shoal.errors import UsageError
from shoal.model.record import Struct
from shoal.model.words.topic import MOST_LABELS, MOST_TOPICS, example_part, topic_name, topic_words
from shoal.sources.inbox import Command, MakeTopic, RemoveTopic, Teach
from shoal.sources.seeds import named_url

Converts = Callable[[Path], tuple[str, str]]
"""Title and text of a file."""

_MOST_FILES = 500
"""Of one folder."""
Answer = Literal["yes", "no", "unsaid"]
_YES: Answer = "yes"
_NO: Answer = "no"


class Taught(Struct, frozen=True):
    """What was made of what a person said."""

    name: str
    yes: int
    no: int
    to_fetch: list[str]
    """Examples that are not stored: a crawl for the topic fetches them first."""
    left_out: list[str]
    """Files that say nothing."""
    running: bool
    """Whether a crawl runs, and is told."""


class Examples(NamedTuple):
    """What a topic begins with."""

    words: str = ""
    pages: Sequence[str] = ()
    folders: Sequence[str | Path] = ()
    """What is on it, and what is not."""


def make(place: Place, name: str, given: Examples, converts: Converts) -> Taught:
    """Make a topic. Of one that is there, the words are replaced and examples added."""
    name, words = topic_name(name), topic_words(given.words)
    if not any((words, given.pages, given.folders)):
        raise UsageError(
            "a topic needs something to begin with: --words WORDS, --pages URL, or --folder ON OFF"
        )
    taught, to_fetch = list[Command](), list[str]()
    if is_there(place):
        with open_collection(str(place)) as collection:
            words = words or _words_of(collection, name)
            taught, to_fetch = _pages(collection, name, given.pages, _YES)
    else:  # the first topic makes a collection
        to_fetch = [named_url(url) for url in given.pages]
        taught = [Teach(name, url, _YES) for url in to_fetch]
    files, left_out = _files(name, given.folders, converts)
    commands: list[Command] = [MakeTopic(name, words), *taught, *files]
    running = give(place, commands, makes_one=True)
    yes = sum(isinstance(each, Teach) and each.answer == _YES for each in commands)
    no = sum(isinstance(each, Teach) and each.answer == _NO for each in commands)
    return Taught(name, yes, no, to_fetch, left_out, running)


def _words_of(collection: Collection, name: str) -> str:
    """Of a topic that is there already; there may not be too many of them."""
    known = {line.name: line.words for line in topic_lines(collection)}
    if name not in known and len(known) >= MOST_TOPICS:
        raise UsageError(f"a collection may have {MOST_TOPICS} topics: remove one first")
    return known.get(name, "")


def teach(place: Place, name: str, urls: Sequence[str], answer: Answer) -> Taught:
    """Say `yes` or `no` of pages, or take back what was said (`unsaid`). Without a name the only
    topic is meant."""
    with open_collection(str(place)) as collection:
        line = topic_line(collection, name or only_topic(collection))
        taught, to_fetch = _pages(collection, line.name, urls, answer)
        if answer != "unsaid" and line.yes + line.no + line.waiting + len(taught) > MOST_LABELS:
            raise UsageError(f"a topic may have {MOST_LABELS:,} examples")
        if to_fetch and answer == _NO:
            raise UsageError(f"{to_fetch[0]} is not stored, so nobody knows what it says")
    running = give(place, taught)
    return Taught(
        line.name,
        len(urls) if answer == _YES else 0,
        len(urls) if answer == _NO else 0,
        to_fetch,
        [],
        running,
    )


def only_topic(collection: Collection) -> str:
    names = [line.name for line in topic_lines(collection)]
    if len(names) == 1:
        return names[0]
    if not names:
        raise UsageError("there is no topic yet: shoal topic make NAME --words WORDS")
    raise UsageError(f"say which topic is meant: --topic {' or '.join(names)}")


def remove(place: Place, name: str) -> bool:
    """Returns whether a crawl runs, and is told."""
    with open_collection(str(place)) as collection:
        name = topic_line(collection, name).name
    return give(place, [RemoveTopic(name)])


def _pages(
    collection: Collection, name: str, urls: Sequence[str], answer: Answer
) -> tuple[list[Command], list[str]]:
    taught, to_fetch = list[Command](), list[str]()
    for url in urls:
        page = collection.page(url)
        if answer == "unsaid":
            meant = collection.canonical(url) if page is None else page.url
            taught.append(Teach(name, meant, "unsaid"))
            continue
        if page is None:
            meant = named_url(url)
            to_fetch.append(meant)
            taught.append(Teach(name, meant, answer))
            continue
        if page.document.readers:
            raise UsageError(
                f"{url} is not for everyone to read, and a topic's words are shown to everyone, so "
                "it can't be an example"
            )
        text = example_part(page.text)
        if not text.strip() and not page.title:
            raise UsageError(f"{url} has no text, so there is nothing to learn from it")
        taught.append(Teach(name, page.url, answer, page.title, text))
    return taught, to_fetch


def _files(
    name: str, folders: Sequence[str | Path], converts: Converts
) -> tuple[list[Command], list[str]]:
    taught, left_out = list[Command](), list[str]()
    for folder, answer in zip(folders, (_YES, _NO), strict=False):
        for path in _files_below(Path(folder)):
            title, text = converts(path)
            if text.strip() or title:
                url = path.resolve().as_uri()
                taught.append(Teach(name, url, answer, title, example_part(text)))
            else:
                left_out.append(str(path))
    return taught, left_out


def _files_below(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    found = sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    if not found:
        raise UsageError(f"the folder {folder} has no files")
    if len(found) > _MOST_FILES:
        raise UsageError(f"the folder {folder} has {len(found):,} files; at most {_MOST_FILES}")
    return iter(found)
