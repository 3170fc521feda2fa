"""Letters in pictures, by the real program where it is installed."""

import pytest

from shoal.converters.media import ocr
from shoal.worker.converting import Converter
from tests.converters.test_samples import SAMPLES

needs_tesseract = pytest.mark.skipif(
    not ocr.available(), reason="tesseract is not installed: recognition is not tested"
)


@needs_tesseract
@pytest.mark.parametrize("name", ["ocr-line.png", "ocr-scan.pdf"])
def test_letters_are_recognised_when_asked_for(name: str) -> None:
    path = SAMPLES / "ocr" / name
    with Converter(processes=1) as converter:
        assert "grouper" not in converter.convert(path).text
    with Converter(processes=1, ocr=True) as converter:
        found = converter.convert(path)
    assert "The grouper waits in line." in found.text
    assert not found.problem


def test_without_the_program_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with Converter(processes=1, ocr=True) as converter:
        found = converter.convert(SAMPLES / "ocr" / "ocr-line.png")
    assert "tesseract is not installed" in found.problem
