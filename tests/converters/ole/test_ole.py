"""A compound file gives back its streams, and a broken one ends without a fault."""

import random
import struct
import time

import pytest

from shoal.converters.limits import Limits
from shoal.converters.ole.ole import MAGIC, Compound
from shoal.converters.ole.pack import extract, pack

STREAMS = {
    "Short": b"wrasse" * 5,
    "Reef/Long": bytes(range(256)) * 40,
    "Reef/Deep/Middle": b"goby" * 900,
    "Empty": b"",
}


def test_streams_come_back_whole_whatever_the_case_of_their_paths() -> None:
    compound = Compound(pack(STREAMS), Limits())
    assert compound.problem == ""
    assert compound.names == list(STREAMS)
    assert compound.storages == ["Reef", "Reef/Deep"]
    for path, data in STREAMS.items():
        assert compound.read(path.upper()) == data
        assert path.lower() in compound
    assert compound.read("Nowhere") == b""
    assert "Nowhere" not in compound


def test_a_storage_becomes_a_file_of_its_own() -> None:
    inner = Compound(extract(Compound(pack(STREAMS), Limits()), "reef"), Limits())
    assert inner.names == ["Long", "Deep/Middle"]
    assert inner.read("Deep/Middle") == STREAMS["Reef/Deep/Middle"]


def test_a_large_storage_becomes_a_file_too() -> None:
    streams = {"Reef/Huge": b"barrel sponge" * 600_000, "Reef/Small": b"goby"}
    inner = Compound(extract(Compound(pack(streams), Limits()), "Reef"), Limits())
    assert inner.problem == ""
    assert inner.read("Huge") == streams["Reef/Huge"]
    assert inner.read("Small") == b"goby"


def test_large_sectors() -> None:
    """Version 4: 4096 bytes a sector, the header among them."""
    data, size = b"anemone" * 2000, 4096
    fat = [0xFFFFFFFD, 0xFFFFFFFE, 3, 4, 5, 0xFFFFFFFE]
    root = "Root Entry".encode("utf-16-le")
    name = "Tank".encode("utf-16-le")
    entry = "<64sHBBIII36xIQ"
    none = 0xFFFFFFFF
    directory = struct.pack(entry, root, len(root) + 2, 5, 1, none, none, 1, 0xFFFFFFFE, 0)
    directory += struct.pack(entry, name, len(name) + 2, 2, 1, none, none, none, 2, len(data))
    head = MAGIC + bytes(16) + struct.pack("<HHHHH6xI", 0x3E, 4, 0xFFFE, 12, 6, 1)
    head += struct.pack("<8I", 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    head += struct.pack("<109I", 0, *[none] * 108)
    body = struct.pack(f"<{len(fat)}I", *fat).ljust(size, b"\xff")
    body = head.ljust(size, b"\0") + body + directory.ljust(size, b"\0") + data.ljust(4 * size)
    compound = Compound(body, Limits())
    assert compound.problem == ""
    assert compound.read("tank") == data


def test_a_circle_of_sectors_ends() -> None:
    data = bytearray(pack({"Long": b"x" * 20_000}))
    fat_at = 512 + 512 * struct.unpack_from("<I", data, 76)[0]
    struct.pack_into("<I", data, fat_at + 4 * 3, 0)  # the fourth sector leads back to the first
    compound = Compound(bytes(data), Limits())
    assert len(compound.read("Long")) == 20_000


def test_a_circle_in_the_directory_ends_and_is_told() -> None:
    data = bytearray(pack({"One": b"1", "Two": b"2"}))
    at = data.find("Two".encode("utf-16-le"))
    struct.pack_into("<I", data, at + 72, 1)
    compound = Compound(bytes(data), Limits())
    assert compound.problem.startswith("damaged")
    assert compound.read("One") == b"1"
    assert compound.read("Two") == b"2"


def test_streams_are_read_on_where_the_table_of_sectors_is_cut_off() -> None:
    whole = pack({"Long": b"sea fan " * 2000, "Tail": b"t" * 70_000})
    compound = Compound(whole, Limits())
    assert compound.read("Long") == b"sea fan " * 2000
    lost = bytearray(whole)
    fat_at = 512 + 512 * struct.unpack_from("<I", whole, 76)[0]
    del lost[fat_at:]
    compound = Compound(bytes(lost), Limits())
    assert compound.problem.startswith("damaged")
    assert compound.read("Long") == b"sea fan " * 2000


def test_what_one_file_gives_is_bounded_in_all() -> None:
    compound = Compound(pack({"Long": b"x" * 20_000}), Limits(unpacked_bytes=30_000))
    assert len(compound.read("Long")) == 20_000
    assert len(compound.read("Long")) == 10_000
    assert compound.read("Long") == b""


@pytest.mark.parametrize("body", [b"", b"\xd0\xcf", MAGIC + bytes(600), b"%PDF-1.4" * 100])
def test_other_files_are_no_compound_files(body: bytes) -> None:
    compound = Compound(body, Limits())
    assert compound.problem.startswith("damaged")
    assert compound.names == []


def test_mutations_neither_raise_nor_hang() -> None:
    whole = pack({**STREAMS, "Tail": b"t" * 30_000})
    dice = random.Random(4)
    began = time.process_time()
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(dice.randrange(1, 8)):
            data[dice.randrange(2048) if dice.random() < 0.5 else dice.randrange(len(data))] = (
                dice.randrange(256)
            )
        compound = Compound(bytes(data), Limits())
        for name in compound.names:
            assert len(compound.read(name)) <= len(data)
    assert time.process_time() - began < 10
