"""What all endpoints share that change something: who asks, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final, cast

from rest_framework.request import Request
from rest_framework.views import APIView

from bots.uploads import upload
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import Scope, User
from esr_platform.api.http import JsonParser, Refusal

# --- Refusals --------------------------------------------------------------------------------------------------------

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


# --- Views -----------------------------------------------------------------------------------------------------------


class Writing(APIView):
    """What a token with the scope ``manage`` changes for its owner, sent as JSON. Reading an answer costs less."""

    scope = Scope.MANAGE
    parser_classes = [JsonParser]

    @property
    def throttle_scope(self) -> str:
        return "read" if self.request.method in ("GET", "HEAD") else self.scope.value


def person_of(request: Request) -> User:
    """For whom it is done."""
    return cast("User", request.user)
