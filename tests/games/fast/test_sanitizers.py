"""No read or write outside of memory, and no undefined behavior, in games, in records and after bad input."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.games.fast.copies import copied, python

ROOT = Path(__file__).parents[3]

PLAY = """
from random import Random
import numpy as np
from tests.games.fast.differential import FORMATS, first_difference, rows, seeds_of
from games.fast.batch import Batch
from games.fast.build import LIBRARY
from games.fast.records import replay_choices
from games.record import accelerator
from tests.games.fast.test_records import changes, games
from tests.games.fast.verdicts import verdict
assert accelerator()
assert str(LIBRARY).startswith({folder!r}), LIBRARY
for slug, seats in FORMATS:
    assert first_difference(slug, seats, "sanitized", 100) is None
    batch = Batch(slug, seats, rows(seeds_of("sanitized", 2000)))
    for action in (-2, 127, 128, 255, 256, 2**31, 2**32 + 4, -2**63, 2**63 - 1):
        try:
            batch.step(np.full(2000, action))
        except ValueError:
            continue
        raise AssertionError(action)
    batch.playouts(np.arange(2000, dtype=np.uint64))
    batch.outcomes()
    for record in (*games(slug, seats, 10), *changes(slug, seats, 300)):
        verdict(record)
    random = Random(1)
    for number in range(500):
        choices = random.randbytes(number)
        replay_choices(slug, seats, random.randbytes(32), choices, {{}}, defaults=bool(number % 2))
print("equal")
"""


@pytest.mark.slow
@pytest.mark.nightly
def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    compiler = os.environ.get("CC", "gcc")
    runtime = subprocess.run(
        [compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if not Path(runtime).is_absolute():
        pytest.skip("GCC with its address sanitizer is required")
    folder = copied(tmp_path)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g", "-O1")
    built = python(folder, "-m", "games.fast.build", *flags)
    assert built.returncode == 0, built.stderr
    run = python(
        folder,
        "-c",
        PLAY.format(folder=str(folder)),
        PYTHONPATH=os.pathsep.join([str(folder), str(ROOT)]),
        LD_PRELOAD=runtime,
        ASAN_OPTIONS="detect_leaks=0",
    )
    assert (run.returncode, run.stdout) == (0, "equal\n"), run.stderr
