"""One decision of a real process: started, asked, ended."""

from __future__ import annotations

import pytest

from bots.runner import HouseProgram, consult
from bots.sandbox import PlainLauncher, SandboxLauncher
from tests.bots.runner.fakes import consultation, middle
from tests.bots.sandbox.programs import program


@pytest.mark.parametrize("name", ["random", "greedy", "haggler"])
def test_a_house_bot_answers_in_the_middle_of_a_game_that_it_has_not_seen(
    sandbox_launcher: SandboxLauncher, name: str
) -> None:
    state = middle()
    advice = consult(consultation(HouseProgram(name), state), sandbox_launcher)
    assert advice.fault is None
    state.check(state.pending[0], advice.move)
    assert advice.thought is not None
    assert advice.thought.cpu_us is not None


def test_a_bot_that_crashes_leaves_its_last_words() -> None:
    with program("raise RuntimeError('my model is gone')") as bot:
        advice = consult(consultation(bot), PlainLauncher())
    assert advice.fault is not None
    assert (advice.fault.reason, advice.exit_status) == ("exit", 1)
    assert "my model is gone" in advice.stderr_tail
