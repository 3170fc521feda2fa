"""Ranks a collection's links in a process of its own: python -m shoal.analysis.rank_process DIR

At the lowest priority, from the same pages as the last time if it was personalised. Where another
process ranks already there is nothing to do.
"""

import os
import sys
from pathlib import Path

from shoal.analysis.ranking import rank
from shoal.errors import Busy, ShoalError
from shoal.graph.generations import summary_of
from shoal.layout.ranks import graph_of

_LOWEST_PRIORITY = 19


def main(directory: Path) -> int:
    os.nice(_LOWEST_PRIORITY)
    before = summary_of(graph_of(directory))
    try:
        rank(directory, () if before is None else before.personal, top=0)
    except Busy:
        return 0
    except ShoalError as error:
        print(f"shoal: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
