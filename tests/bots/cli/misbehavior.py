"""A bot that plays the default move, but for the one bad habit that its command line names."""

from __future__ import annotations

import json
import sys
import time


def main(habit: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello" and habit != "mute":
            print('{"type": "ready"}', flush=True)
        elif message["type"] == "decide":
            print(answer(habit, message["id"], message["decision"]), flush=True)


def answer(habit: str, number: int, decision: dict[str, object]) -> str:
    """The line to say; two careless answers cost two strikes, a third one would cost the game."""
    careless = number in (3, 7)
    if habit == "quitter" and number == 10:
        print("I have had enough.", file=sys.stderr)
        sys.exit(3)
    if habit == "late" and careless:
        time.sleep(0.5)
    if habit == "spender":
        time.sleep(0.2)
    if habit == "babbler":
        return "I would say: money!"
    if habit == "talker" and careless:
        return json.dumps({"id": number, "move": "x" * 70_000})
    if habit == "dreamer" and careless:
        return json.dumps({"id": number + 100, "move": decision["default"]})
    if habit == "cheat" or (habit == "careless" and careless):
        return json.dumps({"id": number, "move": {"offer": [1.0, True, 0, 99]}})
    return json.dumps({"id": number, "move": decision["default"]})


if __name__ == "__main__":
    main(sys.argv[1])
