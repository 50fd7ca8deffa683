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
    if not (said.isascii() and said.isdigit() and len(said) <= _MOST_DIGITS and least <= int(said) <= most):
        sentence = f"?{name}= is a whole number from {least} to {most}."
        raise Refusal(HTTPStatus.BAD_REQUEST, "invalid", sentence)
    return int(said)


def place(request: Request) -> int:
    """From which entry of a log on a stream is to be told: where the client says that it was, else from the first."""
    said = request.headers.get("Last-Event-ID", "")
    if said.isascii() and said.isdigit() and len(said) <= _MOST_DIGITS:
        return int(said)
    return whole_number(request, "log", 0, 10**_MOST_DIGITS, default=0)
