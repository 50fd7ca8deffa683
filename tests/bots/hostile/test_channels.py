"""No game tells the next game of its deal anything, but by the media that ``docs/concepts/security-model.md`` lists."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bots.protocol import Limits
from bots.runner import Program
from bots.sandbox import PlainLauncher, SandboxLauncher
from bots.sandbox.code import code_of
from bots.sandbox.host_process import HostProcess
from bots.sandbox.runtime import is_in_memory
from bots.sandbox.sandbox_launcher import SelfTestOptions
from bots.sandbox.seccomp import no_filter
from tests.bots.hostile.channels import (
    BITS,
    CLOSED,
    OPEN,
    REFUSED,
    SIGNIFICANT,
    Pair,
    bits_of_number,
    play_pairs,
    probability,
    right_bits,
)
from tests.bots.hostile.table import PAGE
from tests.bots.sandbox.programs import folder_of


@pytest.mark.slow
def test_no_bit_passes_from_a_game_to_the_next_by_a_closed_medium(sandbox_launcher: SandboxLauncher) -> None:
    """Some media are read by the clock. A suspicious one is tried a second time with other deals and other bits.

    So chance alone fails this test once in a million runs for each medium.
    """
    pairs = play_pairs(sandbox_launcher, "first", REFUSED)
    assert all(pair.read[medium] is None for pair in pairs for medium in REFUSED)
    suspicious = [medium for medium in CLOSED if probability(pairs, medium) <= SIGNIFICANT]
    if suspicious:
        pairs = play_pairs(sandbox_launcher, "second", {})
    assert [medium for medium in suspicious if probability(pairs, medium) <= SIGNIFICANT] == []


@pytest.mark.slow
def test_all_bits_pass_by_files_outside_of_the_sandbox() -> None:
    with folder_of({}) as place:
        place.chmod(0o1777)
        pairs = play_pairs(PlainLauncher(), "plain", {}, pairs=2, places=[str(place)])
    assert right_bits(pairs, "files") == 2 * BITS


class OnDisk(SandboxLauncher):
    """Starts bots without the filter, with their files on a disk whose cache is initially empty."""

    def start(self, program: Program, limits: Limits) -> HostProcess:
        return self.start_code(code_of(program), limits, SelfTestOptions(bpf=no_filter))

    def empty_cache(self) -> None:
        for path in self.root.rglob("*.py"):
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


@pytest.mark.slow
@pytest.mark.skipif(is_in_memory(Path("/var/tmp")), reason="this machine has no disk")
@pytest.mark.usefixtures("sandbox_launcher")
def test_bits_pass_by_caches_of_the_disk_where_the_files_of_bots_lie_on_one() -> None:
    """The test of closed media would notice these media if they were open."""
    with folder_of({}, parent="/var/tmp") as folder:
        launcher = OnDisk(runtime=folder / "runtime")
        pairs = []
        for number in range(3):
            launcher.empty_cache()
            pairs += play_pairs(launcher, f"disk {number}", {}, pairs=1)
    assert right_bits(pairs, "page cache, by page faults") > 0.9 * 3 * BITS
    media = ("page cache, by time", "page cache, by page faults", "missing names")
    assert [medium for medium in media if probability(pairs, medium) > SIGNIFICANT] == []


def test_the_capacity_of_a_number_is_what_its_errors_leave() -> None:
    def bits(errors: list[int]) -> float:
        pairs = [Pair("", {"number": (7, 64)}, {"number": 7 + error}) for error in errors]
        return bits_of_number(pairs, "number")

    assert bits([3] * 20) == 6
    assert bits([3, 4] * 10) == 5
    assert 5 < bits([3] * 19 + [40]) < 6
    assert bits(list(range(0, 64, 3))) < 1


def test_the_security_page_lists_the_media_that_stay_open() -> None:
    page = PAGE.parents[1] / "concepts" / "security-model.md"
    remains = page.read_text().partition("## Information from one game to the next")[2].partition("\n## ")[0].lower()
    assert [medium for medium in OPEN if medium not in remains] == []
