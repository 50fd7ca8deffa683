"""Every hostile program against an honest one: its verdict, and that nobody else is harmed and nothing is left."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, MatchReport
from bots.sandbox import SandboxLauncher
from games.record import verify
from tests.bots.hostile.programs import HOSTILE, Hostile
from tests.bots.sandbox.programs import duel, program

LIMITS = Limits(startup_ms=3000, move_ms=400, bank_ms=600, game_ms=20_000)
MAX_GROWTH_KIB = 64 * 1024


def play(launcher: SandboxLauncher, hostile: Hostile) -> MatchReport:
    with program(hostile.program) as bot:
        return duel(launcher, bot, HouseProgram("random"), limits=LIMITS)


@pytest.mark.parametrize(
    "hostile",
    [pytest.param(one, id=one.name, marks=[pytest.mark.slow] if one.slow else []) for one in HOSTILE],
)
def test_a_hostile_program_gets_its_verdict_and_harms_nobody(
    sandbox_launcher: SandboxLauncher, hostile: Hostile
) -> None:
    before, size = children(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    descriptors = set(os.listdir("/proc/self/fd"))
    report = play(sandbox_launcher, hostile)

    bad, good = report.seats
    reasons = report.forfeit_reasons
    if hostile.verdict != "any":
        assert reasons.get(0, "None") in str(hostile.verdict).split("|"), (reasons, bad.stderr_tail[-2000:])
    if hostile.strikes:
        assert tuple(strike.reason for strike in bad.strikes) == hostile.strikes
        assert not report.machine_delayed
    assert hostile.told in bad.stderr_tail
    assert hostile.never not in bad.stderr_tail
    assert len(bad.stderr_tail) <= 65_536

    assert good.strikes == ()
    assert 1 not in reasons
    assert good.exit_status == 0
    assert verify(report.record, reasons).outcome == report.record["outcome"]
    assert not report.machine_delayed or not reasons

    assert children() <= before
    assert set(os.listdir("/proc/self/fd")) <= descriptors
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size < MAX_GROWTH_KIB


def children() -> set[str]:
    """The child processes of this one."""
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())


def test_no_two_kinds_have_one_name() -> None:
    assert len({hostile.name for hostile in HOSTILE}) == len(HOSTILE) >= 30
