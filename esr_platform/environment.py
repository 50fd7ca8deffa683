"""Django settings derived from environment variables: values of each kind, the database and the upload storage.

A wrong value raises ``SystemExit`` with one line, which names the variable, the value and an example. The value is not
shown if it can contain a password.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import environ
import pyrage
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from esr_platform.logging import hide_secrets

# --- Numbers, words and URLs -----------------------------------------------------------------------------------------


def _whole_number(text: str, least: int = 0) -> int:
    number = int(text)
    if number < least:
        raise ValueError
    return number


_count: Final = partial(_whole_number, least=1)


def _number(text: str, least: float, most: float) -> float:
    number = float(text)
    if not least <= number <= most:
        raise ValueError
    return number


_share: Final = partial(_number, least=0.01, most=0.99)
_percent: Final = partial(_number, least=0.0, most=100.0)


def _yes_or_no(text: str) -> bool:
    if text.lower() in environ.Env.BOOLEAN_TRUE_STRINGS:
        return True
    if text.lower() in ("", "0", "f", "false", "n", "no", "off"):
        return False
    raise ValueError


_KINDS: Final[Mapping[object, tuple[Callable[[str], object], str, object]]] = {
    int: (_whole_number, "a whole number from 0, without a unit", 100),
    _count: (_count, "a whole number from 1, without a unit", 100),
    _share: (_share, "a number from 0.01 to 0.99", 0.5),
    _percent: (_percent, "a number from 0 to 100, without a unit", 2.0),
    bool: (_yes_or_no, "`yes` or `no`", "no"),
}
"""Types of values: how to read one, what it must be, and an example if the variable has no default."""


class Env(environ.Env):  # type: ignore[misc]  # django-environ has no types
    """Environment variables, whose numbers and truth values are read strictly."""

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: bool = False
    ) -> Any:
        """Return the value of ``var``, of the type ``cast``, or ``default``. Raises ``SystemExit``."""
        if cast not in _KINDS or var not in self.ENVIRON:
            return super().get_value(var, cast, default, parse_default)
        read, kind, example = _KINDS[cast]
        text = self.ENVIRON[var]
        try:
            return read(text.strip())
        except ValueError:
            if type(default) in (int, float):
                example = default
            raise SystemExit(f"{var} must be {kind}, not {text!r}. Example: {var}={example}") from None

    def count(self, var: str, default: int) -> int:
        """Return a number of which the site needs at least one, and 0 would stop it. Raises ``SystemExit``."""
        return int(self.get_value(var, cast=_count, default=default))

    def share(self, var: str, default: float) -> float:
        """Return a share that leaves something to both sides, from 0.01 to 0.99. Raises ``SystemExit``."""
        return float(self.get_value(var, cast=_share, default=default))

    def percent(self, var: str, default: float) -> float:
        """Return a number from 0 to 100. Raises ``SystemExit``."""
        return float(self.get_value(var, cast=_percent, default=default))

    def email_url(self, var: str = "EMAIL_URL", default: Any = environ.Env.NOTSET, backend: Any = None) -> Any:
        """Return the settings of the mail server. An empty URL means ``default``. Raises ``SystemExit``."""
        try:
            found = self.email_url_config(self.str(var, default="") or default, backend=backend)
            if found["EMAIL_BACKEND"].endswith("smtp.EmailBackend") and not found["EMAIL_HOST"]:
                raise ImproperlyConfigured("no host")
        except (ImproperlyConfigured, ValueError):
            raise SystemExit(
                f"{var} is not the URL of a mail server. Example: {var}=smtp+tls://user:password@mail.example.org:587 "
                f"({_ENCODING})"
            ) from None
        return found


_ENCODING: Final = "write special characters of the password in percent-encoding, for example %40 for @"


def one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    """Return ``value``. Raises ``SystemExit`` if it is not one of ``allowed``."""
    if value not in allowed:
        raise SystemExit(f"{name} must be one of {', '.join(allowed)}, not {value!r}. Example: {name}={allowed[0]}")
    return value


def http_url(name: str, value: str) -> str:
    """Return ``value``. Raises ``SystemExit`` if it is neither empty nor an HTTP URL."""
    if value and not _is_http(_parts(value)):
        raise SystemExit(
            f"{name} must be a URL with http:// or https://, not {hide_secrets(value)!r}. "
            f"Example: {name}=http://localhost:4318"
        )
    return value


def redis_url(value: str) -> str:
    """Return ``REDIS_URL``. Raises ``SystemExit`` if it is not the URL of a Redis server."""
    parts = _parts(value)
    if not (parts.scheme in ("redis", "rediss") and parts.hostname) and not (parts.scheme == "unix" and parts.path):
        raise SystemExit(
            "REDIS_URL is not the URL of a Redis server. "
            f"Example: REDIS_URL=redis://:password@localhost:6379 ({_ENCODING})"
        )
    return value


def sentry_dsn(value: str) -> str:
    """Return ``SENTRY_DSN``. Raises ``SystemExit`` if it is neither empty nor a URL with a key and a project."""
    parts = _parts(value)
    if value and not (_is_http(parts) and parts.username and parts.path.rpartition("/")[2].isdecimal()):
        raise SystemExit(
            "SENTRY_DSN must be the DSN of a project, which contains its public key and its number. "
            "Example: SENTRY_DSN=https://0123456789abcdef@sentry.example.org/1"
        )
    return value


def _parts(url: str) -> SplitResult:
    """The parts of ``url``, which are empty if it has a wrong port or host."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return urlsplit("")
    return parts


def _is_http(parts: SplitResult) -> bool:
    return parts.scheme in ("http", "https") and bool(parts.hostname)


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
    """Return the ``DATABASES`` entry for ``DATABASE_URL``. An empty URL means the SQLite file ``default``.

    Raises ``SystemExit`` if the URL is not that of a PostgreSQL or SQLite database.
    """
    url = url or f"sqlite:///{default}"
    settings: dict[str, Any] = {}
    with suppress(ValueError):  # of a wrong port
        if urlsplit(url).scheme:  # otherwise django-environ warns, with the password
            settings = environ.Env.db_url_config(url)
    engine = settings.get("ENGINE", "")
    sqlite = engine == "django.db.backends.sqlite3"
    named = settings.get("NAME") or "service" in settings.get("OPTIONS", {})
    if not (sqlite or engine == "django.db.backends.postgresql") or not named:
        raise SystemExit(
            "DATABASE_URL is not the URL of a PostgreSQL database. "
            f"Example: DATABASE_URL=postgres://user:password@localhost:5432/steinreich ({_ENCODING})"
        )
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


# --- Backups ---------------------------------------------------------------------------------------------------------


def check_backup_keys(**keys: str) -> None:
    """Raise ``SystemExit`` if one of ``keys`` is neither empty nor a public key of age, or if two are equal."""
    for name, value in keys.items():
        try:
            if value:
                pyrage.x25519.Recipient.from_str(value)
        except pyrage.RecipientError:
            raise SystemExit(
                f"{name} is not a public key of `manage.py backup_keys`, which begins with age1 and has 62 characters. "
                f"Example: {name}=age1…"
            ) from None
    given = [value for value in keys.values() if value]
    if len(set(given)) < len(given):
        raise SystemExit(f"{' and '.join(keys)} are equal. Use the two different keys of `manage.py backup_keys`.")


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
