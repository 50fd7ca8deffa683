"""Logging configuration with structlog: one event per line with named values. The settings call it once."""

from __future__ import annotations

import json
import logging.config
import re
import sys
from collections.abc import Iterable, MutableMapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import structlog
from celery.signals import setup_logging

from esr_platform.disconnects import is_not_writable, is_overload

_LONGEST: Final = 200
"""Maximum length of values that clients control. URLs and User-Agent headers can have up to 32 KiB."""

LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

PRIVATE_URLS: Final = "account/(?:feed|emails/off|password/reset/key|confirm-email)/"
"""The URLs whose next part is secret."""

_SECRET: Final = re.compile(rf"(/{PRIVATE_URLS})[^/\s]+")


def _shortened(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in ("request", "user_agent"):
        if isinstance(event.get(name), str):
            event[name] = _short(event[name], _LONGEST)
    return event


def _short(text: str, longest: int) -> str:
    return _SECRET.sub(r"\1…", text)[:longest]


_SHARED: list[Any] = [
    _shortened,
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
]

json_times: Final = structlog.processors.TimeStamper(fmt="iso", utc=True)
"""Adds the time to a line in JSON."""

HIDDEN: Final = "[hidden]"
SHORTEST_SECRET: Final = 6
"""Shorter values would also hide parts of ordinary words."""

_PATTERNS: Final = (
    r"esr_[A-Za-z0-9_-]{40,}",  # API tokens, but not the name of the package
    r"(?<=://)[^\s/@\"'\\]+(?=@)",  # user names and passwords in URLs
    r"(?<=Bearer )[^\s\"',\\]+",  # without a backslash, which belongs to the quotation mark after it in JSON
)

_secrets = re.compile("|".join(_PATTERNS))


def hide_secrets(text: str) -> str:
    """Return ``text`` without the secrets of the settings and without everything that looks like a secret."""
    return _secrets.sub(HIDDEN, text)


def _know_secrets(secrets: Iterable[str | bytes | None]) -> None:
    """Hide ``secrets`` in all further lines: as they are, in URLs and in JSON."""
    global _secrets
    texts = [secret.decode("latin-1") if isinstance(secret, bytes) else secret or "" for secret in secrets]
    known = [text for text in texts if len(text) >= SHORTEST_SECRET]
    written = {form for text in known for form in (text, quote(text, safe=""), json.dumps(text)[1:-1])}
    ordered = sorted(written, key=len, reverse=True)
    _secrets = re.compile("|".join((*map(re.escape, ordered), *_PATTERNS)))


def _source(request: Any) -> str:
    """Describe the client of ``request``. The user is included only if it is already loaded; no query is made."""
    if request is None:
        return ""
    user = getattr(getattr(request, "_cached_user", None), "pk", None)
    parts = [str(request.method), str(request.META.get("REMOTE_ADDR", "")), f"user {user}" if user else ""]
    return f" ({', '.join(filter(None, parts))})"[: _LONGEST // 2]


class ShortRejections(logging.Filter):
    """Shortens messages about rejected requests to one warning, because clients control their number and length.

    The warning names the method, the client IP address and the user, if known. Django logs a rejected Host header as
    an error with a traceback; it also becomes a short warning.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        rejected = record.name.startswith("django.security.")
        if rejected or (record.name == "django.request" and record.levelno < logging.ERROR):
            source = _source(
                record.__dict__.pop("request", None)
            )  # removed, so that a second handler does not add it again
            record.msg, record.args = _short(record.getMessage(), _LONGEST - len(source)) + source, ()
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True


class NoTemporaryFailures(logging.Filter):
    """Drops messages about single responses with status 503.

    The code that returns them logs the reason, under overload once per second (``esr_platform.overload``). A message
    for each of them would slow an overloaded site down.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        event = record.msg if isinstance(record.msg, dict) else {}  # of structlog
        error = event.get("exc_info") or record.exc_info
        if error is True:
            error = sys.exc_info()
        if isinstance(error, tuple):
            error = error[1]
        unavailable = HTTPStatus.SERVICE_UNAVAILABLE in (getattr(record, "status_code", None), event.get("code"))
        explained = is_overload(error) or is_not_writable(error)
        return not (unavailable or (event.get("event") == "request_failed" and explained))


def logging_config(level: str, *, as_json: bool, colors: bool, secrets: Iterable[str | bytes | None] = ()) -> None:
    """Log everything of ``level`` (a name of :mod:`logging`) and above to stderr, one line per event.

    With ``as_json``, each line is a JSON object with the time in UTC. No line contains one of ``secrets``.
    """
    render: list[Any]
    if as_json:
        times = json_times
        render = [structlog.processors.ExceptionRenderer(), structlog.processors.JSONRenderer(ensure_ascii=False)]
    else:
        times = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False)
        # rich tracebacks show local variables
        plain = structlog.dev.plain_traceback
        render = [structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)]
    shared = [*_SHARED, times]
    _know_secrets(secrets)
    shown = render.pop()

    def rendered(logger: Any, method: str, event: MutableMapping[str, Any]) -> str:
        """Hide secrets in the complete line, because tracebacks and messages of libraries can contain them."""
        return hide_secrets(str(shown(logger, method, event)))

    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "line": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render, rendered],
                    "foreign_pre_chain": shared,
                }
            },
            "filters": {"short": {"()": ShortRejections}, "temporary": {"()": NoTemporaryFailures}},
            "handlers": {
                "console": {
                    "class": "logging.StreamHandler",
                    "formatter": "line",
                    "filters": ["temporary", "short"],
                },
            },
            "loggers": {"psycopg.pool": {"level": "ERROR"}},  # the caller gets the final error
            "root": {"handlers": ["console"], "level": level.upper()},
        }
    )
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


@setup_logging.connect
def _keep_our_logging(**_: object) -> None:
    """Keep Celery from changing the logging configuration."""
