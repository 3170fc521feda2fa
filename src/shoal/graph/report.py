"""What does the link graph look like? All that is measured of it, and what is drawn of that."""

from array import array
from collections.abc import Sequence

import numpy as np

from shoal.graph.bow_tie import BowTiePart, bow_tie
from shoal.graph.distances import Distances, distances
from shoal.graph.edges import Progress
from shoal.graph.link_graph import LinkGraph
from shoal.graph.power_law import Histogram, PowerLaw, fit, histogram
from shoal.graph.zipf import Point, Zipf, fit_zipf, rank_points, tail_points
from shoal.model.record import Struct


class Curve(Struct):
    """Something measured, and the law that is nearest to it; both axes logarithmic."""

    name: str
    x_label: str
    y_label: str
    found: list[Point]
    law: list[Point]
    says: str


class Shape(Struct):
    """The pages of each part of the bow tie; together all that there are."""

    core: int
    into: int
    out: int
    tubes: int
    tendrils: int
    islands: int
    weak_components: int
    largest_weak: int


class Laws(Struct):
    in_links: PowerLaw
    out_links: PowerLaw
    page_lengths: PowerLaw
    words: Zipf


def shape(graph: LinkGraph) -> Shape:
    found = bow_tie(graph.into, graph.out)
    return Shape(
        core=found.count(BowTiePart.CORE),
        into=found.count(BowTiePart.IN),
        out=found.count(BowTiePart.OUT),
        tubes=found.count(BowTiePart.TUBE),
        tendrils=found.count(BowTiePart.TENDRIL),
        islands=found.count(BowTiePart.ISLAND),
        weak_components=found.weak_components,
        largest_weak=found.largest_weak,
    )


def measures(graph: LinkGraph, progress: Progress) -> tuple[Shape, Distances]:
    progress("finding the parts", 1, 2)
    parts = shape(graph)
    progress("measuring distances", 2, 2)
    return parts, distances(graph.out)


def laws(
    graph: LinkGraph, lengths: "array[int]", frequencies: Sequence[int]
) -> tuple[Laws, list[Curve]]:
    """Fits of links, of the lengths of pages and of how often each word is used."""
    given = {
        "in-links": histogram(graph.into.degrees()),
        "out-links": histogram(graph.out.degrees()[graph.fetched]),
        "page lengths": histogram(np.array(lengths, np.int64)),
    }
    units = {"page lengths": "characters"}
    fits = {name: fit(each) for name, each in given.items()}
    curves = [_curve(name, units.get(name, "links"), given[name], fits[name]) for name in given]
    words = np.array(frequencies, np.int64)
    zipf = fit_zipf(words)
    curves.append(Curve("words", "rank", "times", *rank_points(words, zipf), zipf.says))
    return Laws(fits["in-links"], fits["out-links"], fits["page lengths"], zipf), curves


def _curve(name: str, x_label: str, given: Histogram, fitted: PowerLaw) -> Curve:
    return Curve(name, x_label, "share", *tail_points(given, fitted), fitted.says)
