"""`shoal clean`: a page without menus, advertisements and footers."""

from typing import Annotated, Literal

from shoal.cli.options import Dir, app, argument, option
from shoal.cli.terminal.output_forms import To, file_or_page, rendered

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
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import program
    from shoal.files.cleaning import clean as cleaned

    with file_or_page(page, given_dir) as source:
        found = cleaned(source, url, method=method)
    if found.problem:
        screen.remark(f"{page}: {found.problem}")
    if method == "model" and found.method == "dom":
        screen.remark(f"{page} is too odd for the model; read by its tags (--method dom).")
    if not found.kept and to != "json":
        command = "show --whole" if "://" in page else "convert"
        all_of_it = f"`{program()} {command} {page}` shows all of its text"
        screen.remark(f"Nothing of {page} is content; {all_of_it}.")
        return 1
    screen.data(rendered(found, to, {"page": page}))
    return 0
