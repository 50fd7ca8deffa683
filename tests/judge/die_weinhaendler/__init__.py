"""Die Weinhändler (`rules.md` 4, 5.3)."""

from __future__ import annotations

from tests.judge.table import Game

from .documents import points, score_document, view_document
from .procedure import play
from .table import Table

DIE_WEINHAENDLER = Game(
    seats=[3, 4, 5],
    lay=Table.laid,
    play=play,
    view=view_document,
    merit=points,
    score=score_document,
    rules={"bid": "rules.md 4.2, W-8 to W-15", "lay": "rules.md 4.2, W-3 to W-7"},
)
