"""Records made elsewhere are read, replayed, verified and re-created."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from games import strict
from games.record import from_json, replay, to_json, verify
from games.rules import Forfeit
from tests.games.play import RECORDS, TABLES, decided_again, sample_lines, sample_records

LINES = sample_lines()
every_sample = pytest.mark.parametrize("line", LINES.values(), ids=LINES)


def test_there_are_samples_of_every_table_with_defaults_and_forfeits() -> None:
    samples = sample_records().values()
    assert {(record["game"], record["seats"]) for record in samples} == set(TABLES)
    assert len(RECORDS) == len(TABLES)
    assert any("default" in step for record in samples for step in record["steps"])
    assert any("forfeit" in score for record in samples for score in record["outcome"]["scores"])


@every_sample
def test_a_sample_verifies_to_its_last_step_from_its_seed(line: str) -> None:
    record = from_json(line)
    assert strict.same(verify(record).record, record)


@every_sample
def test_a_sample_replays_without_a_random_generator(line: str) -> None:
    record = from_json(line)
    seedless = dict(record, seed="00" * 32, commitment=sha256(bytes(32)).hexdigest())
    state = replay(seedless)
    assert strict.same(state.record["steps"], record["steps"])
    assert strict.same(state.outcome, record["outcome"])


@every_sample
def test_a_sample_is_created_again_by_its_seed_and_its_players_decisions(line: str) -> None:
    record = from_json(line)
    assert strict.same(decided_again(record).record, record)


@every_sample
def test_a_sample_survives_being_written_and_read(line: str) -> None:
    record = from_json(line)
    text = to_json(record)
    assert "\n" not in text
    assert " " not in text
    assert strict.same(from_json(text), record)
    assert strict.same(from_json(text.encode()), record)
    assert strict.same(from_json(json.dumps(record, indent=2, sort_keys=True)), record)


@every_sample
def test_the_forfeits_of_a_sample_can_come_from_the_runner(line: str) -> None:
    record = from_json(line)
    scores = enumerate(record["outcome"]["scores"])
    forfeits = {
        seat: Forfeit(score["forfeit"], score.get("forfeit_at")) for seat, score in scores if "forfeit" in score
    }
    assert strict.same(verify(record, forfeits).record, record)
