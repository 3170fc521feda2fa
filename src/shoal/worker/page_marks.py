"""What does a reader find out about a page, beside what it says? The classes that it is of.

The model is read where `shoal classes train` put it, and again when it has changed: no crawl has to
be started anew for it. A model that can't be read marks nothing; `shoal classes show` says why.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.errors import DamagedError
from shoal.layout.classes import ClassesPlace, unpacked
from shoal.learn.page_classes import PageClasses, page_parts
from shoal.model.compression import unzstd
from shoal.model.content import content_text
from shoal.model.document import Document
from shoal.model.words.marks import CLASS, Value, joined


class PageMarks:
    def __init__(self, directory: Path) -> None:
        self._place = ClassesPlace(directory)
        self._stamp = (0, 0)
        self._classes: PageClasses | None = None
        self._accept = 1.0

    @property
    def folder(self) -> Path:
        """Where it reads."""
        return self._place.folder

    def add_to(self, documents: Sequence[Document], url: str) -> None:
        self._refresh()
        if self._classes is None:
            return
        for document in documents:
            text = unzstd(document.text).decode() if document.text else ""
            content = content_text(text, document.line_scores) or text
            parts = page_parts(url, document.title, document.headings, content)
            found = self.of_parts(parts) if content else ""
            document.marks = [*document.marks, (CLASS, found)]

    def of_parts(self, parts: Mapping[str, str]) -> str:
        """The value of the mark: empty where no class is likely enough."""
        if self._classes is None:
            return ""
        return joined(Value(*each) for each in self._classes.classify(parts, self._accept))

    def load(self, data: bytes) -> None:
        """Raises DamagedError."""
        learned = unpacked(data)
        self._classes = PageClasses.from_bytes(learned.model)
        self._accept = learned.report.accept

    def _refresh(self) -> None:
        stamp = self._place.stamp()
        if stamp == self._stamp:
            return
        self._stamp, self._classes = stamp, None
        try:
            self.load(self._place.path.read_bytes())
        except (OSError, DamagedError):
            self._classes = None
