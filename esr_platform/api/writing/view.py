"""What every address has in common at which something is changed."""

from __future__ import annotations

from typing import cast

from rest_framework.request import Request
from rest_framework.views import APIView

from esr_platform.accounts.models import Scope, User
from esr_platform.api.parsing import Json


class Writing(APIView):
    """What a token with the scope ``manage`` changes for its owner, sent as JSON. Reading an answer costs less."""

    scope = Scope.MANAGE
    parser_classes = [Json]

    @property
    def throttle_scope(self) -> str:
        return "read" if self.request.method in ("GET", "HEAD") else self.scope.value


def person_of(request: Request) -> User:
    """For whom it is done."""
    return cast("User", request.user)
