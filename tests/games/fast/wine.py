"""Die Weinhändler: ways to choose actions, and states in comparable form."""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler.cards import DISPLAY_SIZE, EMPTY, TENTHS
from games.die_weinhaendler.encoding.moves import CARD, CELL, DONE, PASS, PLACES, STOP
from games.die_weinhaendler.grid import CELLS, cell_of
from games.die_weinhaendler.moves import lay_move, lays
from games.fast.wine import KINDS, STAGES
from games.rules import Document
from tests.games.fast.pairs import Pair, Style, any_action, any_move

# --- Ways to choose --------------------------------------------------------------------------------------------------


def lays_best(pair: Pair) -> int:
    """Lays everything, and the bottles with the highest bonus first."""
    if not pair.chosen:
        state, seat = pair.state, pair.decision["seat"]
        cellar = state.open_cellar(seat)
        best = max(lays(state, seat), key=lambda way: (cellar.bonus(*way), pair.random.random()))
        pair.plan = pair.encoding.sequence(pair.decision, lay_move(*best))
    return pair.plan[len(pair.chosen)]


def completes_trios(pair: Pair) -> int:
    return lays_best(pair) if pair.decision["kind"] == "lay" else any_action(pair)


def equal_bids(pair: Pair) -> int:
    """Adds cards that make a bid equal to another one, and keeps one to three cards, so that some seats cannot bid."""
    if pair.decision["kind"] == "lay":
        few = len(pair.decision["hand"]) <= pair.random.randrange(1, 4)
        return DONE if few and DONE in pair.options else pair.options[-1]
    total = (pair.decision["total"] or 0) + sum(TENTHS[action - CARD] for action in pair.chosen)
    equal = [
        option for option in pair.options if option >= CARD and total + TENTHS[option - CARD] in pair.decision["taken"]
    ]
    if equal and pair.random.random() < 0.9:
        return pair.random.choice(equal)
    return STOP if STOP in pair.options and pair.random.random() < 0.5 else any_action(pair)


def same_stack(pair: Pair) -> int:
    """Bids at least as many cards as the display has, and lays nothing, so that the stack does not shrink."""
    if pair.decision["kind"] == "lay" or pair.decision["bid"]:
        return pair.options[0]
    return STOP if STOP in pair.options and len(pair.chosen) >= DISPLAY_SIZE else pair.options[-1]


def passes(pair: Pair) -> int:
    """Passes without a bid most of the time, so that cards go under the stack and it runs out."""
    return PASS if PASS in pair.options and pair.random.random() < 0.9 else any_action(pair)


def collects(pair: Pair) -> int:
    """One seat, another one in each game, buys every display with its cheapest card and fills its cellars."""
    is_collector = pair.decision["seat"] == pair.state.chance.seed[0] % pair.state.seats
    if pair.decision["kind"] == "lay":
        return lays_best(pair) if is_collector or pair.chosen or DONE not in pair.options else DONE
    if pair.random.random() < 0.02:
        return any_action(pair)
    if is_collector and not pair.decision["bid"]:
        return pair.options[0] if pair.chosen else pair.options[1]
    return PASS if PASS in pair.options else pair.options[0]


def keeps_empty_bottles(pair: Pair) -> int:
    """The same, but it lays one empty bottle, covers it as late as possible, and keeps the others in hand."""
    if pair.decision["kind"] == "bid":
        return collects(pair)
    cellar, empty = pair.state.open_cellar(pair.decision["seat"]), CARD + EMPTY
    if pair.chosen:
        vacant = [option for option in pair.options if cell_of(*PLACES[option - CELL]) not in cellar.empties]
        return pair.random.choice(vacant or pair.options)
    if empty in pair.options and not cellar.empties:
        return empty
    others = [option for option in pair.options if option not in (empty, DONE)]
    return pair.random.choice(others or pair.options)


STYLES: Final[dict[str, Style]] = {
    "any action": any_action,
    "any move": any_move,
    "trios": completes_trios,
    "equal bids": equal_bids,
    "idle rounds": same_stack,
    "pass draws": passes,
    "full cellars": collects,
    "empty bottles": keeps_empty_bottles,
}


# --- The state in comparable form ------------------------------------------------------------------------------------


def of_reference(pair: Pair) -> Document:
    """Everything on which the rest of the game and the observations depend, as the reference has it."""
    state = pair.state
    seats = range(state.seats)
    open_cellars = [state.open_cellar(seat).cells for seat in seats]
    return {
        "seed": list(state.chance.seed),
        "hands": state.hands,
        "known": state.known,
        "bids": state.bids,
        "display": state.display,
        "laid": tuple(
            sorted(
                card
                for cellars in state.cellars
                for cellar in cellars
                for card in (*(card for card in cellar.cells if card >= EMPTY), *[EMPTY] * len(cellar.covered))
            )
        ),
        "cellars": open_cellars,
        "full_cellars": [sum(cellar.full for cellar in state.cellars[seat]) for seat in seats],
        "stack": state.stack[state.drawn :],
        "drawn": state.drawn,
        "seen_below": state.seen_below,
        "stack_before": state.stack_before,
        "totals": state.totals,
        "points": state.points,
        "passed": state.passed,
        "done": state.done,
        "round": state.round,
        "last_round": state.last_round,
        "idle_rounds": state.idle_rounds,
        "start": state.start,
        "leader": state.leader,
        "turn": state.turn,
        "stage": state.stage,
        "chosen": list(pair.chosen),
        "chosen_count": len(pair.chosen),
        "ending": 0,
    }


def _bottles(multiset: int) -> tuple[int, ...]:
    return tuple(kind for kind in range(KINDS) for _ in range(multiset >> 2 * kind & 3))


def of_accelerator(game: Document, seats: int) -> Document:
    """The same from the fields of the accelerator."""
    for name in ("hands", "known", "bids"):
        game[name] = [_bottles(cards) for cards in game[name][:seats]]
    for name in ("cellars", "full_cellars", "totals", "points", "passed", "done"):
        game[name] = game[name][:seats]
    for name in ("display", "laid"):
        game[name] = _bottles(game[name])
    full, empty = game.pop("full"), game.pop("empty")
    for seat, kinds in enumerate(game["cellars"]):
        for cell in range(CELLS):
            assert bool(kinds[cell]) == bool(full[seat] >> cell & 1)
            if not kinds[cell]:
                kinds[cell] = EMPTY if empty[seat] >> cell & 1 else -1
    game["stack"] = tuple(game["stack"][game["drawn"] : game.pop("stack_end")])
    game["stage"] = STAGES[game["stage"]]
    game["chosen"] = [CARD + card for card in reversed(_bottles(game["chosen"]))]
    return game


def score(score: Document) -> list[int]:
    """A score of the reference as the columns of the accelerator."""
    return [score["points"]]
