"""Measure verified games per second on one core: ``python -m bench.verification [--windows 9] [--window-s 0.4]``.

A stored game is unpacked, which replays its seed and choices by the rules, and compared with the database rows, as in
each process of ``manage.py verify --ladder``. The plain and the compiled engine alternate on one core. The bench never
fails.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from bench.rates import pin_to_one_core
from bench.workers import Worker, measure_in_turns
from games.build import what_is_wrong

BUILDS = {"python": "plain", "native": "compiled"}
FLOOR = 500
"""Games a second and core."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--windows", type=int, default=9, help="number of windows per median (default: %(default)s)")
    parser.add_argument("--window-s", type=float, default=0.4, help="CPU seconds per window (default: %(default)s)")
    options = parser.parse_args()
    core, wrong = pin_to_one_core(), what_is_wrong()
    print(f"core {core}, medians of {options.windows} windows of {options.window_s} s CPU time")
    if wrong:
        print(f"Measuring only the plain engine: {wrong}")
    with ExitStack() as stack:
        builds = ["python"] if wrong else list(BUILDS)
        workers = {build: stack.enter_context(Worker("bench.stored_games", build)) for build in builds}
        measured = measure_in_turns(workers, options.windows, options.window_s)
    print(f"\n| {'':40} | {'Games/s':>9} | {'Goal':>5} | Met    | Spread |")
    print(f"|{'-' * 42}|----------:|------:|--------|-------:|")
    for build, rates in measured.items():
        for name, rate in rates.items():
            title, met = f"{name}, {BUILDS[build]}", "floor" if rate.things_s >= FLOOR else "MISSED"
            print(f"| {title:40} | {rate.things_s:9,.0f} | {FLOOR:5} | {met:6} | {rate.spread:6.0%} |")


if __name__ == "__main__":
    main()
