"""Plays one seat of one game: reads one message per line and writes one answer per line.

You do not have to change this file. The decisions are in strategy.py.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from strategy import Strategy


def main() -> None:
    """Play one game. The program is started again for every game."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # The first message: the game, the number of seats, our seat and the time limits.
            strategy = Strategy(message)
            send({"type": "ready"})
        elif message["type"] == "decide":
            # A decision: the question, everything that we can see, and the events since our last decision.
            move = strategy.choose(message["decision"], message["view"], message["log"])
            send({"id": message["id"], "move": move})
        else:
            # The end of the game: message["outcome"] contains the result.
            return


def send(answer: dict[str, Any]) -> None:
    """Send one line immediately. Standard output is only for answers; print debug output to sys.stderr."""
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
