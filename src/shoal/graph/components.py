"""Which pages hang together? Weak components, and the largest strongly connected one.

Weak: each node takes the least label of its neighbours and hands it to the node it was labelled by,
then labels are followed to their ends; a few rounds suffice (Shiloach and Vishkin 1982; Zhang, Azad
and Buluç, "FastSV", 2020). Strong: what has no link in or none out is peeled off; of the node with
the most links the component is what it reaches and what reaches it (Fleischer, Hendrickson and
Pınar 2000). Only when what is left over is larger than that, Tarjan's algorithm (1972) goes through
it, so the answer is right for every graph and quick for those of the web.
"""

from array import array

import numpy as np

from shoal.graph.arrays import Bools, Ids, Offsets, each_once
from shoal.graph.link_graph import Adjacency
from shoal.graph.walks import neighbourhoods, reached


def weak_labels(into: Adjacency, out: Adjacency) -> Offsets:
    """For each node the least number of a node of its component."""
    labels: Offsets = np.arange(into.nodes)
    while True:
        least = _least_near(into, out, labels)
        new = labels.copy()
        np.minimum.at(new, labels, least)
        np.minimum(new, least, out=new)
        while True:
            further = new[new]
            if np.array_equal(further, new):
                break
            new = further
        if np.array_equal(new, labels):
            return labels
        labels = new


def _least_near(into: Adjacency, out: Adjacency, labels: Offsets) -> Offsets:
    least = labels.copy()
    for adjacency in (into, out):
        for piece in adjacency.pieces():
            begins, is_linked = adjacency.begins(piece)
            near = labels[adjacency.neighbours[piece.start : piece.end]]
            lowest = np.minimum.reduceat(near, begins[is_linked])
            view = least[piece.first : piece.last]
            view[is_linked] = np.minimum(view[is_linked], lowest)
    return least


def largest_core(into: Adjacency, out: Adjacency) -> Ids:
    """The nodes of the largest strongly connected component; none when it has but one."""
    alive = _peeled(into, out)
    if not alive.any():
        return np.empty(0, np.uint32)
    degrees = np.where(alive, into.degrees().astype(np.float64) * out.degrees(), -1.0)
    pivot = np.array([np.argmax(degrees)], np.uint32)
    core = reached(out, pivot, alive) & reached(into, pivot, alive)
    rest = alive & ~core
    if rest.sum() > core.sum():
        other = _largest_by_tarjan(out, rest)
        if len(other) > core.sum():
            return other
    found = np.flatnonzero(core).astype(np.uint32)
    return found if len(found) > 1 else found[:0]


def _peeled(into: Adjacency, out: Adjacency) -> Bools:
    """Without the nodes that are on no cycle because they begin or end every path that they are
    on."""
    alive: Bools = np.ones(into.nodes, np.bool_)
    left = {"in": into.degrees(), "out": out.degrees()}
    front = np.flatnonzero((left["in"] == 0) | (left["out"] == 0)).astype(np.uint32)
    while len(front):
        alive[front] = False
        found = []
        for adjacency, counts in ((out, left["in"]), (into, left["out"])):
            for _, near in neighbourhoods(adjacency, front):
                nodes, times = np.unique(near, return_counts=True)
                counts[nodes] -= times
                found.append(nodes[(counts[nodes] == 0) & alive[nodes]])
        front = each_once(np.concatenate(found))
    return alive


def _largest_by_tarjan(out: Adjacency, within: Bools) -> Ids:
    """The largest strong component of these nodes. `order` counts from 1; `low` of a node whose
    component is finished is larger than any."""
    nodes = out.nodes
    order, low = array("q", bytes(8 * nodes)), array("q", bytes(8 * nodes))
    is_within = within.tobytes()
    best: list[int] = []
    stack: list[int] = []
    count = 0
    for root in np.flatnonzero(within).tolist():
        if order[root]:
            continue
        path = [(root, iter(out.of(root).tolist()))]
        count += 1
        order[root] = low[root] = count
        stack.append(root)
        while path:
            node, ahead = path[-1]
            for near in ahead:
                if not is_within[near]:
                    continue
                if not order[near]:
                    count += 1
                    order[near] = low[near] = count
                    stack.append(near)
                    path.append((near, iter(out.of(near).tolist())))
                    break
                low[node] = min(low[node], low[near])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    component = _taken_from(stack, node)
                    for each in component:
                        low[each] = nodes + 1
                    best = max(best, component, key=len)
    return np.array(sorted(best), np.uint32)


def _taken_from(stack: list[int], node: int) -> list[int]:
    """What stands in the stack from a node on."""
    at = len(stack) - 1
    while stack[at] != node:
        at -= 1
    taken = stack[at:]
    del stack[at:]
    return taken
