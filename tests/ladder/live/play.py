"""Live games that are played in a test: remote bots at a table, moves drawn at random, time that is moved on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import orjson
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from bots.models import Bot
from bots.protocol import Limits
from games.rules import Document, State
from ladder.live import decisions
from ladder.live.answers import JudgedAnswer, answer
from ladder.live.decisions import note_sent
from ladder.live.game import Answered, lock_match
from ladder.live.position import Position
from ladder.live.publish import save_and_publish
from ladder.live.rows import KEPT_MOVES, position_of
from ladder.live.start import open_table
from ladder.matches.blocks import BlockPlayer
from ladder.members.memberships import register
from ladder.models import DealSeries, Ladder, LiveSeat, Match, PlayedMove, Table
from ladder.seasons import open_first
from tests.build import active_version, person

CALM = Limits(move_ms=60_000, bank_ms=600_000, game_ms=3_600_000)
"""This much time that no test is late by accident."""

KEY = b"the same deals again and again.."
"""Of the deals of a game that a test always plays the same; nobody has published its hash."""


def remote_bots(count: int, prefix: str = "far") -> list[Bot]:
    """Registered remote bots, each of a person of its own, that claim every table."""
    return [register(person(f"{prefix}{i}"), f"{prefix} bot {i}").bot for i in range(count)]


def live_ladder(game: str, seats: int, players: str = "remote") -> Ladder:
    """A ladder of live games with its first season; nobody stands on it."""
    ladder = Ladder.objects.create(slug=f"{game}-{seats}-{players}", name=game, game=game, seats=seats, players=players)
    open_first(ladder)
    return ladder


def game_of(game: str, seats: int, limits: Limits = CALM) -> Match:
    """A rated live game of remote bots on a ladder of its own, always of the same deal."""
    ladder = live_ladder(game, seats)
    DealSeries.objects.filter(season__ladder=ladder).update(key=KEY)
    return table_of(ladder, remote_bots(seats), limits=limits)


def table_of(ladder: Ladder, bots: list[Bot], *, rated: bool = True, limits: Limits = CALM) -> Match:
    """A live game in which ``bots`` sit in this order."""
    players = [BlockPlayer(active_version(bot), ladder.memberships.get(bot=bot) if rated else None) for bot in bots]
    return opened(ladder, players, rated=rated, limits=limits)


def opened(ladder: Ladder, players: list[BlockPlayer], **how: Any) -> Match:
    """Open a table like ``open_table``, and let the first decisions be answered at once.

    The site tells the first seats a moment late, by as long as its query for the time took (``game.lock_match``).
    """
    match, now = open_table(ladder, players, **how), whole_now()
    for live_seat in LiveSeat.objects.filter(table=match.pk, owes=True, due_at__gt=now):
        assert live_seat.due_at is not None
        if live_seat.deadline is not None:
            live_seat.deadline -= live_seat.due_at - now
        live_seat.due_at = now
        live_seat.save()
    return match


def position(match: Match) -> Position:
    return position_of(Match.objects.select_related("ladder", "block").get(pk=match.pk))


def pass_time(match: Match, seconds: float | None = None) -> None:
    """All that was to be shown by then is shown, and the clocks of those who were asked have not run on.

    Where nothing waits to be shown and ``seconds`` is left out, nothing is moved.
    """
    now = whole_now()
    if seconds is None:
        if not LiveSeat.objects.filter(table=match.pk, due_at__gt=now).exists():
            return
        seconds = 3600
    back = timedelta(seconds=seconds)
    backdate(PlayedMove.objects.filter(match=match), back)
    Table.objects.filter(match=match).update(settled_at=F("settled_at") - back, followed_at=F("followed_at") - back)
    for live_seat in LiveSeat.objects.filter(table=match.pk, owes=True):
        due = min(live_seat.due_at or now, now)
        shift = (live_seat.due_at or due) - due
        live_seat.due_at, live_seat.deadline = due, live_seat.deadline - shift if live_seat.deadline else None
        live_seat.save()


def backdate(moves: QuerySet[PlayedMove], by: timedelta) -> None:
    """Move the times at which ``moves`` were asked for, answered and shown back by ``by``."""
    moves.update(visible_at=F("visible_at") - by, received_at=F("received_at") - by, asked_at=F("asked_at") - by)
    KEPT_MOVES.forget()  # this process has kept the moves with their old times, at which some are not shown yet


def whole_now() -> datetime:
    """The time in whole milliseconds, as all times at a table are."""
    now = timezone.now()
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def bot_at(match: Match, seat: int) -> int:
    """The id of the bot that sits there."""
    return match.seats.select_related("version").get(index=seat).version.bot_id


def post(match: Match, seat: int, decision: int, move: Any, **more: Any) -> JudgedAnswer:
    return sent(match, seat, decision, orjson.dumps({"move": move, **more}))


def sent(match: Match, seat: int, decision: int, body: bytes) -> JudgedAnswer:
    return answer(match.pk, bot_at(match, seat), decision, body)


def asked(match: Match, seat: int) -> Document:
    """The decide message of a seat that owes an answer now."""
    event = decide_event(match.pk, bot_at(match, seat))
    assert event is not None
    message: Document = event["message"]
    return message


def decide_event(match_id: int, bot_id: int, log: int | None = None) -> Document | None:
    """The event of the open, visible decision of a bot in a match, with its log from entry ``log`` on."""
    seated = decisions.position_for(match_id, bot_id)
    if seated is None:
        return None
    there, seat = seated
    live_seat = there.live_seats[seat]
    if not live_seat.owes or live_seat.due_at is None or live_seat.due_at > there.now:
        return None
    return decisions.decide_event(there, seat, log)


def owing(match: Match) -> list[int]:
    """The seats that owe an answer."""
    return [seat for seat, live_seat in enumerate(position(match).live_seats) if live_seat.owes]


def run_out(match: Match, seat: int, ago: float = 10, *, received: bool = True) -> None:
    """The deadline of the decision that ``seat`` owes was ``ago`` seconds ago, and everything before is earlier.

    ``received`` says whether its bot was sent the game.
    """
    live_seat = position(match).live_seats[seat]
    assert live_seat.deadline is not None and live_seat.due_at is not None
    if received:
        note_sent(match.pk, bot_at(match, seat))
    back = live_seat.deadline - timezone.now() + timedelta(seconds=ago)
    LiveSeat.objects.filter(pk=live_seat.pk).update(due_at=live_seat.due_at - back, deadline=live_seat.deadline - back)
    pass_time(match, back.total_seconds())


Choose = Callable[[State, int], Any]


def at_random(seed: int) -> Choose:
    random = Random(seed)
    return lambda state, seat: state.random_move(seat, random)


def play_on(match: Match, choose: Choose, moves: int = 10_000) -> None:
    """Answer for every seat that owes something, as often as that, or until the game is over."""
    for _ in range(moves):
        state = position(match).state()
        if not state.pending:
            return
        seat = state.pending[0]
        pass_time(match)
        judged = post(match, seat, asked(match, seat)["id"], choose(state, seat))
        assert judged.verdict == "played", judged


def play_out(match: Match, choose: Choose) -> None:
    """Play to the end as ``play_on`` does, in one transaction and without asking for what seats are told."""
    with transaction.atomic():
        table = lock_match(match.pk)
        assert table is not None
        while table.state.pending:
            seat = table.state.pending[0]
            move = table.state.check(seat, choose(table.state, seat))
            table.settle(seat, Answered(table.clock_now, 7, move))
        save_and_publish(table)
