"""The course of the game (`rules.md` 2 and 3; "When chance steps stand" in `record.md`)."""

from __future__ import annotations

from tests.judge.table import Ask, Procedure, Uncover

from . import cards
from .actions import act, draw_event, resolve
from .barter import barter
from .scoring import score_phase
from .table import Table


def play(table: Table) -> Procedure:
    """A whole game from the first chance step to the last scoring."""
    table.age_order = yield from table.shuffle("age_order", "seats", list(range(table.seats)))
    table.event_stack = yield from table.shuffle("event_deck", "cards", cards.EVENT_CARDS)
    starter = 0
    for phase in range(1, cards.PHASES + 1):
        if table.duel:
            starter = yield from start_duel_phase(table, phase)
        else:
            yield from start_phase(table, phase)
        for number in range(1, table.rounds + 1):
            if table.duel:
                yield from play_turn(table, number, (starter + number - 1) % 2)
            else:
                yield from play_round(table, number)
        discard_display(table)
        clear(table)
        score_phase(table)


def start_phase(table: Table, phase: int) -> Procedure:
    deck = yield from table.shuffle("gem_deck", "cards", cards.GEM_CARDS)
    dealt = table.seats * table.rounds
    table.phase = phase
    table.gem_stack, table.aside, table.gem_discards = deck[:dealt], deck[dealt:], []
    table.tell("phase", phase=phase)
    if table.aside:
        table.tell("aside", count=len(table.aside), top=table.aside[-1])
    if phase > 1:
        return_for_short_supply(table)


def start_duel_phase(table: Table, phase: int) -> Procedure:
    """Returns the seat that has the first turn."""
    if phase == 1:
        table.gem_stack = yield from table.shuffle("gem_deck", "cards", cards.GEM_CARDS)
        starter = yield from table.draw_seat("starter")
    table.phase = phase
    table.tell("phase", phase=phase)
    if phase > 1:
        return_for_short_supply(table)
        starter = richer(table)
    return starter


def richer(table: Table) -> int:
    """Who starts phases 2 and 3 of the two-player game: money, gems, R, Y, G, B, then the younger (B1, B2)."""
    return max((0, 1), key=lambda seat: (*wealth(table, seat), -table.age_order.index(seat)))


def wealth(table: Table, seat: int) -> list[int]:
    """What decides between players: money, then gems, then R, Y, G, B (`rules.md` 2.9)."""
    return [table.money[seat], sum(table.gems[seat]), *table.gems[seat]]


def return_for_short_supply(table: Table) -> None:
    """The <=5 rule (`rules.md` 2.2 c): all colours judged on the same state, one pass."""
    returned = [[0, 0, 0, 0] for _ in range(table.seats)]
    for colour in [colour for colour in range(4) if table.supply[colour] <= 5]:
        for seat in range(table.seats):
            if table.gems[seat][colour] > 0:
                table.gems[seat][colour] -= 1
                table.supply[colour] += 1
                returned[seat][colour] = 1
    if any(any(gems) for gems in returned):
        table.tell("supply_rule", returned=returned)


def play_round(table: Table, number: int) -> Procedure:
    if number > 1:
        discard_display(table)
        clear(table)
    table.round = number
    for seat in range(table.seats):
        table.gem_cards[seat] = table.gem_stack.pop(0)
    table.tell("deal", round=number, gem_cards=list(table.gem_cards))
    yield from turn_up(table)
    options = cards.actions(table.seats)
    moves = yield [Ask(seat, "action", list(options), {"options": list(options)}) for seat in range(table.seats)]
    table.actions, table.public = list(moves), True
    for action in options:
        table.resolving = action
        yield from resolve(table, action, [seat for seat in range(table.seats) if moves[seat] == action])
    table.resolving = None


def play_turn(table: Table, number: int, active: int) -> Procedure:
    """One turn of the two-player game (`rules.md` 3)."""
    if number > 1:
        discard_display(table)
        clear(table)
    opponent = 1 - active
    table.round, table.active = number, active
    card = table.gem_stack.pop(0)
    table.gem_cards[active] = card
    table.tell("deal", round=number, seat=active, gem_card=card)
    yield from turn_up(table)
    options = cards.actions(2)
    (action,) = yield [Ask(active, "action", list(options), {"options": list(options)}, hidden=True)]
    table.actions[active] = action
    caught = yield from guess(table, opponent, action)
    if caught == 1:
        return
    table.resolving = action
    actor: int | None = active
    if caught == 2:
        actor = yield from barter(table, action, [0, 1])
    if actor is not None:
        yield from act(table, actor, action, card)
    table.resolving = None


def guess(table: Table, opponent: int, action: str) -> Procedure:
    """Returns the number of the card that caught the active player, 0 after two misses."""
    for attempt in (1, 2):
        options = [option for option in cards.actions(2) if option not in table.guesses]
        (shown,) = yield [Ask(opponent, "guess", options, {"options": list(options)})]
        table.guesses.append(shown)
        if shown == action:
            table.tell("caught", guess=shown, action=action)
            uncover(table)
            return attempt
        table.tell("missed", guess=shown)
    uncover(table)
    return 0


def uncover(table: Table) -> None:
    table.public = True
    table.news.append(Uncover())


def turn_up(table: Table) -> Procedure:
    table.display = yield from draw_event(table)
    table.tell("event_up", card=table.display)


def discard_display(table: Table) -> None:
    """An unclaimed display goes under the stack (A7, B8)."""
    if table.display is not None:
        table.tell("discarded", seat=None, card=table.display)
        table.event_discards.append(table.display)
        table.display = None


def clear(table: Table) -> None:
    """The end of a round: gem cards to the discard pile, action cards back."""
    table.gem_discards += [card for card in table.gem_cards if card is not None]
    table.gem_cards = [None] * table.seats
    table.actions, table.public = [None] * table.seats, False
    table.active, table.guesses = None, []
