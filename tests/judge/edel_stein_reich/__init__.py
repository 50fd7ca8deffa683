"""Edel, Stein & Reich and its two-player variant (`rules.md` 1 to 3)."""

from __future__ import annotations

from dataclasses import replace

from tests.judge.table import Game

from .documents import score_document, view_document
from .procedure import play, wealth
from .table import Table

EDEL_STEIN_REICH = Game(
    seats=[3, 4, 5],
    lay=Table.laid,
    play=play,
    view=view_document,
    merit=wealth,
    score=score_document,
    rules={
        "action": "rules.md 2.3, 2.4, 3",
        "open_barter": "rules.md 2.5",
        "answer_offer": "rules.md 2.5",
        "counter_gift": "rules.md 2.5",
        "event_card": "rules.md 2.4",
        "immediate": "rules.md 1.2",
        "free_choice": "rules.md 2.6",
        "guess": "rules.md 3",
    },
)
DUEL = replace(EDEL_STEIN_REICH, seats=[2])
