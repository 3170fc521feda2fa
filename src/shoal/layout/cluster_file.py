"""What makes a place a cluster? `cluster.json`: how many tablets there are, which never changes.

cluster.json              its name and the number of its tablets
shoal.toml                its settings, for people to edit; every tablet works by them
tablets/0007/owners/…     who has had this tablet (cluster/ownership.py)
tablets/0007/…            its directories (tablet_place.py) or its checkpoints (cluster/)
orders/                   what people want of the running cluster: drain, rebalance, stop
coordinator.json          who runs it (cluster_claim.py); nobody when it is not there
status.json               how it stands, written by whoever runs it
"""

import secrets
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from shoal.cluster.directory_objects import PARTIAL
from shoal.cluster.objects import Exists, Missing, Objects, must_create_once, open_objects
from shoal.config import Config, load
from shoal.errors import CollectionError, UsageError
from shoal.layout.layout import CLUSTER as CLUSTER
from shoal.layout.layout import Layout
from shoal.layout.tablet_place import current, tablet_name
from shoal.model.digest import text_digest
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.model.urls.partition import DEFAULT_TABLETS, MOST_TABLETS

SETTINGS = "shoal.toml"
_SCHEMA = 1
_SETTINGS_HEAD = """\
# Settings of this cluster: every tablet works by them. docs/settings.md explains them; flags of
# `shoal cluster start` and environment variables win over this file.
"""


class ClusterFile(Struct):
    schema: int
    name: str
    """Short and unique: what its actors are called by."""
    tablets: int
    made: float


def is_cluster(directory: Path) -> bool:
    return (directory / CLUSTER).is_file()


def create(place: str, tablets: int = DEFAULT_TABLETS) -> ClusterFile:
    """Make an empty one."""
    must_be_new(place, tablets)
    if open_objects(place).names("tablets"):
        raise UsageError(f"there are tablets in {place} already; use an empty or a new place")
    return write(place, tablets, _SETTINGS_HEAD)


def must_be_new(place: str, tablets: int) -> None:
    """Whether a cluster of so many tablets can be made there."""
    if not 1 <= tablets <= MOST_TABLETS:
        raise UsageError(f"a cluster has 1 to {MOST_TABLETS:,} tablets, not {tablets:,}")
    if "://" not in place:
        _must_be_free(Path(place))
    if open_objects(place).exists(CLUSTER):
        raise UsageError(f"there is a cluster in {place} already; start it")


def write(place: str, tablets: int, settings: str) -> ClusterFile:
    """From here on the place is a cluster."""
    objects = open_objects(place)
    must_create_once(objects)
    file = ClusterFile(_SCHEMA, secrets.token_hex(4), tablets, time.time())
    objects.put(SETTINGS, settings.encode())
    try:
        objects.put(CLUSTER, to_json(file), create=True)
    except Exists:
        raise UsageError(f"there is a cluster in {place} already; start it") from None
    return file


def read(place: str, objects: Objects | None = None) -> ClusterFile:
    try:
        file = from_json(ClusterFile, (objects or open_objects(place)).get(CLUSTER))
    except Missing:
        if "://" not in place and Layout(Path(place)).table.is_dir():
            raise UsageError(
                f"{place} is a collection; make a cluster out of it with: "
                f"shoal cluster split {place} PLACE"
            ) from None
        raise UsageError(
            f"There is no cluster in {place}; make one with: shoal cluster create {place}"
        ) from None
    except JSON_ERRORS as error:
        raise CollectionError(f"The file {CLUSTER} in {place} can't be read: {error}.") from error
    if file.schema != _SCHEMA:
        raise CollectionError(f"The cluster in {place} is of another release; use that one.")
    return file


def config_of(place: str, overrides: dict[str, object], environment: dict[str, str]) -> Config:
    """Its settings, wherever they are."""
    if "://" not in place:
        return load(Path(place), overrides, environment)
    with tempfile.TemporaryDirectory(prefix="shoal-settings-") as folder:
        with suppress(Missing):
            (Path(folder) / SETTINGS).write_bytes(open_objects(place).get(SETTINGS))
        return load(Path(folder), overrides, environment)


def directories(place: Path, tablets: int) -> list[Path]:
    """Where the tablets of a cluster on a shared file system lie now."""
    paths = [current(place / "tablets" / tablet_name(number)) for number in range(tablets)]
    found = [path for path in paths if path is not None and Layout(path).exists()]
    if len(found) < tablets:
        raise not_yet(str(place), len(found), tablets)
    return found


def not_yet(place: str, found: int, tablets: int) -> CollectionError:
    """Nothing is there to be read, or not of all."""
    if found:
        return CollectionError(
            f"Of the {tablets:,} tablets of the cluster in {place} {tablets - found:,} have "
            "nothing yet; try again when all of them run."
        )
    return CollectionError(
        f"The cluster in {place} was never started; start it with: shoal cluster start {place} URL"
    )


def _must_be_free(directory: Path) -> None:
    if is_cluster(directory):
        raise UsageError(f"there is a cluster in {directory} already; start it")
    if directory.exists() and (not directory.is_dir() or _strange(directory)):
        raise UsageError(f"{directory} is not empty; use an empty or a new directory")
    directory.mkdir(parents=True, exist_ok=True)


def _strange(directory: Path) -> list[Path]:
    """What a split that was killed has left is no stranger."""
    left = (SETTINGS, "tablets", PARTIAL)
    return [path for path in directory.iterdir() if path.name not in left]


_DEFAULT_WORK = "~/.cache/shoal"


def is_object_store(place: str) -> bool:
    return "://" in place and not place.startswith("file://")


def work_folder(place: str, work: str = "") -> Path:
    """Where this machine keeps its copies of what a cluster in an object store has."""
    return Path(work or _DEFAULT_WORK).expanduser() / text_digest(place.encode())[:16]
