"""What people open is counted, by many at once, in a file that stays small."""

import threading
from pathlib import Path

from shoal.layout import clicks as opened
from shoal.layout.clicks import Opened


def test_it_counts(tmp_path: Path) -> None:
    counts = Opened(tmp_path)
    assert counts.count("http://a.example/") == 0
    assert counts.most(3) == []
    for url in ("http://a.example/", "http://b.example/", "http://a.example/"):
        counts.note(url)
    assert Opened(tmp_path).count("http://a.example/") == 2
    assert Opened(tmp_path).most(1) == [("http://a.example/", 2)]


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    def write() -> None:
        counts = Opened(tmp_path)
        for number in range(50):
            counts.note(f"http://a.example/{number % 5}")

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dict(Opened(tmp_path).most(10)) == {f"http://a.example/{n}": 80 for n in range(5)}


def test_the_file_is_bounded_and_the_most_opened_stay(tmp_path: Path) -> None:
    counts = Opened(tmp_path)
    for _ in range(20):
        counts.note("http://often.example/")
    line = b'{"url":"http://seldom.example/%d","times":1}\n'
    with (tmp_path / "opened").open("ab") as file:
        file.writelines(line % number for number in range(30_000))
    counts.note("http://often.example/")
    assert (tmp_path / "opened").stat().st_size <= opened._KEPT_BYTES
    assert counts.count("http://often.example/") == 21


def test_torn_lines_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "opened").write_bytes(b'{"url":"http://a.example/"}\n\xff\xfe\n{"url":"http://b.ex')
    counts = Opened(tmp_path)
    counts.note("http://b.example/")
    assert counts.most(5) == [("http://a.example/", 1), ("http://b.example/", 1)]
    counts.note("x" * 10_000)  # no URL that anybody opens
    assert len(counts.most(5)) == 2
