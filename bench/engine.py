"""Measure the speed of the games: ``python -m bench.engine [--windows 9] [--window-s 0.2]``.

A decision is a point at which a player has at least two legal moves. Forced moves and chance do not count. The time of
a decision is the time to request it (the bounds, or the whole document for a bot), draw a random move and apply it. The
same definition applies to the other libraries. The plain engine, the accelerator and the other libraries are processes
that alternate on one core, so that they have the same conditions. The bench never fails.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import fmean

from bench import fast, record_contenders
from bench.contenders import FOUR_SEATS, TABLES
from bench.peers import CLONE, GOOFSPIEL
from bench.rates import Rate, pin_to_one_core
from bench.sizes import of_house_bots, of_random_play, sizes
from bench.workers import Worker, measure_in_turns
from games.record import accelerator

Rates = dict[str, Rate]
Goals = tuple[float, float | None]
"""Floor and aim in decisions a second; ``None``: there is no aim."""

FAST_GOALS = {
    "edel-stein-reich": {fast.BATCH: 20.0, fast.CALLS: 1.2},
    "edel-stein-reich-duel": {fast.BATCH: 20.0, fast.CALLS: 1.2},
    "die-weinhaendler": {fast.BATCH: 10.0, fast.CALLS: 1.2},
}
"""The least that the accelerator should reach, as a multiple of the decisions of goofspiel."""

FAST_COPIES = 2.0
"""The same for copies, as a multiple of a clone of goofspiel."""

FAST_RECORDS = 15.0
"""The least ratio of records that are re-executed by the accelerator to those by the plain engine."""


@dataclass(frozen=True)
class FigureRow:
    """One line of the table: a figure, the least it should be and what it aims at; ``most`` turns them round."""

    title: str
    figure: float
    unit: str
    floor: float | None = None
    aim: float | None = None
    most: bool = False

    def reached(self, goal: float) -> bool:
        return self.figure <= goal if self.most else self.figure >= goal

    @property
    def met(self) -> str:
        if self.floor is None:
            return "measured"
        if not self.reached(self.floor):
            return "MISSED"
        return "aim" if self.aim is not None and self.reached(self.aim) else "floor"

    def show(self) -> None:
        floor, aim = (f"{goal:,.0f}" if goal is not None else "" for goal in (self.floor, self.aim))
        print(f"| {self.title:58} | {self.figure:10,.0f} {self.unit:11} | {floor:>10} | {aim:>9} | {self.met:8} |")


def fastest(peers: Rates, *libraries: str) -> float:
    """Decisions a second of the fastest game of these libraries."""
    return max(rate.parts_s for name, rate in peers.items() if name.startswith(libraries))


def play_rows(ours: Rates, peers: Rates) -> Iterator[FigureRow]:
    """A row a game and seat count."""
    for game, seats in TABLES:
        name = f"{game.slug} {seats}"
        yield FigureRow(name, ours[name].parts_s, "decisions/s", *GOALS[game.slug](peers))


def gem_goals(peers: Rates) -> Goals:
    """Faster than any peer's game in Python, and measured by goofspiel."""
    in_python = fastest(peers, "OpenSpiel python", "RLCard", "PettingZoo")
    return max(100_000, in_python), peers[f"{GOOFSPIEL} 4"].parts_s / 2


def wine_goals(peers: Rates) -> Goals:
    """Faster than the card games of others."""
    return fastest(peers, "RLCard", "PettingZoo"), None


GOALS: dict[str, Callable[[Rates], Goals]] = {
    "edel-stein-reich": gem_goals,
    "edel-stein-reich-duel": gem_goals,
    "die-weinhaendler": wine_goals,
}
"""What a game should reach, from the peers' rates."""


def other_rows(ours: Rates, peers: Rates) -> Iterator[FigureRow]:
    """Copies and replays, of games with four seats."""
    clone = peers[CLONE].things_s
    for game in FOUR_SEATS:
        name = f"{game.slug} 4"
        copies = ours[f"{name}, copy"].things_s
        yield FigureRow(f"{name}, State.copy()", copies, "copies/s", 0.7 * clone, clone)
        yield FigureRow(f"{name}, State.copy()", 1e9 / copies, "ns", 5_000, most=True)
        yield FigureRow(f"{name}, replay", ours[f"{name}, replay"].things_s, "records/s", 600, 1500)


def record_rows(plain: Rates, accelerated: Rates) -> Iterator[FigureRow]:
    """Records by both engines. The accelerator must verify and unpack them much faster."""
    for name, rate in plain.items():
        yield FigureRow(f"{name}, plain", rate.things_s, "records/s")
        if name in accelerated:
            measured = name.endswith((record_contenders.VERIFIED, record_contenders.UNPACKED))
            floor = FAST_RECORDS * rate.things_s if measured else None
            yield FigureRow(f"{name}, accelerator", accelerated[name].things_s, "records/s", floor)


def fast_rows(rates: Rates, peers: Rates) -> Iterator[FigureRow]:
    """Decisions, steps and copies of the accelerator."""
    for name, rate in rates.items():
        table, _, kind = name.partition(", ")
        goals = FAST_GOALS[table.rpartition(" ")[0]]
        if kind in goals:
            yield FigureRow(name, rate.parts_s, "decisions/s", goals[kind] * peers[f"{GOOFSPIEL} 4"].parts_s)
        elif kind == fast.STEPS:
            yield FigureRow(name, rate.parts_s, "steps/s")
        else:
            yield FigureRow(name, rate.parts_s, "copies/s", FAST_COPIES * peers[CLONE].parts_s)


def size_rows() -> Iterator[FigureRow]:
    """Bytes a stored record, at the mean and at the most."""
    for game in FOUR_SEATS:
        for who, states in (("house bots", of_house_bots(game)), ("random play", of_random_play(game))):
            figures = sizes(states)
            for word, figure in (("mean", fmean(figures)), ("most", float(max(figures)))):
                yield FigureRow(
                    f"{game.slug} 4, stored, {who}, {word} of {len(figures)}", figure, "bytes", 400, 200, most=True
                )


def show_rates(ours: dict[str, Rates], peers: Rates) -> None:
    """Everything that was measured, with the spread of its windows and its ratio to goofspiel."""
    base = peers[f"{GOOFSPIEL} 4"].parts_s
    print(f"\n| {'All rates':58} | {'things/s':>9} | {'parts/s':>10} | ÷ goofspiel | spread |")
    print(f"|{'-' * 60}|----------:|-----------:|------------:|-------:|")
    for kind, rates in [*ours.items(), ("", peers)]:
        for name, rate in rates.items():
            title = f"{name}, {kind}" if kind else name
            print(
                f"| {title:58} | {rate.things_s:9,.0f} | {rate.parts_s:10,.0f} | {rate.parts_s / base:11.2f} "
                f"| {rate.spread:6.0%} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--windows", type=int, default=9, help="number of windows per median (default: %(default)s)")
    parser.add_argument("--window-s", type=float, default=0.2, help="CPU seconds per window (default: %(default)s)")
    options = parser.parse_args()
    core = pin_to_one_core()
    print(f"core {core}, medians of {options.windows} windows of {options.window_s} s CPU time")
    modules = {"plain": "bench.contenders", "plain records": "bench.record_contenders", "peers": "bench.peers"}
    if accelerator():
        modules |= {"fast": "bench.fast", "fast records": "bench.record_contenders"}
    else:
        print("Measuring without the accelerator, because it is not compiled (`make engine-fast`).")
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(Worker(module, name != "plain records")) for name, module in modules.items()
        }
        rates = measure_in_turns(workers, options.windows, options.window_s)
    peers, records = rates["peers"], (rates["plain records"], rates.get("fast records", {}))
    print(f"\n| {'':58} | {'Result':>22} | {'Minimum':>10} | {'Goal':>9} | Met      |")
    print(f"|{'-' * 60}|-----------------------:|-----------:|----------:|----------|")
    for rows in (
        play_rows(rates["plain"], peers),
        fast_rows(rates.get("fast", {}), peers),
        other_rows(rates["plain"], peers),
        record_rows(*records),
        size_rows(),
    ):
        for row in rows:
            row.show()
    show_rates({name: rates[name] for name in rates if name != "peers"}, peers)


if __name__ == "__main__":
    main()
