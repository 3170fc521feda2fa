"""Every kind of store: the tests of this room that take `objects` run on each of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.cluster.objects import CloudObjects, Objects, open_objects
from tests.cluster.stores import Bucket, s3_bucket


@pytest.fixture(scope="session")
def bucket() -> Iterator[Bucket]:
    with s3_bucket() as made:
        yield made


@pytest.fixture
def s3(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Objects:
    for name, value in bucket.environment.items():
        monkeypatch.setenv(name, value)
    objects = open_objects(bucket.place)
    objects.delete(key for key, _ in objects.names())
    return objects


@pytest.fixture(params=["directory", "memory", "local", "s3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    if request.param == "s3":
        served: Objects = request.getfixturevalue("s3")
        return served
    if request.param == "directory":
        return open_objects(str(tmp_path / "objects"))
    stores = pytest.importorskip("obstore.store", reason="obstore is missing")
    if request.param == "memory":
        return CloudObjects(stores.MemoryStore(), "memory")
    return CloudObjects(stores.LocalStore(tmp_path / "local", mkdir=True), "local")
