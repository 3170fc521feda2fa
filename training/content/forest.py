"""How does what is seen of a piece add up to how likely it is content? Boosted trees, by LightGBM.

The same rows give the same trees, to the bit: the seeds, the order of the rows and the number of
threads are fixed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import lightgbm
import numpy as np
from numpy.typing import NDArray

from training.content.examples import Example
from training.content.file_format import Split, Tree
from training.content.lexicon import CONTENT_SHARE, FloatArray


@dataclass(frozen=True)
class Settings:
    rounds: int = 320
    """Trees. More gain little at this rate, and cost time on every page that is read."""
    learning_rate: float = 0.06
    """About half of LightGBM's own with twice the trees: slower learning holds on new sites."""
    depth: int = 7
    """A walk down a tree takes as many steps as its deepest leaf."""
    leaves: int = 31
    """Of a tree."""
    least_rows_in_leaf: int = 100
    """Pieces of one page are alike: a leaf should need several pages."""
    feature_share: float = 0.3
    """For each tree. Many features say nearly the same; each should get its turn."""
    row_share: float = 0.7
    """For each tree, drawn anew."""
    pull: float = 5.0
    """L2, towards leaves of zero."""
    most_bins: int = 127
    """Steps of a feature's values: half of LightGBM's own, coarse on purpose."""
    most_pieces_of_page: int = 600
    """A drawn part stands for a longer page, with the weight of all."""
    sharpness: float = 1.3
    """Likelihoods are raised to this before the cut is chosen, so that what is doubted counts less.
    Like the next, chosen by cross-validated F1."""
    least_words: float = 15.0
    """A page that is expected to have fewer words of content has none."""
    seed: int = 1


class Rows(NamedTuple):
    values: FloatArray
    is_content: NDArray[np.int64]
    weights: NDArray[np.float64]


def chosen_rows(example: Example, values: FloatArray, settings: Settings) -> Rows:
    """Those of a page's rows that are trained on: labelled, and not too many."""
    weights = np.array(example.weights)
    chosen = np.flatnonzero(weights)
    if len(chosen) > settings.most_pieces_of_page:
        weights = weights * (len(chosen) / settings.most_pieces_of_page)
        draw = Random(f"{settings.seed} {example.set} {example.id}")
        chosen = np.array(sorted(draw.sample(chosen.tolist(), settings.most_pieces_of_page)))
    is_content = np.array(example.shares) >= CONTENT_SHARE
    return Rows(values[chosen], is_content[chosen].astype(np.int64), weights[chosen])


def trained(parts: Iterator[Rows], settings: Settings) -> list[Tree]:
    """The trees for all these rows."""
    values, is_content, weights = map(np.concatenate, zip(*parts, strict=True))
    booster = lightgbm.train(
        {
            "objective": "binary",
            "learning_rate": settings.learning_rate,
            "num_leaves": settings.leaves,
            "max_depth": settings.depth,
            "min_data_in_leaf": settings.least_rows_in_leaf,
            "feature_fraction": settings.feature_share,
            "bagging_fraction": settings.row_share,
            "bagging_freq": 1,
            "lambda_l2": settings.pull,
            "max_bin": settings.most_bins,
            "seed": settings.seed,
            "num_threads": 1,
            "deterministic": True,
            "force_col_wise": True,
            "verbose": -1,
        },
        lightgbm.Dataset(values, is_content, weight=weights / weights.mean()),
        settings.rounds,
    )
    return [_tree(each["tree_structure"]) for each in booster.dump_model()["tree_info"]]


def _tree(root: dict[str, Any]) -> Tree:
    """LightGBM's nested nodes in a row, parents before their children."""
    tree = Tree([], [])
    _add(tree, root)
    return tree


def _add(tree: Tree, node: dict[str, Any]) -> int:
    """How the parent refers to this node, once it and all below it are in the tree."""
    if "leaf_value" in node:
        tree.leaves.append(node["leaf_value"])
        return ~(len(tree.leaves) - 1)
    assert node["decision_type"] == "<="
    assert node["missing_type"] == "None"
    place = len(tree.splits)
    tree.splits.append(Split(node["threshold"], node["split_feature"], 0, 0))
    left, right = _add(tree, node["left_child"]), _add(tree, node["right_child"])
    tree.splits[place] = tree.splits[place]._replace(left=left, right=right)
    return place
