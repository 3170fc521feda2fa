"""A real S3 server on loopback, and a bucket in it."""

import secrets
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest


class Bucket(NamedTuple):
    place: str
    environment: dict[str, str]
    """As a person would set it."""


@contextmanager
def s3_bucket() -> Iterator[Bucket]:
    moto = pytest.importorskip("moto.server", reason="moto, the S3 server for tests, is missing")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        bucket = f"bucket-{secrets.token_hex(4)}"  # servers of one process share what they hold
        made = urllib.request.Request(f"{endpoint}/{bucket}", method="PUT")  # noqa: S310 - loopback
        urllib.request.urlopen(made).close()  # noqa: S310
        keys = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "secret"}
        place = {"AWS_ENDPOINT_URL": endpoint, "AWS_REGION": "us-east-1"}
        yield Bucket(f"s3://{bucket}/in/here", {**keys, **place})
    finally:
        server.stop()
