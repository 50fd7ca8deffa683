"""``esr verify-cup`` and ``esr verify-season`` with files; tests/ladder/pages has their files from a site."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from bots.cli.frame import FOUND, UNFINISHED, USAGE
from bots.tournaments.keys import season_seed
from bots.tournaments.ledger import MAX_LEDGER_BYTES
from games.rules import Document
from tests.bots.cli.bots import Esr
from tests.bots.tournaments.ledgers import STORED

LEDGERS = json.loads(STORED.read_text(encoding="utf-8"))


def ledger_file(folder: Path, ledger: Document) -> Path:
    path = folder / "ledger.json"
    path.write_text(json.dumps(ledger), encoding="utf-8")
    return path


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The URL of a server with the files of ``tmp_path``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path))
    Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


# --- Cups ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["swiss 3", "round-robin 2", "round-robin 3", "knockout 2", "halving 4"])
def test_a_cup_is_verified_and_its_hashes_are_shown(name: str, esr: Esr, tmp_path: Path) -> None:
    ledger = LEDGERS[name]
    path = ledger_file(tmp_path, ledger)
    run = esr("verify-cup", path)
    assert run.status == 0
    assert ledger["key_hash"] in run.out and ledger["entrants_hash"] in run.out
    document = esr("verify-cup", path, "--json").document
    about = {name: document[name] for name in ("ok", "state", "faults", "key_hash", "entrants_hash", "entries")}
    hashes = {name: ledger[name] for name in ("key_hash", "entrants_hash")}
    assert about == {"ok": True, "state": "finished", "faults": [], "entries": len(ledger["entries"]), **hashes}


def change_an_entry(ledger: Document) -> None:
    next(entry["document"] for entry in ledger["entries"] if entry["kind"] == "results")["points"].reverse()


@pytest.mark.parametrize(
    "change",
    [
        change_an_entry,
        lambda ledger: ledger["entries"].pop(4),
        lambda ledger: ledger["entries"].append(ledger["entries"][3]),
        lambda ledger: ledger.update(key="00" * 32),
        lambda ledger: ledger.update(entrants_hash="0" * 64),
    ],
    ids=["a changed entry", "a missing entry", "an entry after the end", "another key", "other entrants"],
)
def test_a_changed_ledger_fails(change: Callable[[Document], object], esr: Esr, tmp_path: Path) -> None:
    ledger = json.loads(json.dumps(LEDGERS["swiss 3"]))
    change(ledger)
    path = ledger_file(tmp_path, ledger)
    assert esr("verify-cup", path).status == FOUND
    document = esr("verify-cup", path, "--json").document
    assert document["faults"] and not document["ok"]


@pytest.mark.parametrize("cut", [1, 3])
def test_a_ledger_without_its_end_is_not_finished(cut: int, esr: Esr, tmp_path: Path) -> None:
    ledger = LEDGERS["swiss 3"]
    path = ledger_file(tmp_path, {**ledger, "entries": ledger["entries"][:-cut]})
    assert esr("verify-cup", path).status == UNFINISHED
    document = esr("verify-cup", path, "--json").document
    assert (document["ok"], document["state"], document["faults"]) == (False, "unfinished", [])


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 100_000, b"[]", b'{"format": "cup-ledger/1"}', b" " * (MAX_LEDGER_BYTES + 1)], ids=len
)
def test_a_file_that_is_not_a_ledger_is_a_one_line_usage_error(content: bytes, esr: Esr, tmp_path: Path) -> None:
    (tmp_path / "ledger.json").write_bytes(content)
    run = esr("verify-cup", tmp_path / "ledger.json")
    assert (run.status, run.out, run.err.count("\n")) == (USAGE, "", 1)
    assert esr("verify-cup", tmp_path / "missing.json").status == USAGE


def test_without_rustworkx_only_swiss_rounds_at_two_seats_cannot_be_verified(
    esr: Esr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    for name, status in {"swiss 2": USAGE, "halving 2": USAGE, "swiss 3": 0, "knockout 2": 0}.items():
        run = esr("verify-cup", ledger_file(tmp_path, LEDGERS[name]))
        assert run.status == status
        assert ("steinreich[verify]" in run.err) == (status == USAGE)


def test_a_cup_can_be_downloaded_from_its_page(served: str, esr: Esr, tmp_path: Path) -> None:
    ledger_file(tmp_path, LEDGERS["knockout 3"])
    for url in (f"{served}/ledger.json", served, f"{served}/?q=1#verify"):
        assert esr("verify-cup", url, "--json").document["ok"]
    for url in (f"{served}/other.json", "http://127.0.0.1:1/cups/x/", "http://"):
        run = esr("verify-cup", url, "--json")
        assert (run.status, run.document["ok"]) == (USAGE, False)
    (tmp_path / "long.json").write_bytes(b" " * (MAX_LEDGER_BYTES + 1))
    assert esr("verify-cup", f"{served}/long.json").status == USAGE


def test_records_that_are_missing_or_invalid_are_found(esr: Esr, tmp_path: Path) -> None:
    path, games = ledger_file(tmp_path, LEDGERS["knockout 3"]), tmp_path / "games.jsonl"
    results = next(entry["document"] for entry in LEDGERS["knockout 3"]["entries"] if entry["kind"] == "results")
    match = next(game["match"] for blocks in results["blocks"] for game in blocks[0]["games"] if game["ranks"])
    for content in ("", "{\n", "[]\n", json.dumps({"match": match, "players": [], "record": {}}) + "\n"):
        games.write_text(content, encoding="utf-8")
        assert esr("verify-cup", path, "--records", games).status == FOUND
    assert esr("verify-cup", path, "--records", tmp_path / "missing.jsonl").status == USAGE


# --- Seasons ---------------------------------------------------------------------------------------------------------


def season(keyed: bool = True, deals: int = 3) -> list[Document]:
    """The lines of a file of deals."""
    key = sha256(b"key").digest()
    series = {"name": "duel", "key": key.hex() if keyed else None, "deals": deals, "key_hash": sha256(key).hexdigest()}
    head = {"format": "season-deals/1", "ladder": "duel", "season": 1, "series": [series]}
    lines = [head]
    for number in range(1, deals + 1):
        seed = season_seed(key, "duel", 1, number)
        deal = {"name": "duel", "season": 1, "number": number, "matches": [number], "seed": seed.hex()}
        lines.append({**deal, "commitment": sha256(seed).hexdigest()})
    return lines


def deals_file(folder: Path, lines: list[Document]) -> Path:
    path = folder / "deals.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_all_deals_of_a_season_are_verified(esr: Esr, tmp_path: Path, served: str) -> None:
    path = deals_file(tmp_path, season())
    run = esr("verify-season", path)
    assert run.status == 0
    assert season()[0]["series"][0]["key_hash"] in run.out
    for source in (path, served):
        document = esr("verify-season", source, "--json").document
        assert (document["ok"], document["deals"], document["closed"], document["faults"]) == (True, 3, 0, [])


def test_an_open_season_is_not_finished_and_its_public_deals_are_verified(esr: Esr, tmp_path: Path) -> None:
    lines = season(keyed=False)
    lines[2]["seed"] = None
    path = deals_file(tmp_path, lines)
    assert esr("verify-season", path).status == UNFINISHED
    document = esr("verify-season", path, "--json").document
    assert (document["ok"], document["deals"], document["closed"], document["faults"]) == (False, 3, 1, [])
    lines[1]["commitment"] = "0" * 64
    assert esr("verify-season", deals_file(tmp_path, lines)).status == FOUND


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[1].update(seed="00" * 32),
        lambda lines: lines[1].update(seed=None),
        lambda lines: lines[1].update(commitment="0" * 64),
        lambda lines: lines[1].update(number=2),
        lambda lines: lines[1].update(number="1"),
        lambda lines: lines[1].update(season=2),
        lambda lines: lines[1].update(name="other"),
        lambda lines: lines[1].update(more="x" * 10**5),
        lambda lines: lines[0]["series"][0].update(key="00" * 32),
        lambda lines: lines[0]["series"][0].update(key_hash="0" * 64),
        lambda lines: lines[0]["series"].append(lines[0]["series"][0]),
        lambda lines: lines.pop(),
        lambda lines: lines.append(lines[1]),
    ],
    ids=range(13),
)
def test_a_changed_deal_fails(change: Callable[[list[Document]], object], esr: Esr, tmp_path: Path) -> None:
    lines = season()
    change(lines)
    path = deals_file(tmp_path, lines)
    assert esr("verify-season", path).status == FOUND
    document = esr("verify-season", path, "--json").document
    assert document["faults"] and not document["ok"]


@pytest.mark.parametrize("content", [b"", b"{\n", b"[" * 10**6, b"[]\n", b'{"format": "season-deals/1"}'], ids=len)
def test_a_file_without_deals_is_explained_in_one_line(content: bytes, esr: Esr, tmp_path: Path) -> None:
    (tmp_path / "deals.jsonl").write_bytes(content)
    run = esr("verify-season", tmp_path / "deals.jsonl")
    assert (run.status, run.out, run.err.count("\n")) == (USAGE, "", 1)
