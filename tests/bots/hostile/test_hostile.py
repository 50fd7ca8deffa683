"""Every hostile program at a real table: its verdict, and that nobody else is harmed and nothing is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bots.sandbox import SandboxLauncher
from tests.bots.hostile.aftermath import harm
from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.table import FAMILIES


def parameters() -> Iterator[Any]:
    """Every kind. The first quick one of every family is no slow test."""
    for family, kinds in FAMILIES.items():
        quick = next((kind for kind in kinds if not kind.slow), None)
        for kind in kinds:
            yield pytest.param(kind, id=f"{family}: {kind.title}", marks=[] if kind is quick else [pytest.mark.slow])


@pytest.mark.parametrize("hostile", list(parameters()))
def test_a_hostile_program_gets_its_verdict_and_harms_nobody(
    sandbox_launcher: SandboxLauncher, hostile: Hostile
) -> None:
    assert harm(sandbox_launcher, hostile) == []
