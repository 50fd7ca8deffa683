"""What a bot can tell its next game: a writer's game, and then a reader's game of the same deal in the other seat.

``python -m tests.bots.hostile.channels [SECONDS ...]`` measures every medium. The seconds say how much processor time
a writer may spend on the numbers of pipes (default: 0.5 5).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import log2
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

from scipy.stats import binomtest

from bots.runner import HouseProgram, Launcher, LocalProgram, MatchSpec, SeatSpec, play_match
from bots.sandbox import sandbox
from tests.bots.hostile.kind import PATIENT
from tests.bots.sandbox.programs import program

BITS: Final = 64
PAIRS: Final = 20
SIGNIFICANT: Final = 0.001

CLOSED: Final = (
    "files",
    "page cache, by time",
    "page cache, by page faults",
    "missing names",
    "times of files",
    "times of files, by statx",
)
"""Media with slots by which no bit may arrive."""

REFUSED: Final = {"cookies of sockets": 4096}
"""Media with a number that no bot may read, each with its modulus."""

CACHES: Final = "processor caches"
BATCHES: Final = "batches of pipe numbers"
NUMBERS: Final = {"pipe numbers in a batch": 1024, "time of the next start": 1000}
"""Media with a number that stay open, besides ``BATCHES``, each with its modulus. The unit of time is 1 ms."""

OPEN: Final = (CACHES, BATCHES, *NUMBERS)
BATCH: Final = 1024

PLACES: Final = ("/tmp", "/bot", "/", "/dev", "/dev/shm", "/var/tmp")
_SOURCE: Final = Path(__file__).with_name("channel_bot.py").read_text()


@dataclass(frozen=True)
class Pair:
    """A writer's and a reader's game of one deal: the written word, and the bits read by every medium.

    ``word`` has 128 digits: at even places a pattern that the reader knows, at odd places the 64 bits.
    """

    word: str
    targets: Mapping[str, Sequence[int]]
    read: Mapping[str, Any]

    def right_bits(self, medium: str) -> int:
        """How many of the 64 bits arrived by a medium with slots. The pattern says what a one looks like."""
        values = self.read[medium] or [0] * len(self.word)
        zero, one_s = (
            median(values[slot] for slot in range(0, len(values), 2) if self.word[slot] == digit) for digit in "01"
        )
        bits = ["01"[(value > (zero + one_s) / 2) == (one_s > zero)] for value in values[1::2]]
        return sum(bit == sent for bit, sent in zip(bits, self.word[1::2], strict=True))

    def error(self, medium: str) -> int:
        """By how much a number was missed, always by the same where the medium has no noise."""
        target, modulus = self.targets[medium]
        return int((self.read[medium] - target) % modulus)


def play_pairs(
    launcher: Launcher[Any],
    name: str,
    moduli: Mapping[str, int],
    *,
    pairs: int = PAIRS,
    places: Sequence[str] = PLACES,
) -> list[Pair]:
    """Play pairs of games of which one writes and the next one reads. Other names give other deals and other bits."""
    pairs_played = []
    with program(_SOURCE) as bot:
        for number in range(pairs):
            random = Random(f"{name} {number}")
            word = "".join(f"{slot % 2}{random.randrange(2)}" for slot in range(BITS))
            targets = {medium: (random.randrange(modulus), modulus) for medium, modulus in moduli.items()}
            task = {"name": f"{bot.folder.name}-{number}", "word": word, "numbers": targets, "places": places}
            deal = sha256(f"{name} {number}".encode()).digest()
            _play(launcher, bot, {**task, "role": "write"}, deal, seat=number % 2)
            output = _play(launcher, bot, {**task, "role": "read", "word": ""}, deal, seat=1 - number % 2)
            pairs_played.append(Pair(word, targets, json.loads(output)))
    return pairs_played


def _play(launcher: Launcher[Any], bot: LocalProgram, task: Mapping[str, Any], deal: bytes, *, seat: int) -> str:
    """One game against a house bot: what the bot wrote to stderr."""
    seats = [SeatSpec("house", HouseProgram("random"))]
    seats.insert(seat, SeatSpec("bot", LocalProgram(bot.folder, (json.dumps(task),))))
    report = play_match(MatchSpec("edel-stein-reich-duel", tuple(seats), deal, PATIENT), launcher)
    if report.forfeits or report.seats[seat].strikes:
        raise RuntimeError(f"the game was not played to its end: {report.seats[seat].stderr_tail}")
    return report.seats[seat].stderr_tail


def right_bits(pairs: Sequence[Pair], medium: str) -> int:
    """How many bits of all pairs arrived by a medium with slots."""
    return sum(pair.right_bits(medium) for pair in pairs)


def probability(pairs: Sequence[Pair], medium: str) -> float:
    """How probable it is that guessing gets as many bits right, or wrong (binomial test, two-sided)."""
    return float(binomtest(right_bits(pairs, medium), BITS * len(pairs)).pvalue)


def bits_of_number(pairs: Sequence[Pair], medium: str) -> float:
    """Bits per game by a number: the capacity of the best symmetric channel that has at least as many errors.

    Values are as far apart as the interval is wide that holds the usual errors, and all other errors are failures.
    """
    modulus = pairs[0].targets[medium][1]
    errors = sorted(pair.error(medium) for pair in pairs)
    shares = ((held, _shortest_interval(errors, modulus, held)) for held in range(len(errors) // 2, len(errors) + 1))
    bits = [_capacity(modulus // width, held / len(errors)) for held, width in shares if width <= modulus / 2]
    return max([0.0, *bits])


def _shortest_interval(errors: Sequence[int], modulus: int, held: int) -> int:
    """The length of the shortest interval on the circle that contains ``held`` of the sorted ``errors``."""
    around = [*errors, *(error + modulus for error in errors)]
    return min(around[first + held - 1] - around[first] + 1 for first in range(len(errors)))


def _capacity(values: int, right: float) -> float:
    """Bits of one of ``values`` values that arrives with probability ``right``, else as any other one equally often."""
    wrong = 1 - right
    return log2(values) + right * log2(right) + (wrong * log2(wrong / (values - 1)) if wrong else 0)


def _batches_in(seconds: float) -> int:
    """How many batches of numbers this process uses up in ``seconds`` of CPU time."""
    began = process_time()
    for _ in range(10 * BATCH):
        for end in os.pipe():
            os.close(end)
    return max(2, round(seconds * 10 / (process_time() - began)))


def main(seconds: Sequence[float]) -> int:
    """Measure all media and print what arrives."""
    launcher, test = sandbox()
    if launcher is None:
        print(f"There is no sandbox here. {test.problem} {test.remedy}", file=sys.stderr)
        return 2
    began = perf_counter()
    pairs = play_pairs(launcher, "slots", REFUSED)
    print(f"{PAIRS} pairs of games, {(perf_counter() - began) / PAIRS:.2f} s each; 64 bits per pair")
    for medium in (*CLOSED, CACHES):
        right, p = right_bits(pairs, medium), probability(pairs, medium)
        print(f"{medium:32} {right:5} of {BITS * PAIRS} bits arrive right, p = {p:.3g}")
    for medium in REFUSED:
        print(f"{medium:32} {sum(pair.read[medium] is None for pair in pairs):5} of {PAIRS} games cannot read it")
    for medium, modulus in NUMBERS.items():
        _print_number(play_pairs(launcher, medium, {medium: modulus}), medium, "")
    for limit in seconds:
        modulus = _batches_in(limit)
        pairs_played = play_pairs(
            launcher, f"{BATCHES} {limit}", {BATCHES: modulus}, pairs=PAIRS if limit < 2 else PAIRS // 2
        )
        _print_number(pairs_played, BATCHES, f", at most {limit:g} s of processor time")
    return 0


def _print_number(pairs: Sequence[Pair], medium: str, more: str) -> None:
    print(f"{medium:32} {bits_of_number(pairs, medium):5.1f} bits per game, one of {pairs[0].targets[medium][1]}{more}")


if __name__ == "__main__":
    sys.exit(main([float(word) for word in sys.argv[1:]] or (0.5, 5)))
