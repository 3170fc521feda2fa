"""Which topics has a collection, what was said of them, and what was learned? Rows of its table,
and a file for each model, from which the children of a crawl read it."""

from collections.abc import Iterator
from pathlib import Path

from shoal.model.compression import unzstd, zstd
from shoal.model.record import JSON_ERRORS, pack, unpack
from shoal.model.words.topic import (
    AFTER_TOPICS,
    MOST_LABELS,
    TOPIC_KEYS,
    Label,
    Learned,
    Progress,
    Topic,
    label_key,
    label_keys,
    learned_key,
    progress_key,
    topic_key,
    topic_prefix,
)
from shoal.ports import Batch, Table
from shoal.whole_file import write_whole

TOPICS = "topics"
"""The folder of the models' files, in the collection."""


def topics_of(table: Table) -> Iterator[Topic]:
    for key, stored in table.scan("site", TOPIC_KEYS, AFTER_TOPICS):
        if key == topic_key(key[len(TOPIC_KEYS) :].partition(b"\0")[0].decode("ascii", "replace")):
            yield unpack(Topic, stored)


def topic_of(table: Table, name: str) -> Topic | None:
    stored = table.get("site", topic_key(name))
    return None if stored is None else unpack(Topic, stored)


def labels_of(table: Table, name: str) -> list[Label]:
    prefix = label_keys(name)
    end = prefix[:-1] + b"\x01"
    return [unpack(Label, stored) for _, stored in table.scan("site", prefix, end)][:MOST_LABELS]


def learned_of(table: Table, name: str) -> Learned:
    """What does not read is learned anew."""
    stored = table.get("site", learned_key(name))
    try:
        return Learned() if stored is None else unpack(Learned, unzstd(stored))
    except (*JSON_ERRORS, ValueError):
        return Learned()


def progress_of(table: Table, name: str) -> Progress:
    stored = table.get("site", progress_key(name))
    try:
        return Progress() if stored is None else unpack(Progress, stored)
    except JSON_ERRORS:
        return Progress()


def put_learned(batch: Batch, name: str, learned: Learned) -> None:
    batch.put("site", learned_key(name), zstd(pack(learned)))


def put_progress(batch: Batch, name: str, progress: Progress) -> None:
    batch.put("site", progress_key(name), pack(progress))


def put_topic(batch: Batch, topic: Topic) -> None:
    batch.put("site", topic_key(topic.name), pack(topic))


def put_label(batch: Batch, name: str, label: Label) -> None:
    batch.put("site", label_key(name, label.url), pack(label))


def delete_label(batch: Batch, name: str, url: str) -> None:
    batch.delete("site", label_key(name, url))


def delete_topic(table: Table, batch: Batch, name: str) -> None:
    prefix = topic_prefix(name)
    for key, _ in table.scan("site", prefix, prefix[:-1] + b"\x01"):
        batch.delete("site", key)


def model_file(directory: Path, name: str) -> Path:
    return directory / TOPICS / f"{name}.model"


def write_model(directory: Path, name: str, model: bytes) -> None:
    path = model_file(directory, name)
    path.parent.mkdir(exist_ok=True)
    write_whole(path, model)
