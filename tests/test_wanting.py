"""Does ./check say for want of what tests were skipped?"""

import pytest

from tests.wanting import counted, wanting


@pytest.mark.parametrize(
    ("reason", "want"),
    [
        ("no ir/cran under SHOAL_DATA", "SHOAL_DATA"),
        ("needs playwright (pip install 'shoal[js]') and Chromium on the PATH", "Chromium"),
        ("needs playwright: pip install 'shoal[js]'", "playwright"),
        ("not compiled: no C compiler when Shoal was installed", "a C compiler"),
        ("could not import 'shoal.index._stems': No module", "a C compiler"),
        ("nginx's echo module is not installed", "nginx's echo module"),
        ("root may write everywhere", "a user other than root"),
        ("needs the command cksum", "the command cksum"),
        ("compress is not installed", "compress"),
        ("LibreOffice is not installed: the formats it reads are not tested", "LibreOffice"),
        ("PyYAML is not installed; the extra `ray` brings it", "PyYAML"),
    ],
)
def test_a_reason_says_what_was_wanting(reason: str, want: str) -> None:
    assert wanting(reason) == want


def test_the_most_common_comes_first() -> None:
    reasons = ["lz4 is not installed", "compress is not installed", "compress is not installed"]
    assert counted(reasons) == "skipped for want of: compress 2, lz4 1"
    assert counted([]) == "nothing was skipped"
