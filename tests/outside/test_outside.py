"""What the pages about outside programs promise, without running the programs."""

from __future__ import annotations

import re

from bots.protocol.messages import encode
from games.registry import GAMES
from tests.outside import archivers, clients, compilers, streams
from tests.outside.trial import ROOT


def test_every_program_has_an_exact_version_or_a_debian_package() -> None:
    for trial in (*archivers.ARCHIVERS, *clients.CLIENTS, *compilers.COMPILERS, *streams.CLIENTS):
        assert trial.unavailable or trial.expected, trial.name
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in trial.pip), trial.name
        assert all(re.fullmatch(r"@?[\w./-]+@[\d.]+", pin) for pin in trial.npm), trial.name


def test_the_page_has_a_bot_for_each_language_that_it_names() -> None:
    needed = {trial.section for trial in compilers.COMPILERS if trial.section}
    assert set(compilers.sections()) == needed


def test_the_tables_list_every_program() -> None:
    languages = compilers.PAGE.read_text(encoding="utf-8")
    names = [trial.name.removesuffix(", usual") for trial in compilers.COMPILERS if trial.command]
    assert [name for name in names if f"| {name} (" not in languages] == []
    page = archivers.PAGE.read_text(encoding="utf-8")
    assert [trial.name for trial in archivers.ARCHIVERS if f"| {trial.name} " not in page] == []


def test_a_search_finds_the_values_of_a_message_as_the_page_describes() -> None:
    for game in GAMES.values():
        state = game.new(game.seat_counts[0], bytes(32))
        (seat, *_) = state.pending
        decision = state.decision(seat)
        line = encode({"type": "decide", "id": 1, "decision": decision}).decode()
        assert line.startswith('{"type":"decide","id":1,')
        assert ',"legal":' in line.partition('"default":')[2]


def test_the_modules_stay_within_their_size() -> None:
    files = [file for file in (ROOT / "tests" / "outside").glob("*.py") if not file.name.startswith("test_")]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= 1500
