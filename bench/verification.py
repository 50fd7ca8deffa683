"""Measure verified games per second on one core: ``python -m bench.verification [--windows 9] [--window-s 0.4]``.

The seed and choices of a stored game are replayed by the rules, and the result is compared with the database rows, as
in each process of ``manage.py verify --ladder``. The plain engine and the accelerator alternate on one core. The bench
never fails.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from bench.rates import pin_to_one_core
from bench.workers import Worker, measure_in_turns
from games.record import accelerator

ENGINES = {"plain": False, "accelerator": True}
"""Whether the engine is the accelerator."""

FLOOR = 500
"""Games a second and core."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--windows", type=int, default=9, help="number of windows per median (default: %(default)s)")
    parser.add_argument("--window-s", type=float, default=0.4, help="CPU seconds per window (default: %(default)s)")
    options = parser.parse_args()
    core = pin_to_one_core()
    print(f"core {core}, medians of {options.windows} windows of {options.window_s} s CPU time")
    engines = ENGINES if accelerator() else {"plain": False}
    if len(engines) < len(ENGINES):
        print("Measuring only the plain engine, because the accelerator is not compiled (`make engine-fast`).")
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(Worker("bench.stored_games", accelerated))
            for name, accelerated in engines.items()
        }
        measured = measure_in_turns(workers, options.windows, options.window_s)
    print(f"\n| {'':40} | {'Games/s':>9} | {'Goal':>5} | Met    | Spread |")
    print(f"|{'-' * 42}|----------:|------:|--------|-------:|")
    for engine, rates in measured.items():
        for name, rate in rates.items():
            title, met = f"{name}, {engine}", "floor" if rate.things_s >= FLOOR else "MISSED"
            print(f"| {title:40} | {rate.things_s:9,.0f} | {FLOOR:5} | {met:6} | {rate.spread:6.0%} |")


if __name__ == "__main__":
    main()
