"""What a bot's author can do about the end of its process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bots.runner.process_end import ProcessEnd

MISTAKES = {
    "import no_such_module": "module",
    "open('/dev/full', 'wb', 0).write(b'x')": "write",
    "open('weights.txt')": "__file__",
    "b'\\xff'.decode()": "UTF-8",
}


@pytest.mark.parametrize(("source", "word"), MISTAKES.items())
def test_the_advice_names_the_remedy_of_a_common_mistake(tmp_path: Path, source: str, word: str) -> None:
    (tmp_path / "bot.py").write_text(source)
    done = subprocess.run([sys.executable, "bot.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    advice = ProcessEnd(done.returncode).advice(done.stderr)
    assert word in advice
    assert advice.endswith("see its stderr")


@pytest.mark.parametrize("content", ["print('ü')".encode("latin-1"), "print()".encode("utf-16")])
def test_the_advice_for_a_file_in_another_encoding_names_utf_8(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bot.py").write_bytes(content)
    done = subprocess.run([sys.executable, "bot.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "UTF-8" in ProcessEnd(done.returncode).advice(done.stderr)


def test_other_errors_are_left_to_their_traceback() -> None:
    assert ProcessEnd(1).advice("ZeroDivisionError: division by zero") == "see its stderr"
