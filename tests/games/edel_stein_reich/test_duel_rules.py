"""D01-D13: the turns of the two-player variant (rules.md 3, 7.2)."""

from __future__ import annotations

from typing import Any

import pytest

from games.edel_stein_reich.duel import DuelState
from games.registry import GAMES
from games.rules import IllegalMove
from tests.games.edel_stein_reich.soundness import faults
from tests.games.edel_stein_reich.tables import SEED, answer, asked, duel, events, holdings, offer, purses, steps


def test_d01_ten_of_thirty_gem_cards_16_gems_of_each_colour_and_three_actions() -> None:
    state = GAMES["edel-stein-reich-duel"].new(2, SEED)
    view = state.view(None)
    assert (view["round"], view["rounds"], view["phases"]) == (1, 10, 3)
    assert view["gem_stack"] + 1 == 10
    assert view["aside"] is None
    assert view["supply"] == [16, 16, 16, 16]
    assert state.legal_moves(state.pending[0]) == ["money", "event", "gems"]
    assert len(next(step["cards"] for step in state.steps_since(0) if step.get("chance") == "gem_deck")) == 30


@pytest.mark.parametrize("action", ["money", "event", "gems"])
def test_d02_a_first_guess_that_hits_reveals_the_card_and_the_action_is_lost(action: str) -> None:
    state = duel()
    before = holdings(state), purses(state)
    answer(state, action, action)
    assert events(state, "caught") == [{"type": "caught", "guess": action, "action": action}]
    assert (holdings(state), purses(state)) == before
    assert steps(state, "action")[0] == {"seat": 0, "decision": "action", "move": action}
    assert asked(state) == ((1,), "action")
    assert faults(state) == []


def test_d03_after_a_first_miss_the_opponent_learns_that_it_missed_and_no_more() -> None:
    rows = []
    for action in ("event", "gems"):
        state = duel()
        answer(state, action, "money")
        rows.append((state.view(1), state.view(None), state.entries(1), state.decision(1)))
        assert events(state, "missed", "caught") == [{"type": "missed", "guess": "money"}]
        assert state.view(0)["you"] == {"action": action}
    assert rows[0] == rows[1]
    assert rows[0][0]["players"][0]["chosen"] is True
    assert rows[0][0]["players"][0]["action"] is None


def test_d04_the_second_guess_cannot_repeat_the_first() -> None:
    state = duel()
    answer(state, "event", "money")
    assert state.legal_moves(1) == ["event", "gems"]
    with pytest.raises(IllegalMove, match="two other actions"):
        state.play(1, "money")


def test_d05_the_second_guess_cannot_be_refused() -> None:
    state = duel()
    answer(state, "event", "money")
    for refusal in ("decline", "pass", "done", None, ""):
        with pytest.raises(IllegalMove):
            state.play(1, refusal)
    assert asked(state) == ((1,), "guess")


@pytest.mark.parametrize(("active", "opener"), [(0, 1), (1, 1)])
def test_d06_a_second_guess_that_hits_leads_to_a_barter_opened_by_fewest_reds_whoever_is_active(
    active: int, opener: int
) -> None:
    state = duel({0: "RRR", 1: "RR"}, active=active)
    answer(state, "money", "event", "money")
    assert events(state, "missed", "caught") == [
        {"type": "missed", "guess": "event"},
        {"type": "caught", "guess": "money", "action": "money"},
    ]
    assert asked(state) == ((opener,), "open_barter")


def bartered(action: str, **laid: Any) -> DuelState:
    """Seat 0 is active, seat 1 has guessed right with its second card, offered a blue gem and won."""
    other = "event" if action == "money" else "money"
    state = duel({0: "RRR", 1: "RRB"}, gem_card="7BB", **laid)
    answer(state, action, other, action, offer("B"), "accept")
    assert holdings(state)[0] == [3, 0, 0, 1]
    return state


def test_d07_an_opponent_who_wins_a_barter_for_money_takes_the_amount_on_the_gem_card_of_the_turn() -> None:
    state = bartered("money")
    assert purses(state) == [0, 7]
    assert events(state, "money") == [{"type": "money", "seat": 1, "amount": 7}]


def test_d08_an_opponent_who_wins_a_barter_for_gems_takes_the_gems_on_that_card() -> None:
    assert holdings(bartered("gems"))[1] == [2, 0, 0, 2]


def test_d09_an_opponent_who_wins_a_barter_for_the_event_chooses_the_card_and_plays_or_keeps_it() -> None:
    kept = bartered("event", display="three", draws=["per:B", "rob"])
    assert asked(kept) == ((1,), "event_card")
    answer(kept, "blind")
    assert kept.view(None)["players"][1]["cards"] == ["per:B"]
    assert kept.view(None)["event"]["discards"] == ["three"]
    played = bartered("event", display="three")
    answer(played, "face_up", {"colour": "Y"})
    assert holdings(played)[1] == [2, 3, 0, 0]
    assert faults(played) == []


def test_d10_a_barter_that_both_refuse_to_open_is_void() -> None:
    state = duel({0: "RRR", 1: "RRB"})
    answer(state, "money", "event", "money", "decline", "decline")
    assert events(state, "void") == [{"type": "void", "action": "money"}]
    assert purses(state) == [0, 0]
    assert holdings(state) == [[3, 0, 0, 0], [2, 0, 0, 1]]
    assert asked(state) == ((1,), "action")


def test_d11_after_two_misses_the_active_player_acts_without_restriction() -> None:
    state = duel(gem_card="7BB")
    answer(state, "money", "event", "gems")
    assert purses(state) == [7, 0]
    state = duel(display="three")
    answer(state, "event", "money", "gems")
    assert asked(state) == ((0,), "event_card")
    assert state.legal_moves(0) == ["face_up", "blind"]
    state = duel(gem_card="7BB")
    answer(state, "gems", "money", "event")
    assert holdings(state)[0] == [3, 3, 3, 5]


def test_d12_an_event_not_taken_goes_under_the_stack_when_the_next_turn_begins() -> None:
    state = duel(display="three", draws=["half"])
    answer(state, "money", "event", "gems")
    log = events(state)
    assert log[log.index({"type": "money", "seat": 0, "amount": 7}) + 1 :][:3] == [
        {"type": "discarded", "seat": None, "card": "three"},
        {"type": "deal", "round": 2, "seat": 1, "gem_card": state.view(None)["players"][1]["gem_card"]},
        {"type": "event_up", "card": "half"},
    ]
    assert state.view(None)["event"]["discards"] == ["three"]


def test_d13_caught_on_event_the_display_stays_without_effect_until_then() -> None:
    state = duel({0: "RRR", 1: "RRB"}, display="three", draws=["half"])
    answer(state, "event", "money", "event")
    assert state.view(None)["event"]["display"] == "three"
    caught = duel(display="three", draws=["half"])
    answer(caught, "event", "event")
    assert events(caught, "discarded", "event_up", "gems_moved") == [
        {"type": "discarded", "seat": None, "card": "three"},
        {"type": "event_up", "card": "half"},
    ]
