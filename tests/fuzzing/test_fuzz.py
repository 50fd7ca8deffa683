from __future__ import annotations

import pytest

from tests.fuzzing.drivers import fuzz
from tests.fuzzing.targets import TARGETS, Target


@pytest.mark.parametrize("name", TARGETS)
def test_a_moment_of_fuzzing_finds_no_fault(name: str) -> None:
    assert fuzz({name: TARGETS[name]}, 0.1, 12)[name]


def test_a_fault_is_reported_with_its_input() -> None:
    def check(data: bytes) -> None:
        assert b"PK\x05\x06" not in data

    with pytest.raises(AssertionError) as caught:
        fuzz({"faulty": Target(TARGETS["archives that say anything"].inputs, check)}, 10, 1)
    assert "data=" in "".join(caught.value.__notes__)
