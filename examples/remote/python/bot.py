"""A remote bot with the client of this repository: `pip install .`, set ESR_SITE and ESR_TOKEN, `python bot.py`."""

from __future__ import annotations

import os
import random
import sys
from typing import Any

from bots.client import Client, ClientError, play


class Bot:
    """Plays one game; made anew for every game from its `hello`, which says the game, the seats and the limits."""

    def __init__(self, hello: Any) -> None:
        self.dice = random.Random(hello["seed"])

    def choose(self, decision: dict[str, Any], view: dict[str, Any], log: list[Any]) -> Any:
        """One legal move: any of them where they are listed, else the first. Your idea goes here."""
        return self.dice.choice(decision["legal"] or [decision["default"]])


if __name__ == "__main__":
    try:
        with Client(os.environ["ESR_SITE"], os.environ["ESR_TOKEN"]) as client:
            play(client, Bot)
    except ClientError as error:
        sys.exit(str(error))
