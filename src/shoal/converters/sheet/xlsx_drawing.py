"""What floats above the cells of a sheet? Text boxes, charts, pictures, diagrams, comments.

Drawings are DrawingML; form controls and the oldest text boxes are VML (`legacyDrawing`), which
newer files repeat for comments. Of what is written twice (`AlternateContent`) the first is taken.
"""

from collections.abc import Container

from shoal.converters.sheet.sheet import Sheet
from shoal.converters.sheet.xlsx_package import Parts
from shoal.converters.sheet.xlsx_styles import rich_text
from shoal.converters.writer import Run
from shoal.converters.xml import Element, all_text, attribute, local, named


def add_drawings(parts: Parts, sheet_part: str, sheet: Sheet, known: Container[str]) -> None:
    """`known` are the texts of cells, which a chart need not say again."""
    for name in parts.targets(sheet_part, "drawing"):
        root = parts.tree(name)
        if root is None:
            continue
        add_shapes(root, sheet)
        for chart in parts.targets(name, "chart", "chartEx"):
            _add_chart(parts, chart, sheet, known)
        for diagram in parts.targets(name, "diagramData"):
            tree = parts.tree(diagram)
            if tree is not None:
                add_shapes(tree, sheet)
    for name in parts.targets(sheet_part, "vmlDrawing"):
        root = parts.tree(name)
        if root is not None:
            _add_vml(root, sheet)


def add_threads(parts: Parts, sheet_part: str, sheet: Sheet) -> None:
    for name in parts.targets(sheet_part, "threadedComment"):
        root = parts.tree(name)
        for comment in named(root, "threadedComment") if root is not None else ():
            text = next((all_text(each) for each in named(comment, "text")), "")
            sheet.notes.append(text)


def add_comments(parts: Parts, sheet_part: str, sheet: Sheet) -> None:
    add_threads(parts, sheet_part, sheet)
    threaded = bool(sheet.notes)
    for name in parts.targets(sheet_part, "comments"):
        root = parts.tree(name)
        if root is None:
            continue
        authors = [all_text(each) for each in named(root, "author")]
        for comment in named(root, "comment"):
            number = attribute(comment, "authorId")
            author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
            if threaded and author.startswith("tc="):
                continue  # says only that a newer program is needed to see the thread
            for content in comment.iterchildren("{*}text"):
                inline = rich_text(content)
                shown = inline if isinstance(inline, str) else "".join(r.text for r in inline)
                sheet.notes.append(shown)


def add_shapes(root: Element, sheet: Sheet) -> None:
    """Paragraphs of shapes, and what pictures show in words."""
    for element in root.iter("{*}txBody", "{*}t", "{*}cNvPr"):
        name = local(element)
        if _is_repeated(element):
            continue
        if name == "cNvPr":
            if attribute(element, "descr"):
                sheet.captions.append(attribute(element, "descr"))
        elif name == "txBody" or _holds_paragraphs(element):
            for paragraph in element.iterchildren("{*}p"):
                runs = _runs(paragraph)
                if runs:
                    sheet.boxes.append(runs)


def _add_chart(parts: Parts, name: str, sheet: Sheet, known: Container[str]) -> None:
    root = parts.tree(name)
    if root is None:
        return
    for title in named(root, "title"):
        text = " ".join(
            "".join(run.text for run in _runs(paragraph)) for paragraph in named(title, "p")
        ) or " ".join(all_text(value) for value in named(title, "v"))
        sheet.captions.append(text)
    labels: dict[str, None] = {}
    for cache in named(root, "strCache", "strDim"):
        for value in cache.iter("{*}v", "{*}pt"):
            text = (value.text or "").strip()
            if text and text not in known and next(value.iterancestors("{*}title"), None) is None:
                labels[text] = None
    sheet.captions.append(", ".join(labels))
    for drawing in parts.targets(name, "chartUserShapes"):
        tree = parts.tree(drawing)
        if tree is not None:
            add_shapes(tree, sheet)


def _runs(paragraph: Element) -> tuple[Run, ...]:
    runs: list[Run] = []
    for child in paragraph:
        name = local(child)
        if name == "br":
            runs.append(Run("\n"))
        elif name in {"r", "fld"}:
            text = "".join(all_text(t) for t in child.iterchildren("{*}t"))
            bold = any(
                attribute(look, "b") in {"1", "true"} for look in child.iterchildren("{*}rPr")
            )
            runs.append(Run(text, bold))
    return tuple(runs)


def _holds_paragraphs(element: Element) -> bool:
    """A diagram's `t` is a body; a run's `t` is text."""
    return next(element.iterchildren("{*}p"), None) is not None


def _is_repeated(element: Element) -> bool:
    return next(element.iterancestors("{*}Fallback"), None) is not None


def _add_vml(root: Element, sheet: Sheet) -> None:
    for box in named(root, "textbox"):
        shape = box.getparent()
        kinds = shape.iterchildren("{*}ClientData") if shape is not None else ()
        if any(attribute(data, "ObjectType") == "Note" for data in kinds):
            continue
        if next(box.iterancestors("{*}textbox"), None) is None:
            sheet.boxes.append(" ".join(piece.strip() for piece in map(str, box.itertext())))
