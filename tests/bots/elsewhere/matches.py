"""A program: look like another system, import everything a laptop needs, play, and say as JSON what came of it.

``python -m tests.bots.elsewhere.matches PROFILE FOLDER``: the folder has a ``bot.py``.
"""

from __future__ import annotations

import json
import sys
import threading
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

from tests.bots.elsewhere.hidden_calls import PROFILES

PACKAGES: Final = ("games", "bots.protocol", "bots.runner", "bots.cli", "bots.house", "bots.sandbox")
MODULES: Final = ("bots.series", "bots.validation")


def imported() -> list[str]:
    """Every module of the library, imported."""
    names = [*PACKAGES, *MODULES]
    for package in PACKAGES:
        modules_found = walk_packages(import_module(package).__path__, package + ".")
        names += [module.name for module in modules_found if not module.name.endswith("__main__")]
    for name in names:
        import_module(name)
    return names


def house_bots() -> list[str]:
    """Every house bot, loaded."""
    from bots.house.catalogue import HOUSE
    from bots.house.inside import load

    return [bot.name for bot in HOUSE.values() if load(bot)]


def sandboxes() -> dict[str, Any]:
    """What becomes of asking for a sandbox."""
    from bots.sandbox import PlainLauncher, SandboxLauncher, launcher_for_ladder, self_test

    try:
        SandboxLauncher()
        problem = ""
    except Exception as failure:
        problem = f"{type(failure).__name__}: {failure}"
    test = self_test()
    return {
        "asked": problem,
        "self_test": [test.ok, test.problem, test.remedy],
        "ladder": type(launcher_for_ladder()).__name__,
        "caution": PlainLauncher().caution,
    }


def games(own: Path) -> list[dict[str, Any]]:
    """A game at every table, each with one bot of our own and bots of the house."""
    from bots.house.catalogue import HOUSE
    from bots.runner import HouseProgram, LocalProgram, MatchSpec, SeatSpec, play_match
    from bots.sandbox import PlainLauncher
    from games.record import from_json, to_json, verify
    from games.registry import GAMES

    played = []
    for game in GAMES.values():
        for count in game.seat_counts:
            house = (SeatSpec(name, HouseProgram(name)) for name, bot in HOUSE.items() if bot.plays(game.slug, count))
            ours = (SeatSpec("own", LocalProgram(own)) for _ in range(count))
            seats = [next(ours), *islice(chain(house, ours), count - 1)]
            report = play_match(MatchSpec(game.slug, tuple(seats), bytes(32)), PlainLauncher())
            state = verify(from_json(to_json(report.record)), report.forfeits_by_seat)
            played.append(
                {
                    "game": game.slug,
                    "seats": count,
                    "verified": state.outcome == report.record["outcome"],
                    "faults": [strike.reason for seat in report.seats for strike in seat.strikes]
                    + [forfeit.reason for forfeit in report.forfeits],
                    "exits": [seat.exit_status for seat in report.seats],
                    "cpu": [seat.cpu_us for seat in report.seats],
                    "timed": all(thought.wall_us > 0 for seat in report.seats for thought in seat.decisions),
                }
            )
    return played


def main(profile: str, own: str) -> None:
    PROFILES[profile]()
    modules = imported()
    from bots.runner.channel import best_channel

    report = {
        "modules": modules,
        "house": house_bots(),
        "channel": best_channel().__name__,
        "sandbox": sandboxes(),
        "games": games(Path(own)),
        "threads": threading.active_count(),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
