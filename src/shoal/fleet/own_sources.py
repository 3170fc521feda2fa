"""How are one's own documents read into a cluster? At rest, each by the tablet that has its host.

All files belong to one tablet, the mails of an account to one: it looks at its sources as a
collection does, and the others have no part in it. A collection in a directory is its only tablet.
"""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from shoal.access.opening import open_collection, settings_at
from shoal.clock import SystemClock
from shoal.cluster.objects import Objects, open_objects
from shoal.collection.view import TabletView
from shoal.config import Config
from shoal.control import following, own_mail, own_sources
from shoal.control.own_sources import Added, Removed
from shoal.engine.engine import Engine
from shoal.engine.mail_sources import mail_row, row_of_source
from shoal.engine.own_looks import Tablet, remove_source
from shoal.engine.own_sources import Tell, rows
from shoal.errors import UsageError
from shoal.fleet.at_rest import held
from shoal.fleet.cluster_claim import Claimed
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.cluster_file import is_object_store, read
from shoal.layout.layout import Layout, is_cluster_place
from shoal.layout.tablet_place import tablet_name
from shoal.loop import run
from shoal.model.source import FOLDER, SourceRow
from shoal.model.urls.partition import tablet_of_row


def add_sources(
    place: str,
    paths: Sequence[str | Path],
    settings: Mapping[str, object],
    tell: Tell | None = None,
) -> Added:
    """Read folders or files into a collection or a cluster, and remember them."""
    if not is_cluster_place(place):
        return own_sources.add_sources(place, paths, settings, tell)
    return _add(place, own_sources.named_sources(paths), settings, tell)


def add_mail(  # noqa: PLR0913 - what to read, with what, for whom, and who is told
    place: str,
    mailbox: str | Path,
    settings: Mapping[str, object],
    *,
    password_file: str | Path | None = None,
    owner: str = "",
    tell: Tell | None = None,
) -> Added:
    """Read a mailbox into one, and remember it as a source."""
    if not is_cluster_place(place):
        return own_mail.add_mail(
            place, mailbox, settings, password_file=password_file, owner=owner, tell=tell
        )
    row = mail_row(str(mailbox), password_file, owner, SystemClock().now())
    return _add(place, [row], settings, tell)


def watch_sources(
    place: str, settings: Mapping[str, object], tell: Tell | None = None
) -> signal.Signals | None:
    """Follow all sources until a signal comes, which is returned. The cluster is at rest: nobody
    starts it meanwhile."""
    if not is_cluster_place(place):
        return following.watch_sources(place, settings, tell)
    if is_object_store(place):
        raise UsageError(
            f"{place} is read as of its last checkpoint, so its sources are not followed; look at "
            "them again with: shoal add PATH"
        )
    config = settings_at(place, settings, os.environ)
    numbers = [each for each, names in enumerate(_names(place)) if names]
    if not numbers:
        raise UsageError(f"nothing of your own is read into {place}: shoal add PATH")
    with _claimed(place, config) as objects, ExitStack() as stack:
        places = [stack.enter_context(_tablet(place, objects, each)) for each in numbers]
        return run(own_sources.watch_all(places, config, tell))


def remove_source_at(place: str, path: str | Path) -> Removed:
    """Forget a source, and what was read of it."""
    if not is_cluster_place(place):
        return own_sources.remove_source_at(place, path)
    config, name = settings_at(place, {}, os.environ), own_sources.name_of(path)
    number = next((each for each, names in enumerate(_names(place)) if name in names), None)
    if number is None:
        raise UsageError(f"{os.fsdecode(name)} is no source of this cluster")
    with _claimed(place, config) as objects, _tablet(place, objects, number) as tablet:
        return own_sources.removed(name, run(remove_source(tablet, config, name)))


def _add(
    place: str,
    added: Sequence[bytes | SourceRow],
    settings: Mapping[str, object],
    tell: Tell | None,
) -> Added:
    config = settings_at(place, settings, os.environ)
    first = SourceRow(FOLDER, added[0]) if isinstance(added[0], bytes) else added[0]
    if not is_object_store(place):
        Layout(_home(place)).close_to_others()
    with _claimed(place, config) as objects:
        number = tablet_of_row(row_of_source(first), read(place, objects).tablets)
        with _tablet(place, objects, number) as tablet:
            return run(own_sources.add_to(tablet, config, added, tell))


def _names(place: str) -> list[list[bytes]]:
    """Of the sources of each tablet."""
    with open_collection(place) as collection:
        return collection.tablets.ask_all(_names_in)


def _names_in(view: TabletView) -> list[bytes]:
    return [row.name for row in rows(view.table)]


@contextmanager
def _claimed(place: str, config: Config) -> Iterator[Objects]:
    """A cluster that nobody starts meanwhile. One that never ran has its tablets made."""
    objects = open_objects(place)
    with Claimed(place, objects):
        for number in range(read(place, objects).tablets):
            if not objects.names(f"tablets/{tablet_name(number)}/"):
                with _tablet(place, objects, number) as tablet:
                    run(_made(tablet, config))
        yield objects


async def _made(tablet: Tablet, config: Config) -> None:
    engine = Engine(tablet.directory, config, at_rest=True, identity=tablet.identity)
    await engine.close()
    bring_up_to_date(tablet.directory)


@contextmanager
def _tablet(place: str, objects: Objects, number: int) -> Iterator[Tablet]:
    with held(place, objects, number) as tablet:
        Layout(tablet.directory).close_to_others()
        yield Tablet(tablet.directory, tablet.identity, _home(place))


def _home(place: str) -> Path:
    return Path(place.removeprefix("file://"))
