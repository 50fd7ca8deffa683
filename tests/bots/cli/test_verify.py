"""Files of records, checked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bots.cli.frame import FOUND, escaped
from bots.cli.records import MAX_RECORD_BYTES, RecordFault, check_file, read_record
from tests.bots.cli.bots import Esr

SAMPLES = Path(__file__).parents[2] / "games" / "records" / "edel-stein-reich-3.jsonl"
GOOD = SAMPLES.read_text().splitlines()


def faults(path: Path) -> list[RecordFault]:
    return [checked.fault for checked in check_file(path) if checked.fault]


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def tampered(change: str) -> str:
    record = json.loads(GOOD[0])
    if change == "seed":
        record["seed"] = "00" * 32
    elif change == "chance":
        record["steps"][0]["seats"].reverse()
    else:
        record["outcome"]["ranks"] = [1, 1, 1]
    return json.dumps(record)


def test_sample_records_are_all_right() -> None:
    checked = list(check_file(SAMPLES))
    assert len(checked) == len(GOOD)
    assert sum(record.read for record in checked) == SAMPLES.stat().st_size
    assert not faults(SAMPLES)


def test_a_record_over_many_lines_is_one_record(tmp_path: Path) -> None:
    path = write(tmp_path / "one.json", json.dumps(json.loads(GOOD[0]), indent=2))
    assert [checked.fault for checked in check_file(path)] == [None]


def test_a_broken_record_over_many_lines_is_one_fault(tmp_path: Path) -> None:
    path = write(tmp_path / "one.json", json.dumps(json.loads(GOOD[0]), indent=2)[:400])
    assert [fault.line for fault in faults(path)] == [1]


@pytest.mark.parametrize(
    ("change", "ply", "says"),
    [("seed", None, "commitment"), ("chance", 0, "the rules produce"), ("outcome", None, "the outcome is")],
)
def test_a_fault_is_reported_with_its_place(tmp_path: Path, change: str, ply: int | None, says: str) -> None:
    path = write(tmp_path / "games.jsonl", GOOD[0], tampered(change))
    (fault,) = faults(path)
    assert (fault.line, fault.ply) == (2, ply)
    assert says in fault.message
    assert str(fault).startswith(f"{path}:2: ")


def test_a_line_of_a_downloaded_ladder_is_verified_by_its_record(tmp_path: Path) -> None:
    lines = [json.dumps({"match": 1, "record": json.loads(record)}) for record in (GOOD[0], tampered("seed"))]
    path = write(tmp_path / "edel-stein-reich-3.jsonl", *lines, '{"match": 2, "record": []}')
    assert [fault.line for fault in faults(path)] == [2, 3]
    assert read_record(f"{path}:1") == json.loads(GOOD[0])


@pytest.mark.parametrize("line", ["{bad", "[" * 100_000, "\x1b[31m", "NaN", '{"a":1,"a":1}', "9" * 10_000, "[]", "1"])
def test_a_line_that_is_not_a_record_is_a_fault_and_the_next_one_is_read(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "games.jsonl", GOOD[0], line, "", GOOD[1])
    assert [fault.line for fault in faults(path)] == [2]
    assert len(list(check_file(path))) == 3


def test_bytes_that_are_no_text_are_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\xff\xfe\x00{\n")
    assert len(faults(path)) == 1


def test_an_endless_line_is_skipped_without_reading_it_as_json(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"[" * (2 * MAX_RECORD_BYTES + 5) + b"\n" + GOOD[0].encode())
    checked = list(check_file(path))
    assert [record.fault is None for record in checked] == [False, True]
    assert sum(record.read for record in checked) == path.stat().st_size


def test_a_file_that_is_missing_or_empty_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for path in (tmp_path / "missing", tmp_path / "empty", tmp_path):
        assert [fault.line for fault in faults(path)] == [0]


def test_a_file_that_is_missing_or_empty_is_not_a_record(tmp_path: Path, esr: Esr) -> None:
    (tmp_path / "empty").touch()
    run = esr("verify", tmp_path / "empty", tmp_path / "missing", "--json")
    assert (run.status, run.document["records"], len(run.document["faults"])) == (FOUND, 0, 2)
    run = esr("verify", tmp_path / "empty", SAMPLES, "--json")
    assert (run.status, run.document["records"]) == (FOUND, len(GOOD))


def test_a_terminal_obeys_nothing_of_a_fault() -> None:
    assert escaped("a\x1b[31m\rb é") == "a\\x1b[31m\\rb é"


def test_the_command_counts_what_is_right(esr: Esr) -> None:
    assert esr("verify", SAMPLES).out == f"{len(GOOD)} records verified.\n"
    assert esr("verify", SAMPLES, "--json").document == {"ok": True, "records": len(GOOD), "faults": []}


def test_the_command_says_what_is_wrong_and_fails(tmp_path: Path, esr: Esr) -> None:
    path = write(tmp_path / "games.jsonl", GOOD[0], tampered("outcome"))
    run = esr("verify", path)
    assert run.status == FOUND
    assert "games.jsonl:2: the outcome is" in run.out
    assert "1 of 2 records failed verification." in run.out


def test_with_json_a_fault_has_its_line_and_ply(tmp_path: Path, esr: Esr) -> None:
    path = write(tmp_path / "games.jsonl", GOOD[0], tampered("chance"))
    run = esr("verify", path, "--json")
    assert run.status == FOUND
    (fault,) = run.document["faults"]
    assert (fault["file"], fault["line"], fault["ply"]) == (str(path), 2, 0)
