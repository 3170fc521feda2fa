"""A crawl's log: its end is read, it stays bounded, and its writer goes on when it is set aside."""

from pathlib import Path

from shoal.control import launching
from shoal.layout.layout import Layout


def log_of(directory: Path) -> Path:
    layout = Layout(directory)
    layout.log.mkdir()
    return layout.log / launching.CRAWL_LOG


def test_the_end_of_a_log_is_read(tmp_path: Path) -> None:
    assert launching.log_tail(Layout(tmp_path)) == []
    log = log_of(tmp_path)
    log.write_bytes(b"\n".join(b"line %d \xff" % n for n in range(20_000)))
    found = launching.log_tail(Layout(tmp_path), most_lines=3)
    assert found == [f"line {n} \ufffd" for n in (19_997, 19_998, 19_999)]
    whole = launching.log_tail(Layout(tmp_path), most_lines=100_000)
    assert len(whole) < 20_000
    assert all(line.startswith("line ") for line in whole), "no half line at its start"


def test_a_long_log_is_set_aside_and_its_writer_goes_on(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    with log.open("ab") as writer:  # as a running crawl has it open
        writer.write(b"x" * (launching.MOST_LOG_BYTES + 1))
        writer.flush()
        launching.rotate(Layout(tmp_path), launching.CRAWL_LOG)
        writer.write(b"and on\n")
    assert log.read_bytes() == b"and on\n"
    assert log.with_name("crawl.log.1").stat().st_size == launching.MOST_LOG_BYTES + 1
    launching.rotate(Layout(tmp_path), launching.CRAWL_LOG)
    assert log.read_bytes() == b"and on\n"
