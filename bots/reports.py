"""The report of a validation: a JSON document that grows game by game.

``{"ok": true | false | null, "now": … | null, "formats": […], "untried": [{"game", "seats"}], "attempts": […]}``

- ``now`` is the format that is being played: ``game``, ``seats``, ``try`` (from 1), ``started`` (every seat has sent
  ``ready``) and ``decisions`` (so far).
- An entry of ``formats`` is ``FormatCheck.document()`` with ``wall_ms`` and ``own_ms`` (without server lag), what the
  bot wrote to stderr, and the last decisions before a problem.
- ``attempts`` are the games that decided nothing: ``game``, ``seats``, ``wall_ms``, and either ``delay`` (the late
  answer, as in ``MachineDelay``) or ``failure`` (what failed on the site; ``wall_ms`` is then ``None``).
- ``undecided`` is how often the site has given up for a while.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from bots.runner.bot_log import owner_logs
from bots.validation import LIMITS, FormatCheck
from games.registry import GAMES
from games.rules import Document


def storable(value: Any) -> Any:
    """Escape NUL characters and lone surrogates in a JSON value, because PostgreSQL cannot store them."""
    if isinstance(value, str):
        return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: storable(item) for key, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list | tuple) else value


STDERR: Final = 4 * 1024
LAST_DECISIONS: Final = 5
_REASON: Final = 1000
_LINE: Final = 300

ATTEMPTS: Final = 20
"""Number of attempts kept that decided nothing, the newest ones."""


def begun(formats: Mapping[str, list[int]]) -> Document:
    """Return the report before the first format; formats are in game order."""
    untried = [{"game": game, "seats": seats} for game in GAMES for seats in formats.get(game, ())]
    return {"ok": None, "now": None, "formats": [], "untried": untried, "attempts": [], "undecided": 0}


def during(report: Document, tries: int, *, started: bool = False, decisions: int = 0) -> Document:
    """Return the report while the next format is being played for the ``tries``-th time."""
    now = {**report["untried"][0], "try": tries, "started": started, "decisions": decisions}
    return {**report, "now": now}


def after_delay(report: Document, result: FormatCheck, wall_ms: int) -> Document:
    """Return the report after a game that server lag has spoiled."""
    return _in_vain(report, {"wall_ms": wall_ms, "delay": asdict(result.delays[0])})


def after_failure(report: Document, failure: str) -> Document:
    """Return the report after a failure of the site, which ``failure`` describes."""
    return _in_vain(report, {"wall_ms": None, "failure": storable(failure)[:_REASON]})


def _in_vain(report: Document, attempt: Document) -> Document:
    next_one = report["untried"][:1] or [{"game": None, "seats": None}]
    attempts = [*report["attempts"], {**next_one[0], **attempt}]
    return {**report, "now": None, "attempts": attempts[-ATTEMPTS:]}


def after_format(report: Document, result: FormatCheck, wall_ms: int) -> Document:
    """Return the report after a format; the first one that the bot does not pass ends the validation."""
    formats = [*report["formats"], storable(_format_document(result, wall_ms))]
    untried = report["untried"][1:]
    ok = False if not result.ok else None if untried else True
    return {**report, "ok": ok, "now": None, "formats": formats, "untried": untried}


def own_ms(report: Document) -> int:
    """Return the time of the bot in all games so far without server lag, in milliseconds."""
    return sum(result["own_ms"] for result in report["formats"])


def warnings(report: Mapping[str, Any]) -> dict[str, float]:
    """Return the largest share of each limit of which the bot needed more than ``WARNING_SHARE``, by its name."""
    shares: dict[str, float] = {}
    for result in report["formats"]:
        for limit in result["warnings"]:
            shares[limit] = max(shares.get(limit, 0.0), result["shares"][limit])
    return {limit: shares[limit] for limit in LIMITS if limit in shares}


def reason_of(report: Document) -> str:
    """Describe the first problem in sentences."""
    for result in report["formats"]:
        for problem in result["problems"]:
            place = f"{result['game']} with {result['seats']} players, seat {problem['seat']}"
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


def _format_document(result: FormatCheck, wall_ms: int) -> Document:
    document = result.document()
    problems = document["problems"]
    for problem in problems:
        problem["stderr_tail"] = problem["stderr_tail"][-STDERR:]
    return {
        **document,
        "wall_ms": wall_ms,
        "own_ms": result.own_us // 1000,
        "stderr": _stderr(result),
        "last_decisions": _last_decisions(result, problems[0]["seat"]) if problems else [],
    }


def _stderr(result: FormatCheck) -> str:
    """Return the end of stderr of the first seat that wrote to it."""
    return next((seat.stderr_tail[-STDERR:] for seat in result.played.report.seats if seat.stderr_tail), "")


def _last_decisions(result: FormatCheck, seat: int) -> list[Document]:
    played = result.played
    assert played.transcript is not None
    log: list[Document] = owner_logs(played.report, played.transcript)[seat]["decisions"]
    return log[-LAST_DECISIONS:]
