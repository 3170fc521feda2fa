"""How are numbers told to Prometheus? The text exposition format, version 0.0.4.

HELP and TYPE stand once before the samples of a metric; backslashes and line ends are escaped, in
label values quotes too. Labels come from our own small vocabularies: never a host, never a URL.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

MetricKind = Literal["counter", "gauge"]
Labels = Mapping[str, str]


class Exposition:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def value(self, name: str, kind: MetricKind, about: str, value: float) -> None:
        self.values(name, kind, about, [({}, value)])

    def values(
        self, name: str, kind: MetricKind, about: str, samples: Sequence[tuple[Labels, float]]
    ) -> None:
        if samples:
            self._head(name, kind, about)
            told = (f"{name}{_labels(labels)} {_number(value)}" for labels, value in samples)
            self._lines += told

    def histogram(
        self, name: str, about: str, bounds: Sequence[float], up_to: Sequence[int], total: float
    ) -> None:
        """`up_to` counts what is no more than each bound, and last of all everything."""
        self._head(name, "histogram", about)
        for bound, count in zip((*bounds, float("inf")), up_to, strict=True):
            self._lines.append(f'{name}_bucket{{le="{_number(bound)}"}} {count}')
        self._lines.append(f"{name}_sum {_number(total)}")
        self._lines.append(f"{name}_count {up_to[-1]}")

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def _head(self, name: str, kind: str, about: str) -> None:
        told = about.replace("\\", "\\\\").replace("\n", "\\n")
        self._lines += [f"# HELP {name} {told}", f"# TYPE {name} {kind}"]


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    if value == float("inf"):
        return "+Inf"
    return str(value) if isinstance(value, int) else repr(value)
