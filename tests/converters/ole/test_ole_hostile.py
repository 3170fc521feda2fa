"""Every sample of these formats, cut at ten points and with bytes changed: no fault, no hang."""

import random
import time
from collections.abc import Callable

import pytest

from shoal.converters.context import Context, Converted
from shoal.converters.ole.doc import convert as doc
from shoal.converters.ole.doc_old import convert as word_2
from shoal.converters.ole.doc_old import convert_wordstar, convert_write
from shoal.converters.ole.document import convert as ole_document
from shoal.converters.ole.hwp import convert as hwp
from shoal.converters.ole.msg import convert as msg
from shoal.converters.ole.onenote import convert as onenote
from shoal.converters.ole.ppt import convert as ppt
from shoal.converters.ole.publisher import convert as publisher
from shoal.converters.ole.visio import convert as visio
from shoal.converters.ole.wordperfect import convert as wordperfect
from shoal.converters.ole.works import convert as works
from tests.converters.ole_parts import sample
from tests.converters.parts import context

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
