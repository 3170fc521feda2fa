"""All pairs of near-duplicates: found among tablets as in one collection."""

from itertools import pairwise

import pytest

from shoal.access.opening import open_collection
from shoal.api import duplicate_clusters, duplicate_pairs
from shoal.collection.collection import Collection
from shoal.collection.tablets import owner_of
from shoal.files.deduping import Method
from shoal.model.urls.rowkey import row_key
from tests.collection.many import Both, FarTablets


def test_pairs_and_groups_are_those_of_one_collection(both: Both) -> None:
    with open_collection(both.one) as one, FarTablets(both.many) as tablets:
        found = list(duplicate_pairs(Collection(tablets)))
        assert found == list(duplicate_pairs(one))
        assert list(duplicate_clusters(Collection(tablets))) == list(duplicate_clusters(one))
        owners = [{owner_of(tablets, row_key(url)) for url in pair[:2]} for pair in found]
    assert max(map(len, owners)) == 2  # some of them are of two tablets
    assert len(found) >= 4


@pytest.mark.parametrize("method", ["simhash"])
def test_other_methods(both: Both, method: Method) -> None:
    with open_collection(both.one) as one, FarTablets(both.many) as tablets:
        found = list(duplicate_pairs(Collection(tablets), method=method))
        assert found == list(duplicate_pairs(one, method=method))
    assert found


def test_a_part_by_another_cut_with_progress(both: Both) -> None:
    told = []
    with open_collection(both.one) as one, FarTablets(both.many) as tablets:
        found = list(
            duplicate_pairs(
                Collection(tablets),
                both.sites[6],
                resemblance=0.9,
                progress=lambda doing, done, _: told.append((doing, done)),
            )
        )
        assert found == list(duplicate_pairs(one, both.sites[6], resemblance=0.9))
    assert [pair.a for pair in found] == [f"{both.sites[6]}/copy/1"]
    read = [done for doing, done in told if doing == "reading" and done]
    assert all(a < b for a, b in pairwise(read))
