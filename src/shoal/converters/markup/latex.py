"""What does a LaTeX file say? Its text, with sections, lists, tables; mathematics as it is written.

No macro is run: a command that is not known gives way to its arguments, which is what most commands
of a text show. What only sets things up (preamble, labels, lengths) is left out.
"""

import re

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.markup.front_matter import iso_date
from shoal.converters.markup.latex_tokens import LatexSource
from shoal.converters.markup.latex_writer import LatexWriter
from shoal.converters.writer import Writer

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*(?:\n[ \t]*)?")
_VERBATIM = re.compile(
    r"\\begin\{(verbatim\*?|lstlisting|minted|Verbatim|alltt|comment)\}(.*?)(?:\\end\{\1\}|\Z)",
    re.DOTALL,
)
_FACT = re.compile(r"\\(title|author|date|keywords|subject)\s*(?:\[[^\]]*\])?\s*\{")


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    text, codes = _uncommented(source.text.replace("\r\n", "\n"))
    facts = {
        found[1]: LatexSource(text, found.end() - 1).group()
        for found in _FACT.finditer(text[:200_000])
    }
    begin = text.find("\\begin{document}")
    end = text.find("\\end{document}", max(0, begin))
    content = text[begin + 16 if begin >= 0 else 0 : end if end >= 0 else len(text)]
    latex = LatexWriter(writer, codes)
    title = latex.plain(facts.get("title", ""))
    if title and "\\maketitle" in content:
        writer.heading(title, 1)
    latex.write(content)
    page = writer.page(title or writer.first_heading)
    page.author = ", ".join(
        latex.plain(name) for name in re.split(r"\\and\b", facts.get("author", "")) if name.strip()
    )
    page.published = iso_date(latex.plain(facts.get("date", "")))
    page.keywords = latex.plain(facts.get("keywords", ""))
    return decoded(page, source, writer.problem)


def _uncommented(text: str) -> tuple[str, list[str]]:
    """Without comments; what is verbatim is taken out first, and named by its number."""
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        if found[1] == "comment":
            return ""
        code = found[2]
        if found[1] in ("lstlisting", "minted", "Verbatim"):
            code = re.sub(r"\A\s*(?:\[[^\]]*\])?(?:\{[^}]*\})?", "", code)
        codes.append(code)
        return f"\n\n\\shoalcode{{{len(codes) - 1}}}\n\n"

    return _COMMENT.sub(r"\1", _VERBATIM.sub(keep, text)), codes
