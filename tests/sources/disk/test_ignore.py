"""Patterns as in a .gitignore."""

import pytest

from shoal.sources.disk.ignore import Rules, patterns_of


def ignores(lines: str, path: str, *, is_folder: bool = False) -> bool:
    rules = Rules(b"/r", tuple(patterns_of(lines.encode().splitlines())))
    return rules.ignores(b"/r/" + path.encode(), is_folder=is_folder)


@pytest.mark.parametrize(
    ("lines", "path", "wanted"),
    [
        ("*.tmp", "a.tmp", True),
        ("*.tmp", "b/c/a.tmp", True),
        ("*.tmp", "a.tmpx", False),
        ("/a", "a", True),
        ("/a", "b/a", False),
        ("b/a", "b/a", True),
        ("b/a", "c/b/a", False),
        ("**/b/a", "c/b/a", True),
        ("b/**", "b/x/y", True),
        ("b/**/a", "b/a", True),
        ("b/**/a", "b/x/y/a", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", False),
        ("[!a-c]x", "dx", True),
        ("# a remark", "# a remark", False),
        ("\\#a", "#a", True),
        ("*.log\n!keep.log", "keep.log", False),
        ("*.log\n!keep.log", "other.log", True),
        ("!keep.log\n*.log", "keep.log", True),
        ("a*b*c", "axxbyyc", True),
        ("a*b*c", "axxcyyb", False),
        ("*b*b", "abb", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "axb", False),
        ("", "a", False),
        ("[", "[", True),
        ("a ", "a", True),
    ],
)
def test_a_pattern(lines: str, path: str, wanted: bool) -> None:
    assert ignores(lines, path) is wanted


def test_a_slash_at_the_end_is_for_folders() -> None:
    assert ignores("a/", "b/a", is_folder=True)
    assert not ignores("a/", "b/a")


def test_a_directory_below_decides_before_those_above() -> None:
    above = Rules(b"/r", tuple(patterns_of([b"*.txt"])))
    below = Rules(b"/r/d", tuple(patterns_of([b"!a.txt"])), above)
    assert not below.ignores(b"/r/d/a.txt", is_folder=False)
    assert below.ignores(b"/r/d/b.txt", is_folder=False)


def test_no_pattern_takes_for_ever() -> None:
    rules = Rules(b"/r", tuple(patterns_of([b"*a" * 100 + b"b", b"**/" * 50 + b"x"])))
    assert not rules.ignores(b"/r/" + b"a" * 255, is_folder=False)
