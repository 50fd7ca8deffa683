"""Tables laid out by hand: a real game, rearranged before anybody chooses, as a rule needs it.

Nothing is lost or made up: a colour has 22 gems, and what no seat holds is in the supply; of the 39 event cards,
those that are not named lie face down; the gem cards named are swapped with those that were dealt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from games.edel_stein_reich.cards import EVENT_CARDS, GEMS_PER_COLOUR, NO_GEMS, Gems
from games.edel_stein_reich.duel import DuelState
from games.edel_stein_reich.state import EdelSteinReichState
from games.edel_stein_reich.table import together
from games.registry import GAMES
from games.rules import Document

SEED = bytes(range(32))
TABLES = [("edel-stein-reich", 3), ("edel-stein-reich", 4), ("edel-stein-reich", 5), ("edel-stein-reich-duel", 2)]
COLOURS = "RYGB"
DULL = "cert"
"""An event card with which nothing happens before the scoring."""

Holdings = str | Sequence[int]
"""Gems as ``"RRB"`` or ``(2, 0, 0, 1)``."""


def gems(held: Holdings) -> list[int]:
    """Four counts, red, yellow, green, blue."""
    return [held.count(colour) for colour in COLOURS] if isinstance(held, str) else list(held)


def table(
    seats: int,
    held: Mapping[int, Holdings] | None = None,
    *,
    supply: Sequence[int] | None = None,
    money: Sequence[int] | None = None,
    age_order: Sequence[int] | None = None,
    cards: Mapping[int, Sequence[str]] | None = None,
    gem_cards: Mapping[int, str] | None = None,
    display: str = DULL,
    draws: Sequence[str] = (),
    discards: Sequence[str] = (),
    phase: int = 1,
    round_: int = 1,
) -> EdelSteinReichState:
    """A table of three to five at the start of ``round_`` of ``phase``, all ``seats`` about to choose.

    ``held`` gems by seat; the others keep their first twelve, unless a ``supply`` is asked for: then the last seat
    has what is left. ``draws``: the event cards next to be drawn, the first first.
    """
    state = GAMES["edel-stein-reich"].new(seats, SEED)
    assert isinstance(state, EdelSteinReichState)
    _date(state, phase, round_)
    first = (round_ - 1) * seats
    for seat, code in (gem_cards or {}).items():
        state.gem_pile = _swapped(state.gem_pile, first + seat, code)
    state.gem_discards = state.gem_pile[:first]
    state.gem_cards = state.gem_pile[first : first + seats]
    _lay(state, held or {}, supply, money, age_order)
    _lay_events(state, cards or {}, display, draws, discards)
    return state


def duel(
    held: Mapping[int, Holdings] | None = None,
    *,
    active: int = 0,
    supply: Sequence[int] | None = None,
    money: Sequence[int] | None = None,
    age_order: Sequence[int] | None = None,
    cards: Mapping[int, Sequence[str]] | None = None,
    gem_card: str = "7BB",
    display: str = DULL,
    draws: Sequence[str] = (),
    discards: Sequence[str] = (),
    phase: int = 1,
    round_: int = 1,
) -> DuelState:
    """A table of two at the start of a turn of ``active``, who is about to hide an action."""
    state = GAMES["edel-stein-reich-duel"].new(2, SEED)
    assert isinstance(state, DuelState)
    _date(state, phase, round_)
    turn = (phase - 1) * state.rounds + round_ - 1
    state.gem_pile = _swapped(state.gem_pile, turn, gem_card)
    state.gem_discards = state.gem_pile[:turn]
    state.starter = active if round_ % 2 else 1 - active
    state.active = state.turn = active
    state.gem_cards = (gem_card, None) if active == 0 else (None, gem_card)
    _lay(state, held or {}, supply, money, age_order)
    _lay_events(state, cards or {}, display, draws, discards)
    return state


def _date(state: EdelSteinReichState, phase: int, round_: int) -> None:
    state.phase, state.round = phase, round_
    state.journal = []


def _swapped(pile: Sequence[str], place: int, code: str) -> tuple[str, ...]:
    """The pile with the last such card brought to ``place``."""
    cards = list(pile)
    drawn_at = len(cards) - 1 - cards[::-1].index(code)
    cards[place], cards[drawn_at] = cards[drawn_at], cards[place]
    return tuple(cards)


def four(counts: Iterable[int]) -> Gems:
    """Four counts as the engine keeps them."""
    red, yellow, green, blue = counts
    return (red, yellow, green, blue)


def _lay(
    state: EdelSteinReichState,
    held: Mapping[int, Holdings],
    supply: Sequence[int] | None,
    money: Sequence[int] | None,
    age_order: Sequence[int] | None,
) -> None:
    for seat, holding in held.items():
        state.gems[seat] = four(gems(holding))
    if supply is not None:
        others = state.gems[:-1]
        state.gems[-1] = four(GEMS_PER_COLOUR - supply[c] - sum(own[c] for own in others) for c in range(4))
    state.supply = four(GEMS_PER_COLOUR - sum(own[c] for own in state.gems) for c in range(4))
    assert min(min(pile) for pile in (*state.gems, state.supply)) >= 0, "there are only 22 gems of a colour"
    state.money = list(money or [0] * state.seats)
    state.age_order = list(age_order or range(state.seats))
    state.age = [state.age_order.index(seat) for seat in range(state.seats)]


def _lay_events(
    state: EdelSteinReichState,
    cards: Mapping[int, Sequence[str]],
    display: str,
    draws: Sequence[str],
    discards: Sequence[str],
) -> None:
    """``draws`` come first from the pile, the cards not named after them; ``discards`` lie face up under it."""
    for seat, own in cards.items():
        state.cards[seat] = tuple(own)
    named = Counter([display, *draws, *discards, *(card for own in cards.values() for card in own)])
    rest = list((Counter(EVENT_CARDS) - named).elements())
    assert len(rest) + named.total() == len(EVENT_CARDS), "the deck does not have these cards"
    state.display = display
    state.event_discards = tuple(discards)
    state.event_pile = tuple([*draws, *rest][::-1])


def put_back(state: EdelSteinReichState, seat: int) -> None:
    """All gems of ``seat`` go to the supply."""
    state.supply = together(state.supply, state.gems[seat])
    state.gems[seat] = NO_GEMS


def bury_the_pile(state: EdelSteinReichState) -> None:
    """Turn the whole event pile face up: every card of it has been seen, the next one needs a reshuffle."""
    state.event_discards += state.event_pile[::-1]
    state.event_pile = ()


def begin_next_phase(state: EdelSteinReichState) -> None:
    """The next phase begins with what everybody holds now, without the scoring that stands before it."""
    state.begin_phase()


# --- playing and looking ------------------------------------------------------------------------


def choose(state: EdelSteinReichState, *actions: str) -> None:
    """All seats choose, in seat order."""
    for seat, action in enumerate(actions):
        state.play(seat, action)


def answer(state: EdelSteinReichState, *moves: Any) -> None:
    """The seat that is asked plays the next of ``moves``."""
    for move in moves:
        (seat,) = state.pending
        state.play(seat, move)


def offer(holding: Holdings) -> Document:
    """An offer of these gems."""
    return {"offer": gems(holding)}


def events(state: EdelSteinReichState, *types: str) -> list[Document]:
    """What has happened since the table was laid out, as the spectators' log tells it."""
    public_events = [entry["event"] for entry in state.entries(None) if "event" in entry]
    return [event for event in public_events if not types or event["type"] in types]


def steps(state: EdelSteinReichState, kind: str, seat: int | None = None) -> list[Document]:
    """The decisions of this kind since the table was laid out, as the log of ``seat`` tells them."""
    seat_steps = [entry["step"] for entry in state.entries(seat) if "step" in entry]
    return [step for step in seat_steps if step.get("decision") == kind]


def holdings(state: EdelSteinReichState) -> list[list[int]]:
    """The public gems of all seats."""
    return [player["gems"] for player in state.view(None)["players"]]


def purses(state: EdelSteinReichState) -> list[int]:
    """The money of all seats, in millions."""
    return [player["money"] for player in state.view(None)["players"]]


def asked(state: EdelSteinReichState) -> tuple[tuple[int, ...], str | None]:
    """Who is asked for what."""
    return state.pending, state.decision_kind


def scored(state: EdelSteinReichState) -> dict[str, Document]:
    """The rows of the last scoring by what they are of."""
    return {row["of"]: row for row in events(state, "scored")[-1]["rows"]}
