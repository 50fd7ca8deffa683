"""What the site refuses, as the status that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from bots.uploads import upload
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.api.problems import Refusal

OUR_PAUSE_S: Final = 60
"""When to send again what we could not store."""


@contextmanager
def refusals() -> Iterator[None]:
    """422 for what cannot be, 409 or 429 for what is too much, 503 where it was our fault; the sentence stays."""
    try:
        yield
    except TooMany as refusal:
        status = HTTPStatus.CONFLICT if refusal.retry_after_s is None else HTTPStatus.TOO_MANY_REQUESTS
        raise Refusal(status, "too_many", str(refusal), refusal.retry_after_s) from refusal
    except Refused as refusal:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", str(refusal)) from refusal
    except upload.NotStored as failure:
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "not_stored", str(failure), OUR_PAUSE_S) from failure
