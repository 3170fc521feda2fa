"""Which words does a picture show? Recognised by the program `tesseract`, where it is installed.

Nobody calls this unless asked to: recognition takes seconds where a conversion takes milliseconds.
The program gets the picture as a file of a folder of its own, and one thread; when its time is up,
it and all that it started are stopped.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

PROGRAM = "tesseract"
_MAX_TEXT_BYTES = 5_000_000
_PLAIN_SUFFIX_CHARS = 8


def available() -> bool:
    return shutil.which(PROGRAM) is not None


def recognise(image: bytes, suffix: str, seconds: float = 20) -> str:
    """The text of a picture, a paragraph per block; empty when there is none or no program.
    `suffix` is the picture's file ending, with or without its dot."""
    program = shutil.which(PROGRAM)
    if program is None or not image:
        return ""
    ending = "".join(letter for letter in suffix.lower() if letter.isalnum())
    with tempfile.TemporaryDirectory(prefix="shoal-ocr-") as folder:
        picture = Path(folder, f"picture.{ending[:_PLAIN_SUFFIX_CHARS] or 'png'}")
        picture.write_bytes(image)
        return _run([program, str(picture), "stdout"], seconds)


def _run(command: list[str], seconds: float) -> str:
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    process = subprocess.Popen(  # noqa: S603  # no shell; the only argument is a path of ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _stop(process)
        return ""
    except BaseException:
        _stop(process)
        raise
    return output[:_MAX_TEXT_BYTES].decode("utf-8", "replace").replace("\f", "\n").strip()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """The program leads a process group of its own, so nothing it started is left."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.communicate()
