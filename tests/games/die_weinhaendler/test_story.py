"""Die Weinhändler told in sentences."""

from __future__ import annotations

from typing import Any

import pytest

from games.die_weinhaendler.story import tell_entry
from games.die_weinhaendler.story.teller import Story
from games.die_weinhaendler.story.words import BOTTLES, bottles, euros
from tests.games.play import positions
from tests.games.stories import NAMES, chapters_of, event, log_of, move

SLUG = "die-weinhaendler"
STARTER = {"step": {"chance": "starter", "seat": 3}}
DISPLAY = event("refill", cards=["Y19", "B16", "B9", "G7"])


def bid(seat: int, *cards: str, **marks: Any) -> dict[str, Any]:
    return move(seat, "bid", {"cards": list(cards)} if cards else "pass", **marks)


def lay(seat: int, card: str, level: int, x: int, points: int, *trios: list[list[int]]) -> list[dict[str, Any]]:
    """A bottle laid, as step and event."""
    cell = [level, x]
    step = move(seat, "lay", {"card": card, "cell": cell})
    return [step, event("laid", seat=seat, card=card, cell=cell, points=points, trios=list(trios))]


def done(seat: int, **marks: Any) -> dict[str, Any]:
    return move(seat, "lay", "done", **marks)


def exchange(*moves: tuple[int | str, int | str, list[str]]) -> dict[str, Any]:
    return event("exchange", moves=[{"to": to, "from": giver, "cards": cards} for to, giver, cards in moves])


def sentences(*entries: Any, seat: int | None = None) -> list[str]:
    """What the last chapter says once these entries have followed the deal."""
    return list(chapters_of(log_of(SLUG, STARTER, DISPLAY, *entries, seat=seat))[-1].sentences)


MARC_ANNE_HERMAN_CARL = [
    bid(3, "G14", "Y5"),
    bid(0, "G7"),
    bid(1, "R20", "Y12", "B9"),
    bid(2, "B23"),
    bid(3, "empty"),
    bid(0),
    bid(1),
    bid(2, "R20"),
    bid(3),
    bid(2),
]
"""The bidding of the rule sheet: Marc sits at 3, Anne at 0, Herman at 1, Carl at 2."""

EXCHANGE = exchange(
    (2, "display", ["Y19", "B16", "B9", "G7"]),
    (1, 2, ["B23", "R20"]),
    (3, 1, ["R20", "Y12", "B9"]),
    (0, 3, ["G14", "Y5", "empty"]),
    ("display", 0, ["G7"]),
)


def test_the_story_of_the_bidding_has_every_bid() -> None:
    assert sentences(*MARC_ANNE_HERMAN_CARL) == [
        "abacus opens with a bid of 19: green 14 and yellow 5.",
        "magpie underbids abacus with 7: green 7.",
        "kontor outbids abacus with 41: red 20, yellow 12 and blue 9.",
        "tulip underbids kontor with 23: blue 23.",
        "abacus adds an empty bottle for a total of 19.20, below tulip.",
        "magpie and kontor pass.",
        "tulip adds red 20 for a total of 43 and outbids kontor.",
        "abacus and tulip pass.",
    ]


def test_the_story_of_the_exchange_names_all_cards_and_players() -> None:
    assert sentences(*MARC_ANNE_HERMAN_CARL, EXCHANGE)[8:] == [
        "tulip has the highest bid (43) and takes the display: yellow 19, blue 16, blue 9 and green 7.",
        "kontor takes blue 23 and red 20 from tulip.",
        "abacus takes red 20, yellow 12 and blue 9 from kontor.",
        "magpie takes green 14, yellow 5 and an empty bottle from abacus.",
        "magpie's bid becomes the display: green 7.",
    ]


def test_a_bidder_alone_gives_the_next_display() -> None:
    alone = exchange((3, "display", ["Y19", "B16", "B9", "G7"]), ("display", 3, ["Y5"]))
    assert sentences(bid(3, "Y5"), bid(0), bid(1), bid(2), bid(3), alone)[-2:] == [
        "abacus is the only bidder (5) and takes the display: yellow 19, blue 16, blue 9 and green 7.",
        "abacus's bid becomes the display: yellow 5.",
    ]


def test_a_raise_of_the_leader_has_a_short_sentence() -> None:
    assert sentences(bid(3, "Y5"), bid(0, "Y12"), bid(1), bid(2), bid(3), bid(0, "Y5", "Y5"))[-1] == (
        "magpie adds two yellow 5 for a total of 22."
    )


def test_a_pass_without_a_bid_says_what_was_drawn() -> None:
    def drawn(shown: list[str], kept: str, below: str | None) -> str:
        return sentences(bid(3), event("pass_draw", seat=3, shown=shown, kept=kept, to_bottom=below))[0]

    start = "abacus passes without a bid"
    assert drawn(["B9", "R20"], "B9", "R20") == (
        f"{start}, draws blue 9 and red 20 and keeps blue 9; red 20 goes to the bottom of the stack."
    )
    assert drawn(["B9", "empty"], "empty", "B9") == (
        f"{start}, draws blue 9 and an empty bottle and keeps the empty bottle; blue 9 goes to the bottom of the stack."
    )
    assert (
        drawn(["B9", "B9"], "B9", "B9")
        == f"{start}, draws two blue 9 and keeps one; the other goes to the bottom of the stack."
    )
    assert drawn(["B9"], "B9", None) == f"{start} and takes the last card of the stack, blue 9."


def test_without_any_bid_the_display_stays() -> None:
    empty = event("refill", cards=["Y5"] * 33)
    assert sentences(empty, bid(3), bid(0), bid(1), bid(2), done(3), done(0), done(1), done(2)) == [
        "abacus, magpie, kontor and tulip pass without a bid and draw no cards because the stack is empty.",
        "No one bids, so the display does not change.",
        "abacus, magpie, kontor and tulip lay nothing.",
    ]


LAYING = [*MARC_ANNE_HERMAN_CARL, EXCHANGE, event("new_cellar", seat=2)]


def test_laying_says_the_place_the_stars_and_the_trios() -> None:
    story = sentences(
        *LAYING,
        *lay(2, "P25", 0, 0, 3),
        *lay(2, "G14", 0, 1, 2),
        *lay(2, "G7", 0, 2, 1),
        *lay(2, "G21", 1, 1, 4, [[0, 1], [0, 2], [1, 1]]),
        done(2),
        done(3, forced=True),
        done(0),
    )
    assert story[-2:] == [
        (
            "tulip lays purple 25 (3 stars), green 14 (2 stars), green 7 (1 star) and "
            "green 21 in the second row (3 stars, 1 for a run) for 10 points."
        ),
        "abacus and magpie lay nothing (the only legal move).",
    ]


def test_several_trios_are_counted() -> None:
    row = [*lay(2, "B16", 0, 0, 2), *lay(2, "B16", 0, 1, 2), *lay(2, "B9", 0, 2, 1), *lay(2, "B23", 1, 1, 3)]
    last = lay(2, "B16", 1, 0, 7, [[0, 0], [0, 1], [1, 0]], [[0, 1], [1, 0], [1, 1]])
    assert (
        "blue 16 in the second row (2 stars, 4 for three alike, 1 for a run) for "
        in sentences(*LAYING, *row, *last)[-1]
    )
    runs = [[[0, 1], [0, 2], [1, 1]], [[0, 0], [0, 1], [0, 2]]]
    assert "(2 stars, 2 for 2 runs)" in sentences(*LAYING, *row, *lay(2, "B16", 0, 1, 4, *runs))[-1].replace(
        " over an empty bottle", ""
    )


def test_an_empty_bottle_earns_nothing_and_may_be_covered() -> None:
    story = sentences(*LAYING, *lay(2, "empty", 0, 0, 0), done(2), bid(3))
    assert story[-2] == "tulip lays an empty bottle for no points."
    story = sentences(*LAYING, *lay(2, "empty", 0, 0, 0), *lay(2, "P25", 0, 0, 3))
    assert story[-1] == "tulip lays an empty bottle and purple 25 over an empty bottle (3 stars) for 3 points."


def test_the_start_of_a_second_cellar_has_a_sentence() -> None:
    story = sentences(*LAYING, *lay(2, "P25", 0, 0, 3), event("new_cellar", seat=2), *lay(2, "P11", 0, 0, 1))
    assert story[-1] == "tulip lays purple 25 (3 stars) and purple 11 to start a second cellar (1 star) for 4 points."


def test_a_hidden_laid_bottle_has_no_sentence() -> None:
    step, _event = lay(2, "P25", 0, 0, 3)
    assert sentences(*LAYING, step) == sentences(*LAYING)


def test_the_story_of_a_round_ends_with_the_next_step() -> None:
    finished = [*LAYING, *lay(2, "P25", 0, 0, 3), done(2), done(3), done(0), done(1)]
    new = event("refill", cards=["P18", "P11", "R6"])
    chapters = chapters_of(log_of(SLUG, STARTER, DISPLAY, *finished, new, event("start", seat=2)))
    assert [chapter.title for chapter in chapters] == ["Setup", "Round 1", "Round 2"]
    assert chapters[0].sentences == (
        "abacus is drawn as the starting player.",
        "The display shows yellow 19, blue 16, blue 9 and green 7; 33 cards are left in the stack.",
    )
    assert chapters[1].sentences[-2:] == (
        "The display is refilled with purple 18, purple 11 and red 6; 30 cards are left in the stack.",
        "Points now: magpie 0, kontor 0, tulip 3, abacus 0.",
    )
    assert chapters[2].sentences == ("tulip starts; the display shows purple 18, purple 11, green 7 and red 6.",)


def test_the_last_round_says_why() -> None:
    last = chapters_of(log_of(SLUG, STARTER, DISPLAY, bid(3), event("start", seat=3), event("last_round")))[-1]
    assert last.title == "Round 2 (last round)"
    assert last.sentences[-1] == (
        "The stack has not shrunk for 20 rounds, so this is the last round, in which players can lay all their bottles."
    )
    rest = event("refill", cards=["Y5"] * 33)
    last = chapters_of(log_of(SLUG, STARTER, DISPLAY, bid(3), rest, event("start", seat=3), event("last_round")))[-1]
    assert last.sentences[-1].startswith("The stack is empty, so ")


def test_a_seats_own_log_begins_with_its_hand() -> None:
    hand = event("hand", cards=["S24", "G14", "R13", "Y5", "empty"])
    log = log_of(SLUG, STARTER, hand, DISPLAY, seat=1)
    assert (
        chapters_of(log)[0].sentences[1] == "kontor is dealt gray 24, green 14, red 13, yellow 5 and an empty bottle."
    )


def test_the_sentence_of_a_default_names_its_bottle() -> None:
    step, laid = lay(2, "G7", 0, 0, 1)
    step["step"]["default"] = "late"
    assert sentences(*LAYING, step, laid, seat=2)[-1] == (
        "tulip lays green 7 (1 star) (default move for tulip: no answer in time) for 1 point."
    )


def test_the_result_names_ties_and_forfeits() -> None:
    log = log_of(SLUG, STARTER, DISPLAY)
    scores: list[dict[str, Any]] = [{"points": 31}, {"points": 28}, {"points": 31}, {"points": 40, "forfeit": "time"}]
    log["outcome"] = {"ranks": [1, 3, 1, 4], "scores": scores}
    assert list(chapters_of(log)[-1].sentences) == [
        "magpie and tulip tied for first place with 31 points each.",
        "kontor is third with 28.",
        "abacus forfeited (time limit exceeded) and ranks below all players who finished.",
    ]
    log["outcome"] = {"ranks": [1] * 4, "scores": [{**score, "forfeit": "exit"} for score in scores]}
    assert chapters_of(log)[-1].sentences[0] == "No player finished the game."


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_table_can_be_derived_from_a_log(seats: int) -> None:
    for seat in (None, seats - 1):
        story, position = Story(NAMES[:seats], seat), 0
        story.begin("the game", 0)
        for state in positions(SLUG, seats, number=4):
            for entry in state.entries(seat, position):
                tell_entry(story, entry)
                position += 1
            view, table = state.view(seat), story.table
            assert table.display == view["display"]
            assert table.stack == view["stack"]
            assert table.points == [player["points"] for player in view["players"]]
            if view["stage"] == "bid":
                assert table.round in (0, view["round"])
                assert [table.total(other) or None for other in range(seats)] == [p["total"] for p in view["players"]]
            for cellars, player in zip(table.cellars, view["players"], strict=True):
                shown = [{(b["level"], b["x"]): b["card"] for b in cellar} for cellar in player["cellars"]]
                assert cellars == shown


def test_euros_are_written_as_they_are_called_out() -> None:
    assert [euros(total) for total in (2, 4, 70, 192, 410)] == ["0.20", "0.40", "7", "19.20", "41"]


def test_every_bottle_has_its_name() -> None:
    assert len(set(BOTTLES.values())) == len(BOTTLES) == 22
    assert bottles(["S24", "B16", "B16", "empty", "empty"]) == "gray 24, two blue 16 and two empty bottles"
