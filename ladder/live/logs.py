"""Bot logs of live games."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

import orjson
from django.core.cache import cache

from bots.protocol import Hello
from bots.runner.bot_log import FORMAT, decided_plies
from bots.runner.consultation import Advice
from bots.runner.report import MatchReport, escaped
from games.rules import Document
from ladder.live import decisions
from ladder.live.clocks import SeatClock
from ladder.live.game import STRIKES
from ladder.live.position import Position
from ladder.matches.logs import KEPT_STDERR, packed
from ladder.models import LiveSeat, PlayedMove

# --- Notes of workers about hosted bots ------------------------------------------------------------------------------
#
# The moves are in the table's rows. Here is only what neither rules nor clocks need, so a game whose notes are lost has
# a shorter log, and nothing else is missing. Of the house's programs, which have no owner, nothing is noted.

KEPT_S: Final = 6 * 3600
"""Longer than any game lasts."""


def noted(match_id: int, seat: int) -> Document:
    """The notes of a seat, JSON values.

    ``starts`` and ``exit_status`` as in ``owner-log/1``, ``stderr_tail`` of all its processes; ``decisions`` are by
    their ids as text: ``answer``, ``wall_us``, ``cpu_us`` and ``machine_delay_us``.
    """
    empty: Document = {"starts": [], "decisions": {}, "exit_status": None, "stderr_tail": ""}
    document: Document = cache.get(_key(match_id, seat), empty)
    return document


def note(match_id: int, seat: int, decision: int, hello: Hello, advice: Advice) -> None:
    """Add one process. Only the worker whose turn it is calls this."""
    notes = noted(match_id, seat)
    notes["starts"].append({"first": decision, "hello": dict(hello), "ready_us": advice.ready_us})
    if advice.thought is not None:
        times = {key: value for key, value in asdict(advice.thought).items() if key != "id"}
        answer = None if advice.line is None else escaped(advice.line.removesuffix(b"\n"))
        notes["decisions"][str(decision)] = {"answer": answer, **times}
    notes["exit_status"] = advice.exit_status
    notes["stderr_tail"] = (notes["stderr_tail"] + advice.stderr_tail)[-KEPT_STDERR:]
    cache.set(_key(match_id, seat), notes, KEPT_S)


def _key(match_id: int, seat: int) -> str:
    return f"notes/{match_id}/{seat}"


# --- Logs ------------------------------------------------------------------------------------------------------------
#
# They are ``owner-log/1`` (``docs/reference/python/owner-log.md``), like those of every other game.
# Of a remote program the site knows what it was asked, what came, and when: no processor time, and no stderr.

logger = logging.getLogger(__name__)

_ABOUT: Final = ("game", "rules", "seats", "commitment")


def packed_logs(position: Position, report: MatchReport) -> dict[int, bytes]:
    """By seat, the packed log of every seat whose bot somebody owns and whose log can be made."""
    logs = {}
    for seat, live_seat in enumerate(position.live_seats):
        if live_seat.seat.version.bot.owner_id is None or live_seat.kind in LiveSeat.OF_PEOPLE:
            continue
        try:
            logs[seat] = packed(owner_log(position, report, seat))
        except Exception:  # a log is a service; a game that cannot be described still has its result, and other logs
            logger.exception("live match %s: bot log of seat %s not stored", position.match.pk, seat)
    return logs


def owner_log(position: Position, report: MatchReport, seat: int) -> Document:
    """The ``owner-log/1`` of one ``seat`` of a game that is over."""
    known, seat_report = noted(position.match.pk, seat), report.seats[seat]
    forfeit = next((forfeit for forfeit in report.forfeits if forfeit.seat == seat), None)
    first = {"first": 1, "hello": decisions.hello(position, seat, resumed=False), "ready_us": None}
    return {
        "format": FORMAT,
        **{key: report.record[key] for key in _ABOUT},
        "seat": seat,
        "bot": seat_report.label,
        "starts": known["starts"] or [first],
        "decisions": list(_decisions(position, report, seat, known["decisions"])),
        "strikes": [asdict(strike) for strike in seat_report.strikes],
        "forfeit": None if forfeit is None else asdict(forfeit),
        "exit_status": known["exit_status"],
        "stderr_tail": known["stderr_tail"],
    }


def _decisions(position: Position, report: MatchReport, seat: int, known: Document) -> Iterator[Document]:
    """What ``seat`` was asked and has answered, decision by decision."""
    plies, state = decided_plies(report.record, seat), position.deal()
    clock, strikes = SeatClock.full(position.limits), 0
    for move in PlayedMove.objects.filter(match=position.match.pk).select_related("seat").order_by("number"):
        if move.seat.index == seat and move.decision is not None:
            yield {
                "id": move.decision,
                "ply": plies[move.decision - 1],
                "strikes": strikes,
                "clock": clock.left(),
                "decision": state.decision(seat),
                **_answer(position.live_seats[seat], move),
                **known.get(str(move.decision), {}),
            }
            strikes += move.default in STRIKES
            clock = clock.spent(move.wall_ms)
        state.play(move.seat.index, move.move, default=move.default or None)


def _answer(live_seat: LiveSeat, move: PlayedMove) -> Document:
    """What came and how long it took, as far as the row knows: a legal answer is written as its move alone."""
    answer: str | None = move.heard or None
    if not move.default:
        named = {"id": move.decision} if live_seat.kind == LiveSeat.Kind.HOSTED else {}
        answer = escaped(orjson.dumps({**named, "move": move.move}))
    return {"answer": answer, "wall_us": 1000 * move.wall_ms, "cpu_us": None, "machine_delay_us": 0}
