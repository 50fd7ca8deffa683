"""What Django is told about the storage of uploads: a folder of this machine, or a bucket of an S3-compatible store."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def uploads_storage(folder: Path, bucket: str, endpoint: str) -> dict[str, Any]:
    """The entry of ``STORAGES``: in ``folder``, or in ``bucket`` if that is not empty.

    ``endpoint`` is the store's address, empty for that of AWS; its keys come from where boto3 looks for them
    (``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, a role). Raises ``SystemExit`` with a sentence where the package
    for it is missing.
    """
    return _bucket(bucket, endpoint) if bucket else _folder(folder)


def _folder(folder: Path) -> dict[str, Any]:
    return {
        "BACKEND": "bots.uploads.storage.WholeFileStorage",
        "OPTIONS": {
            "location": str(folder),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
            "allow_overwrite": True,
        },
    }


def _bucket(bucket: str, endpoint: str) -> dict[str, Any]:
    try:
        from botocore.config import Config  # only here is it needed, and only here need it be installed
    except ModuleNotFoundError:
        raise SystemExit(
            "UPLOADS_S3_BUCKET is set, but django-storages[s3] is not installed: pip install '.[server,s3]'."
        ) from None
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket,
            "endpoint_url": endpoint or None,
            "file_overwrite": True,  # a name is the hash of the bytes
            "client_config": Config(connect_timeout=5, read_timeout=20, retries={"total_max_attempts": 3}),
        },
    }
