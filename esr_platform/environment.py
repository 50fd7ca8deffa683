"""Django settings derived from environment variables: the database, the upload storage and email addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

# --- Database --------------------------------------------------------------------------------------------------------

SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
}
"""With these options, three processes wrote 3,000 matches without a "database is locked" error (before: hundreds)."""

POSTGRESQL_OPTIONS = {"pool": {"min_size": 0, "max_size": 14, "timeout": 10}}
"""Connections are pooled because a web server thread lasts only for one request.

Web processes have their own limits (``esr_platform.admission``).
"""


def database(url: str, default: Path) -> dict[str, Any]:
    """Return the ``DATABASES`` entry for ``DATABASE_URL``. An empty URL means the SQLite file ``default``."""
    settings: dict[str, Any] = environ.Env.db_url_config(url or f"sqlite:///{default}")
    sqlite = settings["ENGINE"].endswith("sqlite3")
    options = SQLITE_OPTIONS if sqlite else POSTGRESQL_OPTIONS
    settings["OPTIONS"] = {**options, **settings.get("OPTIONS", {})}
    settings["CONN_HEALTH_CHECKS"] = True  # otherwise the pool returns dead connections
    settings["ATOMIC_REQUESTS"] = False  # otherwise every page takes the write lock
    return settings


# --- Storage ---------------------------------------------------------------------------------------------------------


def uploads_storage(folder: Path, bucket: str, endpoint: str) -> dict[str, Any]:
    """Return the ``STORAGES`` entry for uploads in ``folder``, or in the S3 bucket ``bucket`` if it is not empty.

    ``endpoint`` is the URL of the store; empty means AWS. boto3 finds the credentials (``AWS_ACCESS_KEY_ID``,
    ``AWS_SECRET_ACCESS_KEY`` or a role). Raises ``SystemExit`` if django-storages is not installed.
    """
    return _bucket(bucket, endpoint) if bucket else _folder(folder)


def _folder(folder: Path) -> dict[str, Any]:
    """The storage in ``folder``, which is created so that backups of a new site find it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
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
        from botocore.config import Config  # an optional dependency
    except ModuleNotFoundError:
        raise SystemExit(
            "UPLOADS_S3_BUCKET requires django-storages[s3]. "
            "Run: .venv/bin/pip install --require-hashes -r requirements/base-s3.txt"
        ) from None
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket,
            "endpoint_url": endpoint or None,
            "file_overwrite": True,  # names are content hashes
            "client_config": Config(
                connect_timeout=5,
                read_timeout=20,
                retries={"total_max_attempts": 3},
                # Otherwise boto3 sends bodies over HTTPS in chunks with a checksum, which some stores keep as the file.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        },
    }


# --- Email -----------------------------------------------------------------------------------------------------------


def email_address(name: str, value: str) -> str:
    """Return ``value`` without surrounding spaces if it is one email address or empty, or raise ``SystemExit``."""
    value = value.strip()
    try:
        if value:
            validate_email(value)
    except ValidationError:
        raise SystemExit(
            f"{name} is not an email address: {value!r}. Set one address, for example {name}=staff@example.org."
        ) from None
    return value
