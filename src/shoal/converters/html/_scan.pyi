from collections.abc import Collection

from shoal.converters.html.scan import Tag

class Scanner:
    def __init__(
        self,
        spaces: dict[str, str],
        keeps_lines: Collection[str],
        tags: Collection[str],
        attributes: Collection[str],
    ) -> None: ...
    def scan(
        self, html: str, max_tags: int, places: bytes = ..., /
    ) -> tuple[str, list[Tag], int, bytes]: ...
