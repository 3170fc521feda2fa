"""The tablet of a collection in one directory, for tests of what stands in its table."""

from shoal.collection.collection import Collection
from shoal.collection.view import TabletView


def view_of(collection: Collection) -> TabletView:
    assert collection.tablets.count == 1
    return collection.tablets.ask(0, lambda view: view)
