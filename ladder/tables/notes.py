"""What workers saw of a hosted program at a live table, for its owner's log: kept in the cache until the game is over.

The moves are in the table's rows. Here is only what neither rules nor clocks need, so a game whose notes are lost has a
shorter log, and nothing else is missing. Of the house's programs, which have no owner, nothing is noted.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from django.core.cache import cache

from bots.runner.consulting import Advice, Consultation
from bots.runner.report import escaped
from games.base import Document
from ladder.owner_logs import KEPT_STDERR

KEPT_S: Final = 6 * 3600
"""Longer than any game lasts."""


def noted(match_id: int, seat: int) -> Document:
    """The notes of a seat, JSON values.

    ``starts`` and ``exit_status`` as in ``owner-log/1``, ``stderr_tail`` of all its processes; ``decisions`` are by
    their ids as text: ``answer``, ``wall_us``, ``cpu_us`` and ``machine_delay_us``.
    """
    empty: Document = {"starts": [], "decisions": {}, "exit_status": None, "stderr_tail": ""}
    found: Document = cache.get(_key(match_id, seat), empty)
    return found


def note(match_id: int, seat: int, asked: Consultation[Any], advice: Advice) -> None:
    """Add one process. Only the worker whose turn it is calls this."""
    notes, decision = noted(match_id, seat), asked.decide["id"]
    notes["starts"].append({"first": decision, "hello": dict(asked.hello), "ready_us": advice.ready_us})
    if advice.thought is not None:
        times = {key: value for key, value in asdict(advice.thought).items() if key != "id"}
        answer = None if advice.line is None else escaped(advice.line.removesuffix(b"\n"))
        notes["decisions"][str(decision)] = {"answer": answer, **times}
    notes["exit_status"] = advice.exit_status
    notes["stderr_tail"] = (notes["stderr_tail"] + advice.stderr_tail)[-KEPT_STDERR:]
    cache.set(_key(match_id, seat), notes, KEPT_S)


def _key(match_id: int, seat: int) -> str:
    return f"notes/{match_id}/{seat}"
