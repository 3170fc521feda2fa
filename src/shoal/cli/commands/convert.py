"""`shoal convert` and `shoal formats`: any file as clean tagged text."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from shoal.cli.options import Json, Quiet, app, argument, flag, option
from shoal.cli.terminal.output_forms import To, rendered

if TYPE_CHECKING:
    from shoal.worker.conversion import Conversion
    from shoal.worker.converting import Converter

_ENDINGS = {"html": ".html", "text": ".txt", "markdown": ".md", "json": ".json"}


@app.command()
def convert(
    files: Annotated[
        list[str],
        argument("FILE", "Files, or folders with all that is in them; - is standard input."),
    ],
    to: Annotated[
        To, option("--to", "html|text|markdown|json", "What to write (text unless said otherwise).")
    ] = "text",
    output: Annotated[
        str | None,
        option("--output", "DIR", "A folder to write to, a file for each file; else it is shown."),
    ] = None,
    media_type: Annotated[
        str, option("--type", "TYPE", "The media type, where bytes and name do not tell it.")
    ] = "",
    ocr: Annotated[
        bool, flag("--ocr", "Recognise letters in pictures and scans; needs tesseract, and time.")
    ] = False,
    quiet: Quiet = False,
) -> int:
    """What files say: text, HTML, Markdown or JSON out of any format.

    A document inside another one (a mail's attachment, a file in an archive) follows it. `shoal
    formats` lists what can be read here.
    """
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.worker.converting import Converter

    where = None if output is None else _folder(output)
    kind = _media_type(media_type)
    failed = empty = done = missing = 0
    with Converter(processes=1 if files == ["-"] else 0, ocr=ocr) as converter:
        for path, found in _conversions(
            converter, files, kind, without=where and where.resolve(), quiet=quiet
        ):
            if not found.media_type and found.problem:  # not there, or not to be opened
                missing += 1
                screen.remark(f"shoal: {found.problem}")
                continue
            done += 1
            empty += not found.text
            if found.problem:
                failed += not found.text
                screen.remark(f"{path}: {found.problem}")
            if where is None:
                _show(path, found, to, alone=len(files) == 1 and not Path(files[0]).is_dir())
            else:
                _write(where, path, found, to)
    if where is not None and not quiet:
        screen.remark(f"{count(done, 'file')} read and written to {where}, {empty} without text.")
    return 2 if missing else int(failed > 0)


@app.command()
def formats(json: Json = False) -> None:
    """What can be read on this machine, and by what."""
    from shoal.cli.terminal import screen
    from shoal.files.formats import readable

    rows = readable()
    if json:
        screen.json(rows)
        return
    screen.table(
        ("type", "files", "what", "read by"),
        [(each.id, each.extensions, each.name, each.engine) for each in rows],
    )
    missing = [each for each in rows if each.missing]
    screen.say(f"{len(rows) - len(missing)} file types.")
    for fix in sorted({each.missing for each in missing}):
        names = ", ".join(each.id for each in missing if each.missing == fix)
        screen.say(f"Not here: {names}. {fix}")


def _media_type(given: str) -> str:
    """A media type, or a type as `shoal formats` names it."""
    from shoal.errors import UsageError
    from shoal.files.formats import readable

    if not given or "/" in given:
        return given
    found = next((each for each in readable() if each.id == given.lower().lstrip(".")), None)
    if found is None:
        raise UsageError(f"--type {given} is no media type and none that `shoal formats` lists")
    return found.media_type


def _folder(name: str) -> Path:
    from shoal.errors import UsageError

    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {name} is no folder to write to: {error.strerror}") from error
    return folder


def _conversions(
    converter: "Converter", names: list[str], media_type: str, *, without: Path | None, quiet: bool
) -> "Iterator[tuple[Path, Conversion]]":
    from shoal.worker.converting import MAX_BYTES

    if "-" in names or media_type:
        for name in names:
            source = sys.stdin.buffer.read(MAX_BYTES + 1) if name == "-" else Path(name)
            yield Path(name), converter.convert(source, media_type=media_type)
        return
    paths = [path for name in names for path in _below(Path(name), without)]
    with _Progress(len(paths), quiet=quiet or len(paths) < 2 or not sys.stderr.isatty()) as line:
        for path, found in converter.convert_all(paths):
            line.step(path)
            yield path, found


def _below(path: Path, without: Path | None) -> Iterator[Path]:
    """All files of a folder, but for those that we write."""
    if not path.is_dir():
        yield path
        return
    for each in sorted(path.rglob("*")):
        is_ours = without is not None and each.resolve().is_relative_to(without)
        if each.is_file() and not each.is_symlink() and not is_ours:
            yield each


class _Progress:
    def __init__(self, total: int, *, quiet: bool) -> None:
        from shoal.cli.terminal.screen import LiveLine

        self._line = None if quiet else LiveLine()
        self._total = total
        self._done = 0

    def step(self, path: Path) -> None:
        self._done += 1
        if self._line is not None:
            self._line.draw([f"{self._done} of {self._total} files: {path}"])

    def __enter__(self) -> "_Progress":
        if self._line is not None:
            self._line.__enter__()
        return self

    def __exit__(self, *fault: object) -> None:
        if self._line is not None:
            self._line.__exit__(None, None, None)


def _show(path: Path, found: "Conversion", to: To, *, alone: bool) -> None:
    """Several texts are told apart by their names; JSON has one line for each document."""
    from shoal.cli.terminal import screen

    for each in (found, *found.inside):
        name = f"{path}: {each.name}" if each.name else str(path)
        if each.problem and each is not found:
            screen.remark(f"{name}: {each.problem}")
        if to != "json" and (not alone or found.inside):
            screen.say(f"==> {name} <==", strong=True)
        screen.data(rendered(each, to, {"file": str(path)}))


def _write(where: Path, path: Path, found: "Conversion", to: To) -> None:
    """Under the file's own path, so that equal names in two folders do not meet."""
    from shoal.whole_file import write_whole

    inner = [
        "up" if part == ".." else part for part in path.parts if part not in (path.anchor, ".")
    ]
    target = where.joinpath(*inner[:-1], inner[-1] + _ENDINGS[to])
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, rendered(found, to, {"file": str(path)}))
    for number, each in enumerate(found.inside, 1):
        folder = where.joinpath(*inner[:-1], inner[-1] + ".inside")
        folder.mkdir(exist_ok=True)
        safe = "".join(c if c.isalnum() or c in "._- " else "_" for c in each.name)[-80:]
        name = f"{number:04d}-{safe}{_ENDINGS[to]}"
        write_whole(folder / name, rendered(each, to, {"file": str(path)}))
