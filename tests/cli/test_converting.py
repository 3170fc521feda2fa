"""`shoal convert` and `shoal formats`: any file as clean text, and what can be read here."""

import io
import sys
import zipfile
from pathlib import Path

import pytest

from shoal.cli.main import run
from tests.cli.command import Done
from tests.cli.conftest import ReadReef

NOTES = "# Eels\n\nAn eel has **one** fin.\n\n1. catch\n2. release\n"
PAGE = "<html lang=en><title>Rays</title><h1>Rays</h1><p>A ray is <a href='/flat'>flat</a>."
CLOWNFISH = "http://www.reef.example/species/clownfish.html"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "eels.md").write_text(NOTES)
    (tmp_path / "rays.html").write_text(PAGE)
    return tmp_path


class Here:
    """The command line in this process, which starts sooner; its readers are real children."""

    def __init__(
        self, capture: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self._capture = capture
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Done:
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            run(arguments)
        written = self._capture.readouterr()
        assert isinstance(ended.value.code, int)
        return Done(ended.value.code, written.out, written.err.decode())

    def ok(self, *arguments: str, stdin: bytes = b"") -> Done:
        done = self(*arguments, stdin=stdin)
        assert done.code == 0, done.err
        return done

    def refuses(self, *arguments: str) -> str:
        done = self(*arguments)
        assert (done.code, done.out) == (2, b"")
        assert done.err.startswith("shoal: ")
        assert done.err.count("\n") == 1, done.err
        return done.err


@pytest.fixture
def here(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, files: Path
) -> Here:
    monkeypatch.chdir(files)
    for name, value in {"COLUMNS": "100", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    return Here(capfdbinary, monkeypatch)


def test_one_file(here: Here) -> None:
    done = here.ok("convert", "eels.md", "--to=markdown")
    assert done.text == NOTES
    assert done.err == ""


def test_several_files_as_json(here: Here, files: Path) -> None:
    first, second = here.ok("convert", "rays.html", "eels.md", "--to=json").json_lines
    assert (first["title"], first["media_type"], first["language"]) == ("Rays", "text/html", "en")
    assert (second["title"], second["media_type"]) == ("Eels", "text/markdown")
    assert [block["kind"] for block in second["blocks"]] == ["h", "p", "ol", "ol"]


def test_several_files_as_text_are_told_apart(here: Here, files: Path) -> None:
    assert here.ok("convert", "eels.md", "rays.html").lines == [
        "==> eels.md <==",
        *["Eels", "An eel has one fin.", "1. catch", "2. release"],
        "==> rays.html <==",
        *["Rays", "A ray is flat."],
    ]


def test_a_folder_into_a_folder(here: Here, files: Path) -> None:
    inner = files / "papers" / "old"
    inner.mkdir(parents=True)
    (files / "papers" / "eels.md").write_text(NOTES)
    (inner / "eels.md").write_text("Older eels.")
    with zipfile.ZipFile(inner / "all.zip", "w") as archive:
        archive.writestr("sub/../../rays.html", PAGE)
    done = here.ok("convert", "papers", "--output=out", "--to=html")
    assert done.out == b""
    assert "3 files read and written to out, 0 without text" in done.err
    written = sorted(
        str(path.relative_to(files / "out"))
        for path in (files / "out").rglob("*")
        if path.is_file()
    )
    member = next(name for name in written if ".inside/" in name)
    assert written == [
        "papers/eels.md.html",
        "papers/old/all.zip.html",
        member,
        "papers/old/eels.md.html",
    ]
    assert member.startswith("papers/old/all.zip.inside/0001-")
    assert "<h1>Rays</h1>" in (files / "out" / member).read_text()
    assert "Older eels." in (files / "out/papers/old/eels.md.html").read_text()


def test_standard_input(here: Here) -> None:
    done = here("convert", "-", "--type=text/markdown", "--to=html", stdin=NOTES.encode())
    assert (done.code, done.err) == (0, "")
    assert done.text.startswith("<!doctype html>\n")
    assert "<h1>Eels</h1>\n<p>An eel has <b>one</b> fin.</p>\n<ol>" in done.text
    assert here("convert", "-", stdin=PAGE.encode()).lines == ["Rays", "A ray is flat."]


def test_members_follow_their_archive(here: Here) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("rays.html", PAGE)
    lines = here("convert", "-", stdin=file.getvalue()).lines
    assert "==> -: rays.html <==" in lines
    assert lines[-1] == "A ray is flat."


def test_what_is_not_there(here: Here, files: Path) -> None:
    assert "none.pdf" in here.refuses("convert", "none.pdf")
    assert "none.pdf" in here.refuses("convert", "none.pdf", "--type=application/pdf")
    assert "eels.md" in here.refuses("convert", "rays.html", "--output=eels.md")
    assert "--to" in here.refuses("convert", "eels.md", "--to=latin")


def test_a_file_without_text_is_said_in_one_sentence(here: Here, files: Path) -> None:
    (files / "noise.bin").write_bytes(bytes(range(256)) * 4)
    done = here("convert", "noise.bin", "eels.md")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert done.err.startswith("noise.bin: no converter for application/octet-stream")
    assert "An eel has one fin." in done.lines


def test_the_formats(here: Here) -> None:
    found = here.ok("formats", "--json").json
    assert len(found) >= 100
    assert len({each["id"] for each in found}) == len(found)
    by_id = {each["id"]: each for each in found}
    assert by_id["docx"]["extensions"].split()[0] == ".docx"
    assert by_id["pdf"]["media_type"] == "application/pdf"
    assert all(each["engine"] for each in found)
    shown = here.ok("formats").text
    missing = [each for each in found if each.get("missing")]
    assert f"{len(found) - len(missing)} file types." in shown
    assert all(each["id"] in shown for each in found)


def test_the_cached_copy_of_a_stored_page(read: ReadReef) -> None:
    copy = read("show", CLOWNFISH, "--html").text
    assert copy.startswith("<!doctype html>")
    assert "<h1>" in copy
    assert "<script" not in copy
    assert read("show", CLOWNFISH, "--markdown").text.count("\n# ") == 1
