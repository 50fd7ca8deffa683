"""Does the bot still answer properly? Run me with ``python test_bot.py``; pytest finds me as well.

examples.json has a hello and real questions, at least one of every kind. These tests take seconds and find slips;
``esr check`` plays whole games.
"""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = json.loads((HERE / "examples.json").read_text(encoding="utf-8"))
QUESTIONS = EXAMPLES["questions"]

sys.path.insert(0, str(HERE))  # so that strategy.py is found wherever the tests are started

from strategy import Strategy  # noqa: E402


class StrategyTest(unittest.TestCase):
    """The decisions, without the program around them."""

    def test_every_answer_is_legal_where_the_question_lists_the_legal_moves(self) -> None:
        strategy = Strategy(EXAMPLES["hello"])
        for question in QUESTIONS:
            decision = question["decision"]
            with self.subTest(kind=decision["kind"], id=question["id"]):
                move = strategy.choose(decision, question["view"], question["log"])
                if decision["legal"] is not None:
                    self.assertIn(move, decision["legal"])

    def test_the_same_seed_gives_the_same_answers(self) -> None:
        first, second = (Strategy(EXAMPLES["hello"]) for _ in range(2))
        for question in QUESTIONS:
            asked = question["decision"], question["view"], question["log"]
            self.assertEqual(first.choose(*asked), second.choose(*asked))


class ProgramTest(unittest.TestCase):
    """The whole program, as the platform starts it."""

    def test_it_says_ready_and_answers_every_question_under_its_id(self) -> None:
        messages = [EXAMPLES["hello"], *QUESTIONS]
        said = subprocess.run(
            [sys.executable, "bot.py"],
            input="".join(json.dumps(message) + "\n" for message in messages),
            cwd=HERE,
            capture_output=True,
            check=False,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
        self.assertEqual(said.returncode, 0, said.stderr)
        ready, *answers = map(json.loads, said.stdout.splitlines())
        self.assertEqual(ready, {"type": "ready"})
        self.assertEqual([answer["id"] for answer in answers], [question["id"] for question in QUESTIONS])


if __name__ == "__main__":
    unittest.main()
