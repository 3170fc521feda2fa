"""Where do machines keep what all of them must find? Objects: whole files under a key, put at once.

Ownership and checkpoints need one promise of a store: of two that create the same key one is told
that it is there (`Exists`), however close they are. S3 has it since 2024 (If-None-Match), GCS and
Azure always had, a directory has link(2). An object is there whole or not at all, after a kill too.

A key is a relative path; prefixes are folders, as obstore has them: `a/b` is above `a/b/c`, not
above `a/bc`. What a store refuses after all retries is a `StoreFault`: try again later.
"""

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shoal.errors import CollectionError, UsageError

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

_SCHEMES = ("s3", "gs", "az")
_ENDPOINTS = ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AZURE_ENDPOINT")
_ALLOWANCES = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP")
_CHUNK_BYTES = 8 << 20
_CHUNKS_AT_ONCE = 2
"""Of one file: several are put at once, and each chunk is in memory."""
_LISTED_AT_ONCE = 1000
_DELETED_AT_ONCE = 1000
_CONNECT_TIMEOUT = timedelta(seconds=5)
_REQUEST_TIMEOUT = timedelta(seconds=60)
"""Of one request, with its body: a chunk at 1 Mbit/s."""
_MOST_RETRIES = 6
_RETRY_TIMEOUT = timedelta(seconds=60)

_METADATA_ADDRESS = "169.254.169.254"


class StoreFault(CollectionError):
    """The store did not do it, or did not say so: it may or may not have happened."""


class Exists(CollectionError):
    """Somebody else has created this object."""


class Missing(CollectionError):
    """There is no such object."""


class Objects(Protocol):
    """A store of whole objects; any thread may use it."""

    def put(self, key: str, data: bytes | Path, *, create: bool = False) -> None:
        """Durable when it returns. With `create`, raises `Exists` when it is there already.

        When an answer is lost on its way the request is repeated, and what exists is one's own:
        whoever claims something writes a token of its own, and looks.
        """
        ...

    def get(self, key: str) -> bytes:
        """Raises `Missing`."""
        ...

    def fetch(self, key: str, path: Path) -> None:
        """Into a file, which is replaced; a fault leaves none."""
        ...

    def exists(self, key: str) -> bool: ...

    def names(self, prefix: str = "") -> list[tuple[str, int]]:
        """Whole keys below a folder, sorted, with their sizes in bytes."""
        ...

    def delete(self, keys: Iterable[str]) -> None:
        """Those that are not there are no fault."""
        ...


class CloudObjects:
    """A bucket of S3, GCS or Azure, or whatever else obstore speaks to."""

    def __init__(self, store: "ObjectStore", place: str) -> None:
        self._store = store
        self._place = place

    def put(self, key: str, data: bytes | Path, *, create: bool = False) -> None:
        with self._faults_told(key, "written"):
            if create:
                self._store.put(key, data, mode="create")
            elif isinstance(data, bytes):
                self._store.put(key, data, use_multipart=False)
            else:
                at_once = _CHUNKS_AT_ONCE
                self._store.put(key, data, chunk_size=_CHUNK_BYTES, max_concurrency=at_once)

    def get(self, key: str) -> bytes:
        with self._faults_told(key, "read"):
            return self._store.get(key).bytes().to_bytes()

    def fetch(self, key: str, path: Path) -> None:
        """In pieces, each a request with its own time limit and its own retries."""
        try:
            with self._faults_told(key, "read"):
                size = self._store.head(key)["size"]
                with path.open("wb") as file:
                    for start in range(0, size, _CHUNK_BYTES):
                        end = min(start + _CHUNK_BYTES, size)
                        file.write(self._store.get_range(key, start=start, end=end))
        except CollectionError:
            path.unlink(missing_ok=True)
            raise

    def exists(self, key: str) -> bool:
        try:
            with self._faults_told(key, "looked for"):
                self._store.head(key)
        except Missing:
            return False
        return True

    def names(self, prefix: str = "") -> list[tuple[str, int]]:
        folder = prefix.strip("/")
        with self._faults_told(folder or "what is there", "listed"):
            pages = self._store.list(folder or None, chunk_size=_LISTED_AT_ONCE)
            return sorted((each["path"], each["size"]) for page in pages for each in page)

    def delete(self, keys: Iterable[str]) -> None:
        left = list(keys)
        while left:
            now, left = left[:_DELETED_AT_ONCE], left[_DELETED_AT_ONCE:]
            try:
                with self._faults_told(now[0], "deleted"):
                    self._store.delete(now)
            except Missing:
                self._delete_each(now)

    def _delete_each(self, keys: Iterable[str]) -> None:
        """GCS and Azure stop at one that is not there."""
        for key in keys:
            try:
                with self._faults_told(key, "deleted"):
                    self._store.delete(key)
            except Missing:
                continue

    @contextmanager
    def _faults_told(self, key: str, done: str) -> Iterator[None]:
        from obstore.exceptions import AlreadyExistsError, BaseError  # noqa: PLC0415 - an extra

        must_be_key(key)
        try:
            yield
        except AlreadyExistsError as error:
            raise Exists(f"{key} is in {self._place} already.") from error
        except FileNotFoundError as error:
            if done in ("written", "listed"):  # there is no such bucket
                raise StoreFault(self._sentence(key, done, error)) from error
            raise Missing(f"There is no {key} in {self._place}.") from error
        except (BaseError, OSError) as error:
            raise StoreFault(self._sentence(key, done, error)) from error

    def _sentence(self, key: str, done: str, error: Exception) -> str:
        says = _first_line(error)
        if _METADATA_ADDRESS in says:  # where a machine in a cloud is given credentials
            says = "no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        return f"{key} can't be {done} in {self._place}: {says}"


def open_objects(place: str) -> Objects:
    """The store that is meant: a directory, or s3://bucket/prefix, gs://…, az://…; credentials and
    endpoints are taken from the environment variables that other tools of these stores use."""
    scheme, is_url, rest = place.partition("://")
    if not is_url:
        from shoal.cluster.directory_objects import DirectoryObjects  # noqa: PLC0415 - it needs this module

        return DirectoryObjects(Path(place))
    if scheme not in _SCHEMES or not rest.strip("/"):
        raise UsageError(
            f"{place} is no place for objects; use a directory, s3://bucket/prefix, "
            "gs://bucket/prefix or az://container/prefix."
        )
    try:
        from obstore.exceptions import BaseError  # noqa: PLC0415
        from obstore.store import from_url  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(
            f"{place} needs the library obstore; install it with: pip install 'shoal[ray]'"
        ) from error
    client: ClientConfig = {
        "connect_timeout": _CONNECT_TIMEOUT,
        "timeout": _REQUEST_TIMEOUT,
        "allow_http": _may_use_http(os.environ),
    }
    retries: RetryConfig = {"max_retries": _MOST_RETRIES, "retry_timeout": _RETRY_TIMEOUT}
    try:
        return CloudObjects(from_url(place, client_options=client, retry_config=retries), place)
    except (BaseError, ValueError) as error:
        raise UsageError(f"{place} can't be opened: {_first_line(error)}") from error


def _may_use_http(environment: Mapping[str, str]) -> bool:
    """Who names an endpoint by http:// has allowed it."""
    return any(environment.get(name, "").startswith("http://") for name in _ENDPOINTS) or any(
        environment.get(name, "").lower() in ("true", "1") for name in _ALLOWANCES
    )


def _first_line(error: Exception) -> str:
    """Without the library's inner state, which comes behind it."""
    return str(error).partition("\n")[0].rstrip(".") + "."


def must_create_once(objects: Objects) -> None:
    """Some stores that speak S3 ignore the condition of a put: two could own one tablet there."""
    key = f"probe/{uuid.uuid4().hex}"
    try:
        objects.put(key, b"first", create=True)
        objects.put(key, b"second", create=True)
    except Exists:
        return
    finally:
        objects.delete([key])
    raise UsageError(
        "This store lets two create one object, so nobody would know whose a tablet is; "
        "use one that keeps to If-None-Match, or a directory."
    )


def must_be_key(key: str) -> None:
    """Nothing that a directory or a URL would take for another."""
    parts = key.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\0" in key:
        raise UsageError(f"{key!r} is no key of an object; use a relative path without dots.")
