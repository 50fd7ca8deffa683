"""One game played by the engine, with all that it says on the way, to be held against the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

from games.registry import GAMES
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, State
from tests import judge

Choice = Callable[[State, int, Random], Any]


@dataclass(frozen=True)
class Temper:
    """How seats play, and whether some of their moves come too late or a seat gives up."""

    choose: Choice
    reliable: bool = False


def any_move(state: State, seat: int, random: Random) -> Any:
    return state.random_move(seat, random)


def prefers(word: str) -> Choice:
    """Chooses this word wherever it is legal, two times in three."""

    def choose(state: State, seat: int, random: Random) -> Any:
        wanted = random.random() < 2 / 3 and word in state.legal_moves(seat)
        return word if wanted else state.random_move(seat, random)

    return choose


@dataclass
class Moment:
    """What the engine said when it asked: by seat, `None` being a spectator."""

    decisions: dict[int, Any]
    legal: dict[int, list[Any]]
    views: dict[int | None, Any]
    entries: dict[int | None, int]


@dataclass
class Played:
    """One finished game of the engine and everything it said on the way."""

    state: State
    timed: bool = True
    moments: list[Moment] = field(default_factory=list)
    logs: dict[int | None, list[Any]] = field(default_factory=dict)

    @property
    def watchers(self) -> list[int | None]:
        return [*range(self.state.seats), None]


def play(slug: str, seats: int, temper: Temper, name: str) -> Played:
    """Plays the game of this name out; some moves are defaulted, some seats forfeit, and sometimes a copy plays on."""
    random = Random(name)
    played = Played(
        GAMES[slug].new(seats, sha256(name.encode()).digest()), timed=Random(f"timed {name}").random() < 0.7
    )
    played.logs = {watcher: [] for watcher in played.watchers}
    gone: set[int] = set()
    while played.state.pending:
        note_moment(played)
        answer(played, temper, gone, random)
        if random.random() < 0.1:
            played.state = played.state.copy()
    note_log(played)
    if random.random() < 0.2:
        give_up(played, random.randrange(seats), random.choice(FORFEIT_REASONS))
    return played


def give_up(played: Played, seat: int, reason: str) -> None:
    """Let a seat forfeit now; not all games note when."""
    played.state.forfeit(seat, reason, len(played.state.steps_since(0)) if played.timed else None)


def note_moment(played: Played) -> None:
    state = played.state
    note_log(played)
    decisions = {seat: state.decision(seat) for seat in state.pending}
    legal = {seat: list(state.legal_moves(seat)) for seat in state.pending}
    views = {watcher: state.view(watcher) for watcher in played.watchers}
    entries = {watcher: len(log) for watcher, log in played.logs.items()}
    played.moments.append(Moment(decisions, legal, views, entries))


def note_log(played: Played) -> None:
    for watcher, log in played.logs.items():
        log.extend(played.state.entries(watcher, len(log)))


def answer(played: Played, temper: Temper, gone: set[int], random: Random) -> None:
    """Return answers of all pending seats, in any order. The first answers must not reveal anything."""
    asked = random.sample(played.state.pending, len(played.state.pending))
    for place, seat in enumerate(asked):
        play_one(played, seat, temper, gone, random)
        if random.random() < 0.05:
            played.state = played.state.copy()
        if place + 1 < len(asked):
            assert_secret(played, seat)


def play_one(played: Played, seat: int, temper: Temper, gone: set[int], random: Random) -> None:
    state = played.state
    fate = 1.0 if temper.reliable else random.random()
    if seat not in gone and fate < 0.002:
        gone.add(seat)
        give_up(played, seat, random.choice(FORFEIT_REASONS))
    if seat in gone:
        state.play(seat, state.default_move(seat), default="forfeit")
    elif fate < 0.03:
        reason = random.choice([reason for reason in DEFAULT_REASONS if reason != "forfeit"])
        state.play(seat, state.default_move(seat), default=reason)
    else:
        state.play(seat, temper.choose(state, seat, random))


def assert_secret(played: Played, seat: int) -> None:
    """A choice that is in while others are still due shows in the chooser's own view alone."""
    before = played.moments[-1].views
    for watcher in played.watchers:
        view = played.state.view(watcher)
        if watcher is not None and watcher not in played.state.pending:
            assert view["you"]["action"] in played.moments[-1].legal[watcher]
            view = {**view, "you": before[watcher]["you"]}
        assert view == before[watcher]
        assert played.state.entries(watcher, len(played.logs[watcher])) == []
    assert seat not in played.state.pending


def assert_agreement(played: Played) -> None:
    record = played.state.record
    assert judge.check(record) == []
    walk = judge.walked(record, points=True)
    *points, end = walk.points
    answered = 0
    for moment in played.moments:
        for seat, decision in moment.decisions.items():
            point = points[answered]
            answered += 1
            assert point.seat == seat
            assert decision == point.document
            assert moment.legal[seat] == point.legal
            assert moment.entries == point.entries
        for watcher, view in moment.views.items():
            assert view == point.view(watcher)
    assert answered == len(points)
    for watcher, log in played.logs.items():
        assert log == played.state.entries(watcher) == walk.log(watcher)
        assert played.state.view(watcher) == end.view(watcher)


def cases(walk: judge.Walk) -> Iterator[str]:
    """The names of what happened in a game of any kind."""
    for entry in walk.log(None):
        event = entry.get("event", {})
        yield event.get("why") or event.get("type", "a step")
    for step in walk.steps:
        if "forced" in step:
            yield f"forced {step['decision']}"
