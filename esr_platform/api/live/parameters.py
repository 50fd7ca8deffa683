"""Numbers in the addresses of live views."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from rest_framework.request import Request

from esr_platform.api.problems import Refusal

_MOST_DIGITS: Final = 9


def whole_number(request: Request, name: str, least: int, most: int, default: int) -> int:
    """The query parameter ``name``. Raises ``Refusal`` (400) for what is no number from ``least`` to ``most``."""
    said = request.query_params.get(name)
    if said is None:
        return default
    if not (_is_number(said) and least <= int(said) <= most):
        sentence = f"?{name}= is a whole number from {least} to {most}."
        raise Refusal(HTTPStatus.BAD_REQUEST, "invalid", sentence)
    return int(said)


def place(request: Request) -> int:
    """From which entry of a log on a stream is to be told: where the client says that it was, else from the first."""
    said = request.headers.get("Last-Event-ID", "")
    if _is_number(said):
        return int(said)
    return whole_number(request, "log", 0, 10**_MOST_DIGITS, default=0)


def places(request: Request) -> tuple[int | None, int]:
    """Where the stream of a seat is to go on: in the log, ``None`` from the beginning, and after which line said.

    As the id of the last event has them (``57.1203``), or ``?at=`` for clients that open a new stream. What is no place
    is none: everything is told anew.
    """
    said = request.headers.get("Last-Event-ID") or request.query_params.get("at", "")
    log, _, line = said.partition(".")
    if not _is_number(log) or (line and not _is_number(line)):
        return None, 0
    return int(log), int(line or 0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
