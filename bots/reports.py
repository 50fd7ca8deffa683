"""The report of a validation: a JSON document that grows game by game.

``{"tables": […], "untried": [{"game", "seats"}], "now": {"game", "seats"} | null, "ok": true | false | null}``; a table
is ``TableCheck.document()`` with ``wall_ms``, what the bot wrote to stderr, and the last decisions before a problem.
``reruns_ms`` is there while a table is repeated because the machine was late: how long each of its games took.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bots.runner.bot_log import owner_logs
from bots.validation import TableCheck
from games.registry import GAMES
from games.rules import Document


def storable(value: Any) -> Any:
    """Escape NUL characters and lone surrogates in a JSON value, because PostgreSQL cannot store them."""
    if isinstance(value, str):
        return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: storable(one) for key, one in value.items()}
    return [storable(one) for one in value] if isinstance(value, list | tuple) else value


PROBLEMS: Final = 3
"""Number of problems kept per format; only the first one includes its question."""

STDERR: Final = 4 * 1024
LAST_DECISIONS: Final = 5
_REASON: Final = 1000
_LINE: Final = 300


def begun(claims: Mapping[str, list[int]]) -> Document:
    """Return the report before the first format; formats are in game order."""
    tables = [{"game": game, "seats": seats} for game in GAMES for seats in claims.get(game, ())]
    return {"ok": None, "now": None, "tables": [], "untried": tables}


def at_table(report: Document) -> Document:
    """Return the report while the next format is being played."""
    return {**report, "now": report["untried"][0]}


def reruns(report: Document) -> int:
    """Return how often the next format had to be repeated after server lag."""
    return len(report.get("reruns_ms", ()))


def after_late_machine(report: Document, _: TableCheck, wall_ms: int) -> Document:
    """Return the report after a game that has to be repeated because of server lag."""
    return {**report, "now": None, "reruns_ms": [*report.get("reruns_ms", ()), wall_ms]}


def after_table(report: Document, table: TableCheck, wall_ms: int) -> Document:
    """Return the report after a format; a bot that did not start is not tried in other formats."""
    tables = [*report["tables"], storable(_table(table, wall_ms + sum(report.get("reruns_ms", ()))))]
    untried = report["untried"][1:]
    over = not untried or not table.started
    ok = all(one["ok"] for one in tables) and not untried if over else None
    return {"ok": ok, "now": None, "tables": tables, "untried": untried}


def wall_ms(report: Document) -> int:
    """Return the duration of all games so far, in milliseconds."""
    times: list[int] = [*(table["wall_ms"] for table in report["tables"]), *report.get("reruns_ms", ())]
    return sum(times)


def reason_of(report: Document) -> str:
    """Describe the first problem in sentences."""
    for table in report["tables"]:
        for problem in table["problems"]:
            place = f"{table['game']} with {table['seats']} players, seat {problem['seat']}"
            when = "" if problem["decision"] is None else f", decision {problem['decision']}"
            detail = problem["detail"].rstrip(".")
            detail = detail[:1].upper() + detail[1:]
            text = f"The bot failed in {place}{when} ({problem['reason']}). {detail}.{_last_words(problem)}"
            return text[:_REASON]
    return "The bot did not start."


def _last_words(problem: Document) -> str:
    """Return the last line on stderr of a bot that exited: usually the exception."""
    lines = [line.strip() for line in problem["stderr_tail"].splitlines() if line.strip()]
    if problem["reason"] != "exit" or not lines:
        return ""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in lines[-1])
    return f" Last line on stderr: {shown[:_LINE]}"


def _table(table: TableCheck, wall_ms: int) -> Document:
    document = table.document()
    problems = document["problems"][:PROBLEMS]
    for problem in problems:
        problem["stderr_tail"] = problem["stderr_tail"][-STDERR:]
    for problem in problems[1:]:
        problem["question"] = None
    more = len(document["problems"]) - len(problems)
    seat = problems[0]["seat"] if problems else 0
    return {
        **document,
        "problems": problems,
        "more_problems": more,
        "wall_ms": wall_ms,
        "stderr": _stderr(table),
        "last_decisions": _last_decisions(table, seat) if problems else [],
    }


def _stderr(table: TableCheck) -> str:
    """Return the end of stderr of the first seat that wrote to it."""
    return next((seat.stderr_tail[-STDERR:] for seat in table.played.report.seats if seat.stderr_tail), "")


def _last_decisions(table: TableCheck, seat: int) -> list[Document]:
    played = table.played
    assert played.transcript is not None
    log: list[Document] = owner_logs(played.report, played.transcript)[seat]["decisions"]
    return log[-LAST_DECISIONS:]
