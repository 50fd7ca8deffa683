"""People at tables, seated and playing without waiting for anybody."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import orjson
from django.test import Client
from django.utils import timezone

from bots.persons import player_of
from esr_platform.accounts.models import User
from ladder.blocks import Player
from ladder.models import Chair, Ladder, Match
from ladder.persons import entry_of
from ladder.tables.answering import Verdict, answer_seat
from ladder.tables.ending import finish
from ladder.tables.opening import open_table
from tests.ladder.live import as_if_later, table_of

DUEL = "edel-stein-reich-duel-people"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def met(*users: User, ladder: str = DUEL, rated: bool = False) -> Match:
    """A game of people, seated as named."""
    table = Ladder.objects.get(slug=ladder)
    versions = [player_of(user) for user in users]
    return open_table(table, [Player(one, entry_of(one, table) if rated else None) for one in versions], rated=rated)


def move_on(match: Match, random: Random) -> bool:
    """Let one of the people who are asked play a random legal move; whether there was one."""
    as_if_later(match)
    Chair.objects.filter(table=match.pk, owes=True).update(due_at=timezone.now() - timedelta(seconds=1))
    position = table_of(match)
    seat = next((seat for seat, chair in enumerate(position.chairs) if chair.owes), None)
    if seat is None:
        return False
    chair = position.chairs[seat]
    assert chair.kind == Chair.Kind.PERSON
    body = orjson.dumps({"move": position.state().random_move(seat, random)})
    assert answer_seat(match.pk, seat, chair.asked, body).verdict is Verdict.PLAYED
    return True


def play_out(match: Match, random: Random) -> None:
    while move_on(match, random):
        pass
    assert finish(match.pk)
