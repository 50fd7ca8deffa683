"""Uploads in an S3-compatible store: a real one, over HTTP, on this machine."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from django.conf import settings as site
from django.core.files.base import ContentFile
from moto.server import ThreadedMotoServer
from storages.backends.s3 import S3Storage
from urllib3 import HTTPResponse

from bots.sandbox import SandboxLauncher
from bots.uploads import storage
from bots.uploads.storage import ArchiveLost, archive_of, bytes_of, forget_orphans, keep
from bots.uploads.upload import NotStored, upload_version
from esr_platform.accounts.models import User
from esr_platform.environment import uploads_storage
from tests.bots.uploads.brought import DUEL_ONLY, HONEST, check, honest, uploaded
from tests.services.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)
BUCKET = "uploads-of-a-test"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(port=free_port(), verbose=False)
    server.start()
    yield f"http://127.0.0.1:{server._port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Any:
    """An empty bucket that is the storage of uploads."""
    keys = ("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test"), ("AWS_DEFAULT_REGION", "us-east-1")
    for name, value in keys:
        monkeypatch.setenv(name, value)
    bucket = boto3.resource("s3", endpoint_url=endpoint).Bucket(BUCKET)
    bucket.create()
    bucket.objects.delete()
    settings.STORAGES = {**settings.STORAGES, "uploads": uploads_storage(Path(site.VAR_DIR), BUCKET, endpoint)}
    return bucket


def test_an_upload_lies_in_the_bucket_as_it_came_and_is_checked_from_there(
    ada: User, bucket: Any, sandbox_launcher: SandboxLauncher
) -> None:
    data = honest(2000)
    version = uploaded(ada, data=data)
    assert [(stored.key, stored.size) for stored in bucket.objects.all()] == [(version.archive, len(data))]
    assert bytes_of(version) == data
    done = check(version.pk, sandbox_launcher)
    assert done is not None
    assert (done.state, done.reason) == ("ready", "")


def test_the_same_bytes_are_sent_once_and_broken_ones_again(ada: User, bob: User, bucket: Any) -> None:
    version = uploaded(ada)
    written = next(iter(bucket.objects.all())).last_modified
    uploaded(bob)
    assert [stored.last_modified for stored in bucket.objects.all()] == [written]
    bucket.put_object(Key=version.archive, Body=HONEST[:10])
    with pytest.raises(ArchiveLost):
        archive_of(version)
    upload_version(version.bot, "bot.py", HONEST, DUEL_ONLY)
    assert archive_of(version).digest == version.digest


def test_what_no_version_names_goes_from_the_bucket_after_a_day(
    ada: User, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = uploaded(ada)
    orphan = keep("bot.py", honest(2)).path
    assert forget_orphans() == 0
    monkeypatch.setattr(storage, "KEPT", timedelta(seconds=-5))  # nobody can make a file of a bucket older
    assert forget_orphans() == 1
    assert [stored.key for stored in bucket.objects.all()] == [version.archive] != [orphan]


def test_what_is_gone_from_the_bucket_is_said_to_be(ada: User, bucket: Any) -> None:
    version = uploaded(ada)
    bucket.objects.delete()
    with pytest.raises(ArchiveLost):
        bytes_of(version)


def test_a_store_that_does_not_answer_loses_nothing(ada: User, bucket: Any, settings: Any) -> None:
    first = uploaded(ada)
    working = settings.STORAGES
    nobody = uploads_storage(Path(site.VAR_DIR), BUCKET, f"http://127.0.0.1:{free_port()}")
    settings.STORAGES = {**working, "uploads": nobody}
    with pytest.raises(NotStored):
        upload_version(first.bot, "bot.py", honest(2), DUEL_ONLY)
    settings.STORAGES = working
    assert upload_version(first.bot, "bot.py", honest(2), DUEL_ONLY).number == 2


def test_a_file_is_sent_over_https_byte_for_byte(bucket: Any) -> None:
    store = S3Storage(**uploads_storage(Path(site.VAR_DIR), BUCKET, "https://store.example.org")["OPTIONS"])
    sent: list[tuple[Any, bytes]] = []

    def answer(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        sent.append((request.headers, request.body.read()))
        return AWSResponse(request.url, 200, {}, HTTPResponse(io.BytesIO(), preload_content=False))

    store.connection.meta.client.meta.events.register("before-send.s3.PutObject", answer)
    store.save("aa/bot.py", ContentFile(HONEST))
    ((headers, body),) = sent
    assert body == HONEST
    assert "aws-chunked" not in headers.get("Content-Encoding", "")


def test_a_bucket_without_the_package_for_it_is_refused_with_what_to_install() -> None:
    hidden = "import sys; sys.modules['botocore.config'] = None; import django; django.setup()"
    asked = subprocess.run(
        [sys.executable, "-c", hidden],
        env={"UPLOADS_S3_BUCKET": BUCKET, "DJANGO_SETTINGS_MODULE": "esr_platform.settings", "VAR_DIR": site.VAR_DIR},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 1
    assert "requirements/base-s3.txt" in asked.stderr
