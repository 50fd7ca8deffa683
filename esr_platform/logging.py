"""Logs as structlog writes them: one event a line, with its values named. Called once, by the settings."""

from __future__ import annotations

import logging.config
import re
from collections.abc import MutableMapping
from typing import Any, Final

import structlog
from celery.signals import setup_logging

_LONGEST: Final = 200
"""Characters of what strangers choose: URLs and User-Agent headers have up to 32 KiB."""

_SECRET: Final = re.compile(r"(/account/(?:feed|emails/off|password/reset/key|confirm-email)/)[^/\s]+")
"""Parts of URLs that give access to whoever knows them."""


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
    """Who sent ``request``. Reads nothing from the database: a user is named only if the request has loaded them."""
    if request is None:
        return ""
    user = getattr(getattr(request, "_cached_user", None), "pk", None)
    parts = [str(request.method), str(request.META.get("REMOTE_ADDR", "")), f"user {user}" if user else ""]
    return f" ({', '.join(filter(None, parts))})"[: _LONGEST // 2]


class ShortRejections(logging.Filter):
    """Makes one short warning of a request that Django rejects: strangers cause them, and choose their length.

    It names the method, the client address and the user, if known. A rejected Host header comes as an error with a
    traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        rejected = record.name.startswith("django.security.")
        if rejected or (record.name == "django.request" and record.levelno < logging.ERROR):
            source = _source(
                record.__dict__.pop("request", None)
            )  # gone, so that a second handler does not add it again
            record.msg, record.args = _short(record.getMessage(), _LONGEST - len(source)) + source, ()
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True


def logging_config(level: str, *, colors: bool) -> None:
    """Send everything of ``level`` (a name of :mod:`logging`) and above to standard error, once, as one line each."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "console": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "processor": structlog.dev.ConsoleRenderer(
                        colors=colors,
                        exception_formatter=structlog.dev.plain_traceback,  # a rich one shows locals: seeds and keys
                    ),
                    "foreign_pre_chain": _SHARED,
                }
            },
            "filters": {"short": {"()": ShortRejections}},
            "handlers": {
                "console": {"class": "logging.StreamHandler", "formatter": "console", "filters": ["short"]},
            },
            "loggers": {"psycopg.pool": {"level": "ERROR"}},  # it warns at every try, the caller is told at the end
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
    """Connected so that Celery leaves the logging alone."""
