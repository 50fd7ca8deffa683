"""Logging configuration with structlog: one event per line with named values. The settings call it once."""

from __future__ import annotations

import logging.config
import re
import sys
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any, Final

import structlog
from celery.signals import setup_logging

from esr_platform.disconnects import is_overload

_LONGEST: Final = 200
"""Maximum length of values that clients control. URLs and User-Agent headers can have up to 32 KiB."""

_SECRET: Final = re.compile(r"(/account/(?:feed|emails/off|password/reset/key|confirm-email)/)[^/\s]+")
"""Secret parts of URLs."""


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
    structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
    structlog.stdlib.PositionalArgumentsFormatter(),
]


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
        return not (unavailable or (event.get("event") == "request_failed" and is_overload(error)))


def logging_config(level: str, *, colors: bool) -> None:
    """Log everything of ``level`` (a name of :mod:`logging`) and above to stderr, one line per event."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "console": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "processor": structlog.dev.ConsoleRenderer(
                        colors=colors,
                        exception_formatter=structlog.dev.plain_traceback,  # rich tracebacks show local variables
                    ),
                    "foreign_pre_chain": _SHARED,
                }
            },
            "filters": {"short": {"()": ShortRejections}, "temporary": {"()": NoTemporaryFailures}},
            "handlers": {
                "console": {
                    "class": "logging.StreamHandler",
                    "formatter": "console",
                    "filters": ["temporary", "short"],
                },
            },
            "loggers": {"psycopg.pool": {"level": "ERROR"}},  # the caller gets the final error
            "root": {"handlers": ["console"], "level": level.upper()},
        }
    )
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


@setup_logging.connect
def _keep_our_logging(**_: object) -> None:
    """Keep Celery from changing the logging configuration."""
