"""Files that mean harm: bombs, loops, entities, damage. One bad file costs no more than itself.

Everything here goes through the real thing: child processes with limits. What is asserted is that
the parent stands, that each file gets an answer in time, and that no child takes more memory than
it may. The slow suite is larger: ten thousand damaged files.
"""

import gzip
import io
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal.worker.converting import Converter

SAMPLES = Path(__file__).parent / "samples"
CUTS = 10


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter(processes=2) as opened:
        opened.convert(b"its processes start")
        yield opened


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members.items():
            package.writestr(name, data)
    return out.getvalue()


def laughs(root: str) -> bytes:
    """A billion of them, by entities of entities."""
    entities = "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' if n else '<!ENTITY l0 "ha ">' for n in range(12)
    )
    return f"<?xml version='1.0'?><!DOCTYPE x [{entities}]><{root}>&l11;</{root}>".encode()


def deep_word() -> bytes:
    document = b'<w:document xmlns:w="w"><w:body>' + b"<w:p>" * 200_000
    return zip_of({"[Content_Types].xml": b"<Types/>", "word/document.xml": document})


ZEROS = 100_000_000
BOMBS: dict[str, Callable[[], bytes]] = {
    "bomb.zip": lambda: zip_of({f"zeros{n}.txt": bytes(ZEROS) for n in range(3)}),
    "nested.zip": lambda: zip_of(
        {f"{n}.zip": zip_of({"a.txt": bytes(ZEROS // 10)}) for n in range(30)}
    ),
    "crowd.zip": lambda: zip_of({f"{n}.txt": b"fish" for n in range(5_000)}),
    "bomb.txt.gz": lambda: gzip.compress(bytes(3 * ZEROS), 1),
    "laughs.xml": lambda: laughs("x"),
    "laughs.svg": lambda: laughs("svg"),
    "laughs.fodt": lambda: laughs("office:document"),
    "quadratic.xml": (f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]><x>{"&a;" * 50_000}</x>'.encode),
    "deep.docx": deep_word,
    "deep.xml": lambda: b"<a>" * 300_000,
    "deep.json": lambda: b"[" * 300_000,
    "deep.html": lambda: b"<div>" * 300_000 + b"end",
    "deep.rtf": lambda: b"{\\rtf1 " + b"{" * 300_000 + b"end",
    "deep.md": lambda: b"> " * 50_000 + b"end",
    "brackets.md": lambda: b"[" * 50_000,
    "stars.md": lambda: b"*a " * 50_000,
    "backticks.md": lambda: b"a".join(b"`" * count for count in range(1, 7_000)),
    "wide.csv": lambda: b"a," * 1_000_000,
    "fields.eml": lambda: b"X: y\n" * 300_000 + b"From: a\n\nbody",
    "parts.eml": lambda: (
        b"From: a\nTo: b\nSubject: c\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\n\nx\n" * 50_000
    ),
    "braces.tex": lambda: b"\\a{" * 100_000,
    "loop.pdf": lambda: (
        b"%PDF-1.4\n1 0 obj<</Kids[1 0 R]/Type/Pages/Count 1000000>>endobj\n"
        b"2 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 2 0 R>>\n"
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_cut_and_costs_no_child(converter: Converter, name: str) -> None:
    deaths = converter.deaths
    found = converter.convert(BOMBS[name](), name=name)
    assert len(found.text) <= 5_000_000
    assert len(found.inside) <= 1_000
    assert converter.deaths == deaths, found.problem


def test_an_entity_is_never_another_file(converter: Converter, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the treasure")
    body = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]><x>here: &e;</x>'
    for name in ("x.xml", "x.svg", "x.fodt"):
        assert "treasure" not in converter.convert(body.encode(), name=name).text


def samples() -> list[Path]:
    files = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
    # LibreOffice takes seconds for a file: its samples (office-…) are left out.
    return [
        path
        for path in files
        if not path.name.startswith("office") and (path.parent != SAMPLES or path.suffix != ".json")
    ]


@pytest.mark.parametrize(
    "cuts", [(3, 7), pytest.param(tuple(range(CUTS)), marks=pytest.mark.slow)], ids=["two", "ten"]
)
def test_no_truncation_is_too_much(
    converter: Converter, tmp_path: Path, cuts: tuple[int, ...]
) -> None:
    """Of every sample: at two points of ten, or at all of them."""
    made = []
    for sample in samples():
        body = sample.read_bytes()
        for cut in cuts:
            path = tmp_path / f"{cut}-{sample.name}"
            path.write_bytes(body[: len(body) * cut // CUTS])
            made.append(path)
    deaths = converter.deaths
    answered = sum(1 for _ in converter.convert_all(made))
    assert answered == len(made)
    assert converter.deaths == deaths


@pytest.mark.slow
def test_ten_thousand_damaged_files(tmp_path: Path) -> None:
    chance = random.Random(2026)
    bodies = [(path.name, path.read_bytes()) for path in samples()]
    with Converter() as converter:
        for number in range(20):
            paths = []
            for each in range(500):
                name, body = chance.choice(bodies)
                path = tmp_path / f"{number}-{each}-{name}"
                path.write_bytes(_damaged(body, chance))
                paths.append(path)
            assert sum(1 for _ in converter.convert_all(paths)) == len(paths)
            for path in paths:
                path.unlink()
        assert converter.deaths <= 5


def _damaged(body: bytes, chance: random.Random) -> bytes:
    data = bytearray(body)
    for _ in range(chance.choice((1, 3, 10, 100))):
        if data:
            place = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[place] = chance.randrange(256)
                case 1:
                    data[place] ^= 1 << chance.randrange(8)
                case 2:
                    del data[place : place + chance.randrange(1, 20)]
                case _:
                    data[place:place] = chance.randbytes(chance.randrange(1, 20))
    return bytes(data)
