"""Games that the reference and the accelerator play together, compared after every action."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from games.edel_stein_reich.cards import EVENT_ORDER, GEM_CARDS
from games.edel_stein_reich.offers import above
from games.fast.batch import NO_ACTION, Batch
from games.fast.gems import ACTION_CARDS, STAGES, GemRules
from games.learning import Encoding
from games.registry import GAMES
from games.rules import Document

FORMATS = [(slug, seats) for slug in ("edel-stein-reich", "edel-stein-reich-duel") for seats in GAMES[slug].seat_counts]
"""Every format that the accelerator covers."""


@dataclass
class Pair:
    """One game of the reference, the decision that its seat to play owes, and the actions of the move so far."""

    state: Any
    encoding: Encoding
    random: Random
    decision: Document = field(default_factory=dict)
    chosen: tuple[int, ...] = ()
    options: list[int] = field(default_factory=list)
    plan: tuple[int, ...] = ()

    def ask(self) -> None:
        """Note the decision of the seat that acts next. No options mean that the game is over."""
        self.options = []
        if self.state.pending:
            self.decision = self.state.decision(self.state.pending[0])
            self.options = self.encoding.options(self.decision, ())

    def observation(self, seat: int) -> npt.NDArray[np.float32]:
        asked = bool(self.options) and seat == self.decision["seat"]
        decision, chosen = (self.decision, self.chosen) if asked else (None, ())
        return np.array(self.encoding.observation(self.state.view(seat), decision, chosen), dtype=np.float32)

    def take(self, action: int) -> None:
        """Add the action and all actions without an alternative to the move. Play it if it is complete."""
        following = [action]
        while len(following) == 1:
            self.chosen = (*self.chosen, *following)
            following = self.encoding.options(self.decision, self.chosen)
        self.options = following
        if not following:
            self.state.play(self.decision["seat"], self.encoding.compose(self.decision, self.chosen))
            self.chosen = ()
            self.ask()


# --- Ways to choose --------------------------------------------------------------------------------------------------


def any_action(pair: Pair) -> int:
    return pair.random.choice(pair.options)


def any_move(pair: Pair) -> int:
    """All moves have the same probability, unlike actions drawn from masks."""
    if not pair.chosen:
        move = pair.state.random_move(pair.decision["seat"], pair.random)
        pair.plan = pair.encoding.sequence(pair.decision, move)
    return pair.plan[len(pair.chosen)]


def prefers(*words: str, share: float = 0.8) -> Callable[[Pair], int]:
    """Chooses an action whose name begins with one of these words, in this share of cases."""

    def choose(pair: Pair) -> int:
        wanted = [option for option in pair.options if pair.encoding.actions[option].startswith(words)]
        return pair.random.choice(wanted if wanted and pair.random.random() < share else pair.options)

    return choose


def barters(pair: Pair) -> int:
    """Chooses what another seat has chosen, guesses right the second time, and makes low offers."""
    state, kind = pair.state, pair.decision["kind"]
    if pair.random.random() < 0.2:
        return any_action(pair)
    if kind == "action" and None in state.choices and state.choices[0] is not None:
        return ACTION_CARDS.index(state.choices[0]) if pair.random.random() < 0.7 else any_action(pair)
    if kind == "guess":
        hidden = ACTION_CARDS.index(state.choices[state.active])
        return hidden if state.guesses else next(option for option in pair.options if option != hidden)
    return min(pair.options[1:3]) if kind in ("open_barter", "answer_offer") else any_action(pair)


def lowest_raises(pair: Pair) -> int:
    """Raises as little as possible in the first round of a phase, so that barters reach the limit of offers."""
    seat, state = pair.decision["seat"], pair.state
    if state.round > 1 or pair.decision["kind"] not in ("open_barter", "answer_offer"):
        return barters(pair)
    if not pair.chosen:
        offer = next(above(state.gems[seat], state.standing))
        pair.plan = pair.encoding.sequence(pair.decision, {"offer": list(offer)})
    return pair.plan[len(pair.chosen)]


def one_seat(pair: Pair, action: str) -> int:
    """Lets exactly one seat, another one each time, carry out this action, and plays at random otherwise."""
    state, kind = pair.state, pair.decision["kind"]
    wanted = ACTION_CARDS.index(action)
    if kind == "action":
        chooser = state.turn < 0 and (state.round + state.phase) % state.seats != pair.decision["seat"]
        return pair.random.choice([option for option in pair.options if (option != wanted) == chooser])
    if kind == "guess":
        return next(option for option in pair.options if option != wanted)
    return any_action(pair)


def hoards(pair: Pair) -> int:
    """One seat takes the gems of its card, and no seat returns any, so that the supply runs out."""
    if pair.decision["kind"] == "immediate" and pair.state.immediate != "three":
        return pair.options[0]
    return one_seat(pair, "gems")


def draws_blind(pair: Pair) -> int:
    """One seat takes the unseen event, so that the events are reshuffled, and carries it out."""
    if pair.decision["kind"] == "event_card" and pair.random.random() < 0.95:
        return pair.options[-1]
    return pair.random.choice(pair.options[1:]) if pair.decision["kind"] == "immediate" else one_seat(pair, "event")


def first_action(pair: Pair) -> int:
    """Plays defaults most of the time, so that seats are tied and scoring cards pay nothing."""
    return pair.options[0] if pair.random.random() < 0.8 else any_action(pair)


STYLES: dict[str, Callable[[Pair], int]] = {
    "any action": any_action,
    "any move": any_move,
    "barters": barters,
    "lowest raises": lowest_raises,
    "ties": first_action,
    "blind draws": draws_blind,
    "empty supplies": hoards,
    "scoring cards": prefers("event", "face_up", "accept"),
}


# --- The state in comparable form ------------------------------------------------------------------------------------


def of_reference(pair: Pair) -> Document:
    """Everything on which the rest of the game depends, as the reference has it."""
    state = pair.state
    duel = hasattr(state, "guesses")
    offerer, standing = state.offers[-1] if state.offers else (-1, (0, 0, 0, 0))
    assert state.declined in ((), (state.opener,))
    return {
        "seed": list(state.chance.seed),
        "money": state.money,
        "gems": [list(gems) for gems in state.gems],
        "supply": list(state.supply),
        "age_order": state.age_order,
        "age": state.age,
        "event_pile": [EVENT_ORDER[card] for card in state.event_pile],
        "event_discards": [EVENT_ORDER[card] for card in state.event_discards],
        "event_shuffles": state.chance._counts["event_deck"],
        "display": _event(state.display),
        "cards": [[EVENT_ORDER[card] for card in cards] for cards in state.cards],
        "gem_pile": list(state.gem_pile),
        "gem_discards": list(state.gem_discards),
        "gem_shuffles": state.chance._counts["gem_deck"],
        "gem_cards": list(state.gem_cards),
        "phase": state.phase,
        "round": state.round,
        "stage": state.stage,
        "turn": state.turn,
        "choices": [_action(choice) for choice in state.choices],
        "revealed": int(state.revealed),
        "action_index": state.action_index,
        "resolving": _action(state.resolving),
        "opener": state.opener,
        "other": state.other,
        "opener_declined": len(state.declined),
        "offer_count": len(state.offers),
        "offerer": offerer,
        "standing": list(standing),
        "free_order": list(state.free_order),
        "free_next": state.free_next,
        "immediate": _event(state.immediate),
        "active": state.active if duel else -1,
        "starter": state.starter if duel else -1,
        "guesses": [_action(guess) for guess in state.guesses] if duel else [],
        "chosen": list(pair.chosen),
    }


def _event(card: str | None) -> int:
    return -1 if card is None else EVENT_ORDER[card]


def _action(action: str | None) -> int:
    return -1 if action is None else ACTION_CARDS.index(action)


def of_accelerator(batch: Batch, numbers: Sequence[int]) -> Iterator[Document]:
    """The same of these games in the batch, read from its fields."""
    fields = batch.fields[numbers]
    assert fields.dtype.names is not None
    columns = {name: fields[name].tolist() for name in fields.dtype.names}
    for values in zip(*columns.values(), strict=True):
        game = dict(zip(columns, values, strict=True))
        for name in ("money", "gems", "age_order", "age", "gem_cards", "choices"):
            game[name] = game[name][: batch.seats]
        for name, count in (
            ("event_pile", "event_pile_count"),
            ("event_discards", "event_discard_count"),
            ("free_order", "free_count"),
            ("guesses", "guess_count"),
            ("chosen", "chosen_count"),
        ):
            game[name] = game[name][: game.pop(count)]
        kept = list(zip(game.pop("kept"), game.pop("kept_by"), strict=True))[: game.pop("kept_count")]
        game["cards"] = [[card for card, owner in kept if owner == seat] for seat in range(batch.seats)]
        game["gem_pile"] = [GEM_CARDS[place] for place in game["gem_pile"]]
        game["gem_discards"] = game["gem_pile"][: game.pop("gem_discard_count")]
        game["gem_cards"] = [None if place < 0 else GEM_CARDS[place] for place in game["gem_cards"]]
        game["stage"] = STAGES[game["stage"]]
        yield game


# --- Playing together ------------------------------------------------------------------------------------------------


Change = Callable[[GemRules], None]
"""Changes the rules of the accelerator, so that its games differ from those of the reference."""


def seeds_of(name: str, count: int) -> list[bytes]:
    return [sha256(f"{name}/{number}".encode()).digest() for number in range(count)]


def rows(seeds: Sequence[bytes]) -> npt.NDArray[np.uint8]:
    """The seeds as an array with one row per game."""
    return np.frombuffer(b"".join(seeds), dtype=np.uint8).reshape(-1, 32)


def compare(batch: Batch, pairs: Sequence[Pair], numbers: Sequence[int]) -> str | None:
    """The first difference between the accelerator and the reference in these games, or ``None``."""
    to_play, masks = batch.to_play.tolist(), batch.masks()
    observers = np.array([pair.random.randrange(batch.seats) for pair in pairs], dtype=np.int8)
    observations = batch.observations(observers)
    for number, got in zip(numbers, of_accelerator(batch, numbers), strict=True):
        pair = pairs[number]
        if (expected := of_reference(pair)) != got:
            names = [name for name in expected | got if expected.get(name) != got.get(name)]
            return f"game {number}: " + "; ".join(f"{name} {got.get(name)} not {expected.get(name)}" for name in names)
        asked = pair.state.pending[0] if pair.state.pending else -1
        if to_play[number] != asked:
            return f"game {number}: to play {to_play[number]}, not {asked}"
        if (legal := np.flatnonzero(masks[number]).tolist()) != pair.options:
            return f"game {number}: legal {legal}, not {pair.options}"
        seen = pair.observation(int(observers[number]))
        if not np.array_equal(observations[number], seen):
            places = np.flatnonzero(observations[number] != seen).tolist()
            return f"game {number}: seat {observers[number]} sees other numbers at {places}"
    return None


def compare_outcomes(batch: Batch, pairs: Sequence[Pair]) -> str | None:
    """The first difference between the outcomes of finished games, or ``None``."""
    outcomes = batch.outcomes()
    for number, pair in enumerate(pairs):
        scores = [[score["money"], *score["gems"]] for score in pair.state.outcome["scores"]]
        got = (outcomes.ranks[number].tolist(), outcomes.scores[number].tolist())
        if got != (pair.state.outcome["ranks"], scores):
            return f"game {number}: outcome {got}, not {pair.state.outcome}"
    return None


def first_difference(
    slug: str,
    seats: int,
    name: str,
    count: int,
    styles: Sequence[str] = tuple(STYLES),
    change: Change | None = None,
) -> str | None:
    """Play ``count`` games to their ends, compare them after every action, and return the first difference.

    The games are dealt from the seeds of ``name``. They take turns in using ``styles``.
    """
    game, encoding, seeds = GAMES[slug], GAMES[slug].encoding(seats), seeds_of(name, count)
    batch = Batch(slug, seats, rows(seeds))
    if change:
        change(batch._rules)
        batch.deal(np.arange(count), rows(seeds))
    pairs = [Pair(game.new(seats, seed), encoding, Random(seed)) for seed in seeds]
    for pair in pairs:
        pair.ask()
    running = list(range(count))
    while running:
        if difference := compare(batch, pairs, running):
            return difference
        running = [number for number in running if pairs[number].options]
        actions = np.full(count, NO_ACTION)
        for number in running:
            actions[number] = STYLES[styles[number % len(styles)]](pairs[number])
        batch.step(actions)
        for number in running:
            pairs[number].take(int(actions[number]))
    return compare_outcomes(batch, pairs)
