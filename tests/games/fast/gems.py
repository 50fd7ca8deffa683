"""Edel, Stein & Reich and its version for two: ways to choose actions, and states in comparable form."""

from __future__ import annotations

from typing import Final

from games.edel_stein_reich.cards import EVENT_ORDER, GEM_CARDS
from games.edel_stein_reich.offers import above
from games.fast.gems import ACTION_CARDS, STAGES
from games.rules import Document
from tests.games.fast.pairs import Pair, Style, any_action, any_move, first_action, prefers

# --- Ways to choose --------------------------------------------------------------------------------------------------


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


STYLES: Final[dict[str, Style]] = {
    "any action": any_action,
    "any move": any_move,
    "barters": barters,
    "lowest raises": lowest_raises,
    "ties": first_action,  # and scoring cards that pay nothing
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


def of_accelerator(game: Document, seats: int) -> Document:
    """The same from the fields of the accelerator."""
    for name in ("money", "gems", "age_order", "age", "gem_cards", "choices"):
        game[name] = game[name][:seats]
    for name, count in (
        ("event_pile", "event_pile_count"),
        ("event_discards", "event_discard_count"),
        ("free_order", "free_count"),
        ("guesses", "guess_count"),
        ("chosen", "chosen_count"),
    ):
        game[name] = game[name][: game.pop(count)]
    kept = list(zip(game.pop("kept"), game.pop("kept_by"), strict=True))[: game.pop("kept_count")]
    game["cards"] = [[card for card, owner in kept if owner == seat] for seat in range(seats)]
    game["gem_pile"] = [GEM_CARDS[place] for place in game["gem_pile"]]
    game["gem_discards"] = game["gem_pile"][: game.pop("gem_discard_count")]
    game["gem_cards"] = [None if place < 0 else GEM_CARDS[place] for place in game["gem_cards"]]
    game["stage"] = STAGES[game["stage"]]
    return game


def score(score: Document) -> list[int]:
    """A score of the reference as the columns of the accelerator."""
    return [score["money"], *score["gems"]]
