"""Live games of remote bots, played through the door by which their answers come, without waiting for anybody."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from random import Random

import orjson
from django.db.models import F
from django.utils import timezone

from bots.models import Bot
from ladder.live.answers import AnswerVerdict, answer
from ladder.live.position import Position
from ladder.live.rows import position_of
from ladder.live.start import open_table
from ladder.matches.blocks import BlockPlayer
from ladder.members.memberships import register
from ladder.models import Ladder, LiveSeat, Match, PlayedMove, Table
from tests.build import person
from tests.ladder.live.play import backdate

_AMPLE = timedelta(hours=1)


def remote_bots(ladder: Ladder, names: Sequence[str] = ("ada", "bob", "cid", "dora", "emil")) -> list[Bot]:
    """A remote bot a seat of ``ladder``, each somebody else's."""
    formats = {ladder.game: [ladder.seats]}
    return [register(person(name), f"{name.capitalize()} afar", formats).bot for name in names[: ladder.seats]]


def seated(ladder: Ladder, bots: Sequence[Bot], *, rated: bool = True) -> Match:
    """A live game of ``bots``, in their order."""
    return open_table(ladder, [_player(ladder, bot, rated) for bot in bots], rated=rated)


def _player(ladder: Ladder, bot: Bot, rated: bool) -> BlockPlayer:
    version = bot.active_version
    assert version is not None
    return BlockPlayer(version, ladder.memberships.get(bot=bot) if rated else None)


def as_if_later(match: Match, seconds: float = 3600) -> None:
    """Let all that has happened at the table be so much longer ago; what is owed is owed since now, and for long."""
    passed = timedelta(seconds=seconds)
    backdate(PlayedMove.objects.filter(match=match), passed)
    Table.objects.filter(match=match).update(settled_at=F("settled_at") - passed, followed_at=F("followed_at") - passed)
    now = timezone.now()
    owing = LiveSeat.objects.filter(table=match.pk, owes=True)
    owing.update(due_at=now)
    owing.exclude(kind__in=LiveSeat.ASKED_BY_WORKERS).update(deadline=now + _AMPLE)


def table_of(match: Match) -> Position:
    """The table as it stands now, with every secret that it has."""
    return position_of(Match.objects.select_related("ladder", "block").get(pk=match.pk))


def asked(match: Match) -> list[int]:
    """The seats that owe an answer."""
    return [seat for seat, live_seat in enumerate(table_of(match).live_seats) if live_seat.owes]


def move_on(match: Match, random: Random) -> bool:
    """Let one seat that is asked answer with a random legal move; whether there was one."""
    as_if_later(match)
    position = table_of(match)
    seat = next((seat for seat, live_seat in enumerate(position.live_seats) if live_seat.owes), None)
    if seat is None:
        return False
    live_seat = position.live_seats[seat]
    body = orjson.dumps({"move": position.state().random_move(seat, random), "thought_ms": 3})
    judged = answer(match.pk, live_seat.seat.version.bot_id, live_seat.asked, body)
    assert judged.verdict is AnswerVerdict.PLAYED, judged
    return True


def to_round(match: Match, number: int, random: Random) -> None:
    """Play until round ``number`` of the whole game has begun, as everybody at the table may know."""
    while table_of(match).table.round < number:
        assert move_on(match, random)
    as_if_later(match)
