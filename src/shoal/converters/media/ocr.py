"""Which words does a picture show? Recognised by the program `tesseract`, where it is installed.

Nobody calls this unless asked to: recognition takes seconds where a conversion takes milliseconds.
The program gets the picture as a file of a folder of its own, and one thread.
"""

import shutil
from pathlib import Path

from shoal.converters import programs

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
    with programs.folder() as folder:
        picture = Path(folder, f"picture.{ending[:_PLAIN_SUFFIX_CHARS] or 'png'}")
        picture.write_bytes(image)
        command = [program, str(picture), "stdout"]
        try:
            output = programs.run(programs.Order(command, str(folder), seconds, _MAX_TEXT_BYTES))
        except OSError:  # no more processes, no memory: as if it were not installed
            return ""
    return output.decode("utf-8", "replace").replace("\f", "\n").strip()
