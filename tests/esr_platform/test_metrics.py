from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from ladder import tasks
from ladder.creation import open_house
from ladder.models import Entry, Ladder, RebuildRun
from tests.build import person, staff


@pytest.fixture
def house(db: None) -> Ladder:
    open_house()
    return Ladder.objects.get(slug="edel-stein-reich-4")


def figures(client: Client, **headers: str) -> dict[str, float]:
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=")
    lines = [line for line in response.content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_violations_are_counted_a_ladder(house: Ladder, client: Client) -> None:
    client.force_login(staff("eve"))
    assert figures(client) == {}
    tasks.audit()
    name = f'ladder_audit_violations{{ladder="{house.slug}"}}'
    assert figures(client)[name] == 0
    Ladder.objects.filter(pk=house.pk).update(next_ledger=50)
    Entry.objects.filter(pk=house.entries.all()[0].pk).update(rating=1)
    tasks.check_ratings()
    tasks.audit()
    found = figures(client)
    assert found[name] == 2
    assert found[f'ladder_rebuild_differences{{ladder="{house.slug}"}}'] == 2
    assert 0 <= found[f'ladder_audit_age_seconds{{ladder="{house.slug}"}}'] < 60
    assert RebuildRun.objects.filter(purpose="check").count() == Ladder.objects.count()


def test_nobody_else_reads_them(house: Ladder, client: Client, settings: Any) -> None:
    for authorization in ("", "Bearer ", "Bearer wrong", "Token secret"):
        assert client.get("/metrics", headers={"Authorization": authorization}).status_code == 404
    settings.METRICS_TOKEN = "secret"
    for authorization in ("", "Bearer ", "Bearer wrong", "secret", "Bearer sécret"):
        assert client.get("/metrics", headers={"Authorization": authorization}).status_code == 404
    figures(client, Authorization="Bearer secret")
    client.force_login(person("ada"))
    assert client.get("/metrics").status_code == 404
