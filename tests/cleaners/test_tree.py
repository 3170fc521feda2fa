"""The light tree: implied ends, stray ends, links, and limits on hostile sources."""

import time

import pytest

from shoal.cleaners.tree import MAX_DEPTH, MAX_ELEMENTS, Tree


def outline(html: str) -> str:
    """The tree as nested names, `name(child child)`, with the texts it holds in quotes."""
    tree = Tree(html)
    parts: dict[int, list[tuple[int, str]]] = {number: [] for number in range(len(tree))}
    for start, end, holder, linked in tree.texts:
        text = html[start:end].strip()
        parts[holder].append((start, f"@{text}" if linked else text))
    for number in range(len(tree) - 1, 0, -1):
        inner = " ".join(part for _, part in sorted(parts[number]))
        shown = f"{tree.names[number]}({inner})"
        parts[tree.parents[number]].append((tree.starts[number], shown))
    return " ".join(part for _, part in sorted(parts[0]))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<p>b<div>c</div>d", "p(a) p(b) div(c) d"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "ul(li(a) li(b ul(li(c))) li(d)) e"),
        ("<dl><dt>a<dd>b<dt>c</dl>d", "dl(dt(a) dd(b) dt(c)) d"),
        ("<table><tr><td>a<td>b<tr><th>c</table>d", "table(tr(td(a) td(b)) tr(th(c))) d"),
        (
            "<table><thead><tr><th>a<tbody><tr><td>b</table>",
            "table(thead(tr(th(a))) tbody(tr(td(b))))",
        ),
        (
            "<table><tr><td>a<table><tr><td>b</table>c<td>d</table>",
            "table(tr(td(a table(tr(td(b))) c) td(d)))",
        ),
        ("<select><option>a<option>b</select>c", "select(option(a) option(b)) c"),
        ("<div>a<br>b<img>c</div>d", "div(a b c) d"),
        ("a</div></p>b<div>c", "a b div(c)"),
        ("<div><table><tr><td>a</div>b</table>c</div>d", "div(table(tr(td(a b))) c) d"),
        ("<head><title>t</title><p>a", "head(title(t)) p(a)"),
        ("<head>a<p>b", "head() a p(b)"),
        ("<svg><path><path/></svg>a", "svg(path()) a"),
        ("<div><svg><g><p>a</div>b", "div(svg(g()) p(a)) b"),
        ("<b><div>a</b>b</div>c", "div(a b) c"),
        ("<div><a href=x>a</div><p>b</a>c<a name=y>d", "div(@a) p(@b c d)"),
        ("<table><tr><td><a href=x>a<td>b</table>", "table(tr(td(@a) td(b)))"),
        ("", ""),
        ("no tags < at all", "no tags < at all"),
    ],
)
def test_builds_the_tree_that_browsers_build(html: str, expected: str) -> None:
    assert outline(html) == expected


def test_elements_know_their_place_in_the_source() -> None:
    html = "x<ul class=a><li>one<li>two</ul>y"
    tree = Tree(html)
    sources = [html[tree.starts[n] : tree.ends[n]] for n in range(1, len(tree))]
    assert sources == ["<ul class=a><li>one<li>two</ul>", "<li>one", "<li>two"]
    assert html[tree.starts[1] : tree.tag_ends[1]] == "<ul class=a>"
    assert list(tree.children(0)) == [1]
    assert list(tree.children(1)) == [2, 3]
    assert tree.afters[1] == 4


def test_depth_is_bounded_and_what_is_deeper_is_kept_as_text() -> None:
    html = "<div>" * 5000 + "deep" + "</div>" * 5000 + "<p>after"
    tree = Tree(html)
    assert len(tree) == MAX_DEPTH + 1
    assert [html[start:end] for start, end, _, _ in tree.texts] == ["deep", "after"]
    assert tree.parents[tree.texts[1][2]] == 0


@pytest.mark.slow
def test_the_number_of_elements_is_bounded() -> None:
    tree = Tree("<p>x" * (MAX_ELEMENTS + 1000))
    assert len(tree) == MAX_ELEMENTS
    assert len(tree.texts) == MAX_ELEMENTS + 1000


@pytest.mark.parametrize(
    ("before", "unit"),
    [
        ("<ul>" + "<span>" * 500, "<li></li>"),
        ("<div><table><td>" + "<span>" * 500, "</div>"),
        ("<li><ul>" + "<span>" * 500, "<li>"),
        ("<table>", "<tr><td>"),
        ("<p>" + "<span>" * 500, "<hr>"),
    ],
)
def test_takes_linear_time_on_hostile_nesting(before: str, unit: str) -> None:
    def seconds(count: int) -> float:
        start = time.process_time()
        Tree(before + unit * count)
        return time.process_time() - start

    seconds(1000)
    # A quadratic reading would take 64 times as long, not 8 times.
    assert seconds(16_000) < 32 * max(seconds(2000), 0.002)
