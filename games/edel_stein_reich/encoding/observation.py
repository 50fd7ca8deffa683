"""The observation of a seat as sections of numbers. "By seat" begins with the seat itself and continues clockwise."""

from __future__ import annotations

from collections import Counter
from typing import Final

from games.edel_stein_reich.cards import (
    COLOURS,
    EVENT_CARDS,
    EVENT_ORDER,
    GEM_CARDS,
    GEMS_ON_CARD,
    GEMS_PER_COLOUR,
    MONEY_ON_CARD,
    PHASES,
    SCORING_CARDS,
)
from games.edel_stein_reich.encoding.moves import FROM, GIVE, NAME, OFFER, TAKE, WORDS, offered
from games.learning import Section, Seen, Shares, one_hot, scaled

KINDS: Final = (
    "action",
    "open_barter",
    "answer_offer",
    "counter_gift",
    "event_card",
    "immediate",
    "free_choice",
    "guess",
)
MONEY_UNIT: Final = 100
OFFERS_UNIT: Final = 20
CAP: Final = 10.0
"""Limit of numbers without a natural bound. Money and offers never come near ten of their units."""

_ACTIONS: Final = WORDS[:4]
_EVENTS: Final = len(EVENT_ORDER)
_EVENT_SHARES: Final = Shares(Counter(EVENT_CARDS))
_GEM_CARD_SHARES: Final = Shares(Counter(GEM_CARDS))
_SCORING_SHARES: Final = Shares(Counter(card for card in EVENT_CARDS if card in SCORING_CARDS))
_IMMEDIATE: Final = tuple(card for card in EVENT_ORDER if card not in SCORING_CARDS)
_GEM_CARD: Final[dict[str | None, list[float]]] = {
    None: [0.0] * 5,
    **{
        card: [
            money / max(MONEY_ON_CARD.values()),
            *scaled(GEMS_ON_CARD[card], max(map(max, GEMS_ON_CARD.values()))),
        ]
        for card, money in MONEY_ON_CARD.items()
    },
}


def sections(seats: int) -> tuple[Section, ...]:
    """Return the sections of the observation with ``seats`` seats."""
    return (*_table(), *_players(seats), *_resolving(seats), *_asked(seats))


def _table() -> tuple[Section, ...]:
    return (
        Section("phase", PHASES, "one-hot", lambda seen: one_hot(seen.view["phase"] - 1, PHASES)),
        Section("round", 1, "÷ rounds of a phase", lambda seen: [seen.view["round"] / seen.view["rounds"]]),
        Section("supply", 4, "gems by color ÷ 22", lambda seen: scaled(seen.view["supply"], GEMS_PER_COLOUR)),
        Section("gem stack", 1, "face-down gem cards ÷ 30", lambda seen: [seen.view["gem_stack"] / len(GEM_CARDS)]),
        Section(
            "gem cards out", len(_GEM_CARD_SHARES), "by card, the share of its copies that has shown up", _gem_cards_out
        ),
        Section("display", _EVENTS, "by event, one-hot", lambda seen: _event(seen.view["event"]["display"])),
        Section("event stack", 1, "face-down events ÷ 39", _event_stack),
        Section("event discards", _EVENTS, "by event, the share of its copies", _event_discards),
    )


def _players(seats: int) -> tuple[Section, ...]:
    scoring = len(_SCORING_SHARES)
    return (
        Section("gems", 4 * seats, "by seat, by color ÷ 22", _gems),
        Section("leads", 4 * seats, "by seat, by color: gems minus the most of another seat, + 22, ÷ 44", _leads),
        Section("money", seats, "by seat ÷ 100, at most 10", _money, CAP),
        Section("scoring cards", scoring * seats, "by seat, by event, the share of its copies", _scoring_cards),
        Section("gem card", 5 * seats, "by seat: money ÷ 7, gems by color ÷ 2", _gem_card),
        Section("action", 4 * seats, "by seat, one-hot, once it is public", _actions),
        Section("chosen", seats, "by seat, 1: has chosen, as far as the seat knows", _chosen),
        Section("age", seats, "by seat, from 0 the youngest to 1 the oldest", _ages),
        Section("turn", seats, "by seat, 1: is asked; all 0 where all choose simultaneously", _turn),
        Section("active", seats, "two players: by seat, 1: has the turn", _active),
    )


def _resolving(seats: int) -> tuple[Section, ...]:
    return (
        Section("own action", 4, "one-hot, also while it is secret", lambda seen: _action(seen.view["you"]["action"])),
        Section("guesses", 4, "two players: by action, 1: shown in this turn", _guesses),
        Section("resolving", 4, "by action, 1: is being carried out", lambda seen: _action(seen.view["resolving"])),
        Section("opener", seats, "by seat, 1: opens the barter", lambda seen: _barter(seen, "opener")),
        Section("other", seats, "by seat, 1: the other one of the barter", lambda seen: _barter(seen, "other")),
        Section("declined", seats, "by seat, 1: has declined in this barter", _declined),
        Section("standing offer", 5, "gems by color ÷ 22; 1: it is your own", _standing_offer),
        Section("offers made", 1, "in this barter ÷ 20", _offers_made, CAP),
        Section("free choice", 1 + seats, "1: one seat alone; by seat, 1: picks now; lower: later", _free_choice),
        Section("immediate", len(_IMMEDIATE), "by event, 1: is being decided", _immediate),
    )


def _asked(seats: int) -> tuple[Section, ...]:
    return (
        Section("decision", len(KINDS), "one-hot, the kind; all 0: not asked", _decision),
        Section("offer begun", 8, "gems chosen so far by color ÷ 22; by color, 1: is chosen", _offer_begun),
        Section("picked", 4 * (seats + 1), "1: chosen so far, of `give`, `take`, `take … of …`", _picked),
    )


# --- the table ----------------------------------------------------------------------------------


def _gem_cards_out(seen: Seen) -> list[float]:
    aside = seen.view["aside"]
    dealt = [player["gem_card"] for player in seen.players] + [aside and aside["top"]]
    return _GEM_CARD_SHARES.of([*seen.view["gem_discards"], *filter(None, dealt)])


def _event_stack(seen: Seen) -> list[float]:
    return [seen.view["event"]["stack"] / len(EVENT_CARDS)]


def _event_discards(seen: Seen) -> list[float]:
    return _EVENT_SHARES.of(seen.view["event"]["discards"])


def _event(card: str | None) -> list[float]:
    return one_hot(None if card is None else EVENT_ORDER[card], _EVENTS)


# --- the players --------------------------------------------------------------------------------


def _gems(seen: Seen) -> list[float]:
    return [count / GEMS_PER_COLOUR for player in seen.players for count in player["gems"]]


def _leads(seen: Seen) -> list[float]:
    """Return by how much each seat is ahead, because majorities matter more than numbers of gems."""
    columns = list(zip(*(player["gems"] for player in seen.players), strict=True))
    return [
        (column[place] - max(column[:place] + column[place + 1 :]) + GEMS_PER_COLOUR) / (2 * GEMS_PER_COLOUR)
        for place in range(len(seen.players))
        for column in columns
    ]


def _money(seen: Seen) -> list[float]:
    return [min(player["money"] / MONEY_UNIT, CAP) for player in seen.players]


def _scoring_cards(seen: Seen) -> list[float]:
    return [share for player in seen.players for share in _SCORING_SHARES.of(player["cards"])]


def _gem_card(seen: Seen) -> list[float]:
    return [number for player in seen.players for number in _GEM_CARD[player["gem_card"]]]


def _actions(seen: Seen) -> list[float]:
    return [number for player in seen.players for number in _action(player["action"])]


def _chosen(seen: Seen) -> list[float]:
    return [float(player["chosen"]) for player in seen.players]


def _ages(seen: Seen) -> list[float]:
    order = seen.view["age_order"]
    ages = [0.0] * len(order)
    for age, seat in enumerate(order):
        ages[seen.clockwise(seat)] = age / (len(order) - 1)
    return ages


def _turn(seen: Seen) -> list[float]:
    return _at(seen, seen.view["turn"])


def _active(seen: Seen) -> list[float]:
    return _at(seen, seen.view["active"])


def _at(seen: Seen, *seats: int | None) -> list[float]:
    """Return 1 at these seats and 0 elsewhere."""
    numbers = [0.0] * len(seen.players)
    for seat in seats:
        if seat is not None:
            numbers[seen.clockwise(seat)] = 1.0
    return numbers


# --- what is being carried out ------------------------------------------------------------------


def _action(action: str | None) -> list[float]:
    return one_hot(None if action is None else _ACTIONS.index(action), len(_ACTIONS))


def _guesses(seen: Seen) -> list[float]:
    return [float(action in seen.view["guesses"]) for action in _ACTIONS]


def _barter(seen: Seen, part: str) -> list[float]:
    barter = seen.view["barter"]
    return _at(seen, barter and barter[part])


def _declined(seen: Seen) -> list[float]:
    barter = seen.view["barter"]
    return _at(seen, *(barter["declined"] if barter else ()))


def _standing_offer(seen: Seen) -> list[float]:
    barter = seen.view["barter"]
    if barter is None or not barter["offers"]:
        return [0.0] * 5
    standing = barter["offers"][-1]
    return [*scaled(standing["offer"], GEMS_PER_COLOUR), float(standing["seat"] == seen.view["seat"])]


def _offers_made(seen: Seen) -> list[float]:
    barter = seen.view["barter"]
    return [0.0 if barter is None else len(barter["offers"]) / OFFERS_UNIT]


def _free_choice(seen: Seen) -> list[float]:
    picking, seats = seen.view["free_choice"], len(seen.players)
    numbers = [0.0] * (1 + seats)
    if picking is not None:
        waiting = picking["order"][picking["next"] :]
        numbers[0] = float(len(picking["order"]) == 1)
        for place, seat in enumerate(waiting):
            numbers[1 + seen.clockwise(seat)] = 1.0 - place / seats
    return numbers


def _immediate(seen: Seen) -> list[float]:
    deciding = seen.view["immediate"]
    return one_hot(None if deciding is None else _IMMEDIATE.index(deciding["card"]), len(_IMMEDIATE))


# --- what this seat is asked --------------------------------------------------------------------


def _decision(seen: Seen) -> list[float]:
    return one_hot(None if seen.decision is None else KINDS.index(seen.decision["kind"]), len(KINDS))


def _offer_begun(seen: Seen) -> list[float]:
    counts = offered(seen.chosen)
    numbers = scaled(counts, GEMS_PER_COLOUR) + [0.0] * (len(COLOURS) - len(counts))
    return numbers + [float(colour < len(counts)) for colour in range(len(COLOURS))]


def _picked(seen: Seen) -> list[float]:
    """Return the chosen actions of ``give`` and ``take``. The actions ``name`` between them always complete a move."""
    numbers = [0.0] * (4 * (len(seen.players) + 1))
    for action in seen.chosen:
        if GIVE <= action < NAME:
            numbers[action - GIVE] = 1.0
        elif TAKE <= action < OFFER:
            numbers[4 + action - TAKE] = 1.0
        elif action >= FROM:
            numbers[8 + action - FROM] = 1.0
    return numbers
