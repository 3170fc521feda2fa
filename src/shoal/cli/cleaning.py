"""`shoal clean`: a page without menus, advertisements and footers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from shoal.cli.options import Dir, app, argument, option

if TYPE_CHECKING:
    from shoal.app.cleaned import Cleaned

To = Literal["text", "html", "markdown", "json"]
Method = Literal["model", "dom", "slope", "window", "visual"]


@app.command()
def clean(
    page: Annotated[str, argument("URL|FILE", "A stored page, or a file.")],
    method: Annotated[
        Method,
        option("--method", "model|dom|slope|window|visual", "How content is found (model)."),
    ] = "model",
    to: Annotated[
        To, option("--to", "text|html|markdown|json", "What to write (text unless said otherwise).")
    ] = "text",
    url: Annotated[
        str, option("--url", "URL", "Where a file is from; its links are resolved by that.")
    ] = "",
    given_dir: Dir = None,
) -> int:
    """Only the content of a page.

    JSON has all blocks of the page with their scores; what is content has one half and more.
    """
    from shoal.cli import screen

    found = _cleaned(page, url, method, given_dir)
    if found.problem:
        screen.remark(f"{page}: {found.problem}")
    if method == "model" and found.method == "dom":
        screen.remark(f"{page} is too odd for the model; read by its tags (--method dom).")
    if not found.kept and to != "json":
        all_of_it = "shoal show --whole" if "://" in page else "shoal convert"
        screen.remark(f"Nothing of {page} is content; `{all_of_it} {page}` shows all of its text.")
        return 1
    screen.data(_rendered(page, found, to))
    return 0


def _cleaned(name: str, url: str, method: Method, given_dir: str | None) -> "Cleaned":
    from shoal.app.cleaning import clean as cleaned
    from shoal.app.collection import Collection
    from shoal.app.layout import directory_of
    from shoal.cli.showing import stored
    from shoal.errors import UsageError

    if "://" not in name:
        path = Path(name)
        if not path.exists():
            raise UsageError(f"{name} is no file here, and no URL written in full")
        return cleaned(path, url, method=method)
    with Collection(directory_of(given_dir)) as collection:
        return cleaned(stored(collection, name), url, method=method)


def _rendered(name: str, found: "Cleaned", to: To) -> bytes:
    from shoal.model.record import to_json

    match to:
        case "html":
            return found.html.encode()
        case "markdown":
            return found.markdown.encode()
        case "json":
            return to_json({"page": name, **found.as_dict()}) + b"\n"
    return found.text.encode() + b"\n"
