"""Makes both models anew: downloads Debian's packages, gathers the corpus, trains.

    python training/charset/make.py WORKING_DIRECTORY

Needs a Debian with sources (`apt-get download`, `dpkg-deb`, `iconv`), a gigabyte of disk and about
five minutes. The corpus stays in the working directory; only the two models go into the project.
Made last from Debian 12 (bookworm) with its updates of November 2026.
"""

import re
import subprocess
import sys
from pathlib import Path

import corpus
import train
import train_language

_WANTED = re.compile(
    r"firefox-esr-l10n-[a-z-]+|libreoffice-help-[a-z-]+|manpages-[a-z]{2}(-br)?"
    r"|fortunes-(bg|cs|de|es|it|pl|ru|zh|ga|eo)|wesnoth-1\.16-data|vlc-l10n|gnome-user-docs"
    r"|installation-guide-amd64|krita-l10n|debian-handbook"
)
_LEFT_OUT = re.compile(r"-all$|help-common|help-en-gb|l10n-en-ca|es-(cl|mx|ar)$|valencia")
_HERE = Path(__file__).resolve().parents[2] / "src" / "shoal" / "converters" / "characters"


def main(work: Path) -> None:
    packages, texts = work / "packages", work / "corpus"
    packages.mkdir(parents=True, exist_ok=True)
    known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True)
    names = sorted(
        name
        for name in known.stdout.split()
        if _WANTED.fullmatch(name) and not _LEFT_OUT.search(name)
    )
    subprocess.run(["apt-get", "download", *names], cwd=packages, check=True)
    corpus.main(packages, texts)
    train.main(texts, _HERE / "charset.bin", [])
    train_language.main(texts, _HERE / "language.bin", [])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
