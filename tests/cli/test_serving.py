"""`shoal serve`: one sentence when it can't, a token beyond this machine, Ctrl-C ends it."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from shoal.config import load
from shoal.engine.engine import Engine
from shoal.layout.layout import Layout, is_locked

COMMAND = (sys.executable, "-m", "shoal", "serve")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with nothing in it."""
    place = tmp_path_factory.mktemp("serving") / "corpus"

    async def make() -> None:
        await Engine(place, load(place, {}, {})).close()

    asyncio.run(make())
    return place


def fails(*arguments: str) -> str:
    command = [*COMMAND, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_port_in_use(directory: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        says = fails("--dir", str(directory), "--port", port)
    assert f"127.0.0.1:{port} can't be listened on" in says
    assert "--port" in says


def test_no_collection_and_none_can_be_begun(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    assert "is not empty and is no collection" in fails("--dir", str(tmp_path), "--port", "0")
    crawling = fails("--dir", str(tmp_path / "none"), "--port", "0", "--crawl")
    assert "There is no collection" in crawling


def test_a_new_directory_is_begun_from_the_page(tmp_path: Path) -> None:
    command = [*COMMAND, "--dir", str(tmp_path / "none"), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            assert run.stdout is not None
            address = run.stdout.readline().split()[-1]
            says = run.stdout.readline()
            assert "Begin a collection" in httpx.get(address, trust_env=False).text
        finally:
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=90)
    assert (run.returncode, errors) == (0, "")
    assert says == "There is nothing there yet; the page begins a collection.\n"
    assert not (tmp_path / "none").exists()


def test_a_token_beyond_this_machine_and_ctrl_c(directory: Path) -> None:
    command = [*COMMAND, "--dir", str(directory), "--host", "0.0.0.0", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            assert run.stdout is not None
            said = run.stdout.readline()
            found = re.search(r"http://0\.0\.0\.0:(\d+)/\?token=(\S+)", said)
            assert found is not None, said
            address = f"http://127.0.0.1:{found[1]}/"
            assert httpx.get(address, trust_env=False).status_code == 401
            bearer = {"authorization": f"Bearer {found[2]}"}
            assert httpx.get(address, headers=bearer, trust_env=False).status_code == 200
        finally:
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=90)
    assert (run.returncode, errors) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
def test_its_crawl_ends_with_it(directory: Path, number: signal.Signals) -> None:
    command = [*COMMAND, "--dir", str(directory), "--port", "0", "--crawl"]
    layout = Layout(directory)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            assert run.stdout is not None
            address = run.stdout.readline().split()[-1]
            httpx.get(address, timeout=90)  # it answers when its crawl has begun
            assert is_locked(layout)
            run.send_signal(number)
            run.communicate(timeout=60)
        finally:
            run.kill()
    assert not is_locked(layout)
