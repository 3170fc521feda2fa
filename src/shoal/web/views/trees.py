"""/tree: the hierarchy that the documents themselves make, to be walked from part to part."""

from shoal.analysis.trees import is_for, midst, tree_at
from shoal.collection.collection import Collection
from shoal.errors import CollectionError, DamagedError
from shoal.layout.trees import MadeTree, TreeNode
from shoal.model.record import Struct
from shoal.model.words.marks import TREE
from shoal.web.server.http import Request, Response
from shoal.web.server.rendering import path
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, Problem, View, text

_MOST_PART_CHARS = 600
_MOST_SHOWN = 200
_PART = r'[^\x00-\x1f"\x7f-\x9f]{1,600}'


class TreePart(Struct):
    way: str
    name: str
    pages: int
    """Of those that who asks may read."""
    words: list[str]
    title: str
    """Of the page in its midst, if who asks may read it."""
    url: str
    href: str
    """Where what is below it stands; empty where nothing is."""
    search: str
    """Where its pages are found."""


class TreePage(Struct):
    part: str
    above: list[TreePart]
    parts: list[TreePart]
    problem: str = ""


def tree(site: Site, request: Request) -> Response:
    part = text(request, "part", _MOST_PART_CHARS).strip().strip("/")
    with site.reading() as collection:
        try:
            page = _page(collection, part)
        except (CollectionError, DamagedError) as error:  # there is no index yet
            page = TreePage(part, [], [], str(error))
    return site.answer(request, "tree.html", page)


def _page(collection: Collection, part: str) -> TreePage:
    made = tree_at(collection)
    if made is None or not is_for(collection, made):
        return TreePage(part, [], [], "No tree was made here; `shoal tree make` makes one.")
    found = collection.search(f"mark:{TREE}", facets=True).facets
    counts = dict(found.get(TREE, ()))
    nodes = {node.way: node for node in made.nodes}
    if part and not counts.get(part):
        raise Problem(404, "The tree has no such part.")
    steps = part.split("/") if part else []
    above = ["/".join(steps[: end + 1]) for end in range(len(steps))]
    start = f"{part}/" if part else ""
    below = [
        way
        for way in counts
        if way.startswith(start) and "/" not in way.removeprefix(start) and way != part
    ]
    shown = sorted(below, key=lambda way: (-counts[way], way))[:_MOST_SHOWN]
    return TreePage(
        part,
        [_told(collection, nodes.get(way), way, counts, made) for way in above],
        [_told(collection, nodes.get(way), way, counts, made) for way in shown],
    )


def _told(
    collection: Collection, node: TreeNode | None, way: str, counts: dict[str, int], made: MadeTree
) -> TreePart:
    title, url = ("", "") if node is None else midst(collection, node)
    has_parts = any(leaf.startswith(f"{way}/") for leaf in made.leaves)
    return TreePart(
        way,
        way.rpartition("/")[2],
        counts.get(way, 0),
        list(node.words) if node is not None else [],
        title,
        url,
        path("/tree", part=way) if has_parts else "",
        path("/search", tree=way),
    )


VIEWS = (
    View(
        "/tree",
        tree,
        "The hierarchy that the documents themselves make.",
        parameters=(Parameter("part", "Only what is below this part.", pattern=_PART),),
        data=TreePage,
    ),
)
