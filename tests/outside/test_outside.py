"""What the pages about outside programs promise, without running the programs."""

from __future__ import annotations

import re

import pytest

from bots.protocol.messages import encode
from games.registry import GAMES
from tests.outside import compilers, learning, readers
from tests.outside.__main__ import KINDS
from tests.outside.programs import ROOT, Result


def test_every_program_has_an_exact_version_or_a_debian_package() -> None:
    for program in (program for kind in KINDS.values() for program in kind.programs):
        assert bool(program.unavailable) != bool(program.expected), program.name
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in program.pip.split()), program.name
        assert all(re.fullmatch(r"@?[\w./-]+@[\d.]+", pin) for pin in program.npm.split()), program.name


def test_the_page_has_a_bot_for_each_language_that_it_names() -> None:
    needed = {compiler.section for compiler in compilers.COMPILERS if compiler.section}
    assert set(compilers.sections()) == needed


def test_the_page_has_a_call_for_every_reader() -> None:
    assert list(readers.calls()) == [reader.name for reader in readers.READERS]


def test_the_page_has_a_program_for_every_learning_library() -> None:
    assert list(learning.programs()) == [library.name for library in learning.LIBRARIES]


@pytest.mark.parametrize("name", ["archivers", "compilers"])
def test_a_page_states_the_expected_result_of_every_program(name: str) -> None:
    kind = KINDS[name]
    assert kind.page and kind.table
    results = [
        Result(program, "VERSION", f"not run: {program.unavailable}" if program.unavailable else program.expected)
        for program in kind.programs
    ]
    page = kind.page.read_text(encoding="utf-8")
    _, _, rest = page.partition(f"<!-- outside: {name} -->\n\n")
    table, _, _ = rest.partition("\n<!-- end -->")
    assert re.sub(r"^(\| [^|]+) \([\d.]+\) \|", r"\1 (VERSION) |", table, flags=re.M) == kind.table(results)


def test_a_search_finds_the_values_of_a_message_as_the_page_describes() -> None:
    for game in GAMES.values():
        state = game.new(game.seat_counts[0], bytes(32))
        (seat, *_) = state.pending
        decision = state.decision(seat)
        line = encode({"type": "decide", "id": 1, "decision": decision}).decode()
        assert line.startswith('{"type":"decide","id":1,')
        assert ',"legal":' in line.partition('"default":')[2]


def test_the_modules_stay_within_their_size() -> None:
    files = (ROOT / "tests" / "outside").glob("*.py")
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= 1500
