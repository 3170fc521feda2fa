"""LaTeX: characters, sections, lists, tables, mathematics as written, and nesting without end."""

import time

import pytest

from shoal.converters.markup import latex
from tests.converters.text_samples import blocks_of, bold_of, run


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\'e \`{a} \"o \c{c} \v{s} \^{\i} \ss{} \o re", "é à ö ç š î ß øre"),
        (r"``q'' a--b---c~d \& \% \$5 \dots", "“q” a–b—c d & % $5 …"),
        ("a % gone\n  b 5\\% c", "a b 5% c"),
        (r"energy $E = mc^2$ and \(a_1\)", "energy E = mc^2 and a_1"),
        (r"see \cite[p.~3]{x} \ref{y}\label{z}\unknown{shown}", "see shown"),
        (r"\verb|a{b| \url{http://x.example/a_b}", "a{b http://x.example/a_b"),
    ],
)
def test_characters_and_commands(source: str, text: str) -> None:
    assert run(latex.convert, source).page.text == text


def test_document() -> None:
    source = r"""\documentclass{article}\title{Reef \emph{notes}}\author{Mara Kelp \and J. Eel}
\begin{document}\maketitle
\section*{Fish} Some \textbf{bold \textit{text}}.\footnote{A note.}
\begin{enumerate}\item one \begin{itemize}\item in\end{itemize} \item two\end{enumerate}
\begin{description}\item[eel] long\end{description}
\begin{quote}Said.\end{quote}
\begin{verbatim}
x % y
\end{verbatim}
\begin{table}\caption{Counts}\begin{tabular}{l|r}A & B \\ \hline 1 & 2\\\end{tabular}\end{table}
\begin{equation}a = b\end{equation}
\end{document} after"""
    assert blocks_of(latex.convert, source) == [
        ("h", 1, "", "Reef notes"),
        ("h", 2, "", "Fish"),
        ("p", 0, "", "Some bold text."),
        ("aside", 0, "", "A note."),
        ("ol", 1, "1.", "one"),
        ("li", 2, "", "in"),
        ("ol", 1, "2.", "two"),
        ("dt", 0, "", "eel"),
        ("dd", 0, "", "long"),
        ("quote", 0, "", "Said."),
        ("pre", 0, "", "x % y"),
        ("caption", 0, "", "Counts"),
        ("table", 1, "", "A\tB\n1\t2"),
        ("p", 0, "", "a = b"),
    ]
    page = run(latex.convert, source).page
    assert (page.title, page.author) == ("Reef notes", "Mara Kelp, J. Eel")
    assert bold_of(page.blocks[2]) == ["bold text"]


@pytest.mark.parametrize("unit", [r"\textbf{", r"\begin{itemize}\item ", "{", "$", r"\footnote{"])
def test_nesting_without_end(unit: str) -> None:
    began = time.process_time()
    run(latex.convert, unit * 5000 + "x")
    run(latex.convert, unit * 2000 + "x" + "}" * 2000)
    assert time.process_time() - began < 8
