"""Who finds the content of a page, and at what cost? Shoal's methods beside their peers.

    python -m benchmarks.extract                       all pages of the sets in SHOAL_DATA
    python -m benchmarks.extract --every 10            each tenth page
    python -m benchmarks.extract --folds DIR           Shoal's model cross-validated

Each page goes to every extractor in turn, each in a process of its own that is warm: what is timed
is the CPU of reading one page, parsing included. A page may take 30 s and may kill its reader; that
counts as nothing found, and the next page gets a new one. The peers live in environments of their
own (made on first use, in --work). How each set is scored stands in extract_scores.py. DIR holds
model-0.bin … model-4.bin; a page of fold k is read with model-k, which was trained without fold k.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import NamedTuple

from benchmarks.extract_scores import FOLDS, SETS, Page, data_folder, folds, pages
from benchmarks.extract_tables import Result, Results, shown

METHODS = ("model", "best", "dom", "slope", "window")
TRAINED = ("model", "best")
PEERS = {
    # The cleaner left lxml; old versions of pip overlook that jusText asks for it.
    "trafilatura": ["trafilatura", "lxml_html_clean"],
    "resiliparse": ["resiliparse"],
    "readability-lxml": ["readability-lxml", "lxml_html_clean", "html-text"],
    "jusText": ["jusText", "lxml_html_clean"],
    "rs-trafilatura": ["rs-trafilatura"],
}
_SECONDS = 30.0
_PROJECT = Path(__file__).resolve().parent.parent
READER = _PROJECT / "benchmarks" / "extractors.py"


class Extraction(NamedTuple):
    text: str
    cpu_seconds: float
    fault: str


class Worker:
    """A process that reads pages one by one, started again when a page was too much for it."""

    def __init__(
        self, command: list[str], models: list[str], limit_seconds: float = _SECONDS
    ) -> None:
        """`models` are files by fold, or none."""
        self._command = [*command, *models]
        self._models = models
        self._limit_seconds = limit_seconds
        self._process, self.hello = self._start()

    def extract(self, page: Page, fold: int) -> Extraction:
        if self._process.poll() is not None:
            self._process, _ = self._start()
        model = self._models[fold] if self._models else ""
        request = json.dumps({"html": page.html, "url": page.url, "model": model})
        started = time.perf_counter()
        timer = Timer(self._limit_seconds, self._process.kill)
        timer.start()
        try:
            line = self._exchange(request)
        finally:
            timer.cancel()
        if not line.endswith("\n"):
            self.close()
            return Extraction("", time.perf_counter() - started, "hung or died")
        found = json.loads(line)
        return Extraction(found["text"], found["cpu"], found.get("fault", ""))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _exchange(self, request: str) -> str:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a worker without pipes")
        try:
            self._process.stdin.write(f"{request}\n")
            self._process.stdin.flush()
        except OSError:
            return ""
        return self._process.stdout.readline()

    def _start(self) -> tuple["subprocess.Popen[str]", dict[str, str]]:
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=_PROJECT,
        )
        line = process.stdout.readline() if process.stdout else ""
        return process, json.loads(line or '{"fault": "died as it was loaded"}')


def peers_home(work: Path, name: str) -> Path | None:
    """The python that has the peer; None when it can't be installed here."""
    home = work / f"peer-{name}"
    python = home / "bin" / "python"
    done = home / "installed"
    if done.is_file():
        return python
    install = [str(python), "-m", "pip", "install", "-q", "--only-binary", ":all:", *PEERS[name]]
    for interpreter in _interpreters():
        make = [interpreter, "-m", "venv", "--clear", str(home)]
        if all(
            not subprocess.run(step, check=False, capture_output=True).returncode
            for step in (make, install)
        ):
            done.touch()
            return python
    return None


def _interpreters() -> Iterator[str]:
    """Ours, then others: a compiled peer may be published for one version of Python only."""
    yield sys.executable
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for name in ("3.12", "3.13", "3.14"):
        found = shutil.which(f"python{name}")
        yield from [found] if found else []
        yield from (str(each / "bin" / "python") for each in sorted(versions.glob(f"{name}.*")))


def started(given: argparse.Namespace) -> dict[str, Worker]:
    """The extractors that run here; who does not is named."""
    workers = {}
    for name in [*(f"shoal-{method}" for method in given.methods), *given.peers]:
        python = peers_home(given.work, name) if name in PEERS else Path(sys.executable)
        if python is None:
            print(f"{name} can't be installed here: left out")
            continue
        worker = Worker([str(python), "-P", str(READER), name], models_of(given.folds, name))
        if "fault" in worker.hello:
            print(f"{name} can't be loaded here: left out ({worker.hello['fault']})")
            worker.close()
            continue
        workers[name] = worker
    return workers


def models_of(folder: Path | None, name: str) -> list[str]:
    """The files of a trained method's five models; none for whoever has no such files."""
    method = name.removeprefix("shoal-")
    if folder is None or name in PEERS or method not in TRAINED:
        return []
    files = [folder.resolve() / f"{method}-{fold}.bin" for fold in range(FOLDS)]
    missing = [file.name for file in files if not file.is_file()]
    if missing and method == "model":
        sys.exit(f"{folder} lacks {', '.join(missing)}: train the folds first.")
    return [] if missing else [str(file) for file in files]


def measure(workers: dict[str, Worker], given: argparse.Namespace) -> Results:
    results: Results = {name: [] for name in workers}
    for name in given.sets:
        metric = SETS[name][1]
        for number, page in enumerate(pages(name, given.data, given.every), 1):
            fold = folds([page.fold_key])[0]
            for extractor, worker in workers.items():
                read = worker.extract(page, fold)
                counts = metric.score(read.text, page)
                spent_ms = 1000 * read.cpu_seconds
                results[extractor].append(
                    Result(name, page.id, page.type, fold, counts, spent_ms, read.fault)
                )
            if number % 100 == 0:
                print(f"{name}: {number} pages", file=sys.stderr)
    return results


def provenance(name: str, worker: Worker, given: argparse.Namespace) -> str:
    """Who read the pages, and with what; whether it had seen them before."""
    said = f"{name} {worker.hello['version']}"
    if name in PEERS or name.removeprefix("shoal-") not in TRAINED:
        return said
    if models_of(given.folds, name):
        return (
            f"{said}: cross-validated, each page read with a model trained without the pages of "
            f"its fold ({FOLDS} folds by registered domain)"
        )
    return (
        f"{said}: the shipped model, which was trained on these pages, so its figures here are "
        "better than on pages it has not seen (--folds gives honest ones)"
    )


def saved(results: Results) -> list[dict[str, object]]:
    """Every page's scores, for other programs."""
    return [
        {"extractor": name, "f1": each.f1, **each._asdict()}
        for name, found in results.items()
        for each in found
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--sets", nargs="*", choices=[*SETS], default=[*SETS])
    parser.add_argument("--every", type=int, default=1, help="read each Nth page of a set")
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=METHODS)
    parser.add_argument("--peers", nargs="*", choices=[*PEERS], default=[*PEERS])
    parser.add_argument("--folds", type=Path, help="models of Shoal's by fold: model-0.bin …")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    parser.add_argument("--json", type=Path, help="write every page's scores here")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    absent = [name for name in given.sets if not (given.data / SETS[name][0]).is_file()]
    if absent:
        sys.exit(f"{given.data} lacks {', '.join(absent)}: SHOAL_DATA says where the sets are.")
    workers = started(given)
    if not workers:
        sys.exit("There is no extractor to run.")
    for name, worker in workers.items():
        print(provenance(name, worker, given))
    try:
        results = measure(workers, given)
    finally:
        for worker in workers.values():
            worker.close()
    for paragraph in shown(results):
        print(f"\n{paragraph}")
    for name, found in results.items():
        for each in found:
            if each.fault:
                print(f"fault {name} {each.set} {each.page}: {each.fault}", file=sys.stderr)
    if given.json:
        given.json.write_text(json.dumps(saved(results)), encoding="utf-8")


if __name__ == "__main__":
    main()
