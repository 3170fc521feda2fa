class Model:
    def __init__(self, data: bytes, /) -> None: ...
    def content(self, html: str, /) -> tuple[bytes, bytes, bytes]: ...

def outline(
    html: str,
    lexicon: bytes | None = ...,
    buckets: bool = ...,
    /,
) -> tuple[bytes, bytes, list[str], list[tuple[list[int], list[int]]]]: ...
