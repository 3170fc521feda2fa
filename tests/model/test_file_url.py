"""What is a file called by people?"""

import pytest

from shoal.model.urls.file_url import file_url, shown_name


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (file_url("/disk/Ausflüge 2026/März.txt".encode()), "März.txt"),
        (file_url(b"/disk/\xff"), "\ufffd"),
        (file_url(b"/disk/box.zip") + "#a%20b.txt", "a b.txt"),
        ("mail://box/id#axolotl.txt", "axolotl.txt"),
        ("mail://box/id", ""),
        ("https://example.org/a.html#b", ""),
    ],
)
def test_shown_names(url: str, name: str) -> None:
    assert shown_name(url) == name
