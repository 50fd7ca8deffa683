from __future__ import annotations

import pytest

from ladder.upkeep import run_all


def test_each_step_is_done_although_one_before_it_fails_and_the_task_has_failed() -> None:
    done: list[str] = []

    def broken() -> None:
        done.append("broken")
        raise ValueError("the first")

    def worse() -> None:
        done.append("worse")
        raise KeyError("another")

    with pytest.raises(ValueError, match="the first"):
        run_all(lambda: done.append("one"), broken, worse, lambda: done.append("last"))
    assert done == ["one", "broken", "worse", "last"]
