"""Settings of Django that follow from environment variables: the database and the storage of uploads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import environ

# --- Database --------------------------------------------------------------------------------------------------------

SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
}
"""Measured: three processes writing 3000 matches saw not one "database is locked" with these, hundreds without."""

POSTGRESQL_OPTIONS = {"pool": {"min_size": 0, "max_size": 14, "timeout": 10}}
"""Pooled, since a thread of the web server lives no longer than its request. Six are kept by those of live views."""


def database(url: str, default: Path) -> dict[str, Any]:
    """The entry of ``DATABASES`` for a ``DATABASE_URL``; an empty one is the SQLite file ``default``."""
    settings: dict[str, Any] = environ.Env.db_url_config(url or f"sqlite:///{default}")
    sqlite = settings["ENGINE"].endswith("sqlite3")
    options = SQLITE_OPTIONS if sqlite else POSTGRESQL_OPTIONS
    settings["OPTIONS"] = {**options, **settings.get("OPTIONS", {})}
    settings["CONN_HEALTH_CHECKS"] = True  # or the pool would hand out connections to a server that is gone
    settings["ATOMIC_REQUESTS"] = False  # every page would take the write lock
    return settings


# --- Storage ---------------------------------------------------------------------------------------------------------


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
