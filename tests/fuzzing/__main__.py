"""``python -m tests.fuzzing --seconds 600``. The first fault ends it, with a traceback and the smallest input."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser

from tests.fuzzing.drivers import fuzz
from tests.fuzzing.targets import TARGETS

parser = ArgumentParser("tests.fuzzing")
parser.add_argument("--seconds", type=float, default=600)
parser.add_argument("--seed", type=int, default=None, help="repeats a run")
parser.add_argument("--only", choices=TARGETS, action="append", help="may be given several times")
options = parser.parse_args()
seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
print(f"Fuzzing for {options.seconds:.0f} s; --seed {seed} repeats it.", flush=True)
for name, count in fuzz({name: TARGETS[name] for name in options.only or TARGETS}, options.seconds, seed).items():
    print(f"  {name:28} {count:9,} inputs, no fault")
