"""All that agents can see of two random games in a row: ``python -m tests.bots.environments.traces`` prints it."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from bots.environments import GameEnvironment, raw_env
from games.record import accelerator
from games.registry import GAMES


def alone(table: GameEnvironment, step: int) -> GameEnvironment:
    return table


def trace(
    slug: str, seats: int, rewards: str, between: Callable[[GameEnvironment, int], GameEnvironment] = alone
) -> list[Any]:
    """One line per step. ``between`` replaces the environment before each step, by the number of the step."""
    table, random, lines = raw_env(slug, seats, rewards, "ansi"), Random(seats), []
    table.reset(seed=seats)
    for _ in range(2):
        step = 0
        while table.agents:
            table = between(table, step)
            seen = {agent: table.observe(agent) for agent in table.possible_agents}
            parts = {agent: [part.tobytes().hex() for part in both.values()] for agent, both in seen.items()}
            legal = table.legal_actions()
            _, *last = table.last()
            by_agent = [dict(part) for part in (table.rewards, table.terminations, table.truncations, table.infos)]
            lines.append([table.agent_selection, legal, last, parts, by_agent])
            table.step(random.choice(legal) if legal else None)
            step += 1
        lines.append([table.table.record, table.render()])
        table.reset()
    return lines


if __name__ == "__main__":
    print(json.dumps(accelerator() is not None))
    for game in GAMES.values():
        for seats in game.seat_counts:
            print(json.dumps([trace(game.slug, seats, rewards) for rewards in ("ranks", "scores")]))
