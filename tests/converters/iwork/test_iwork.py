"""Pages, Numbers and Keynote: which form it is, styles, cells, and whatever hangs on the text."""

import io
import random
import zipfile
from pathlib import Path

from shoal.converters.iwork.iwa import unpack
from shoal.converters.iwork.iwork import convert
from shoal.converters.limits import Limits
from shoal.converters.zip import Package
from shoal.model.page import Tag
from tests.converters.parts import context

_SAMPLES = Path(__file__).parents[1] / "samples"


def _zip(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_bold_links_and_items_of_pages_09() -> None:
    (found,) = convert((_SAMPLES / "iwork-09.pages").read_bytes(), context())
    line = found.page.blocks[1]
    assert line.bold == [(7, 17)]
    assert line.links == [(30, 34, "https://reef.example/otter")]
    assert found.page.blocks[2].kind is Tag.ITEM


def test_places_count_utf_16_units() -> None:
    (found,) = convert((_SAMPLES / "iwork-2013.pages").read_bytes(), context())
    bird, site = found.page.blocks[1], found.page.blocks[7]
    ((start, end),) = bird.bold
    assert bird.text[start:end] == "plover"
    ((start, end, href),) = site.links
    assert (site.text[start:end], href) == ("site", "https://reef.example/birds")


def test_texts_of_the_templates_are_not_shown() -> None:
    for name in ("iwork-09.key", "iwork-2013.key"):
        (found,) = convert((_SAMPLES / name).read_bytes(), context())
        assert "Title Text" not in found.page.text


def test_ghost_text_is_not_shown() -> None:
    body = (
        b'<sl:document xmlns:sl="sl" xmlns:sf="sf"><sf:text-storage><sf:text-body><sf:p>'
        b"<sf:ghost-text>Type here</sf:ghost-text></sf:p><sf:p>fish</sf:p></sf:text-body>"
        b"</sf:text-storage></sl:document>"
    )
    (found,) = convert(_zip({"reef.pages/index.xml": body}), context())
    assert found.page.text == "fish"


def test_a_password_and_damage_are_said() -> None:
    assert convert(_zip({".iwpv2": b"", "Index.zip": b""}), context())[0].problem == "encrypted"
    assert convert(_zip({"x": b""}), context())[0].problem == "damaged: no index"
    assert convert(_zip({"index.xml": b"\0"}), context())[0].problem.startswith("damaged")
    assert convert(_zip({"Index/D.iwa": b"\0"}), context())[0].problem == "damaged: no objects"


def test_damaged_objects_never_raise() -> None:
    chance = random.Random(7)
    for name in ("iwork-2013.pages", "iwork-2013.numbers"):
        package = Package((_SAMPLES / name).read_bytes(), Limits())
        whole = {each: package.read(each) for each in package.names}
        for _ in range(60):
            members = dict(whole)
            for each in members:
                if each.endswith(".iwa"):
                    members[each] = _damaged(whole[each], chance)
            assert convert(_zip(members), context())


def _damaged(data: bytes, chance: random.Random) -> bytes:
    raw = bytearray(unpack(data, 1_000_000))
    for _ in range(3):
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    literals = b"".join(
        bytes([len(raw[at : at + 60]) - 1 << 2]) + raw[at : at + 60]
        for at in range(0, len(raw), 60)
    )
    return b"\0" + (len(literals) + 2).to_bytes(3, "little") + b"\xff\x7f" + literals
