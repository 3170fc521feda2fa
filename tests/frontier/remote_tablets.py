"""The other tablets of a cluster, as far as a frontier knows them: what it sends is remembered."""

from shoal.model.messages import Item
from shoal.ports import Batch


class Away:
    """The Elsewhere port: sites with this in their key are another tablet's."""

    def __init__(self, part_of_key: bytes) -> None:
        self._part_of_key = part_of_key
        self.sent: list[Item] = []

    def owns(self, site: bytes) -> bool:
        return self._part_of_key not in site

    def send(self, batch: Batch, site: bytes, item: Item) -> None:
        del batch
        assert not self.owns(site)
        self.sent.append(item)
