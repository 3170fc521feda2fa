"""How often does Python look for cycles? Rarely, in a process that is ours alone: a page leaves
hardly any, and what was there at the start stays for good."""

import gc

_THRESHOLDS = (50_000, 20, 50)


def look_rarely() -> None:
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
