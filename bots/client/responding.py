"""Reads answers of the site: what is wrong with them, and whether to come again."""

from __future__ import annotations

from typing import Final

import httpx
import orjson

from bots.client.documents import Document
from bots.client.errors import Problem

COME_AGAIN: Final = frozenset({429, 502, 503, 504})
"""Statuses after which the same request may be answered."""


def problem_of(response: httpx.Response) -> Problem:
    """The error that a response with a status from 400 on is; its body has been read."""
    document = document_of(response)
    detail = str(document.get("detail") or f"The site answered {response.status_code} {response.reason_phrase}.")
    fields = document.get("fields")
    if isinstance(fields, dict):
        detail += "".join(f" {name}: {_words(said)}" for name, said in fields.items())
    code = str(document.get("code") or "error")
    return Problem(response.status_code, code, detail, document, retry_after_s(response))


def come_again_s(problem: Problem) -> float | None:
    """When to come again after ``problem``, if the site has said so. Raises it where waiting is no use."""
    if problem.status not in COME_AGAIN:
        raise problem
    return problem.retry_after_s


def document_of(response: httpx.Response) -> Document:
    """The JSON object that was sent; empty where the body is none, such as a proxy's page."""
    try:
        document = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}


def retry_after_s(response: httpx.Response) -> float | None:
    """The seconds of ``Retry-After``; a date in it is not read, and taken as no wish."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdecimal() else None


def _words(said: object) -> str:
    return " ".join(map(str, said)) if isinstance(said, list) else str(said)
