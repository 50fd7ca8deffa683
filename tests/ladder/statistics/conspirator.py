"""One of two that pass each other gems in Edel, Stein & Reich; a bot as it is uploaded, with ROLE in its first lines.

It knows nobody's name. For the first rounds it chooses what a rule makes of the event on display, which everybody sees.
Who has done the same every time is the accomplice. From then on both go on choosing by the rule, so that they meet over
an action whenever nobody disturbs them, and the feeder gives the friend all it has for it, or leaves it for one gem.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Document = dict[str, Any]
Move = str | dict[str, Any]

ROLE = "friend"
RECOGNITION = 5
"""Rounds after which a seat that has always followed the rule is the accomplice."""


class Conspirator:
    """``args`` may name the role."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.role = args[0] if args else ROLE
        self.seat: int = hello["seat"]
        self.seats: int = hello["seats"]
        self.suspects: set[int] = set(range(self.seats)) - {self.seat}
        self.rules: list[str] = []
        self.seen: list[tuple[int, str]] = []
        self.luck = int(hello["seed"][:8], 16)

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        self.read(log)
        answer = getattr(self, decision["kind"], lambda asked, _: asked["default"])
        move: Move = answer(decision, view)
        return move

    def read(self, log: list[Document]) -> None:
        for entry in log:
            step = entry.get("step", {})
            if step.get("decision") == "action":
                self.seen.append((step["seat"], step["move"]))
                number = (len(self.seen) - 1) // self.seats
                if number < len(self.rules) and step["move"] != self.rules[number]:
                    self.suspects.discard(step["seat"])

    @property
    def accomplice(self) -> int | None:
        known = len(self.seen) >= RECOGNITION * self.seats and len(self.suspects) == 1
        return next(iter(self.suspects)) if known else None

    def action(self, decision: Document, view: Document) -> Move:
        rule = ("money", "gems", "event")[(sum(view["event"]["display"].encode()) + view["round"]) % 3]
        self.rules.append(rule)
        if self.suspects:
            return rule
        self.luck = (self.luck * 1103515245 + 12345) % 2**31
        return ("money", "gems", "event")[self.luck // 65536 % 3]

    def open_barter(self, decision: Document, view: Document) -> Move:
        held = decision["holdings"]
        if decision["other"] == self.accomplice and self.role == "feeder":
            return {"offer": held}
        cheapest = max(range(4), key=lambda colour: (held[colour] > 0, colour))
        return {"offer": [int(colour == cheapest) for colour in range(4)]}

    def answer_offer(self, decision: Document, view: Document) -> Move:
        if decision["other"] == self.accomplice or sum(decision["standing"]) > 1:
            return "accept"
        held = decision["holdings"]
        two = [0, 0, 0, 0]
        for colour in (3, 2, 1, 0):
            two[colour] = min(held[colour], 2 - sum(two))
        return {"offer": two} if sum(two) == 2 else "accept"

    def counter_gift(self, decision: Document, view: Document) -> Move:
        return {"gift": decision["colours"][-1]}


def main() -> None:
    bot = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            bot = Conspirator(message, sys.argv[1:])
            print('{"type": "ready"}', flush=True)
        elif bot and message["type"] == "decide":
            move = bot.choose(message["decision"], message["view"], message["log"])
            print(json.dumps({"id": message["id"], "move": move}), flush=True)


if __name__ == "__main__":
    main()
