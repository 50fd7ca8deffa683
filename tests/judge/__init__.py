"""A second reading of the rules of every game: a judge of records that shares no code with the project.

Written from `rules.md`, `record.md` and `views.md` alone, so that a fault of the engine, or a misreading, shows up as a
difference. Straightforward rather than fast: a whole game is one generator (`procedure.play` in the game's folder) that
asks for the next step, and legal moves are listed by brute force.

- `check(record)`: the faults of a record as messages, empty when it is sound.
- `logs(record, seat)`: the log entries of one seat, or of a spectator (`None`).
- `decisions(record)`: a `Point` for every decision that somebody was asked, with its document, views and log position.
- `views(record, ply, seat)`: what a seat saw before the step `ply` was made, or after the last one.
- `walked(record, points=True)`: all of these from one pass; the last of its points is the end of the game.
"""

from __future__ import annotations

from .verdicts import check
from .walk import Point, Walk, decisions, logs, views, walked

__all__ = ["Point", "Walk", "check", "decisions", "logs", "views", "walked"]
