from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import judge
from tests.judge import shuffling
from tests.judge.edel_stein_reich import cards
from tests.judge.edel_stein_reich.bartering import rank

RECORDS = sorted((Path(__file__).parent.parent / "games" / "records").glob("edel-stein-reich*.jsonl"))
Record = dict[str, Any]


def records() -> list[Any]:
    """Every shared record, with its file and line as its name."""
    return [
        pytest.param(json.loads(line), id=f"{path.stem}-{number}")
        for path in RECORDS
        for number, line in enumerate(path.read_text().splitlines(), start=1)
    ]


def one_each() -> list[Any]:
    """The last record of every file: short, with defaulted moves and, at four, five and two seats, a forfeit."""
    return [pytest.param(json.loads(path.read_text().splitlines()[-1]), id=path.stem) for path in RECORDS]


def with_forfeit() -> Record:
    record: Record = json.loads(RECORDS[2].read_text().splitlines()[3])
    return record


def altered(record: Record, change: Callable[[Record], Any]) -> list[str]:
    copied = copy.deepcopy(record)
    change(copied)
    return judge.check(copied)


def steps_of(record: Record, key: str = "decision", value: str | None = None) -> Iterator[int]:
    for ply, step in enumerate(record["steps"]):
        if key in step and value in (None, step[key]):
            yield ply


def test_there_are_records_to_judge() -> None:
    assert len(RECORDS) == 4


def test_the_published_vector_of_the_zero_seed_is_met() -> None:
    def stream(name: str, occurrence: int) -> Iterator[int]:
        return shuffling.words(bytes(32), name, occurrence)

    assert shuffling.below(stream("starter", 0), 2) == 0
    assert shuffling.shuffled(stream("age_order", 0), list(range(5))) == [0, 4, 2, 3, 1]
    events = shuffling.shuffled(stream("event_deck", 0), cards.EVENT_CARDS)
    assert events[:5] == ["three", "sole_any", "adjust:RB", "per:G", "sole:G"]
    gems = shuffling.shuffled(stream("gem_deck", 1), cards.GEM_CARDS)
    assert gems[:5] == ["5RRY", "6YYB", "7GB", "6GGB", "4RYGB"]


def test_the_gem_deck_carries_22_gems_of_each_colour() -> None:
    vectors = [cards.gems_on(card) for card in cards.GEM_CARDS]
    assert [sum(column) for column in zip(*vectors, strict=True)] == [22, 22, 22, 22]


def test_the_offers_of_the_rule_sheet_rise() -> None:
    offers = [(1, 0, 0, 0), (0, 0, 0, 2), (0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 3, 0), (1, 0, 0, 2)]
    assert sorted(offers, key=rank) == offers


@pytest.mark.parametrize("record", records())
def test_every_shared_record_is_sound(record: Record) -> None:
    assert judge.check(record) == []


@pytest.mark.parametrize("record", one_each())
def test_a_missing_step_is_found_wherever_it_was(record: Record) -> None:
    for ply in range(len(record["steps"])):
        assert altered(record, lambda r, ply=ply: r["steps"].pop(ply)), ply


@pytest.mark.parametrize("record", one_each())
def test_a_doubled_step_is_found_wherever_it_is(record: Record) -> None:
    for ply in range(len(record["steps"])):
        assert altered(record, lambda r, ply=ply: r["steps"].insert(ply, r["steps"][ply])), ply


@pytest.mark.parametrize("record", one_each())
def test_a_move_of_the_wrong_seat_is_found(record: Record) -> None:
    for ply in steps_of(record):
        wrong = (record["steps"][ply]["seat"] + 1) % record["seats"]
        found = altered(record, lambda r, ply=ply, wrong=wrong: r["steps"][ply].update(seat=wrong))
        assert found[0].startswith(f"step {ply}:")


@pytest.mark.parametrize("record", one_each())
def test_forced_where_there_was_a_choice_and_no_forced_where_there_was_none_are_found(record: Record) -> None:
    def toggle(r: Record, ply: int) -> None:
        if r["steps"][ply].pop("forced", None) is None:
            r["steps"][ply]["forced"] = True

    for ply in steps_of(record):
        assert f"step {ply}: forced must stand" in altered(record, lambda r, ply=ply: toggle(r, ply))[0]


@pytest.mark.parametrize("record", one_each())
def test_two_cards_exchanged_in_a_deal_are_found(record: Record) -> None:
    def exchange(r: Record, ply: int) -> None:
        deck = r["steps"][ply]["cards"]
        other = next(i for i, card in enumerate(deck) if card != deck[0])
        deck[0], deck[other] = deck[other], deck[0]

    for ply in [*steps_of(record, "chance", "event_deck"), *steps_of(record, "chance", "gem_deck")]:
        assert altered(record, lambda r, ply=ply: exchange(r, ply))[0].startswith(f"step {ply}:")


@pytest.mark.parametrize("record", one_each())
def test_a_reason_on_a_move_that_is_not_the_first_legal_one_is_found(record: Record) -> None:
    for point in judge.decisions(record):
        step = record["steps"][point.ply]
        if step["move"] != point.document["default"] and "default" not in step:
            found = altered(record, lambda r, ply=point.ply: r["steps"][ply].update(default="late"))
            assert "first legal move" in found[0]


@pytest.mark.parametrize("reason", ["lazy", "", None, True, ["late"]])
def test_an_unknown_reason_for_a_default_is_found(reason: Any) -> None:
    record = with_forfeit()
    ply = next(steps_of(record, "default"))
    assert "unknown reason" in altered(record, lambda r: r["steps"][ply].update(default=reason))[0]


def test_a_move_that_a_forfeited_seat_made_itself_is_found() -> None:
    record = with_forfeit()
    ply = list(steps_of(record, "default", "forfeit"))[-1]
    assert "has forfeited" in altered(record, lambda r: r["steps"][ply].pop("default"))[0]
    assert "has forfeited" in altered(record, lambda r: r["steps"][ply].update(default="late"))[0]


def test_a_score_without_the_forfeit_that_the_steps_show_is_found() -> None:
    record = with_forfeit()
    seat = next(i for i, score in enumerate(record["outcome"]["scores"]) if "forfeit" in score)
    found = altered(record, lambda r: r["outcome"]["scores"][seat].pop("forfeit"))
    assert any("must carry forfeit" in fault for fault in found)


@pytest.mark.parametrize("record", one_each())
def test_every_altered_number_of_the_outcome_is_found(record: Record) -> None:
    def money(r: Record, seat: int) -> None:
        r["outcome"]["scores"][seat]["money"] += 1

    def gems(r: Record, seat: int) -> None:
        r["outcome"]["scores"][seat]["gems"].reverse()
        r["outcome"]["scores"][seat]["gems"][0] += 1

    def place(r: Record, seat: int) -> None:
        r["outcome"]["ranks"][seat] += 1

    for seat in range(record["seats"]):
        for change in (money, gems, place):
            assert altered(record, lambda r, change=change, seat=seat: change(r, seat))[0].startswith("outcome:")


def test_an_offer_with_true_or_a_float_for_one_is_found() -> None:
    record = with_forfeit()
    for ply in steps_of(record):
        offer = record["steps"][ply]["move"]
        if isinstance(offer, dict) and 1 in offer.get("offer", []):
            index = offer["offer"].index(1)
            for value in (True, 1.0):
                found = altered(
                    record, lambda r, ply=ply, i=index, v=value: r["steps"][ply]["move"]["offer"].__setitem__(i, v)
                )
                assert found[0].startswith(f"step {ply}:")


def test_an_unknown_key_in_a_step_is_found() -> None:
    record = with_forfeit()
    for ply in range(len(record["steps"])):
        assert altered(record, lambda r, ply=ply: r["steps"][ply].update(note="x"))[0].startswith(f"step {ply}:")


def test_an_offer_that_is_not_higher_is_found() -> None:
    record = with_forfeit()
    raised = [ply for ply in steps_of(record, "decision", "answer_offer") if record["steps"][ply]["move"] != "accept"]
    for ply in raised:
        standing = record["steps"][ply - 1]["move"]
        found = altered(record, lambda r, ply=ply, same=standing: r["steps"][ply].update(move=same))
        assert "answer_offer" in found[0]
        assert "not legal" in found[0]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "game-record/2"), ("rules", "2"), ("rules", 1), ("seats", 4), ("seats", True), ("seats", 6),
        ("game", "basari"), ("seed", "0" * 64), ("seed", "0" * 63), ("commitment", "A" * 64), ("steps", {}),
        ("outcome", None), ("outcome", []), ("more", 1),
    ],
)  # fmt: skip
def test_an_altered_head_is_found(key: str, value: Any) -> None:
    assert altered(with_forfeit(), lambda r: r.update({key: value}))


def test_a_running_record_ends_before_a_decision_that_is_asked_and_nowhere_else() -> None:
    record = with_forfeit()
    asked = {
        point.ply
        for point in judge.decisions(record)
        if point.document["kind"] != "action" or point.seat == 0  # no record ends between simultaneous moves
    }
    for length in range(len(record["steps"])):
        cut = {**record, "steps": record["steps"][:length], "outcome": None}
        assert (judge.check(cut) == []) == (length in asked), length


@pytest.mark.parametrize("record", one_each())
def test_every_recorded_move_was_listed_and_every_default_came_first(record: Record) -> None:
    for point in judge.decisions(record):
        legal = point.document["legal"]
        if legal is not None:
            assert record["steps"][point.ply]["move"] in legal
            assert point.document["default"] == legal[0]
            assert 2 <= len(legal) <= 64


@pytest.mark.parametrize("record", one_each())
def test_a_log_shows_every_move_once_and_flags_only_of_its_own_seat(record: Record) -> None:
    for seat in (*range(record["seats"]), None):
        entries = judge.logs(record, seat)
        shown = [entry for entry in entries if "decision" in entry.get("step", {})]
        assert sorted(entry["ply"] for entry in shown) == list(steps_of(record))
        for entry in shown:
            step = record["steps"][entry["ply"]]
            own = step["seat"] == seat
            assert entry["step"] == (step if own else {key: step[key] for key in ("seat", "decision", "move")})


@pytest.mark.parametrize("record", one_each())
def test_the_gems_of_every_view_add_up_to_22_of_each_colour(record: Record) -> None:
    for point in judge.decisions(record):
        view = point.view(None)
        piles = [view["supply"], *(player["gems"] for player in view["players"])]
        assert [sum(column) for column in zip(*piles, strict=True)] == [22, 22, 22, 22]


def test_the_hidden_action_of_two_players_stands_right_after_it_came_to_light() -> None:
    record = json.loads(RECORDS[3].read_text().splitlines()[0])
    entries = judge.logs(record, None)
    for before, entry in pairwise(entries):
        if entry.get("step", {}).get("decision") == "action":
            assert before["event"]["type"] in ("caught", "missed")


def test_a_view_between_decisions_is_refused() -> None:
    with pytest.raises(ValueError, match="Nobody was asked"):
        judge.views(with_forfeit(), 0, None)
