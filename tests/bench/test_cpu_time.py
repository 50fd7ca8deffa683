from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bench.cpu_time import ProcessTable, ProcessTimes, faults, require_plausible
from bench.idle import used_s
from bench.pipeline import Reading, Run

TASK = {"task_cpu_s": 0.035, "game_cpu_s": 0.012, "starts_cpu_s": 0.004, "bots_cpu_s": 0.090, "between_cpu_s": 0.001}


def run(workers_s: float, wall_s: float = 50.0, **task: float) -> Run:
    """400 matches between two readings of the kernel, which saw the workers use ``workers_s``."""
    before = Reading(at_s=100.0, main=5.0, workers=30.0, broker=1.0, database=0.0)
    after = Reading(at_s=100.0 + wall_s, main=5.4, workers=30.0 + workers_s, broker=1.2, database=0.0)
    return Run(before, after, [{**TASK, **task}] * 400, workers=2, wall_s=wall_s, cores=2)


def test_a_run_whose_parts_add_up_passes() -> None:
    whole = run(workers_s=50.8)
    whole.check()
    assert sum(whole.parts().values()) == pytest.approx(whole.counted_s())


@pytest.mark.parametrize(
    "broken",
    [
        run(workers_s=0.3),  # the reading saw only the processes that replaced the workers
        run(workers_s=-4.0),  # the same, and they have used less than those before them
        run(workers_s=25.0),  # one of two workers was replaced
        run(workers_s=50.8, wall_s=20.0),  # 2.5 cores of 2
        run(workers_s=50.8, starts_cpu_s=0.020),  # the starts have used more than the game that they are in
    ],
    ids=["lost", "negative", "half lost", "too many cores", "part above its whole"],
)
def test_a_run_whose_sums_do_not_hold_exits_with_an_error(broken: Run) -> None:
    with pytest.raises(SystemExit) as ended:
        broken.check()
    assert ended.value.code not in (0, None)


def test_the_negative_shares_that_were_once_printed_are_faults() -> None:
    shares = {"the bots": -1.7, "starts": 1.46, "runner": 3.273, "results": 9.002, "Celery": -6.996}
    sentences = faults(shares, wall_s=16.0, counted_s=1.0, available=2)
    assert len(sentences) == 3
    assert any("Celery" in sentence for sentence in sentences)


def test_parts_may_differ_by_the_resolution_of_the_kernels_clock() -> None:
    require_plausible({"web": 1.02, "beat": -0.01}, wall_s=0.5, counted_s=1.0, available=2)


def test_parts_alone_may_use_every_core_but_not_more() -> None:
    assert not faults({"web": 10.0, "worker": 10.0}, wall_s=10.0, available=2)
    assert faults({"web": 10.0, "worker": 11.0}, wall_s=10.0, available=2)


def test_the_time_of_a_tree_includes_processes_that_have_ended() -> None:
    before = ProcessTable().tree_s(os.getpid())
    burn = "import time\nwhile time.process_time() < 0.15: pass"
    subprocess.run([sys.executable, "-S", "-c", burn], check=True)
    assert ProcessTable().tree_s(os.getpid()) - before > 0.1


def test_a_child_that_ends_between_two_readings_counts_only_with_what_it_used_between_them() -> None:
    supervisor, worker, child, new = 10, 11, 12, 13
    before = ProcessTable({
        supervisor: ProcessTimes(parent=1, own_s=1.0, waited_s=0.0),
        worker: ProcessTimes(parent=supervisor, own_s=5.0, waited_s=2.0),
        child: ProcessTimes(parent=worker, own_s=30.0, waited_s=0.0),
    })  # fmt: skip
    after = ProcessTable({
        supervisor: ProcessTimes(parent=1, own_s=1.1, waited_s=0.0),
        worker: ProcessTimes(parent=supervisor, own_s=5.5, waited_s=32.25),
        new: ProcessTimes(parent=worker, own_s=0.125, waited_s=0.0),
    })  # fmt: skip
    used = used_s(supervisor, before, after)
    assert used == pytest.approx({supervisor: 0.1, worker: 0.75, new: 0.125})
