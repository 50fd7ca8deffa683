"""Many games of one format at once, played in C: the interface of the accelerator.

All arrays have one row per game. An *action* is a number of the learning contract (``games.learning``): a move is a
sequence of actions, and actions without an alternative follow by themselves, as in the learning environments.

A batch keeps neither steps nor logs, so it gives no records: repeat the moves on a state of the reference for those.
Threads can share a batch, but only one of them computes at a time. Use processes for several cores.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from operator import index
from typing import Any, Final, NamedTuple, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from games.chance import SEED_BYTES
from games.fast import library
from games.fast.library import FAMILIES, require_sizes
from games.registry import GAMES

NO_ACTION: Final = -1
"""The action that leaves a game as it is."""

Seats = npt.NDArray[np.int8]


class Outcomes(NamedTuple):
    """The ends of finished games. Forfeits do not exist here.

    ``ranks``: shape (games, seats), from 1, as in an outcome of the reference. ``scores``: shape (games, seats,
    columns), in the units of ``Batch.score_columns``.
    """

    ranks: npt.NDArray[np.int8]
    scores: npt.NDArray[np.int32]


class Batch:
    """Games of one format. Game ``i`` is dealt from ``seeds[i]``, exactly as ``Game.new`` deals it.

    ``seeds`` is an array of bytes with shape (games, 32). ``actions`` is the number of encoded actions and
    ``observation_size`` the number of values in an observation. ``score_columns`` names the columns of a score.

    Raises ``ImportError`` if the accelerator is not compiled, ``LookupError`` if it does not cover the game, and
    ``ValueError`` for a wrong number of seats or wrong seeds.
    """

    def __init__(self, game: str, seats: int, seeds: npt.NDArray[np.uint8]) -> None:
        if game not in FAMILIES:
            raise LookupError(f"the accelerator does not cover {game!r}; it covers {', '.join(FAMILIES)}")
        GAMES[game].rules.require_seats(seats)
        family = FAMILIES[game]
        fields = np.dtype(family.STATE, align=True)
        self._rules = family.rules_of(seats)
        self._library = _Functions(family, self._rules, fields.itemsize)
        self.game = game
        self.seats = seats
        self.actions: int = self._library.actions(self._rules)
        self.observation_size: int = self._library.observation_size(self._rules)
        self.score_columns = family.SCORE_COLUMNS
        seeds = _seeds(seeds)
        self._states = np.zeros(len(seeds), dtype=fields)
        self.deal(np.arange(len(seeds)), seeds)

    def __len__(self) -> int:
        """The number of games."""
        return len(self._states)

    @property
    def fields(self) -> npt.NDArray[np.void]:
        """The states as a structured array, shape (games,), including secrets. It is a read-only view, not a copy.

        ``fields["money"]`` has shape (games, 5), for example. ``games/fast/gems.h`` and ``wine.h`` describe the fields.
        """
        view = self._states.view()
        view.flags.writeable = False
        return view

    def deal(self, games: npt.NDArray[np.integer[Any]], seeds: npt.NDArray[np.uint8]) -> None:
        """Replace ``games`` by new ones: deal game ``games[i]`` from ``seeds[i]``.

        ``games`` has shape (n,) and ``seeds`` shape (n, 32). Raises ``IndexError`` for a game that does not exist and
        ``ValueError`` for other arrays. Then nothing has changed.
        """
        places, seeds = self._places(games), _seeds(seeds)
        if len(places) != len(seeds):
            raise ValueError(f"{len(places)} games cannot be dealt from {len(seeds)} seeds")
        self._library.deal(self._rules, _at(self._states), _at(places), len(places), _at(seeds))

    def copy(self, games: npt.NDArray[np.integer[Any]] | None = None) -> Self:
        """Return an independent batch with copies of all games, or of ``games`` in this order.

        ``games`` has shape (n,) and can name a game several times. Raises ``IndexError`` for a game that does not
        exist.
        """
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._states = self._states.copy() if games is None else self._states[self._places(games)]
        return twin

    @property
    def to_play(self) -> Seats:
        """The seat that acts next in each game, −1 if the game is over. Shape (games,).

        If several seats choose simultaneously, they act in the order of the seats.
        """
        seats = np.empty(len(self), dtype=np.int8)
        self._library.seats_to_play(self._rules, _at(self._states), len(self), _at(seats))
        return seats

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Whether each game is over. Shape (games,)."""
        done: npt.NDArray[np.bool_] = self.to_play < 0
        return done

    def masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal for the seats to play. Shape (games, actions); all false if a game is over."""
        masks = np.empty((len(self), self.actions), dtype=np.bool_)
        self._library.masks(self._rules, _at(self._states), len(self), _at(masks))
        return masks

    def observations(self, seats: Seats | None = None) -> npt.NDArray[np.float32]:
        """Return what ``seats[i]`` sees of game ``i``, by default the seat to play. Shape (games, observation_size).

        The numbers are those of ``Encoding.observation``, in their units. They include the decision and the chosen
        actions only for the seat to play. A row is zero if the seat is −1, so by default if a game is over. ``seats``
        are 8-bit integers (int8) with shape (games,). Raises ``ValueError`` for other arrays and ``IndexError`` with
        the number of the first game that has no such seat.
        """
        seats = self.to_play if seats is None else seats
        if not isinstance(seats, np.ndarray) or seats.dtype != np.int8 or seats.shape != (len(self),):
            raise ValueError(f"seats must be 8-bit integers (int8) of shape ({len(self)},)")
        wrong = np.flatnonzero((seats < -1) | (seats >= self.seats))
        if len(wrong):
            raise IndexError(f"game {wrong[0]} has no seat {seats[wrong[0]]}")
        numbers = np.empty((len(self), self.observation_size), dtype=np.float32)
        places = np.ascontiguousarray(seats)
        self._library.observations(
            self._rules, _at(self._states), len(self), _at(places), self.observation_size, _at(numbers)
        )
        return numbers

    def step(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Take ``actions[i]`` in game ``i`` for the seat to play; ``NO_ACTION`` (−1) leaves a game as it is.

        ``actions`` are integers with shape (games,). A move is played when its last action is taken, together with all
        forced moves after it. Raises ``ValueError`` with the number of the first game in which its action is illegal,
        or that is over. Then no game has changed.
        """
        actions = _integers(actions, "actions")
        if len(actions) != len(self):
            raise ValueError(f"{len(self)} games need as many actions, not {len(actions)}")
        wrong = self._library.step(self._rules, _at(self._states), len(self), _at(actions))
        if wrong >= 0:
            raise ValueError(self._complaint(wrong, actions[wrong]))

    def _complaint(self, game: int, action: int | np.int64) -> str:
        legal = np.flatnonzero(self.copy(np.array([game])).masks()[0]).tolist()
        if not legal:
            return f"game {game} is over; only {NO_ACTION} (no action) is possible"
        return f"game {game}: illegal action {action}; legal actions: {legal}"

    def playouts(self, seeds: npt.NDArray[np.unsignedinteger[Any]]) -> npt.NDArray[np.uint32]:
        """Play every game to its end at random. Return the number of moves by game, without forced ones.

        Each action is drawn uniformly from the mask by the generator SplitMix64, which begins with ``seeds[i]`` in game
        ``i``. ``seeds`` are unsigned integers with shape (games,). Whole moves are therefore not uniform: those
        whose first actions have few alternatives are preferred. Raises ``ValueError`` for other arrays.
        """
        if not isinstance(seeds, np.ndarray) or seeds.dtype.kind != "u" or seeds.shape != (len(self),):
            raise ValueError(f"seeds of playouts must be unsigned integers of shape ({len(self)},)")
        moves = np.empty(len(self), dtype=np.uint32)
        generators = np.ascontiguousarray(seeds, dtype=np.uint64)
        self._library.playouts(self._rules, _at(self._states), len(self), _at(generators), _at(moves))
        return moves

    def outcomes(self) -> Outcomes:
        """Return ranks and scores of all games. Raises ``ValueError`` with the number of a game that is not over."""
        unfinished = np.flatnonzero(~self.done)
        if len(unfinished):
            raise ValueError(f"game {unfinished[0]} is not over")
        ranks = np.empty((len(self), self.seats), dtype=np.int8)
        scores = np.empty((len(self), self.seats, len(self.score_columns)), dtype=np.int32)
        self._library.outcomes(self._rules, _at(self._states), len(self), _at(ranks), _at(scores))
        return Outcomes(ranks, scores)

    def single(self, game: int) -> SingleGame:
        """Return an object for stepping one game in a loop. Raises ``IndexError`` for a game that does not exist."""
        if not 0 <= game < len(self):
            raise IndexError(f"game {game} does not exist in a batch of {len(self)}")
        return SingleGame(self, index(game))

    def _places(self, games: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        places = _integers(games, "games")
        wrong = places[(places < 0) | (places >= len(self))]
        if len(wrong):
            raise IndexError(f"game {wrong[0]} does not exist in a batch of {len(self)}")
        return places


class SingleGame:
    """One game of a batch, for loops that choose each action in Python. It needs one call into C per action.

    ``act(action)`` takes an action for the seat to play, as :meth:`Batch.step` does, and returns the number of actions
    that are legal then, 0 if the game is over. It raises ``ValueError`` with the number of the game in its batch for an
    illegal action, which changes nothing, and ``TypeError`` for anything but an integer.

    ``options`` contains the legal actions, ascending, in its first bytes, as many as ``act`` returned. The other bytes
    have no meaning. ``refresh()`` lists them again and returns their number: call it before the first action, after an
    error, and after another change of the game.

    ``seat()`` returns the seat to play, −1 if the game is over. ``observe(seat)`` returns what ``seat`` sees in a new
    array of shape (observation_size,), as :meth:`Batch.observations` does, and raises ``IndexError`` for a wrong seat.
    """

    __slots__ = ("act", "observe", "options", "refresh", "seat")

    act: Callable[[SupportsIndex], int]
    refresh: Callable[[], int]
    seat: Callable[[], int]
    observe: Callable[[int], npt.NDArray[np.float32]]

    def __init__(self, batch: Batch, game: int) -> None:
        call: Callable[..., int] = batch._library.act
        self.options = bytearray(batch.actions + 1)
        parts = _Parts(
            ctypes.addressof(batch._rules),
            _at(batch._states) + game * batch._states.itemsize,
            ctypes.pointer(ctypes.c_char.from_buffer(self.options)),
        )
        parts.batch = batch  # its arrays exist as long as one of the functions below
        single = ctypes.byref(parts)
        # An index can be any integer and nothing else. Negative ones lead to the second half.
        numbers = [*range(batch.actions), *[_ILLEGAL] * batch.actions]

        # Local variables are faster than attributes, which matters here.
        def act(action: SupportsIndex) -> int:
            try:
                count = call(single, numbers[action])
            except IndexError:
                count = _ILLEGAL
            if count >= 0:
                return count
            raise ValueError(batch._complaint(game, index(action)))

        # Both functions write to the same arrays again, so that they need no new addresses.
        place, seen = np.empty(1, dtype=np.int8), np.empty(batch.observation_size, dtype=np.float32)
        one = (batch._rules, parts.state, 1, _at(place))
        target = (len(seen), _at(seen))

        def seat() -> int:
            batch._library.seats_to_play(*one)
            return int(place[0])

        def observe(seat: int) -> npt.NDArray[np.float32]:
            if not -1 <= seat < batch.seats:
                raise IndexError(f"game {game} has no seat {seat}")
            place[0] = seat
            batch._library.observations(*one, *target)
            return seen.copy()

        self.act = act
        self.refresh = lambda: call(single, NO_ACTION)
        self.seat = seat
        self.observe = observe


_ILLEGAL: Final = -2
"""An action that no game has."""


class _Parts(ctypes.Structure):
    """The struct ``SingleGame`` of ``batch.h``."""

    _fields_ = [
        ("rules", ctypes.c_void_p),
        ("state", ctypes.c_void_p),
        ("options", ctypes.POINTER(ctypes.c_char)),
    ]
    batch: Batch


class _Functions:
    """The functions of one family of games, after a check that C and Python agree about the structs."""

    def __init__(self, family: Any, rules: ctypes.Structure, state_bytes: int) -> None:
        require_sizes(family, rules, state=state_bytes)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        games = (ctypes.POINTER(type(rules)), pointer)

        def function(name: str, result: Any, *arguments: Any) -> Any:
            return library.function(family, name, result, *arguments)

        self.actions = function("actions", ctypes.c_int32, games[0])
        self.deal = function("deal", None, *games, pointer, number, pointer)
        self.seats_to_play = function("seats_to_play", None, *games, number, pointer)
        self.masks = function("masks", None, *games, number, pointer)
        self.observation_size = function("observation_size", number, games[0])
        self.observations = function("observations", None, *games, number, pointer, number, pointer)
        self.step = function("step", number, *games, number, pointer)
        self.playouts = function("playouts", None, *games, number, pointer, pointer)
        self.outcomes = function("outcomes", None, *games, number, pointer, pointer)
        self.act = function("act", ctypes.c_int32)
        self.act.argtypes = None  # conversions would take longer than the call; `SingleGame` passes the right types


def _at(array: npt.NDArray[Any]) -> int:
    """Return the address of the first element."""
    return array.ctypes.data


def _integers(values: npt.NDArray[np.integer[Any]], name: str) -> npt.NDArray[np.int64]:
    """Return ``values`` as contiguous 64-bit integers. Raises ``ValueError`` unless they are integers in one row."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu" or values.ndim != 1:
        raise ValueError(f"{name} must be a one-dimensional array of integers")
    if not np.can_cast(values.dtype, np.int64):
        raise ValueError(f"{name} must fit into 64 bits with a sign, unlike {values.dtype}")
    return np.ascontiguousarray(values, dtype=np.int64)


def _seeds(seeds: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return ``seeds`` as a contiguous array. Raises ``ValueError`` unless each row has 32 bytes."""
    if not isinstance(seeds, np.ndarray) or seeds.dtype != np.uint8 or seeds.ndim != 2 or seeds.shape[1] != SEED_BYTES:
        raise ValueError(f"seeds must be an array of bytes (uint8) of shape (games, {SEED_BYTES})")
    return np.ascontiguousarray(seeds)
