"""What was found? The answer to a search, as plain values for programs, pages and notebooks.

Everything that is shown of a result stands in it; nothing is read from the collection afterwards.
A list of results prints itself readably, and is iterated over like a list.
"""

from collections.abc import Iterator
from html import escape
from importlib import import_module
from typing import Any

from shoal.errors import UsageError
from shoal.model.record import Struct, to_builtins

Marked = list[tuple[str, bool]]
"""A text in pieces; True: these are words that were looked for."""


class SnippetPart(Struct):
    """One part of a score: what it is called, what it adds, and why, in words."""

    name: str
    value: float
    says: str = ""


class Result(Struct):
    """One page that was found, with all that is shown of it."""

    url: str
    title: str
    snippet: Marked
    """The piece of its text that shows the words looked for."""
    site: str
    media_type: str = ""
    language: str = ""
    fetched: str = ""
    """ISO 8601; empty when it is not known."""
    published: str = ""
    """ISO 8601; empty when it is not known."""
    score: float = 0.0
    alike: int = 0
    """How many near-duplicates it stands for."""
    more_from_site: int = 0
    """How many further results of its site were held back."""
    has_copy: bool = False
    """Whether a cached copy may be shown."""
    explanation: list[SnippetPart] | None = None

    @property
    def text(self) -> str:
        """The snippet without its marks."""
        return "".join(piece for piece, _ in self.snippet)

    def __repr__(self) -> str:
        return f"<Result {self.score:.2f} {self.url} {self.title!r}>"


class Results(Struct):
    """A page of results, the best first; iterated over and indexed like a list."""

    text: str
    """The query, as it was written."""
    notes: list[str]
    """What was not understood, in words."""
    total: int
    """How many documents match in all."""
    page: int
    """The first is 1."""
    results: list[Result]
    facets: dict[str, list[tuple[str, int]]] = {}
    """How many of all have which site, type, language and year, if that was asked for."""
    seconds: float = 0.0
    has_more: bool = False
    """Whether there is a further page."""
    behind: int = 0
    """How many changed documents wait for the index."""

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> Result:
        return self.results[index]

    @property
    def summary(self) -> str:
        """How much was found, in one line."""
        if not self.total:
            return f"Nothing was found for {self.text!r}"
        documents = "1 document" if self.total == 1 else f"{self.total:,} documents"
        page = f", page {self.page}" if self.page > 1 else ""
        return f"{documents} for {self.text!r}{page} ({self.seconds * 1000:.0f} ms)"

    def to_pandas(self) -> Any:
        """A table with a line for each result."""
        try:
            pandas = import_module("pandas")  # whoever wants it has it
        except ImportError:
            raise UsageError(
                "pandas is not installed; install it with: pip install pandas"
            ) from None
        names = [name for name in Result.__struct_fields__ if name != "explanation"]
        lines = [{**to_builtins(each), "snippet": each.text} for each in self.results]
        return pandas.DataFrame(lines, columns=names)

    def __repr__(self) -> str:
        lines = [self.summary, *self.notes]
        for number, each in enumerate(self.results, 1):
            lines += [f"{number:3}. {each.title or each.url}", f"     {each.url}"]
            lines += [f"     {each.text}"] if each.snippet else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        notes = "".join(f"<p><em>{escape(note)}</em></p>" for note in self.notes)
        items = "".join(_item(each) for each in self.results)
        return f"<p>{escape(self.summary)}</p>{notes}<ol>{items}</ol>"


def _item(result: Result) -> str:
    words = "".join(
        f"<mark>{escape(piece)}</mark>" if marked else escape(piece)
        for piece, marked in result.snippet
    )
    title, url = escape(result.title or result.url), escape(result.url)
    # A URL of another kind (javascript:) could run something where the notebook shows it.
    safe = result.url.startswith(("http://", "https://"))
    link = f'<a href="{url}">{title}</a>' if safe else title
    return f"<li>{link}<br><small>{url}</small><br>{words}</li>"
