"""People with programs that manage bots, and the house's ladders."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse

from esr_platform.accounts.models import Scope
from ladder.models import Ladder
from tests.build import DUEL, opened_house
from tests.esr_platform.api.conftest import Program, person


def send(program: Program, method: str, address: str, body: Any = None, **options: Any) -> HttpResponse:
    """A request with a JSON document, or with none."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    sent: HttpResponse = program.client.generic(
        method, f"/api/v1/{address}", data, "application/json", headers=program.headers, **options
    )
    return sent


@pytest.fixture
def duel(db: None) -> Ladder:
    opened_house()
    return Ladder.objects.get(slug=DUEL)


@pytest.fixture
def manager(duel: Ladder) -> Program:
    return person("miriam", Scope.MANAGE, Scope.UPLOAD)


@pytest.fixture
def carl_manages(duel: Ladder) -> Program:
    return person("carl", Scope.MANAGE)
