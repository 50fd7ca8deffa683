"""Live games with people in a test: who sits down, answers, vanishes and comes back, and what it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any, Final

import orjson
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.owners import guest_player, player_of
from bots.protocol import Limits
from esr_platform.accounts.sessions import guest_hash
from games.record import verify
from games.rules import Document
from ladder.exports.documents import match_log_of, record_of
from ladder.live import person_view
from ladder.live.answers import GRACE, JudgedAnswer, answer_seat, expire
from ladder.live.end import finish
from ladder.live.hosted import ask_seat
from ladder.live.start import Guest
from ladder.matches.blocks import BlockPlayer
from ladder.models import Attempt, DealSeries, Ladder, LiveSeat, Match, Membership, Occupant, PlayedMove, Table
from tests.build import person
from tests.judge.verdicts import check
from tests.ladder.live.hosted import Fakes, default
from tests.ladder.live.play import KEY, backdate, opened, position, run_out

QUICK: Final = Limits(move_ms=45_000, bank_ms=180_000, game_ms=3_600_000)
SECRET: Final = "a guest's secret"
LATE_S: Final = GRACE.total_seconds() + 1


def ladder_of(game: str, seats: int, players: str = "people") -> Ladder:
    """The house's ladder for people, or for everybody, always with the same deals."""
    ladder = Ladder.objects.get(game=game, seats=seats, players=players)
    DealSeries.objects.filter(season__ladder=ladder).update(key=KEY)
    return ladder


def people(count: int, prefix: str = "player") -> list[BotVersion]:
    """The versions by which so many people play."""
    return [player_of(person(f"{prefix}{i}")) for i in range(count)]


def house(*names: str) -> list[BotVersion]:
    """The versions of bots of the house."""
    return [BotVersion.objects.select_related("bot").get(bot__house_name=name, active=True) for name in names]


def table_for(
    game: str,
    versions: Sequence[BotVersion],
    *,
    rated: bool = False,
    players: str = "people",
    limits: Limits = QUICK,
) -> Match:
    """A game among them, seated as given; everybody may sit there. Guests have ``SECRET``."""
    ladder = ladder_of(game, len(versions), players)
    memberships = [
        Membership.objects.get_or_create(ladder=ladder, bot=version.bot)[0] if rated else None for version in versions
    ]
    guest = Guest(guest_hash(SECRET), "")
    guests = {seat: guest for seat, version in enumerate(versions) if version.bot.house_name == Bot.GUEST}
    sitting = [BlockPlayer(version, membership) for version, membership in zip(versions, memberships, strict=True)]
    return opened(ladder, sitting, rated=rated, limits=replace(limits), guests=guests)


def against_the_house(game: str = "edel-stein-reich-duel", *names: str, guest: bool = True, **more: Any) -> Match:
    """A guest, or a person, in the first seat, and bots of the house."""
    first = guest_player() if guest else player_of(person("ada"))
    return table_for(game, [first, *house(*(names or ("greedy",)))], players="open", **more)


def again(match: Match) -> Match:
    return Match.objects.select_related("ladder", "block").get(pk=match.pk)


def live_seat_at(match: Match, seat: int) -> LiveSeat:
    return LiveSeat.objects.select_related("seat__version__bot", "substitute__bot").get(
        table=match.pk, seat__index=seat
    )


def look(match: Match, seat: int) -> Document:
    """How things stand for a seat, once all is shown that was to be shown."""
    settle(match)
    return person_view.present(position(match), seat)


def settle(match: Match) -> None:
    """All that was to be shown by and by is shown, and who is asked has just been."""
    now = timezone.now()
    late = PlayedMove.objects.filter(match=match, visible_at__gt=now - timedelta(hours=1))
    backdate(late, timedelta(hours=2))
    Table.objects.filter(pk=match.pk, settled_at__gt=now).update(settled_at=now)
    Table.objects.filter(pk=match.pk, followed_at__gt=now).update(followed_at=now)
    for live_seat in LiveSeat.objects.filter(table=match.pk, owes=True, due_at__gt=now):
        assert live_seat.due_at is not None
        deadline = None if live_seat.deadline is None else live_seat.deadline - (live_seat.due_at - now)
        LiveSeat.objects.filter(pk=live_seat.pk).update(due_at=now, deadline=deadline)


def say(match: Match, seat: int, move: Any, decision: int | None = None, **more: Any) -> JudgedAnswer:
    """What the person at ``seat`` answers to what they owe."""
    number = live_seat_at(match, seat).asked if decision is None else decision
    return answer_seat(match.pk, seat, number, orjson.dumps({"id": number, "move": move, **more}))


def answer_any(match: Match, seat: int, salt: int = 0) -> JudgedAnswer:
    """One legal move of the person at ``seat``, a different one for every ``salt``."""
    settle(match)
    moves = position(match).state().legal_moves(seat)
    return say(match, seat, moves[salt % min(len(moves), 64)])


def ask_workers(match: Match, times: int = 500) -> int:
    """Have workers ask whoever they are to ask until people are asked alone; how often that was."""
    asked = 0
    while asked < times:
        live_seat = (
            LiveSeat.objects.filter(table=match.pk, owes=True, kind__in=LiveSeat.ASKED_BY_WORKERS)
            .order_by("pk")
            .first()
        )
        if live_seat is None:
            break
        settle(match)
        assert ask_seat(match.pk, live_seat.seat.index, launcher=Fakes(default))
        asked += 1
    return asked


def seen(match: Match, seat: int, ago_s: float = 0.0) -> None:
    """The person of ``seat`` was last seen so long ago."""
    LiveSeat.objects.filter(table=match.pk, seat__index=seat).update(
        seen_at=timezone.now() - timedelta(seconds=ago_s), left_at=None
    )


def beat_ago(match: Match, seconds: float) -> None:
    """The site was last known to be there so long ago."""
    Attempt.objects.filter(match=match).update(heartbeat_at=timezone.now() - timedelta(seconds=seconds))


def miss(match: Match, seat: int) -> None:
    """Let the decision pass that the person at ``seat`` owes; the sweeper comes."""
    settle(match)
    run_out(match, seat, ago=LATE_S)
    beat_ago(match, 0)
    assert expire(match.pk) >= 1


def owing(match: Match) -> list[int]:
    """The seats of people who owe an answer."""
    live_seats = LiveSeat.objects.filter(table=match.pk, owes=True, kind=LiveSeat.Kind.PERSON)
    return list(live_seats.order_by("seat__index").values_list("seat__index", flat=True))


def sat(match: Match, seat: int) -> list[tuple[str, int, int | None]]:
    """Who sat at ``seat`` from which move to which."""
    rows = Occupant.objects.filter(match=match, seat__index=seat).select_related("version__bot").order_by("from_move")
    return [(row.version.bot.name, row.from_move, row.to_move) for row in rows]


def play_to_the_end(match: Match, salt: int = 0) -> None:
    """Everybody who is asked answers, people something else each time, until nobody is asked any more."""
    while again(match).status == Match.Status.RUNNING and not position(match).table.over:
        ask_workers(match)
        if waiting := owing(match):
            answer_any(match, waiting[0], salt)
            salt += 7


def written(match: Match) -> list[Any]:
    """All that is written of a table: who sits how, what was played, and whether it goes on."""
    moves = PlayedMove.objects.filter(match=match).order_by("number").values()
    return [*LiveSeat.objects.filter(table=match.pk).order_by("pk").values(), *moves, again(match).status]


def check_ended(match: Match) -> Document | None:
    """Bring the result if there is one, and check all that must hold of a game that has ended; its record."""
    finish(match.pk)
    ended = again(match)
    assert ended.status in ("finished", "aborted"), ended.status
    assert not LiveSeat.objects.filter(table=match.pk, owes=True).exists()
    rows = list(PlayedMove.objects.filter(match=match).order_by("number").values_list("number", flat=True))
    assert rows == list(range(len(rows)))
    check_occupants(match, len(rows))
    if ended.status == "aborted":
        log = match_log_of(ended)
        assert log is not None and log["status"] == "aborted" and ended.reason
        return None
    record = record_of(ended)
    assert record is not None
    assert verify(record).outcome == record["outcome"]
    assert check(record) == []
    for seat, live_seat in enumerate(position(match).live_seats):
        assert record["outcome"]["scores"][seat].get("forfeit", "") == live_seat.forfeit
        assert live_seat.kind != LiveSeat.Kind.SUBSTITUTE or live_seat.forfeit in ("abandoned", "resign")
    return record


def check_occupants(match: Match, moves: int) -> None:
    """At every seat of a table with people somebody sat at every move, and nobody else."""
    for live_seat in position(match).live_seats:
        rows = list(Occupant.objects.filter(seat=live_seat.seat_id).order_by("from_move", "pk"))
        assert rows[0].from_move == 0 and rows[-1].to_move is None
        for occupant, other in pairwise(rows):
            assert occupant.to_move == other.from_move
            assert occupant.version_id != other.version_id
        assert all(row.from_move <= moves for row in rows)
        assert rows[-1].version_id == (
            live_seat.substitute_id if live_seat.kind == "substitute" else live_seat.seat.version_id
        )
