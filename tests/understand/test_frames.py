"""Frames: whatever the chunks they arrive in, they come out as they were put in."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.understand.frames import HEADER, BrokenFrame, FrameBuffer, frame, read_frame

FRAMES = st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=50)), max_size=6)


@given(FRAMES, st.integers(1, 40))
def test_frames_survive_any_chunks(sent: list[tuple[int, bytes]], step: int) -> None:
    data = b"".join(frame(kind, payload) for kind, payload in sent)
    buffer = FrameBuffer()
    received = []
    for start in range(0, len(data), step):
        received += list(buffer.feed(data[start : start + step]))
    assert received == sent


@given(FRAMES)
def test_a_blocking_stream_gives_the_same(sent: list[tuple[int, bytes]]) -> None:
    stream = io.BytesIO(b"".join(frame(kind, payload) for kind, payload in sent))
    received = []
    while (got := read_frame(stream)) is not None:
        received.append(got)
    assert received == sent


@pytest.mark.parametrize("cut", range(len(frame(2, b"payload"))))
def test_a_cut_frame_is_the_end(cut: int) -> None:
    data = frame(2, b"payload")[:cut]
    assert read_frame(io.BytesIO(data)) is None
    assert list(FrameBuffer().feed(data)) == []


def test_a_senseless_length_is_refused() -> None:
    with pytest.raises(BrokenFrame):
        list(FrameBuffer().feed(HEADER.pack(2**32 - 1, 1)))
