"""Ledgers of all formats and table sizes without a database, and every kind of forgery."""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.tournaments.formats import FORMATS, Plan
from bots.tournaments.keys import cup_seed
from bots.tournaments.ledger import MAX_LEDGER_BYTES, plan_from, played_from, read_ledger
from bots.tournaments.rounds import Entrants, PlayedRound
from bots.tournaments.tables import settled
from bots.tournaments.verification import (
    CANCELED,
    FINISHED,
    UNFINISHED,
    CupGame,
    VerificationReport,
    record_faults,
    verify_cup,
)
from games.chance import commitment
from games.registry import GAMES
from games.rules import Document
from tests.bots.tournaments.ledgers import (
    STORED,
    Change,
    PlayedLedger,
    of_kind,
    rechained,
    renumbered,
)

STORED_LEDGERS = json.loads(STORED.read_text(encoding="utf-8"))


def verified(ledger: Document) -> VerificationReport:
    return verify_cup(read_ledger(json.dumps(ledger).encode()))


def faults(ledger: Document) -> list[str]:
    return verified(ledger).faults


@pytest.mark.parametrize("name", STORED_LEDGERS)
def test_a_stored_ledger_remains_valid(name: str) -> None:
    report = verified(STORED_LEDGERS[name])
    assert (report.state, report.faults) == (FINISHED, [])
    assert report.rounds and report.games


@st.composite
def ledgers(draw: st.DrawFn) -> PlayedLedger:
    format_ = draw(st.sampled_from(list(FORMATS)))
    seats = draw(st.sampled_from(FORMATS[format_].seat_counts))
    entrants = draw(st.integers(max(2, seats), 16))
    return PlayedLedger(
        format_,
        seats,
        entrants,
        draw(st.integers(0, 2**32)),
        draw(st.integers(1, 5)) if FORMATS[format_].has_chosen_rounds else None,
        draw(st.integers(1, 2)),
        draw(st.integers(1, 2)),
        draw(st.integers(0, entrants)),
        draw(st.sampled_from([0.0, 0.1, 0.4])),
    )


@settings(deadline=None, max_examples=40)
@given(ledgers())
def test_ledgers_of_all_kinds_of_cups_have_no_faults(cup: PlayedLedger) -> None:
    report = verified(cup.played())
    assert (report.state, report.faults) == (FINISHED, [])


def games(ledger: Document) -> list[Document]:
    return [game for table in of_kind(ledger, "results")["blocks"] for block in table for game in block["games"]]


def swap(values: list[object], place: int = 0, other_place: int = -1) -> None:
    values[place], values[other_place] = values[other_place], values[place]


def commitment_of(ledger: Document, *place: int) -> str:
    """The commitment to the deal of a round, table and block."""
    return commitment(cup_seed(bytes.fromhex(ledger["key"]), ledger["entrants_hash"], *place))


def announce_twice(ledger: Document) -> None:
    """The last round is announced again because its deals did not suit."""
    at = max(at for at, entry in enumerate(ledger["entries"]) if entry["kind"] == "round")
    ledger["entries"].insert(at, copy.deepcopy(ledger["entries"][at]))
    number = of_kind(ledger, "round", -1)["round"]
    for index, blocks in enumerate(of_kind(ledger, "results", -1)["blocks"], 1):
        blocks[0]["commitment"] = commitment_of(ledger, number, index, 2)
    renumbered(ledger)


def drop_a_table(ledger: Document) -> None:
    """The entrants of the last table do not play in the last round."""
    results = of_kind(ledger, "results", -1)
    for tables in (of_kind(ledger, "round", -1)["tables"], results["points"], results["gone"], results["blocks"]):
        tables.pop()
    renumbered(ledger)


def seat_others(ledger: Document) -> None:
    """Two other entrants play in the last round."""
    tables, size = of_kind(ledger, "round", -1)["tables"], len(of_kind(ledger, "entrants")["entrants"])
    tables[0] = [entrant for entrant in range(size) if entrant not in tables[0]][:2]
    renumbered(ledger)


def play_on(ledger: Document) -> None:
    """A table plays another block after it was over."""
    results, seats = of_kind(ledger, "results"), of_kind(ledger, "entrants")["seats"]
    blocks = results["blocks"][0]
    more = copy.deepcopy(blocks[0])
    for number, game in enumerate(more["games"]):
        game["match"] = 9000 + number
    blocks.append({**more, "commitment": commitment_of(ledger, 1, 1, len(blocks) + 1)})
    results["points"][0] = list(settled(blocks, seats, (), 1) or ())
    renumbered(ledger)


def append(ledger: Document, kind: str, document: Document) -> None:
    """Append an entry, as a forger would."""
    entry = {"number": len(ledger["entries"]) + 1, "kind": kind, "reason": None, "salt": None}
    ledger["entries"].append({**entry, "document": {**document, "author": 3, "reason_hash": None}, "hash": ""})
    rechained(ledger)


def append_before_end(ledger: Document, kind: str, document: Document) -> None:
    append(ledger, kind, document)
    entries = ledger["entries"]
    entries[-2], entries[-1] = entries[-1], entries[-2]
    for number, entry in enumerate(entries, 1):
        entry["number"] = number


RULING = {"round": 1, "table": 0, "ruling": "void", "entrant": None, "points": None}

FORGERIES: dict[str, Change] = {
    "a round that is announced twice": announce_twice,
    "a block after the end of a table": play_on,
    "another entrant": lambda ledger: of_kind(ledger, "entrants")["entrants"][0].update(bot=5),
    "another order of entrants": lambda ledger: swap(of_kind(ledger, "entrants")["entrants"]),
    "another key hash": lambda ledger: of_kind(ledger, "entrants").update(key_hash="0" * 64),
    "another cup": lambda ledger: of_kind(ledger, "entrants").update(cup=8),
    "more blocks": lambda ledger: of_kind(ledger, "entrants").update(blocks=2),
    "another order of tables": lambda ledger: swap(of_kind(ledger, "round", 1)["tables"]),
    "entrants of two tables": lambda ledger: (
        of_kind(ledger, "round", 1)["tables"][0].__setitem__(0, of_kind(ledger, "round", 1)["tables"][1][0]),
    ),
    "another deal": lambda ledger: of_kind(ledger, "results")["blocks"][0][0].update(commitment="0" * 64),
    "the deal of another table": lambda ledger: of_kind(ledger, "results")["blocks"][1][0].update(
        commitment=of_kind(ledger, "results")["blocks"][0][0]["commitment"]
    ),
    "the deal of another round": lambda ledger: of_kind(ledger, "results", 1)["blocks"][0][0].update(
        commitment=of_kind(ledger, "results")["blocks"][0][0]["commitment"]
    ),
    "other points": lambda ledger: swap(
        next(points for points in of_kind(ledger, "results")["points"] if points[0] != points[-1])
    ),
    "other ranks": lambda ledger: swap(
        next(game["ranks"] for game in games(ledger) if game["ranks"][0] != game["ranks"][-1])
    ),
    "a game less": lambda ledger: of_kind(ledger, "results")["blocks"][0][0]["games"].pop(),
    "a block less": lambda ledger: of_kind(ledger, "results")["blocks"][0].clear(),
    "ranks that no game has": lambda ledger: games(ledger)[0].update(
        ranks=[1000 + rank for rank in games(ledger)[0]["ranks"]]
    ),
    "a match that is there twice": lambda ledger: games(ledger)[1].update(match=games(ledger)[0]["match"]),
    "a void game with ranks": lambda ledger: games(ledger)[0].update(status="void"),
    "a ruling after the end": lambda ledger: append(ledger, "ruling", RULING),
    "changed settings after the end": lambda ledger: append(ledger, "changed", {"fields": ["title"]}),
    "a second end": lambda ledger: append(ledger, "end", of_kind(ledger, "end")),
    "an entrant who did not leave": lambda ledger: of_kind(ledger, "results")["gone"][0].append(0),
    "a round less": lambda ledger: ledger["entries"].pop(-2),
    "other standings": lambda ledger: swap(of_kind(ledger, "end")["standings"]),
    "other match points": lambda ledger: of_kind(ledger, "end")["standings"][0].__setitem__(2, 99),
    "another key": lambda ledger: of_kind(ledger, "end").update(key="00" * 32),
    "another published key": lambda ledger: ledger.update(key="00" * 32),
    "another published key hash": lambda ledger: ledger.update(key_hash="0" * 64),
    "another published entrant list": lambda ledger: ledger.update(entrants_hash="0" * 64),
    "a second entrant list": lambda ledger: append_before_end(ledger, "entrants", of_kind(ledger, "entrants")),
    "another order at a table": lambda ledger: swap(of_kind(ledger, "round", 1)["tables"][0]),
    "a disqualified winner": lambda ledger: append_before_end(
        ledger, "left", {"entrant": of_kind(ledger, "end")["standings"][0][1], "state": "disqualified"}
    ),
    "a table of hostile size": lambda ledger: of_kind(ledger, "round")["tables"][0].extend([0] * 5000),
    "results without blocks": lambda ledger: of_kind(ledger, "results").update(blocks=None),
    "seats of hostile size": lambda ledger: of_kind(ledger, "entrants").update(seats=10**9),
    "blocks of hostile size": lambda ledger: of_kind(ledger, "results")["blocks"][0].extend(
        of_kind(ledger, "results")["blocks"][0] * 50
    ),
    "an entrant list of hostile size": lambda ledger: of_kind(ledger, "entrants")["entrants"].extend(
        of_kind(ledger, "entrants")["entrants"] * 50
    ),
    "a reason that is not text": lambda ledger: ledger["entries"][0].update(reason="\ud800"),
    "a table without results": lambda ledger: of_kind(ledger, "results")["points"].pop(),
    "an entry without its fields": lambda ledger: of_kind(ledger, "results").clear(),
    "another reason": lambda ledger: ledger["entries"][0].update(reason="The room is ready."),
    "another salt": lambda ledger: ledger["entries"][0].update(salt="00" * 16),
    "a letter of the reason in its salt": lambda ledger: ledger["entries"][0].update(
        reason=ledger["entries"][0]["reason"][1:], salt=ledger["entries"][0]["salt"] + "54"
    ),
    "a reason without a salt": lambda ledger: ledger["entries"][0].update(salt=None),
    "a salt without a reason": lambda ledger: ledger["entries"][0].update(reason=None),
    "a reason that was added": lambda ledger: ledger["entries"][1].update(reason="No.", salt="00" * 16),
}


CUPS = [("swiss", 2), ("swiss", 3), ("knockout", 4), ("double-elimination", 2)]


def with_leaver(ledger: Document, before: str, entrant: int) -> None:
    """Let ``entrant`` leave before the first entry of the kind ``before``."""
    at = next(at for at, entry in enumerate(ledger["entries"]) if entry["kind"] == before)
    entry = copy.deepcopy(next(entry for entry in ledger["entries"] if entry["kind"] == "left"))
    entry["document"]["entrant"] = entrant
    ledger["entries"].insert(at, entry)


def gone_twice(ledger: Document) -> None:
    """An entrant who has left is counted as two, so the third one wins without a game."""
    results, seats = of_kind(ledger, "results"), of_kind(ledger, "entrants")["seats"]
    with_leaver(ledger, "results", of_kind(ledger, "round")["tables"][0][0])
    gone = [0] * (seats - 1)
    results["gone"][0], results["blocks"][0] = gone, []
    results["points"][0] = list(settled([], seats, gone, 1) or ())
    renumbered(ledger)


def not_gone(ledger: Document) -> None:
    """An entrant plays although it left before the round."""
    with_leaver(ledger, "round", of_kind(ledger, "round")["tables"][0][0])
    renumbered(ledger)


def gone_below_zero(ledger: Document) -> None:
    """A place is counted from the end of a table."""
    with_leaver(ledger, "results", of_kind(ledger, "round")["tables"][0][-1])
    of_kind(ledger, "results")["gone"][0] = [-1]
    renumbered(ledger)


@pytest.fixture(scope="module")
def played() -> dict[tuple[str, int], Document]:
    return {
        (format_, seats): PlayedLedger(format_, seats, 13, 5, 4 if format_ == "swiss" else None).played()
        for format_, seats in CUPS
    }


@pytest.mark.parametrize("name", FORGERIES)
@pytest.mark.parametrize(("format_", "seats"), CUPS)
def test_every_forgery_is_found_even_with_new_hashes(
    name: str, format_: str, seats: int, played: dict[tuple[str, int], Document]
) -> None:
    ledger = copy.deepcopy(played[format_, seats])
    assert faults(ledger) == []
    FORGERIES[name](ledger)
    assert faults(ledger) != []
    assert faults(rechained(ledger)) != []


@pytest.mark.parametrize(("format_", "forge"), [("swiss", drop_a_table), ("halving", seat_others)])
def test_at_two_seats_exactly_the_entrants_of_the_round_play(format_: str, forge: Change) -> None:
    ledger = PlayedLedger(format_, 2, 8, 3, 3 if format_ == "swiss" else None).played()
    assert faults(ledger) == []
    forge(ledger)
    assert faults(rechained(ledger)) != []


@pytest.mark.parametrize("forge", [gone_twice, not_gone, gone_below_zero])
def test_only_entrants_who_left_rank_last_in_separate_places(
    forge: Change,
) -> None:
    ledger = PlayedLedger("round-robin", 3, 9).played()
    assert faults(ledger) == []
    forge(ledger)
    assert any("rank last" in fault or "ranks last" in fault for fault in faults(rechained(ledger)))


def test_disqualified_entrants_are_behind_all_others_in_the_order_of_their_results() -> None:
    ledger = PlayedLedger("swiss", 2, 6, rounds=3).played()
    documents = [(entry["kind"], entry["document"]) for entry in ledger["entries"]]
    plan, rounds = plan_from(of_kind(ledger, "entrants"), bytes.fromhex(ledger["key"])), played_from(documents)
    first, second, *others = [row.entrant for row in plan.standings(rounds)]
    out = {first: "disqualified", second: "disqualified", others[0]: "withdrawn"}
    assert [(row.rank, row.entrant) for row in plan.standings(rounds, out)] == list(
        enumerate([*others, first, second], 1)
    )


def test_the_remaining_entrant_of_the_last_halving_stage_wins() -> None:
    plan = Plan("halving", 2, Entrants((None,) * 4), bytes(32), "ab")
    first = plan.next_round([])
    assert first is not None
    rounds = [PlayedRound(first, ((4, 0), (4, 0)))]
    leader, other = [row.entrant for row in plan.standings(rounds)][:2]
    left = {leader: "withdrawn"}
    assert plan.next_round(rounds, left) is None
    assert plan.standings(rounds, left)[0].entrant == other


def without_reasons(ledger: Document) -> Document:
    """A copy of ``ledger`` after moderators have removed all reasons."""
    entries = [{**entry, "reason": None, "salt": None} for entry in ledger["entries"]]
    return {**ledger, "entries": entries}


def test_a_ledger_without_its_reasons_has_no_faults_and_they_are_counted() -> None:
    ledger = PlayedLedger("swiss", 3, 12, 5, 4, trouble=0.3).played()
    reasons = sum(entry["reason"] is not None for entry in ledger["entries"])
    assert reasons > 1
    report = verified(without_reasons(ledger))
    assert (report.faults, report.removed, verified(ledger).removed) == ([], reasons, 0)


def test_a_ruling_must_have_the_points_that_it_decides() -> None:
    seeds = (PlayedLedger("swiss", 3, 12, seed, 4, trouble=0.3).played() for seed in range(20))
    ledger = next(played for played in seeds if any(entry["kind"] == "ruling" for entry in played["entries"]))
    of_kind(ledger, "ruling").update(points=[1, 2, 3])
    assert any("ruling" in fault for fault in faults(rechained(ledger)))


def test_a_design_must_be_balanced() -> None:
    ledger = PlayedLedger("round-robin", 3, 9).played()
    of_kind(ledger, "entrants")["design"][0] = of_kind(ledger, "entrants")["design"][1]
    assert any("balanced" in fault for fault in faults(rechained(ledger)))


def test_a_number_that_has_no_canonical_form_is_a_fault() -> None:
    for kind in ("entrants", "end"):
        ledger = PlayedLedger("swiss", 2, 6, rounds=3).played()
        document = of_kind(ledger, kind)
        (document["entrants"][0] if kind == "entrants" else document).update(more=2**70)
        assert faults(ledger) != []


# --- Ledgers that are not finished -----------------------------------------------------------------------------------


def test_a_ledger_without_its_end_is_not_finished() -> None:
    ledger = PlayedLedger("swiss", 2, 6, rounds=3).played()
    for cut in range(1, len(ledger["entries"]) - 2):
        report = verified({**ledger, "entries": ledger["entries"][:-cut]})
        assert (report.state, report.faults) == (UNFINISHED, [])


def test_while_the_key_is_secret_hashes_and_points_are_verified() -> None:
    ledger = PlayedLedger("swiss", 3, 13, 5, 4).played()
    running = {**ledger, "key": None, "entries": ledger["entries"][:-1]}
    assert (verified(running).state, verified(running).faults) == (UNFINISHED, [])
    assert faults({**ledger, "key": None}) != []
    swap(next(points for points in of_kind(running, "results")["points"] if points[0] != points[-1]))
    assert any("points" in fault for fault in faults(rechained(running)))


def unfrozen(*kinds: str) -> Document:
    """The ledger of a cup without an entrant list."""
    rest = {"document": {"reason_hash": None}, "reason": None, "salt": None}
    entries = [{"number": at, "kind": kind, **rest} for at, kind in enumerate(kinds, 1)]
    played = PlayedLedger("knockout", 2, 5).played()
    return rechained({**played, "entrants_hash": "", "entries": entries})


def test_of_a_cup_that_was_canceled_before_the_deadline_the_hashes_are_verified() -> None:
    canceled = verified(unfrozen("paused", "cancelled", "changed"))
    assert (canceled.state, canceled.faults, canceled.games) == (CANCELED, [], {})
    assert verified(unfrozen("paused")).state == UNFINISHED
    assert faults(unfrozen("round", "cancelled")) != []
    assert faults(unfrozen("cancelled", "paused")) != []
    assert faults({**unfrozen("cancelled"), "entrants_hash": "0" * 64}) != []


# --- Files that are no ledgers ---------------------------------------------------------------------------------------


def broken(**more: object) -> bytes:
    return json.dumps({**STORED_LEDGERS["swiss 2"], **more}).encode()


@pytest.mark.parametrize(
    "text",
    [
        *(
            b"",
            b"[]",
            b"{",
            b"{}",
            b"null",
            b"\xff",
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b"9" * 10_000,
        ),
        b" " * (MAX_LEDGER_BYTES + 1),
        *(broken(format="cup-ledger/1"), broken(entries={}), broken(entries=[1]), broken(key="xy"), broken(key=7)),
        *(broken(cup="7"), broken(cup=True), broken(key_hash=None)),
    ],
    ids=range(18),
)
def test_a_file_that_is_not_a_ledger_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_ledger(text)


# --- Records ---------------------------------------------------------------------------------------------------------


def test_a_record_is_re_executed_and_compared() -> None:
    state = GAMES["edel-stein-reich-duel"].new(2, bytes(32))
    while state.pending:
        state.play(state.pending[0], state.decision(state.pending[0])["default"])
    record, ranks = state.record, state.outcome["ranks"]
    game, players = CupGame(1, "edel-stein-reich-duel", record["seed"], ranks, ["a", None]), [{"digest": "a"}] * 2

    def is_faulty(record: object = record, players: object = players, **more: object) -> bool:
        return list(record_faults(dataclasses.replace(game, **more), players, record)) != []

    assert not is_faulty()
    assert not is_faulty(seed="")
    assert is_faulty(ranks=[1 + rank % 2 for rank in ranks] if ranks[0] != ranks[1] else [1, 2])
    assert is_faulty(seed="0" * 63 + "1")
    assert is_faulty(game="edel-stein-reich")
    assert is_faulty(players=[{"digest": "b"}] * 2)
    assert is_faulty(players=[{"digest": "a"}])
    assert is_faulty(players=None)
    assert is_faulty(record=None)
    assert is_faulty(record={**record, "outcome": None})
    forged = {**state.outcome, "ranks": ranks[::-1] if ranks[0] != ranks[1] else [1, 2]}
    assert is_faulty(record={**record, "outcome": forged})
