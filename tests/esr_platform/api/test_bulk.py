from __future__ import annotations

import gzip
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.http import StreamingHttpResponse
from django.test import Client
from pytest_django import Settings

from esr_platform.accounts.limits import wait_s
from esr_platform.accounts.models import Scope
from esr_platform.api.resources import matches
from ladder.models import Block, Invitation, Ladder
from tests.esr_platform.api.conftest import Program, person, problem

HERE = "ladders/edel-stein-reich-4/records"


@pytest.fixture
def settled(played: Ladder) -> Ladder:
    Block.objects.filter(ladder=played).update(ended=F("ended") - timedelta(minutes=10))
    return played


def lines(answer: Any) -> list[Any]:
    assert isinstance(answer, StreamingHttpResponse), answer.content
    return [json.loads(line) for line in gzip.decompress(b"".join(answer)).splitlines()]  # type: ignore[arg-type]


def test_records_are_public_and_a_download_can_be_resumed(settled: Ladder) -> None:
    answer: Any = Client().get(f"/api/v1/{HERE}?limit=3", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Type"] == "application/gzip"
    assert "Content-Encoding" not in answer.headers
    assert "edel-stein-reich-4-records.jsonl.gz" in answer.headers["Content-Disposition"]
    first = lines(answer)
    rest = lines(Client().get(f"/api/v1/{HERE}?after={first[-1]['match']}"))
    assert len(first) == 3
    assert first + rest == lines(Client().get(f"/api/v1/{HERE}"))
    assert lines(Client().get(f"/api/v1/{HERE}?after={rest[-1]['match']}")) == []


@pytest.mark.parametrize("query", ["after=x", "after=-1", "limit=0", "limit=1000000", "before=3"])
def test_an_invalid_parameter_is_named(settled: Ladder, query: str) -> None:
    answer = Client().get(f"/api/v1/{HERE}?{query}")
    assert list(problem(answer, 400, "invalid")["fields"]) == [query.partition("=")[0]]


def test_a_download_cannot_resume_after_an_unknown_match(settled: Ladder) -> None:
    problem(Client().get(f"/api/v1/{HERE}?after=987654"), 404, "not_found")


def test_members_download_the_records_of_a_private_ladder_with_the_scope_read(settled: Ladder) -> None:
    Ladder.objects.filter(pk=settled.pk).update(private=True, by_invitation=True)
    reader, player = person("miriam", Scope.READ), person("carl", Scope.PLAY)
    for program in (Program(), reader, player):
        problem(program.get(HERE), 404, "not_found")
    for program in (reader, player):
        assert program.user is not None
        Invitation.objects.create(ladder=settled, person=program.user)
    assert lines(reader.get(HERE))
    problem(player.get(HERE), 404, "not_found")


def test_a_client_over_the_download_limit_gets_retry_after(settled: Ladder, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "bulk": 1}
    assert lines(Program().get(HERE))
    answer = Program().get(HERE)
    problem(answer, 429, "throttled")
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_the_downloads_of_all_clients_together_are_limited(settled: Ladder, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "bulk_together": 1}
    wait_s("bulk_together", matches.ALL_CLIENTS)
    problem(Program().get(HERE), 429, "throttled")
