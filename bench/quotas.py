"""CPU quotas of processes, by the control groups of Linux (version 1 or 2). They need root."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

PERIOD_US = 100_000
V1, V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")


@contextmanager
def cpu_quota(pids: Sequence[int], cores: float | None, begins: Path) -> Iterator[None]:
    """Limit the processes together to ``cores`` in each 100 ms as soon as the file ``begins`` exists.

    ``None`` means no limit. The processes must have ended when the context is left or soon after. Raises ``OSError`` if
    groups are not available.
    """
    if cores is None:
        yield
        return
    is_v1 = (V1 / "cpu.cfs_quota_us").exists()
    group = (V1 if is_v1 else V2) / f"esr-bench-{os.getpid()}"
    group.mkdir()
    quota_us = round(cores * PERIOD_US)
    if is_v1:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(quota_us))
    else:
        (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
    ended = Event()

    def limit() -> None:
        while not begins.exists():
            if ended.wait(0.1):
                return
        for pid in pids:
            (group / "cgroup.procs").write_text(str(pid))

    waiting = Thread(target=limit)
    waiting.start()
    try:
        yield
    finally:
        ended.set()
        waiting.join()
        for pid in pids:
            with suppress(OSError):  # the process may have ended
                (group.parent / "cgroup.procs").write_text(str(pid))
        group.rmdir()
