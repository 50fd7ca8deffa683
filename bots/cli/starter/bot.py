"""One bot for one seat of one game: it reads messages, one a line, and answers with one line each.

Nothing has to be changed here. What the bot decides stands in strategy.py.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from strategy import Strategy


def main() -> None:
    """Play one game. The program is started for it and ends with it."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # The first message: which game, how many seats, which of them is mine, how long I may think.
            strategy = Strategy(message)
            say({"type": "ready"})
        elif message["type"] == "decide":
            # A question: what I am asked, all that I may see, and what has happened since I was last asked.
            move = strategy.choose(message["decision"], message["view"], message["log"])
            say({"id": message["id"], "move": move})
        else:
            # The end: message["outcome"] says who has won.
            return


def say(answer: dict[str, Any]) -> None:
    """Send one line, at once. Standard output is for answers only: what you want to see, print to sys.stderr."""
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
