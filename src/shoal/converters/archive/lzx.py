"""How does LZX unpack? The compression of Windows' help files and of many cabinets (MS-PATCH).

A bit stream of 16-bit words: blocks with their own Huffman trees, whose lengths are told as changes
to the last ones, and matches that may repeat one of the last three offsets. Output comes in frames
of 32 KiB, at whose ends the stream is aligned. The translation of calls in programs is not undone:
it changes no text. A fault ends the output; what came before it is kept.
"""

from typing import NamedTuple

FRAME = 32_768
_SLOTS = {15: 30, 16: 32, 17: 34, 18: 36, 19: 38, 20: 42, 21: 50}
_EXTRA_BITS = [0, 0, *(min(17, slot // 2 - 1) for slot in range(2, 51))]
_BASES = [sum(1 << bits for bits in _EXTRA_BITS[:slot]) for slot in range(51)]
_VERBATIM, _ALIGNED, _PLAIN = 1, 2, 3
_LENGTHS = 249
_REFILL_BYTES = 32
_MAX_PADDING_BYTES = 64
"""Zeros that may be read behind the end, where the last words were cut off."""


_MIN_BLOCKS, _MIN_BLOCK_BYTES = 8, 512


class LzxError(Exception):
    pass


class _Tree(NamedTuple):
    table: list[int]
    """Symbol and length of a code, by as many bits as the longest has."""
    bits: int


def _tree(lengths: list[int]) -> _Tree:
    """Canonical codes: shorter ones first, then by symbol."""
    longest = max(lengths, default=0)
    table: list[int] = []
    for symbol in sorted(range(len(lengths)), key=lengths.__getitem__):
        length = lengths[symbol]
        if length:
            table.extend([symbol << 5 | length] * (1 << longest - length))
            if len(table) > 1 << longest:
                raise LzxError
    table.extend([0] * ((1 << longest) - len(table)))
    return _Tree(table, longest)


class _Bits:
    def __init__(self, data: bytes) -> None:
        swapped = bytearray(data + b"\0" * (len(data) & 1))
        swapped[0::2], swapped[1::2] = swapped[1::2], swapped[0::2]
        self._data = bytes(swapped)
        self._position = 0
        self.buffer = 0
        self.count = 0

    def fill(self) -> None:
        chunk = self._data[self._position : self._position + _REFILL_BYTES]
        if self._position > len(self._data) + _MAX_PADDING_BYTES:
            raise LzxError
        self._position += _REFILL_BYTES
        chunk = chunk.ljust(_REFILL_BYTES, b"\0")
        self.buffer = (self.buffer & (1 << self.count) - 1) << 8 * _REFILL_BYTES | int.from_bytes(
            chunk
        )
        self.count += 8 * _REFILL_BYTES

    def take(self, count: int) -> int:
        if self.count < count:
            self.fill()
        self.count -= count
        return self.buffer >> self.count & (1 << count) - 1

    def symbol(self, tree: _Tree) -> int:
        if self.count < tree.bits:
            self.fill()
        entry = tree.table[self.buffer >> self.count - tree.bits & (1 << tree.bits) - 1]
        if not entry:
            raise LzxError
        self.count -= entry & 31
        return entry >> 5

    def align(self) -> None:
        """To the next word; what is buffered is a whole number of words."""
        self.count -= self.count % 16

    def raw(self, size: int) -> bytes:
        """Bytes as they stand in the stream, behind the words that are used."""
        start = min(self._position - self.count // 8, len(self._data))
        words = bytearray(self._data[start : start + size + (size & 1)])
        if len(words) < size:
            raise LzxError
        words[0::2], words[1::2] = words[1::2], words[0::2]
        self._position, self.buffer, self.count = start + size + (size & 1), 0, 0
        return bytes(words[:size])


class _Decoder:
    def __init__(self, data: bytes, window_bits: int) -> None:
        self._bits = _Bits(data)
        self._window = 1 << window_bits
        self._main_lengths = [0] * (256 + 8 * _SLOTS[window_bits])
        self._length_lengths = [0] * _LENGTHS
        self._main = self._length = self._aligned = _Tree([0], 0)
        self._kind = 0
        self._left = 0
        self._blocks = 0
        self._offsets = (1, 1, 1)
        if self._bits.take(1):  # calls in programs were translated: their file's size
            self._bits.take(32)

    def frame(self, output: bytearray, floor: int, size: int) -> None:
        """The next frame; `floor` is where the decoder's own output begins."""
        end = len(output) + size
        while len(output) < end:
            if self._left == 0:
                self._blocks += 1
                if self._blocks > _MIN_BLOCKS + (len(output) - floor) // _MIN_BLOCK_BYTES:
                    raise LzxError  # trees and no text: only to keep us busy
                self._block()
            before = len(output)
            stop = min(end, before + self._left)
            if self._kind == _PLAIN:
                output += self._bits.raw(stop - before)
            else:
                self._matches(output, floor, stop)
            self._left = max(0, self._left - (len(output) - before))
        self._bits.align()

    def _block(self) -> None:
        bits = self._bits
        self._kind, self._left = bits.take(3), bits.take(24)
        if self._kind not in (_VERBATIM, _ALIGNED, _PLAIN) or not self._left:
            raise LzxError
        if self._kind == _PLAIN:
            bits.take(bits.count % 16 or 16)
            raw = bits.raw(12)
            first, second, third = (int.from_bytes(raw[at : at + 4], "little") for at in (0, 4, 8))
            self._offsets = (first, second, third)
            return
        if self._kind == _ALIGNED:
            self._aligned = _tree([bits.take(3) for _ in range(8)])
        self._read_lengths(self._main_lengths, 0, 256)
        self._read_lengths(self._main_lengths, 256, len(self._main_lengths))
        self._main = _tree(self._main_lengths)
        self._read_lengths(self._length_lengths, 0, _LENGTHS)
        self._length = _tree(self._length_lengths)

    def _read_lengths(self, lengths: list[int], at: int, end: int) -> None:
        bits = self._bits
        pretree = _tree([bits.take(4) for _ in range(20)])
        while at < end:
            code = bits.symbol(pretree)
            run, value = 1, 0
            if code == 17:
                run = bits.take(4) + 4
            elif code == 18:
                run = bits.take(5) + 20
            else:
                if code == 19:
                    run = bits.take(1) + 4
                    code = bits.symbol(pretree)
                value = (lengths[at] - code) % 17
            run = min(run, end - at)
            lengths[at : at + run] = [value] * run
            at += run

    def _matches(self, output: bytearray, floor: int, stop: int) -> None:
        bits = self._bits
        table, wide = self._main
        mask = (1 << wide) - 1
        while len(output) < stop:
            if bits.count < wide:
                bits.fill()
            entry = table[bits.buffer >> bits.count - wide & mask]
            if not entry:
                raise LzxError
            bits.count -= entry & 31
            symbol = entry >> 5
            if symbol < 256:
                output.append(symbol)
                continue
            length = symbol & 7
            if length == 7:
                length += bits.symbol(self._length)
            offset = self._offset((symbol - 256) >> 3)
            _copy(output, floor, offset, length + 2)

    def _offset(self, slot: int) -> int:
        first, second, third = self._offsets
        if slot == 0:
            return first
        if slot == 1:
            self._offsets = (second, first, third)
            return second
        if slot == 2:
            self._offsets = (third, second, first)
            return third
        extra = _EXTRA_BITS[slot]
        offset = _BASES[slot] - 2
        if self._kind == _ALIGNED and extra >= 3:
            offset += self._bits.take(extra - 3) << 3
            offset += self._bits.symbol(self._aligned)
        elif extra:
            offset += self._bits.take(extra)
        self._offsets = (offset, first, second)
        return offset


def _copy(output: bytearray, floor: int, offset: int, length: int) -> None:
    start = len(output) - offset
    if offset <= 0 or start < floor:
        raise LzxError
    if length <= offset:
        output += output[start : start + length]
    else:
        pattern = bytes(output[start:])
        output += (pattern * (length // offset + 1))[:length]


def unlzx(data: bytes, window_bits: int, size: int, output: bytearray) -> bool:
    """Decodes so many bytes to the output's end. Whether all of them could be read."""
    if window_bits not in _SLOTS:
        return False
    floor = len(output)
    try:
        decoder = _Decoder(data, window_bits)
        while len(output) - floor < size:
            decoder.frame(output, floor, min(FRAME, size - (len(output) - floor)))
    except LzxError:
        return False
    return True
