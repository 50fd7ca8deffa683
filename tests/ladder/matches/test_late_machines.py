from __future__ import annotations

import pytest
from django.test import Client

from bots.models import Bot
from ladder.creation import open_house
from ladder.matches.play import play
from ladder.models import Ladder, Match, Result
from tests.bots.loads import overloaded_host
from tests.bots.sandbox.test_lateness import PLAYING
from tests.build import due_again, match_of, person, uploaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox_launcher")]

LIMITS = {"startup_ms": 10_000, "move_ms": 500, "bank_ms": 0}


def match_with(action: str) -> Match:
    """A match of an uploaded bot that does ``action`` before its second answer."""
    open_house()
    bot = uploaded(person("ada"), source=PLAYING.replace("ACTION", action).encode())
    Ladder.objects.filter(slug="edel-stein-reich-duel").update(limits=LIMITS)
    return match_of(bot, Ladder.objects.get(slug="edel-stein-reich-duel"))


@pytest.mark.slow
def test_a_match_that_the_machine_spoils_is_played_again_once_and_then_its_result_stands(client: Client) -> None:
    match = match_with("think")
    endings = []
    with overloaded_host():
        for _ in range(3):
            due_again(match)
            endings.append(play(match.pk))
    assert endings == ["delayed", "finished", None]
    assert [attempt.failure[:48] for attempt in match.attempts.order_by("number")] == [
        "the machine was late, not the bot at seat 1: its",
        "",
    ]
    assert Result.objects.get(match=match).report["machine_delays"][0]["seat"] == 0
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert page.count("The machine was late, not the bot at seat 1") == 1
    assert "It could not be played again for this version, so its result stands." in page


@pytest.mark.slow
def test_a_match_that_a_bot_spoils_counts_at_once(client: Client) -> None:
    match = match_with("sleep")
    assert play(match.pk) == "finished"
    assert Result.objects.get(match=match).report["machine_delays"] == []
    assert Bot.objects.get(owner__isnull=False).bad_in_a_row == 0
    assert "machine" not in client.get(f"/matches/{match.pk}/").content.decode()
