"""Where should a tablet be? Pure arithmetic: moves that empty a machine, or make all alike."""

from collections.abc import Mapping, Sequence


def moves_away(
    at: Mapping[int, str], machines: Sequence[str], drained: Sequence[str]
) -> list[tuple[int, str]]:
    """Every tablet of a drained machine to the one that has the fewest."""
    loads = {name: 0 for name in machines if name not in drained}
    if not loads:
        return []
    for name in at.values():
        if name in loads:
            loads[name] += 1
    moves = []
    for tablet in sorted(at):
        if at[tablet] in drained:
            target = min(loads, key=lambda name: (loads[name], name))
            loads[target] += 1
            moves.append((tablet, target))
    return moves


def moves_to_balance(at: Mapping[int, str], machines: Sequence[str]) -> list[tuple[int, str]]:
    """As few moves as leave no machine with two tablets more than another."""
    held: dict[str, list[int]] = {name: [] for name in machines}
    homeless: list[int] = []
    for tablet in sorted(at):
        held.get(at[tablet], homeless).append(tablet)
    moves = []
    for tablet in homeless if held else ():
        target = _least(held)
        held[target].append(tablet)
        moves.append((tablet, target))
    while held:
        source = max(held, key=lambda name: (len(held[name]), name))
        target = _least(held)
        if len(held[source]) - len(held[target]) < 2:
            break
        tablet = held[source].pop()
        held[target].append(tablet)
        moves.append((tablet, target))
    return moves


def _least(held: Mapping[str, Sequence[int]]) -> str:
    return min(held, key=lambda name: (len(held[name]), name))
