"""Files and directories of this machine as documents."""

import os
import re
import socket
from pathlib import Path

import pytest

from shoal.clock import SystemClock
from shoal.fetch import file as file_module
from shoal.fetch.file import FileFetcher, path_of, url_of
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from tests.fetch.conftest import Run
from tests.fetch.loopback import visit


def read(run: Run, asked: Visit | Path, max_body_bytes: int = 1000) -> Fetched:
    if isinstance(asked, Path):
        asked = visit(url_of(asked, is_directory=False))
    found: list[Fetched] = []

    async def main() -> None:
        fetcher = FileFetcher(SystemClock(), max_body_bytes)
        found.append(await fetcher.fetch(asked))
        await fetcher.close()

    run(main())
    return found[0]


def hrefs(fetched: Fetched) -> list[str]:
    return re.findall(r'href="([^"]*)"', fetched.body.decode())


def test_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a b#?ü.html"
    path.write_bytes(b"<p>hello")
    os.utime(path, (1_700_000_000, 1_700_000_000.5))
    fetched = read(run, path)
    assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.OK, 200, b"<p>hello")
    assert fetched.header("content-type") == "text/html"
    assert fetched.header("last-modified") == "Tue, 14 Nov 2023 22:13:20 GMT"
    assert fetched.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert fetched.head.endswith(b"\r\n\r\n")
    assert not fetched.cut
    assert fetched.started <= fetched.ended


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x.pdf", "application/pdf"),
        ("x.html.gz", "application/gzip"),
        ("x.tar.bz2", "application/octet-stream"),
        ("x", "application/octet-stream"),
        ("x.TXT", "text/plain"),
    ],
)
def test_the_type_by_the_name(run: Run, tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    assert read(run, tmp_path / name).header("content-type") == kind


def test_a_long_file_is_cut(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 1001)
    fetched = read(run, path)
    assert (fetched.outcome, fetched.cut, fetched.body) == (Outcome.OK, True, b"x" * 1000)
    assert fetched.note
    path.write_bytes(b"x" * 1000)
    fetched = read(run, path)
    assert (fetched.cut, len(fetched.body), fetched.note) == (False, 1000, "")


def test_unchanged(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"one")
    os.utime(path, ns=(10**18, 10**18))
    first = read(run, path)
    url = url_of(path, is_directory=False)
    by_etag = Visit(url=url, row=b"", site=b"", etag=first.header("etag"))
    by_date = Visit(url=url, row=b"", site=b"", last_modified=first.header("last-modified"))
    for known in (by_etag, by_date):
        again = read(run, known)
        assert (again.outcome, again.status, again.body) == (Outcome.UNCHANGED, 304, b"")
        assert again.header("etag") == first.header("etag")
    os.utime(path, ns=(10**18, 10**18 + 5))  # within the same second: the date can't tell
    assert read(run, by_etag).outcome is Outcome.OK
    assert read(run, by_date).outcome is Outcome.UNCHANGED
    os.utime(path, ns=(10**18, 10**18 - 2 * 10**9))  # restored from a copy: older, but another
    assert read(run, by_date).outcome is Outcome.OK


def test_a_directory_is_a_page_of_links(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b & <c>.html").write_bytes(b"")
    (tmp_path / "a%20#?.txt").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    with Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")).open("wb"):
        pass
    fetched = read(run, tmp_path, 100_000)
    assert (fetched.outcome, fetched.status) == (Outcome.OK, 200)
    assert fetched.header("content-type") == "text/html; charset=utf-8"
    start = url_of(tmp_path, is_directory=True)
    assert hrefs(fetched) == [
        f"{start}%FF%FE",
        f"{start}a%2520%23%3F.txt",
        f"{start}b%20%26%20%3Cc%3E.html",
        f"{start}sub/",
    ]
    assert "b &amp; &lt;c&gt;.html</a>" in fetched.body.decode()
    for url in hrefs(fetched):
        assert read(run, visit(url)).outcome is Outcome.OK


def test_links_to_directories_go_in_no_circle(run: Run, tmp_path: Path) -> None:
    """Crawled by its links alone, a tree full of loops has as many URLs as it has directories."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "up").symlink_to("..")
        (tmp_path / name / "self").symlink_to(".")
    (tmp_path / "a" / "to-b").symlink_to("../b")
    (tmp_path / "b" / "to-a").symlink_to(tmp_path / "a")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "loop1").symlink_to("loop2")
    (tmp_path / "loop2").symlink_to("loop1")
    seen: set[str] = set()
    waiting = [url_of(tmp_path, is_directory=True)]
    while waiting:
        url = waiting.pop()
        if url not in seen:
            seen.add(url)
            fetched = read(run, visit(url), 100_000)
            assert fetched.outcome is Outcome.OK
            waiting += hrefs(fetched)
        assert len(seen) < 10
    assert seen == {
        url_of(p, is_directory=True) for p in (tmp_path, tmp_path / "a", tmp_path / "b")
    }
    assert read(run, tmp_path / "loop1").outcome is Outcome.MISSING


def test_a_long_directory_is_cut(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_module, "MAX_LISTED", 3)
    for i in range(4):
        (tmp_path / f"{i}").write_bytes(b"")
    fetched = read(run, tmp_path)
    assert (len(hrefs(fetched)), fetched.cut) == (3, True)
    (tmp_path / "0").unlink()
    fetched = read(run, tmp_path)
    assert (len(hrefs(fetched)), fetched.cut) == (3, False)


def test_what_is_not_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    missing = dict.fromkeys(("file/below", "n" * 300, "empty/below", "no/below"), Outcome.MISSING)
    for path, outcome in {"gone": Outcome.GONE, **missing}.items():
        fetched = read(run, tmp_path / path)
        assert fetched.outcome is outcome, path
        assert fetched.note


def test_what_is_no_file_is_not_opened(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "link", tmp_path / "socket", Path("/dev/null")):
            fetched = read(run, path)
            assert (fetched.outcome, fetched.body) == (Outcome.REFUSED, b"")
            assert fetched.note


def test_a_file_that_turns_into_a_pipe(run: Run, tmp_path: Path) -> None:
    """Between looking and opening: it is not waited for."""
    os.mkfifo(tmp_path / "pipe")

    class Hasty(FileFetcher):
        def _reader(self, mode: int):  # type: ignore[no-untyped-def]
            return self._read_file

    async def main() -> None:
        fetched = await Hasty(SystemClock()).fetch(visit(url_of(tmp_path / "pipe", False)))
        assert fetched.outcome is Outcome.MISSING
        assert "no longer" in fetched.note

    run(main())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"x")
    path.chmod(0)
    assert read(run, path).outcome is Outcome.FORBIDDEN


def test_what_the_system_forbids(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "secret"
    path.write_bytes(b"x")
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", forbid)
        fetched = read(run, path)
    assert fetched.outcome is Outcome.FORBIDDEN
    assert fetched.note


@pytest.mark.parametrize(
    "url",
    [
        "file://server/share/x",
        "file:///a/..%2F..%2Fetc/passwd",
        "file:///a/%2e%2e/b",
        "file:///a%00b",
        "file:relative",
        "file://[x/",
        "http://x/",
        "",
    ],
)
def test_urls_that_name_no_file_here(run: Run, url: str) -> None:
    assert path_of(url) is None
    fetched = read(run, visit(url))
    assert fetched.outcome is Outcome.REFUSED
    assert not fetched.requested


def test_localhost_is_here() -> None:
    assert path_of("file://localhost/a%20b") == Path("/a b")
