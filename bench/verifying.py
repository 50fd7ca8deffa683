"""How many stored games a core verifies: ``python -m bench.verifying [--windows 9] [--window-s 0.4]``.

A game is unpacked, which is re-executing its seed and its choices by the rules, and compared with what the tables say
of it, as ``manage.py verify --ladder`` does in each of its processes. The plain engine and the compiled one take turns
on one core. It measures; it never fails.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from bench.measuring import pin_to_one_core
from bench.workers import Worker, measure_in_turns
from games.build import what_is_wrong

BUILDS = {"python": "plain", "native": "compiled"}
FLOOR = 500
"""Games a second and core."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--windows", type=int, default=9, help="how many windows the medians are of")
    parser.add_argument("--window-s", type=float, default=0.4, help="seconds of processor time a window")
    options = parser.parse_args()
    core, wrong = pin_to_one_core(), what_is_wrong()
    print(f"core {core}, medians of {options.windows} windows of {options.window_s} s of processor time")
    if wrong:
        print(f"Only the plain engine is measured: {wrong}")
    with ExitStack() as stack:
        builds = ["python"] if wrong else list(BUILDS)
        workers = {build: stack.enter_context(Worker("bench.stored", build)) for build in builds}
        measured = measure_in_turns(workers, options.windows, options.window_s)
    print(f"\n| {'':40} | {'games/s':>9} | {'floor':>5} | met    | spread |")
    print(f"|{'-' * 42}|----------:|------:|--------|-------:|")
    for build, rates in measured.items():
        for name, rate in rates.items():
            title, met = f"{name}, {BUILDS[build]}", "floor" if rate.things_s >= FLOOR else "MISSED"
            print(f"| {title:40} | {rate.things_s:9,.0f} | {FLOOR:5} | {met:6} | {rate.spread:6.0%} |")


if __name__ == "__main__":
    main()
