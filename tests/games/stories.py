"""Logs and moves written by hand, and stories as text."""

from __future__ import annotations

from typing import Any

from games.registry import GAMES
from games.story import Chapter

NAMES = ("magpie", "kontor", "tulip", "abacus", "quill")


def chapters_of(log: dict[str, Any]) -> list[Chapter]:
    """The story of a log, with the first names as many as there are seats."""
    return GAMES[log["game"]].presentation.story(log, NAMES[: log["seats"]])


def text(chapters: list[Chapter]) -> str:
    """A story as a page would print it."""
    return (
        "\n\n".join("\n".join([f"{chapter.title} #{chapter.ply}", *chapter.sentences]) for chapter in chapters) + "\n"
    )


def log_of(slug: str, *entries: Any, seats: int = 4, seat: int | None = None) -> dict[str, Any]:
    """A spectator's, or a seat's, log of a running game with these entries."""
    return {
        "format": "game-log/1",
        "game": slug,
        "rules": "1",
        "seats": seats,
        "seat": seat,
        "commitment": "0" * 64,
        "entries": [{"ply": index, **entry} for index, entry in enumerate(entries)],
        "outcome": None,
    }


def move(seat: int, decision: str, value: Any, **marks: Any) -> dict[str, Any]:
    return {"step": {"seat": seat, "decision": decision, "move": value, **marks}}


def event(kind: str, **keys: Any) -> dict[str, Any]:
    return {"event": {"type": kind, **keys}}
