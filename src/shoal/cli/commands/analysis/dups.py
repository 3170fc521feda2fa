"""`shoal dups`: what a collection, or any folder, says twice."""

from dataclasses import dataclass, fields
from typing import Annotated, Literal

from shoal.cli.options import Dir, Json, Ray, app, flag, option
from shoal.errors import UsageError

Method = Literal["default", "simhash", "fingerprints"]

DEFAULT_LIMIT = 20
_COMPARED = ("--pairs", "--resemblance", "--method", "--bits", "--differing")
_BELONGS_TO = {
    "--scan": ("--of",),
    "--address": ("--all",),
    **dict.fromkeys(_COMPARED, ("--all", "--files")),
    **dict.fromkeys(("--texts", "--truth", "--svg", "--png"), ("--accuracy",)),
}


@dataclass(frozen=True)
class Asked:
    """What was written on the command line; a field is named as its flag is."""

    diff: tuple[str, str] | None
    of: str | None
    all: bool
    sites: bool
    files: str | None
    accuracy: bool
    rebuild: bool
    scan: bool
    pairs: bool
    resemblance: float | None
    method: Method | None
    bits: int | None
    differing: int | None
    texts: str | None
    truth: str | None
    svg: str | None
    png: str | None
    limit: int | None
    address: str
    given_dir: str | None
    json: bool

    @property
    def mode(self) -> str:
        """The one flag that says what to do; without one, the groups."""
        modes = ("diff", "of", "all", "sites", "accuracy", "rebuild", "files")
        given = [f"--{name}" for name in modes if getattr(self, name) not in (None, False)]
        if given == ["--accuracy", "--files"]:
            given.pop()  # there it says whose texts are meant
        if len(given) > 1:
            raise UsageError(f"ask for one at a time: {' or '.join(given)}")
        return given[0] if given else ""

    @property
    def at_most(self) -> int | None:
        """How many are shown; a program gets all that it does not ask to be cut."""
        return DEFAULT_LIMIT if self.limit is None and not self.json else self.limit

    @property
    def noun(self) -> str:
        """What is compared."""
        return "page" if self.files is None else "file"

    def check(self) -> None:
        mode = self.mode
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, modes in _BELONGS_TO.items():
            if values[name[2:]] not in (None, False, "") and mode not in modes:
                raise UsageError(f"{name} says something only with {' or '.join(modes)}")
        if self.limit is not None and self.limit < 1:
            raise UsageError("--limit must be 1 or more")
        if self.limit is not None and mode in ("--rebuild", "--accuracy"):
            raise UsageError(f"--limit says nothing with {mode}")
        for name, given in (("--of", (self.of,)), ("--diff", self.diff or ())):
            if any(each is not None and not each.strip() for each in given):
                raise UsageError(f"{name} needs a URL or the name of a file; this one is empty")
        if self.method != "simhash" and (self.bits is not None or self.differing is not None):
            raise UsageError("--bits and --differing say something only with --method simhash")
        if self.method == "simhash" and self.resemblance is not None:
            raise UsageError("simhashes are compared by --differing, not by --resemblance")
        if self.texts is not None and self.files is not None:
            raise UsageError("name the texts once: --texts or --files")
        if self.truth is not None and self.texts is None:
            raise UsageError("--truth names the ids of texts; it needs --texts")


@app.command()
def dups(
    diff: Annotated[
        tuple[str, str] | None,
        option("--diff", "URL|FILE URL|FILE", "Where two pages or files differ, word by word."),
    ] = None,
    of: Annotated[
        str | None, option("--of", "URL|FILE", "What is near a page or file, most alike first.")
    ] = None,
    scan: Annotated[
        bool, flag("--scan", "With --of: compare with every stored text, by its words (cosine).")
    ] = False,
    everything: Annotated[
        bool, flag("--all", "Compare all stored pages anew, each with all others.")
    ] = False,
    pairs: Annotated[
        bool, flag("--pairs", "With --all or --files: pairs instead of groups.")
    ] = False,
    resemblance: Annotated[
        float | None,
        option("--resemblance", "SHARE", "Of their runs of words that both have, at least (0.65)."),
    ] = None,
    method: Annotated[
        Method | None,
        option("--method", "default|simhash|fingerprints", "What pages are compared by."),
    ] = None,
    bits: Annotated[
        int | None, option("--bits", "64|128|256|384", "Size of a simhash (64).")
    ] = None,
    differing: Annotated[
        int | None,
        option("--differing", "N", "Bits of near simhashes that differ, at most (3 of 64)."),
    ] = None,
    sites: Annotated[bool, flag("--sites", "Mirrors, and parts of URLs that say nothing.")] = False,
    files: Annotated[
        str | None, option("--files", "FOLDER", "The files of a folder, without a collection.")
    ] = None,
    accuracy: Annotated[
        bool, flag("--accuracy", "How much fingerprints of which size find, with a plot.")
    ] = False,
    texts: Annotated[
        str | None, option("--texts", "FILE", "With --accuracy: JSON lines with id and text.")
    ] = None,
    truth: Annotated[
        str | None, option("--truth", "FILE", 'Their near-duplicates: {"pairs": [[id, id], …]}.')
    ] = None,
    svg: Annotated[str | None, option("--svg", "FILE", "Draw the plot into an SVG file.")] = None,
    png: Annotated[str | None, option("--png", "FILE", "Draw the plot into a PNG file.")] = None,
    rebuild: Annotated[
        bool, flag("--rebuild", "Make the groups anew from the stored texts.")
    ] = False,
    limit: Annotated[
        int | None, option("--limit", "N", "Show at most so many (20; with --json all).")
    ] = None,
    address: Ray = "",
    given_dir: Dir = None,
    json: Json = False,
) -> int:
    """What says nearly the same: groups of near-duplicates.

    As the crawl grouped them, the largest first, unless another flag says what to do.
    """
    asked = Asked(
        all=everything,
        diff=diff,
        of=of,
        scan=scan,
        pairs=pairs,
        resemblance=resemblance,
        method=method,
        bits=bits,
        differing=differing,
        sites=sites,
        files=files,
        accuracy=accuracy,
        texts=texts,
        truth=truth,
        svg=svg,
        png=png,
        rebuild=rebuild,
        limit=limit,
        address=address,
        given_dir=given_dir,
        json=json,
    )
    asked.check()
    from shoal.cli.terminal import dups_report as dups_done

    return dups_done.done(asked)
