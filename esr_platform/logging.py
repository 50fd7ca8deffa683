"""Logs as structlog writes them: one event a line, with its values named. Called once, by the settings."""

from __future__ import annotations

import logging.config
from collections.abc import MutableMapping
from typing import Any, Final

import structlog
from celery.signals import setup_logging

_LONGEST: Final = 200
"""Characters of what strangers choose: URLs and User-Agent headers have up to 32 KiB."""


def _shortened(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in ("request", "user_agent"):
        if isinstance(event.get(name), str):
            event[name] = event[name][:_LONGEST]
    return event


_SHARED: list[Any] = [
    _shortened,
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
    structlog.stdlib.PositionalArgumentsFormatter(),
]


class ShortRejections(logging.Filter):
    """Makes one short warning of a request that Django rejects: strangers cause them, and choose their length.

    A rejected Host header comes as an error with a traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        rejected = record.name.startswith("django.security.")
        if rejected or (record.name == "django.request" and record.levelno < logging.ERROR):
            record.msg, record.args = record.getMessage()[:_LONGEST], ()
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
