"""The shared cache on an S3 server of this machine: with `pip install s3fs 'moto[server]'`, which CI does without."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest

from mgaudit.facts.remote import Remote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engine.conftest import Tree

moto = pytest.importorskip("moto.server")
s3fs = pytest.importorskip("s3fs")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a bucket on a server of its own."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    s3fs.S3FileSystem.clear_instance_cache()
    name = f"facts-{uuid.uuid4()}"
    s3fs.S3FileSystem().mkdir(name)
    yield f"s3://{name}"
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


def test_what_one_machine_parsed_no_other_does(tree: Tree, tmp_path: Path, bucket: str) -> None:
    first = tree.analyse(cache=tmp_path / "first", remote=Remote(f"{bucket}/mgaudit"))
    remote = Remote(f"{bucket}/mgaudit", read_only=True)
    second = tree.analyse(cache=tmp_path / "second", remote=remote)
    assert (len(first.statistics.parsed), second.statistics.shared) == (3, 3)
    assert (second.statistics.parsed, remote.failure, remote.damaged) == ({}, None, 0)
    assert tree.dump_of(second) == tree.dump_of(first)


def test_a_bucket_that_is_not_there_is_told_and_not_made(tree: Tree, tmp_path: Path, bucket: str) -> None:
    analysis = tree.analyse(cache=tmp_path / "first", remote=Remote("s3://misspelt/mgaudit"))
    assert len(analysis.statistics.parsed) == 3
    (warning,) = analysis.warnings
    assert warning.message.startswith("the shared cache s3://misspelt/mgaudit cannot be used: ")
    assert "misspelt" not in s3fs.S3FileSystem().ls("", refresh=True)


def test_a_damaged_entry_is_made_good(tree: Tree, tmp_path: Path, bucket: str) -> None:
    alone = tree.dump_of(tree.analyse(cache=tmp_path / "first", remote=Remote(bucket)))
    system = s3fs.S3FileSystem()
    for path in system.find(bucket):
        if "/unit/" in path:
            system.pipe(path, system.cat(path)[:-3])
    second = tree.analyse(cache=tmp_path / "second", remote=Remote(bucket))
    assert (len(second.statistics.parsed), tree.dump_of(second)) == (3, alone)
    assert not tree.analyse(cache=tmp_path / "third", remote=Remote(bucket)).statistics.parsed
