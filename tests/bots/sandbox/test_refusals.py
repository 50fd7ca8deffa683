from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

from bots.protocol import Limits
from bots.runner import FakeProgram, HouseProgram, LocalProgram, PlatformFailure, StoredProgram
from bots.sandbox import InProcessLauncher, PlainLauncher, SandboxLauncher, launcher_for_ladder
from bots.sandbox.launchers import HouseOnlyLauncher
from tests.bots.sandbox.programs import FAKE, HONEST, folder_of


class Disguised(StoredProgram):
    """A stored program that pretends to be something else."""

    @property  # type: ignore[override]
    def __class__(self) -> type:
        return LocalProgram


STORED = StoredProgram("0" * 64, Path("/nonexistent"))
DISGUISED = Disguised("0" * 64, Path("/nonexistent"))


@pytest.mark.parametrize("program", [STORED, DISGUISED], ids=["stored", "disguised"])
@pytest.mark.parametrize("launcher", [PlainLauncher, HouseOnlyLauncher, InProcessLauncher])
def test_a_stored_program_reaches_no_launcher_but_the_sandbox(launcher: type, program: object) -> None:
    with pytest.raises(PlatformFailure, match="only"):
        launcher().start(program, Limits())


def test_no_environment_variable_opens_a_way_around_the_sandbox(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("ESR_UNSAFE", "ESR_NO_SANDBOX", "DEBUG", "CI"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("ESR_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(PlatformFailure):
        PlainLauncher().start(STORED, Limits())  # type: ignore[arg-type]


def test_the_sandbox_takes_stored_programs_only_after_its_self_test(sandbox_launcher: SandboxLauncher) -> None:
    with folder_of({"bot.py": HONEST}) as folder, pytest.raises(PlatformFailure, match="self-test"):
        SandboxLauncher().start(StoredProgram("0" * 64, folder), Limits())
    assert sandbox_launcher.proved


def test_the_ladder_of_a_machine_without_a_sandbox_starts_house_bots_only() -> None:
    with folder_of({"bot.py": HONEST}) as folder, pytest.raises(PlatformFailure, match="only house bots"):
        HouseOnlyLauncher().start(LocalProgram(folder), Limits())


def test_the_ladder_plays_in_the_sandbox_where_there_is_one(sandbox_launcher: SandboxLauncher) -> None:
    assert launcher_for_ladder() is sandbox_launcher


def test_fakes_are_for_this_process_and_programs_are_not(sandbox_launcher: SandboxLauncher) -> None:
    for launcher in (sandbox_launcher, PlainLauncher()):
        with pytest.raises(PlatformFailure):
            launcher.start(FAKE, Limits())  # type: ignore[arg-type]
    with pytest.raises(PlatformFailure):
        InProcessLauncher().start(HouseProgram("random"), Limits())  # type: ignore[arg-type]


PAIRS = """
from pathlib import Path
from bots.runner import *
from bots.sandbox import *

def specs(stored: StoredProgram, local: LocalProgram, fake: FakeProgram, sandbox: SandboxLauncher) -> None:
    uploaded = MatchSpec("g", (SeatSpec("a", stored),), b"")
    mixed = MatchSpec[StoredProgram | LocalProgram]("g", (SeatSpec("a", stored), SeatSpec("b", local)), b"")
    own = MatchSpec("g", (SeatSpec("a", local),), b"")
    faked = MatchSpec("g", (SeatSpec("a", fake),), b"")
    play_match(uploaded, sandbox)
    play_match(mixed, sandbox)
    play_match(own, PlainLauncher())
    play_match(faked, InProcessLauncher())
    play_match(uploaded, PlainLauncher())  # refused
    play_match(mixed, PlainLauncher())  # refused
    play_match(uploaded, InProcessLauncher())  # refused
    play_match(own, InProcessLauncher())  # refused
    play_match(faked, sandbox)  # refused
"""


@pytest.mark.slow
def test_the_types_refuse_it_too(tmp_path: Path) -> None:
    source = tmp_path / "pairs.py"
    source.write_text(PAIRS)
    output, _, _ = api.run(
        ["--strict", "--config-file=", f"--cache-dir={tmp_path}", "--follow-imports=silent", str(source)]
    )
    lines = {int(line.split(":")[1]) for line in output.splitlines() if ": error:" in line}
    refused = {number for number, line in enumerate(PAIRS.splitlines(), 1) if line.endswith("# refused")}
    assert lines == refused, output


def test_a_fake_is_not_accepted_as_a_program_type() -> None:
    assert not isinstance(FakeProgram(lambda _: None), HouseProgram | StoredProgram | LocalProgram)
