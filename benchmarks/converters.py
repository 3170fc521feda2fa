"""Reads files with one library, for convert.py: a path a line in, a line of JSON out.

Run by path in the environment of that library, so nothing of the project is imported but for its
own reader. CPU is that of this process and of the processes it started.
"""

import json
import resource
import sys
from collections.abc import Callable


def shoal() -> Callable[[str], str]:
    from shoal.worker.converting import Converter  # noqa: PLC0415 - only here is it installed

    converter = Converter(processes=1).__enter__()

    def read(path: str) -> str:
        with open(path, "rb") as file:  # noqa: PTH123 - as the peers do it
            body = file.read()
        found = converter.convert(body, name=path.rpartition("/")[2])
        everything = [found, *found.inside]
        words = [word for each in everything for word in (each.title, each.name, each.text)]
        children[0] = converter.cpu_seconds
        return "\n".join(words)

    return read


def markitdown() -> Callable[[str], str]:
    from markitdown import MarkItDown  # type: ignore[import-not-found]  # noqa: PLC0415

    reader = MarkItDown()
    return lambda path: str(reader.convert(path).text_content)


def kreuzberg() -> Callable[[str], str]:
    from kreuzberg import extract_file_sync  # type: ignore[import-not-found]  # noqa: PLC0415

    return lambda path: str(extract_file_sync(path).content)


def extractous() -> Callable[[str], str]:
    from extractous import Extractor  # type: ignore[import-not-found]  # noqa: PLC0415

    reader = Extractor()
    return lambda path: str(reader.extract_file_to_string(path)[0])


children = [0.0]
"""CPU of child processes."""
READERS = {"shoal": shoal, "markitdown": markitdown, "kreuzberg": kreuzberg}
READERS["extractous"] = extractous


def cpu_seconds() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + children[0]


def main() -> None:
    read = READERS[sys.argv[1]]()
    print("ready", flush=True)
    for line in sys.stdin:
        before = cpu_seconds()
        answer: dict[str, object] = {"text": ""}
        try:
            answer["text"] = read(line.rstrip("\n"))
        except Exception as error:  # noqa: BLE001 - a peer's fault is a figure
            answer["fault"] = f"{type(error).__name__}: {error}"[:200]
        answer["cpu"] = cpu_seconds() - before
        print(json.dumps(answer, ensure_ascii=True), flush=True)


if __name__ == "__main__":
    main()
