"""Ranks from the final score, and games that ended early because at most one seat was left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.rules import FORFEIT_KEYS, Document, Forfeit, State


def outcome(keys: Sequence[Any], scores: list[Document], forfeits: Mapping[int, Forfeit]) -> Document:
    """Return competition ranks by descending key (two winners are 1, 1, 3) and the scores with forfeits.

    ``keys`` and ``scores`` are by seat. Seats that forfeited rank below all finishers, and a seat that gave up earlier
    ranks below one that gave up later. If it is unknown when one of them gave up, all of them share one rank.
    """
    finishers = [key for seat, key in enumerate(keys) if seat not in forfeits]
    times = [forfeit.at for forfeit in forfeits.values() if forfeit.at is not None]
    known = len(times) == len(forfeits)
    ranks = []
    for seat, key in enumerate(keys):
        if seat not in forfeits:
            ranks.append(1 + sum(other > key for other in finishers))
            continue
        reason, at = forfeits[seat]
        scores[seat]["forfeit"] = reason
        later = 0
        if known and at is not None:
            scores[seat]["forfeit_at"] = at
            later = sum(other > at for other in times)
        ranks.append(1 + len(finishers) + later)
    return {"ranks": ranks, "scores": scores}


def played_steps(state: State) -> int:
    """Return the number of steps that were played before a finished game ended early, or all if it did not.

    A game ends early when at most one seat is left. The platform then plays default moves to the end, so that there is
    a complete record: with the reason ``forfeit`` for seats that left, ``absent`` for the seat that stayed. Incomplete
    simultaneous choices at that time do not count, because only their own seats have seen them.
    """
    scores = (state.outcome or {"scores": []})["scores"]
    stay = [seat for seat, score in enumerate(scores) if "forfeit" not in score]
    if not scores or len(stay) > 1:
        return state.step_count
    steps = state.steps_since(0)
    last = max(
        (ply for ply, step in enumerate(steps) if "move" in step and not {"forced", "default"} & step.keys()),
        default=-1,
    )
    tail = steps[last + 1 :]
    left = any(step.get("default") == "forfeit" for step in tail)
    stayed = not stay or any(step.get("default") == "absent" and step["seat"] in stay for step in tail)
    if not left or not stayed:
        return len(steps)
    choices = _asked_with(state, last)
    gone = {step["seat"] for step in steps[: choices.start] if step.get("default") == "forfeit"}
    if any("default" in steps[ply] and steps[ply]["seat"] not in gone for ply in choices):
        return choices.start
    return next(ply for ply in range(last + 1, len(steps)) if "default" in steps[ply])


def _asked_with(state: State, choice: int) -> range:
    """Return the range of the simultaneous choices that include step ``choice``; usually that step alone."""
    choices, decided = range(0), -1
    for ply, at in state.retraced():
        if decided == choice:
            break
        decided = ply + 1
        if decided not in choices:
            choices = range(decided, decided + len(at.pending))
    return choices


def when_left(state: State) -> State | None:
    """Return the state at the time when a game ended early, or ``None`` for a game that was played to its end."""
    played = played_steps(state)
    if played == state.step_count:
        return None
    return next(at for ply, at in state.retraced() if ply == played - 1)


def shown_outcome(state: State) -> Document | None:
    """Return the outcome for pages. After an early end it has ranks and forfeits, but no unearned scores."""
    if state.outcome is None or played_steps(state) == state.step_count:
        return state.outcome
    scores = [{key: score[key] for key in FORFEIT_KEYS if key in score} for score in state.outcome["scores"]]
    return {**state.outcome, "scores": scores}


def has_score(score: Mapping[str, Any]) -> bool:
    """Return whether a score contains more than a forfeit."""
    return bool(score.keys() - set(FORFEIT_KEYS))
