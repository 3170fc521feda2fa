"""Every sample of these formats, cut at ten points and with bytes changed: no fault, no hang."""

import random
import time
from collections.abc import Callable

import pytest

from shoal.convert.context import Context, Converted
from shoal.convert.ole.doc import convert as doc
from shoal.convert.ole.doc_old import convert as word_2
from shoal.convert.ole.doc_old import convert_wordstar, convert_write
from shoal.convert.ole.document import convert as ole_document
from shoal.convert.ole.hwp import convert as hwp
from shoal.convert.ole.msg import convert as msg
from shoal.convert.ole.onenote import convert as onenote
from shoal.convert.ole.ppt import convert as ppt
from shoal.convert.ole.publisher import convert as publisher
from shoal.convert.ole.visio import convert as visio
from shoal.convert.ole.wordperfect import convert as wordperfect
from shoal.convert.ole.works import convert as works
from tests.convert.ole_parts import sample
from tests.convert.parts import context

CONVERTERS: dict[str, Callable[[bytes, Context], list[Converted]]] = {
    "ole-reef.doc": doc,
    "ole-word95.doc": doc,
    "ole-word2.doc": word_2,
    "ole-pool.wri": convert_write,
    "ole-tang.ws": convert_wordstar,
    "ole-night.ppt": ppt,
    "ole-letter.msg": msg,
    "ole-section.one": onenote,
    "ole-server.one": onenote,
    "ole-notes.wpd": wordperfect,
    "ole-older.wpd": wordperfect,
    "ole-map.vsd": visio,
    "ole-openday.pub": publisher,
    "ole-tanks.wps": works,
    "ole-coral.hwp": hwp,
    "ole-season.mpp": ole_document,
}


@pytest.mark.parametrize("name", CONVERTERS)
def test_a_damaged_file_costs_no_more_than_itself(name: str) -> None:
    convert, whole = CONVERTERS[name], sample(name)
    dice = random.Random(name)
    began = time.process_time()
    for part in range(10):
        assert convert(whole[: len(whole) * part // 10], context())
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(dice.choice((1, 3, 20))):
            data[dice.randrange(len(data))] = dice.randrange(256)
        assert convert(bytes(data), context())
    assert time.process_time() - began < 20
