"""Edel, Stein & Reich told in sentences."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.edel_stein_reich.story.events import tell_event
from games.edel_stein_reich.story.steps import tell_step
from games.edel_stein_reich.story.teller import Story
from games.edel_stein_reich.story.words import event_card, gem_card, gems, why_higher
from games.record import replay
from games.registry import GAMES
from tests.games.play import TABLES, sample_records
from tests.games.stories import NAMES, chapters_of, event, log_of, move

SLUGS = ("edel-stein-reich", "edel-stein-reich-duel")
ROUNDS = {2: 10, 3: 8, 4: 7, 5: 6}
SAMPLES = {name: record for name, record in sample_records().items() if record["game"] in SLUGS}


@pytest.mark.parametrize("record", SAMPLES.values(), ids=SAMPLES)
def test_every_round_and_every_scoring_has_its_chapter(record: dict[str, Any]) -> None:
    log = replay(record).log(None)
    chapters = chapters_of(log)
    assert len(chapters) == 1 + 3 * (ROUNDS[log["seats"]] + 1) + 1
    money = ", ".join(f"{NAMES[seat]} {score['money']}" for seat, score in enumerate(log["outcome"]["scores"]))
    assert chapters[-2].sentences[-1] == f"Money now: {money}."


def test_a_low_supply_has_a_sentence() -> None:
    low = event("supply_rule", returned=[[1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0]])
    assert sentences(event("phase", phase=2), low)[-1] == (
        "The supply is low on red and blue: magpie and abacus return 1 red; tulip returns 1 red and 1 blue."
    )


def opened_round(*actions: str, display: str = "cert", cards: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Age order, the first deal, and one action per seat."""
    dealt = list(cards) or ["7BB", "6YY", "5RRB", "4RYGB", "6RR"][: len(actions)]
    return [
        {"step": {"chance": "age_order", "seats": list(range(len(actions)))}},
        event("phase", phase=1),
        event("deal", round=1, gem_cards=dealt),
        event("event_up", card=display),
        *[move(seat, "action", action) for seat, action in enumerate(actions)],
    ]


def sentences(*entries: Any, seats: int = 4) -> list[str]:
    """What the entries of one round add to its opening."""
    return list(chapters_of(log_of("edel-stein-reich", *entries, seats=seats))[-1].sentences)


@pytest.mark.parametrize(("slug", "seats"), [table for table in TABLES if table[0] in SLUGS])
def test_holdings_can_be_derived_from_a_log(slug: str, seats: int) -> None:
    for number in range(5):
        random = Random(number)
        state = GAMES[slug].new(seats, random.randbytes(32))
        while state.pending:
            seat = random.choice(state.pending)
            state.play(seat, state.random_move(seat, random))
        for seat in (None, *range(seats)):
            story = Story(seats, NAMES[:seats])
            story.begin("the game", 0)
            for entry in state.entries(seat):
                if "step" in entry:
                    tell_step(story, entry["step"])
                else:
                    tell_event(story, entry["event"], entry["ply"])
            view = state.view(seat)
            assert story.table.supply == view["supply"]
            assert story.table.gems == [player["gems"] for player in view["players"]]
            assert story.table.money == [player["money"] for player in view["players"]]


def test_a_reshuffle_has_a_sentence() -> None:
    assert "30 discarded cards" in sentences(*opened_round(*["money"] * 4), event("reshuffle", count=30))[-1]


def test_an_offer_says_why_it_is_higher() -> None:
    assert why_higher([0, 1, 0, 0], [0, 0, 2, 0]) == "one more gem"
    assert why_higher([0, 1, 0, 0], [0, 0, 2, 1]) == "two more gems"
    assert why_higher([0, 1, 0, 0], [1, 0, 0, 0]) == "red ranks above yellow"
    assert why_higher([0, 1, 1, 0], [1, 0, 0, 1]) == "same number of gems, more red"
    assert why_higher([1, 0, 0, 2], [1, 0, 1, 1]) == "same number of gems, more green"


def test_the_story_of_a_barter_has_its_reasons() -> None:
    story = sentences(
        *opened_round("gems", "event", "money", "money", cards=("7BB", "6YY", "7GB", "5RRB")),
        move(2, "open_barter", {"offer": [0, 0, 0, 1]}),
        move(3, "answer_offer", {"offer": [0, 1, 0, 0]}),
        move(2, "answer_offer", {"offer": [0, 0, 2, 0]}),
        move(3, "answer_offer", "accept"),
        event("gems_moved", **{"from": 2, "to": 3, "gems": [0, 0, 2, 0], "why": "barter"}),
        event("money", seat=2, amount=7),
    )
    assert story[-6:] == [
        "tulip and abacus choose Money; kontor chooses Event; magpie chooses Gems.",
        "tulip and abacus barter for Money; tulip opens as the younger player.",
        "tulip offers 1 blue.",
        "abacus offers 1 yellow (yellow ranks above blue).",
        "tulip offers 2 green (one more gem).",
        "abacus accepts 2 green; tulip takes 7 million.",
    ]


def test_the_story_of_a_scoring_has_payments_and_reasons() -> None:
    nothing = [0, 0, 0, 0]

    def row(of: str, **keys: list[int]) -> dict[str, Any]:
        return {"of": of, "share": nothing, "sole_bonus": nothing, "per_gem": nothing, "returned": nothing, **keys}

    setup = [
        *opened_round("gems", "money", "money", "money"),
        event("kept", seat=0, card="sole:R"),
        event("kept", seat=0, card="sole_any"),
        event("kept", seat=1, card="sole:B"),
        event("kept", seat=2, card="cert"),
        event("kept", seat=3, card="per:Y"),
        event("gems_moved", **{"from": "supply", "to": 0, "gems": [2, 0, 0, 1], "why": "three"}),
        event("gems_moved", **{"from": 1, "to": "supply", "gems": [0, 3, 0, 0], "why": "rob"}),
        event("gems_moved", **{"from": "supply", "to": 1, "gems": [0, 0, 0, 1], "why": "three"}),
    ]
    rows = [
        row("R", share=[14, 0, 0, 0], sole_bonus=[12, 0, 0, 0], returned=[3, 0, 0, 0]),
        row("Y", share=[4, 0, 4, 4], per_gem=[0, 0, 0, 3], returned=[2, 0, 2, 2]),
        row("G", share=[2, 2, 2, 2], returned=[2, 2, 2, 2]),
        row("B", share=[4, 4, 0, 0], returned=[2, 2, 0, 0]),
        row("cert", share=[0, 0, 10, 0]),
    ]
    assert sentences(*setup, event("scored", phase=1, rows=rows)) == [
        (
            'Red (14 million): magpie has the most (5), gets 14 plus 12 for "8 for red alone" and '
            '"4 for each color alone" and returns 3.'
        ),
        (
            "Yellow (12 million): magpie, tulip and abacus tie for the most (3), get 4 each and return 2 each. "
            'abacus gets 3 for "1 for each yellow".'
        ),
        "Green (10 million): magpie, kontor, tulip and abacus tie for the most (3), get 2 each and return 2 each.",
        (
            "Blue (8 million): magpie and kontor tie for the most (4), get 4 each and return 2 each. "
            '"5 for blue alone" pays kontor nothing because of the tie.'
        ),
        "Certificates: tulip has the only one and gets 10.",
        "Paid in total: magpie 36, kontor 6, tulip 16, abacus 9.",
        "Money now: magpie 36, kontor 6, tulip 16, abacus 9.",
    ]


def test_a_card_without_effect_has_a_sentence() -> None:
    taken = [
        *opened_round("event", "money", "money", "money", display="adjust:RB"),
        move(0, "event_card", "face_up"),
        move(0, "immediate", "apply"),
    ]
    returned = event("gems_moved", **{"from": 0, "to": "supply", "gems": [0, 0, 0, 1], "why": "adjust"})
    discarded = event("discarded", seat=0, card="adjust:RB")
    assert sentences(*taken, discarded)[-1] == "magpie sets red and blue to 4 each; nothing changes."
    assert sentences(*taken, returned, discarded)[-1] == "magpie sets red and blue to 4 each and returns 1 blue."


def test_missing_gems_of_the_supply_are_named() -> None:
    opening = opened_round("gems", "money", "money", "money", cards=("5RRB", "7BB", "6YY", "6RR"))
    some = event("gems_moved", **{"from": "supply", "to": 0, "gems": [1, 0, 0, 0], "why": "gems"})
    assert sentences(*opening, some)[-1] == "magpie is alone on Gems and takes 1 red; the supply has no more."
    unclaimed = event("discarded", seat=None, card="cert")
    assert sentences(*opening, unclaimed)[-2:] == [
        "magpie is alone on Gems and takes no gems because the supply has none of these colors.",
        'No one takes "certificate"; it is discarded.',
    ]


def test_the_result_names_what_decided_a_tie_and_who_forfeited() -> None:
    log = log_of("edel-stein-reich", *opened_round("gems", "money", "money", "money"))
    scores: list[dict[str, Any]] = [
        {"money": 40, "gems": [1, 1, 1, 1]},
        {"money": 40, "gems": [2, 1, 1, 1]},
        {"money": 50, "gems": [0, 0, 0, 0], "forfeit": "time"},
        {"money": 40, "gems": [1, 2, 1, 1]},
    ]
    log["outcome"] = {"ranks": [3, 1, 4, 2], "scores": scores}
    assert list(chapters_of(log)[-1].sentences) == [
        "kontor wins with 40 million.",
        "abacus is second with 40, magpie is third with 40.",
        "kontor ranks above abacus with the same money but more red gems.",
        "abacus ranks above magpie with the same money but more gems.",
        "tulip forfeited (time limit exceeded) and ranks below all players who finished.",
    ]
    log["outcome"]["ranks"] = [2, 1, 4, 1]
    assert chapters_of(log)[-1].sentences[0] == "kontor and abacus tied for first place with 40 million each."
    log["outcome"] = {"ranks": [1] * 4, "scores": [{**score, "forfeit": "exit"} for score in scores]}
    assert chapters_of(log)[-1].sentences[0] == "No player finished the game."


def test_cards_and_gems_have_names() -> None:
    assert gems([0, 2, 0, 1]) == "2 yellow and 1 blue"
    assert gems([0, 0, 0, 0]) == "nothing"
    assert gem_card("4RYGB") == "4 million or 1 red, 1 yellow, 1 green and 1 blue"
    for slug in SLUGS:
        for code in GAMES[slug].schema("log")["$defs"]["event_card"]["enum"]:
            assert event_card(code).startswith('"')
