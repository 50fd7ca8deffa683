"""Complete states that agree with everything that one seat knows, for bots that search.

A bot passes its ``view`` and its whole ``log``. The state that it gets can be searched like any other one: it can be
played to the end, copied, viewed from any seat and recorded. The hidden cards in it are drawn at random, and nothing
that the seat cannot know influences them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from games.knowledge import Knowledge, Policy
from games.registry import GAMES
from games.rules import Document, Move, State


def uniform(state: State, seat: int, random: Random) -> Move:
    """Return a random legal move; all have the same probability. This is the default policy."""
    return state.random_move(seat, random)


class Sampler:
    """A source of states for one decision. It replays the log once, so that each :meth:`sample` is fast.

    ``view`` is the view of a seat as in a ``decide`` message. ``log`` contains all entries of the log of this seat
    since the start of the game: the ``log`` of every ``decide`` so far, one after the other. It can also be a whole
    ``game-log/1`` document.

    Raises ``ValueError`` for the view of a spectator, for a log that is incomplete or does not match the view, and for
    a game or rules that this version of the library does not support.
    """

    def __init__(self, view: Mapping[str, Any], log: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
        seen = _view(view)
        entries = _entries(seen, log)
        game = GAMES[seen["game"]]
        if game.knowledge is None:
            raise ValueError(f"{game.name} does not support sampling: its entry in the registry has no knowledge")
        try:
            self._knowledge: Knowledge = game.knowledge(game.rules, seen, entries)
            first = self._knowledge.draw(Random(0), uniform)
            agrees = first.view(seen["seat"]) == seen and first.entries(seen["seat"]) == entries
        except (LookupError, TypeError, ValueError) as error:
            raise _mismatch(entries, error) from error
        if not agrees:
            raise _mismatch(entries, "the log leads to another view")

    def sample(self, random: Random, policy: Policy = uniform) -> State:
        """Return a new state, independent of all others. ``random`` alone determines it.

        The seat has the same view, the same log entries and, if it is asked, the same decision as in the real game.

        - **Hidden orders.** In Edel, Stein & Reich and the game for two, all orders of the hidden gem cards and event
          cards that agree with the documents have the same probability. In Die Weinhändler, all orders of the deck that
          agree with them have the same probability, so a hand is more probable if it can be dealt in more ways. The log
          is evidence of which cards other seats had, but not of their reasons for a move. Only the order inside a hand,
          the display or a refill is not drawn: it has no meaning.
        - **Secret choices.** If the seat has not chosen its action yet, all other seats have, each by ``policy``. If it
          has chosen and the choices are not revealed yet, the others have not. In the game for two, the hidden action
          of the opponent is drawn by ``policy`` under the condition that the guesses so far missed it. If 100 moves of
          the policy in a row contradict these guesses, all other actions have the same probability.
        - **Later chance.** Later chance steps come from a new seed that ``random`` draws.

        ``policy(state, seat, random)`` gets the sampled state and must return a legal move of ``seat``. A policy that
        is fair to its seat uses ``state.view(seat)`` only. Raises ``IllegalMove`` if it returns another move.

        The seed of the state is not the origin of its deal. So ``games.record.replay`` accepts its record, but
        ``games.record.verify`` rejects it. The state knows no forfeits, and other seats have no default moves in it,
        because no seat sees these.
        """
        return self._knowledge.draw(random, policy)


def sample(
    view: Mapping[str, Any],
    log: Sequence[Mapping[str, Any]] | Mapping[str, Any],
    random: Random,
    policy: Policy = uniform,
) -> State:
    """Return one random state that agrees with the knowledge of a seat, see :class:`Sampler`.

    Create a ``Sampler`` instead if you need several states for one decision: this function replays the log each time.
    """
    return Sampler(view, log).sample(random, policy)


def _view(view: Mapping[str, Any]) -> Document:
    """Return the view if it belongs to a seat of a known game."""
    if not isinstance(view, Mapping) or not {"game", "seats", "seat", "you"} <= view.keys():
        raise ValueError("not a view; pass the `view` of a `decide` message, or `state.view(seat)`")
    if view["game"] not in list(GAMES):
        raise ValueError(f"unknown game {view['game']!r}; this version of the library has {', '.join(GAMES)}")
    GAMES[view["game"]].rules.require_seats(view["seats"])
    if view["seat"] is None:
        raise ValueError("this is the view of a spectator; pass the view of a seat")
    return dict(view)


def _entries(view: Document, log: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> list[Document]:
    """Return the entries of the log, which must belong to the game and the seat of the view."""
    entries: Any = log
    if isinstance(log, Mapping):
        expected = {"format": "game-log/1", "rules": GAMES[view["game"]].rules.version}
        expected |= {key: view[key] for key in ("game", "seats", "seat")}
        for key, value in expected.items():
            if log.get(key) != value:
                raise ValueError(f"{key} of the log is {log.get(key)!r}, but the view and this library need {value!r}")
        entries = log.get("entries")
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, Mapping) for entry in entries):
        raise ValueError(
            "not a log; pass the list of all entries since the start of the game, or a `game-log/1` document"
        )
    return list(entries)


def _mismatch(entries: list[Document], reason: object) -> ValueError:
    return ValueError(
        f"the log of {len(entries)} entries does not match the view: {reason}. Pass all entries since the start of the "
        "game, in order: the `log` of every `decide`, up to the one with this view"
    )
