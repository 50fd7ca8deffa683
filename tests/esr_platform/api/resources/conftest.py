from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from ladder.models import Ladder
from tests.esr_platform.api.conftest import document
from tests.ladder.conftest import house, ladder, match, played

__all__ = ["house", "ladder", "match", "played"]


def read(address: str, **headers: str) -> dict[str, Any]:
    """The document at an address below ``/api/v1/``, which everybody may read."""
    answer = Client().get(f"/api/v1/{address}", headers=headers)
    assert answer.status_code == 200, answer.content
    return document(answer)


def walked(address: str, **parameters: Any) -> list[dict[str, Any]]:
    """All rows of a list, part by part."""
    client, rows = Client(), []
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    following: str | None = f"/api/v1/{address}?{query}"
    while following:
        answer = client.get(following)
        assert answer.status_code == 200, answer.content
        part = document(answer)
        rows += part["results"]
        following = part["next"]
    return rows


@pytest.fixture
def secret(played: Ladder) -> Ladder:
    """The ladder on which everything was played, private since."""
    Ladder.objects.filter(pk=played.pk).update(private=True, by_invitation=True)
    played.refresh_from_db()
    return played
