"""The owners' logs of a live game that is over: what its rows say of the seats of people's bots, and workers' notes.

They are ``owner-log/1`` (``docs/library/owner-log.md``), like those of every other game. Of a remote program the site
knows what it was asked, what came, and when: no processor time, and nothing that it wrote to stderr.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

import orjson

from bots.runner.owner_log import FORMAT, decided_plies
from bots.runner.report import MatchReport, escaped
from games.base import Document
from ladder.models import Chair, PlayedMove
from ladder.owner_logs import packed
from ladder.tables import asking, notes
from ladder.tables.advancing import STRIKES
from ladder.tables.clocks import Clock
from ladder.tables.position import Position

logger = logging.getLogger(__name__)

_ABOUT: Final = ("game", "rules", "seats", "commitment")


def packed_logs(position: Position, report: MatchReport) -> dict[int, bytes]:
    """By seat, the packed log of every seat whose bot somebody owns and whose log can be made."""
    logs = {}
    for seat, chair in enumerate(position.chairs):
        if chair.seat.version.bot.owner_id is None or chair.kind in Chair.OF_PEOPLE:
            continue
        try:
            logs[seat] = packed(owner_log(position, report, seat))
        except Exception:  # a log is a service; a game that cannot be described still has its result, and other logs
            logger.exception("live match %s is stored without the owner's log of seat %s", position.match.pk, seat)
    return logs


def owner_log(position: Position, report: MatchReport, seat: int) -> Document:
    """The ``owner-log/1`` of one ``seat`` of a game that is over."""
    known, its = notes.noted(position.match.pk, seat), report.seats[seat]
    forfeit = next((forfeit for forfeit in report.forfeits if forfeit.seat == seat), None)
    first = {"first": 1, "hello": asking.hello(position, seat, resumed=False), "ready_us": None}
    return {
        "format": FORMAT,
        **{key: report.record[key] for key in _ABOUT},
        "seat": seat,
        "bot": its.label,
        "starts": known["starts"] or [first],
        "decisions": list(_decisions(position, report, seat, known["decisions"])),
        "strikes": [asdict(strike) for strike in its.strikes],
        "forfeit": None if forfeit is None else asdict(forfeit),
        "exit_status": known["exit_status"],
        "stderr_tail": known["stderr_tail"],
    }


def _decisions(position: Position, report: MatchReport, seat: int, known: Document) -> Iterator[Document]:
    """What ``seat`` was asked and has answered, decision by decision."""
    plies, state = decided_plies(report.record, seat), position.deal()
    clock, strikes = Clock.full(position.limits), 0
    for move in PlayedMove.objects.filter(match=position.match.pk).select_related("seat").order_by("number"):
        if move.seat.index == seat and move.decision is not None:
            yield {
                "id": move.decision,
                "ply": plies[move.decision - 1],
                "strikes": strikes,
                "clock": clock.left(),
                "decision": state.decision(seat),
                **_answer(position.chairs[seat], move),
                **known.get(str(move.decision), {}),
            }
            strikes += move.default in STRIKES
            clock = clock.spent(move.wall_ms)
        state.play(move.seat.index, move.move, default=move.default or None)


def _answer(chair: Chair, move: PlayedMove) -> Document:
    """What came and how long it took, as far as the row knows: a legal answer is written as its move alone."""
    answer: str | None = move.heard or None
    if not move.default:
        named = {"id": move.decision} if chair.kind == Chair.Kind.HOSTED else {}
        answer = escaped(orjson.dumps({**named, "move": move.move}))
    return {"answer": answer, "wall_us": 1000 * move.wall_ms, "cpu_us": None, "machine_delay_us": 0}
