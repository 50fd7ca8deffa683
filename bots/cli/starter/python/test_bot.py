"""Tests of the bot. Run them with ``python test_bot.py`` or pytest.

examples.json contains a hello message and real decisions of almost every kind. These tests take a few seconds. To play
whole games, run ``esr check``.
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

sys.path.insert(0, str(HERE))  # finds strategy.py from any working directory

from strategy import Strategy  # noqa: E402


class StrategyTest(unittest.TestCase):
    """Tests of the decisions, without the protocol."""

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
    """Tests of the whole program, started as on the site."""

    def test_it_says_ready_and_answers_every_question_under_its_id(self) -> None:
        messages = [EXAMPLES["hello"], *QUESTIONS]
        process = subprocess.run(
            [sys.executable, "bot.py"],
            input="".join(json.dumps(message) + "\n" for message in messages),
            cwd=HERE,
            capture_output=True,
            check=False,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        ready, *answers = map(json.loads, process.stdout.splitlines())
        self.assertEqual(ready, {"type": "ready"})
        self.assertEqual([answer["id"] for answer in answers], [question["id"] for question in QUESTIONS])


if __name__ == "__main__":
    unittest.main()
