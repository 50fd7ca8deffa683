"""Ledgers of all formats and table sizes without a database, and every kind of forgery."""

from __future__ import annotations

import copy
import dataclasses
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.chance import commitment
from games.rules import Document
from ladder.cups.formats import Plan
from ladder.cups.progress import plan_from, played_from, settled
from ladder.cups.proof import seed_of
from ladder.cups.verification import Entry, faults_of
from ladder.models import Cup
from tests.ladder.cups.ledgers import (
    CUP,
    ROUNDS,
    SAMPLES,
    Change,
    PlayedLedger,
    compact,
    of_kind,
    rechained,
    renumbered,
    samples,
    swiss_rounds,
)
from tournaments.rounds import Entrants, PlayedRound
from tournaments.seatings import seatings

FORMATS = list(Cup.Format)
ENTRY = [field.name for field in dataclasses.fields(Entry)]


def faults(ledger: Document) -> list[str]:
    entries = [Entry(*(one[name] for name in ENTRY)) for one in ledger["entries"]]
    return list(faults_of(CUP, bytes.fromhex(ledger["key"]), entries))


@st.composite
def ledgers(draw: st.DrawFn) -> PlayedLedger:
    format_, seats = draw(st.sampled_from(FORMATS)), draw(st.integers(2, 5))
    entrants = draw(st.integers(max(2, seats), 16))
    return PlayedLedger(
        format_,
        seats,
        entrants,
        draw(st.integers(0, 2**32)),
        draw(st.integers(1, 5)) if format_ == Cup.Format.SWISS else None,
        draw(st.integers(1, 2)),
        draw(st.integers(1, 2)),
        draw(st.integers(0, entrants)),
        draw(st.sampled_from([0.0, 0.1, 0.4])),
    )


@settings(deadline=None, max_examples=40)
@given(ledgers())
def test_a_ledger_has_no_faults_whatever_happened_in_the_cup(cup: PlayedLedger) -> None:
    assert faults(cup.played()) == []


def games(ledger: Document) -> list[Document]:
    return [game for table in of_kind(ledger, "results")["blocks"] for block in table for game in block["games"]]


def swap(values: list[object], one: int = 0, other: int = -1) -> None:
    values[one], values[other] = values[other], values[one]


def commitment_of(ledger: Document, *place: int) -> str:
    """The commitment to the deal of a round, table and block."""
    return commitment(seed_of(bytes.fromhex(ledger["key"]), ledger["entrants_hash"], *place))


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
    tables[0] = [one for one in range(size) if one not in tables[0]][:2]
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
    "other points": lambda ledger: swap(next(one for one in of_kind(ledger, "results")["points"] if one[0] != one[-1])),
    "other ranks": lambda ledger: swap(
        next(one["ranks"] for one in games(ledger) if one["ranks"][0] != one["ranks"][-1])
    ),
    "a game less": lambda ledger: of_kind(ledger, "results")["blocks"][0][0]["games"].pop(),
    "a block less": lambda ledger: of_kind(ledger, "results")["blocks"][0].clear(),
    "ranks that no game has": lambda ledger: games(ledger)[0].update(
        ranks=[1000 + rank for rank in games(ledger)[0]["ranks"]]
    ),
    "a match that is there twice": lambda ledger: games(ledger)[1].update(match=games(ledger)[0]["match"]),
    "a void game with ranks": lambda ledger: games(ledger)[0].update(status="void"),
    "an end that was cut off": lambda ledger: ledger["entries"].pop(),
    "a ruling after the end": lambda ledger: append(ledger, "ruling", RULING),
    "changed settings after the end": lambda ledger: append(ledger, "changed", {"fields": ["title"]}),
    "a second end": lambda ledger: append(ledger, "end", of_kind(ledger, "end")),
    "an entrant who did not leave": lambda ledger: of_kind(ledger, "results")["gone"][0].append(0),
    "a round less": lambda ledger: ledger["entries"].pop(-2),
    "other standings": lambda ledger: swap(of_kind(ledger, "end")["standings"]),
    "other match points": lambda ledger: of_kind(ledger, "end")["standings"][0].__setitem__(2, 99),
    "another key": lambda ledger: of_kind(ledger, "end").update(key="00" * 32),
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


CUPS = [("swiss", 2), ("swiss", 3), ("knockout", 4)]


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
        (format_, seats): PlayedLedger(Cup.Format(format_), seats, 13, 5, 4 if format_ == "swiss" else None).played()
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
def test_at_two_seats_exactly_those_play_who_are_in_the_round(
    format_: str, forge: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = PlayedLedger(Cup.Format(format_), 2, 8, 3, 3 if format_ == "swiss" else None).played()
    assert faults(ledger) == []
    forge(ledger)
    assert faults(rechained(ledger)) != []
    assert "players" in str(checked(ledger, tmp_path, monkeypatch))


@pytest.mark.parametrize("forge", [gone_twice, not_gone, gone_below_zero])
def test_only_those_who_left_rank_last_each_at_its_own_place(
    forge: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = PlayedLedger(Cup.Format.ROUND_ROBIN, 3, 9).played()
    assert faults(ledger) == []
    forge(ledger)
    assert any("rank last" in fault or "ranks last" in fault for fault in faults(rechained(ledger)))
    assert "who" in str(checked(ledger, tmp_path, monkeypatch))


def test_disqualified_entrants_are_behind_all_others_in_the_order_of_their_results() -> None:
    ledger = PlayedLedger(Cup.Format.SWISS, 2, 6, rounds=3).played()
    documents = [(one["kind"], one["document"]) for one in ledger["entries"]]
    plan, rounds = plan_from(of_kind(ledger, "entrants"), bytes.fromhex(ledger["key"])), played_from(documents)
    first, second, *others = [row.entrant for row in plan.standings(rounds)]
    out = {first: "disqualified", second: "disqualified", others[0]: "withdrawn"}
    assert [(row.rank, row.entrant) for row in plan.standings(rounds, out)] == list(
        enumerate([*others, first, second], 1)
    )


def test_the_one_who_stays_in_the_last_stage_of_successive_halving_wins() -> None:
    plan = Plan(Cup.Format.HALVING, 2, Entrants((None,) * 4), bytes(32), "ab")
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


def test_a_ledger_without_its_reasons_has_no_faults() -> None:
    ledger = PlayedLedger(Cup.Format.SWISS, 3, 12, 5, 4, trouble=0.3).played()
    assert any(entry["reason"] for entry in ledger["entries"][1:])
    assert faults(without_reasons(ledger)) == []


def test_a_ruling_must_have_the_points_that_it_decides() -> None:
    seeds = (PlayedLedger(Cup.Format.SWISS, 3, 12, seed, 4, trouble=0.3).played() for seed in range(20))
    ledger = next(one for one in seeds if any(entry["kind"] == "ruling" for entry in one["entries"]))
    of_kind(ledger, "ruling").update(points=[1, 2, 3])
    assert any("ruling" in fault for fault in faults(rechained(ledger)))


def test_the_samples_for_the_browser_are_up_to_date() -> None:
    """If not, run ``python -m tests.ladder.cups.ledgers``."""
    assert SAMPLES.read_text(encoding="utf-8") == compact(samples())
    assert ROUNDS.read_text(encoding="utf-8") == compact(swiss_rounds())


def test_a_design_must_be_balanced() -> None:
    ledger = PlayedLedger(Cup.Format.ROUND_ROBIN, 3, 9).played()
    of_kind(ledger, "entrants")["design"][0] = of_kind(ledger, "entrants")["design"][1]
    assert any("balanced" in fault for fault in faults(rechained(ledger)))


# --- The script of the cup page --------------------------------------------------------------------------------------

SCRIPT = Path(__file__).parents[3] / "esr_platform/static/esr/check_cup.py"


def checked(ledger: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *more: Path) -> object:
    """The sentence with which the script ends at a fault; ``None`` if there is none. ``more`` are its arguments."""
    file = tmp_path / "ledger.json"
    file.write_text(json.dumps(ledger), encoding="utf-8")
    monkeypatch.setattr("sys.argv", [str(SCRIPT), str(file), *map(str, more)])
    monkeypatch.setattr("sys.excepthook", sys.excepthook)  # the script replaces it
    try:
        runpy.run_path(str(SCRIPT))
    except SystemExit as ended:
        return ended.code
    return None


@pytest.mark.parametrize("name", samples())
def test_the_script_verifies_a_ledger_from_its_description_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checked(json.loads(SAMPLES.read_text(encoding="utf-8"))[name], tmp_path, monkeypatch) is None


UNSTRUCTURED = {"a game less", "a block less", "a table without results", "an entry without its fields"}
"""Forgeries at which the script cannot continue."""


@pytest.mark.parametrize("name", sorted(FORGERIES.keys() - UNSTRUCTURED))
@pytest.mark.parametrize(("format_", "seats"), CUPS)
def test_the_script_finds_forgeries(
    name: str,
    format_: str,
    seats: int,
    played: dict[tuple[str, int], Document],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger = copy.deepcopy(played[format_, seats])
    FORGERIES[name](ledger)
    assert "Fault in" in str(checked(rechained(ledger), tmp_path, monkeypatch))


@pytest.mark.parametrize("name", sorted(UNSTRUCTURED))
def test_the_script_explains_a_file_of_another_form(
    name: str, played: dict[tuple[str, int], Document], tmp_path: Path
) -> None:
    ledger = copy.deepcopy(played["knockout", 4])
    FORGERIES[name](ledger)
    shown = messages_of(json.dumps(rechained(ledger)), tmp_path)
    assert shown.startswith("Fault in")
    assert shown.count("\n") == 1


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", "null", "\ud800"])
def test_the_script_explains_a_file_that_is_no_ledger(text: str, tmp_path: Path) -> None:
    assert messages_of(text, tmp_path).count("\n") == 1


def messages_of(text: str, tmp_path: Path) -> str:
    """What the script writes to standard error for a file with this text. It must fail."""
    file = tmp_path / "ledger.json"
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    ended = subprocess.run([sys.executable, str(SCRIPT), str(file)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    return ended.stderr


def unfrozen(*kinds: str) -> Document:
    """The ledger of a cup without an entrant list."""
    rest = {"document": {"reason_hash": None}, "reason": None, "salt": None}
    entries = [{"number": at, "kind": kind, **rest} for at, kind in enumerate(kinds, 1)]
    played = PlayedLedger(Cup.Format.KNOCKOUT, 2, 5).played()
    return rechained({**played, "entrants_hash": "", "entries": entries})


def test_the_script_ends_cleanly_at_a_cup_that_was_canceled_before_its_entrant_list_was_frozen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(unfrozen("paused", "cancelled"), tmp_path, monkeypatch) is None
    assert "canceled" in capsys.readouterr().out
    assert "not frozen" in str(checked(unfrozen("paused"), tmp_path, monkeypatch))
    assert "Fault in" in str(checked(unfrozen("round", "cancelled"), tmp_path, monkeypatch))


def test_the_script_counts_removed_reasons(
    played: dict[tuple[str, int], Document],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert checked(without_reasons(played["knockout", 4]), tmp_path, monkeypatch) is None
    out = capsys.readouterr().out
    assert ": 1.\n" in out
    assert all(played["knockout", 4][name] in out for name in ("key_hash", "entrants_hash"))


def records_of(ledger: Document) -> list[Document]:
    """The games of a ledger as ``esr download`` writes them."""
    entrants, seats = of_kind(ledger, "entrants")["entrants"], of_kind(ledger, "entrants")["seats"]
    rounds = [entry["document"]["tables"] for entry in ledger["entries"] if entry["kind"] == "round"]
    results = [entry["document"] for entry in ledger["entries"] if entry["kind"] == "results"]
    return [
        {
            "match": game["match"],
            "players": [
                {"digest": entrants[table[place]]["digest"], "rank": rank}
                for place, rank in zip(order, game["ranks"], strict=True)
            ],
            "record": {"seed": seed_of(key, ledger["entrants_hash"], number, index, block_number).hex()},
        }
        for key in [bytes.fromhex(ledger["key"])]
        for number, (tables, document) in enumerate(zip(rounds, results, strict=True), 1)
        for index, (table, blocks) in enumerate(zip(tables, document["blocks"], strict=True), 1)
        for block_number, block in enumerate(blocks, 1)
        for order, game in zip(seatings(seats), block["games"], strict=True)
    ]


def test_the_script_compares_the_games_with_their_records(
    played: dict[tuple[str, int], Document],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ledger, file = played["swiss", 3], tmp_path / "games.jsonl"

    def compared(records: list[Document]) -> object:
        file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        return checked(ledger, tmp_path, monkeypatch, file)

    records = records_of(ledger)
    assert compared(records) is None
    assert f"{len(records):,}" in capsys.readouterr().out
    first, *rest = records
    for changed in (
        {"match": 1},
        {"record": {"seed": "00" * 32}},
        {"players": first["players"][::-1]},
        {"players": [{**one, "digest": "00" * 32} for one in first["players"]]},
    ):
        assert "Fault in" in str(compared([{**first, **changed}, *rest]))


def test_the_script_waits_for_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = {**PlayedLedger(Cup.Format.KNOCKOUT, 2, 5).played(), "key": None}
    assert "secret" in str(checked(ledger, tmp_path, monkeypatch))
