"""Every hostile program at a real table: its verdict, and that nobody else is harmed and nothing is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bots.sandbox import SandboxLauncher
from tests.bots.hostile.collection import FAMILIES
from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.trial import harm

QUICK_OF_EACH = 2


def parameters() -> Iterator[Any]:
    """Every kind; all but the first quick ones of every family are slow tests."""
    for family, kinds in FAMILIES.items():
        quick = [kind.title for kind in kinds if not kind.slow][:QUICK_OF_EACH]
        for kind in kinds:
            yield pytest.param(
                kind, id=f"{family}: {kind.title}", marks=[] if kind.title in quick else [pytest.mark.slow]
            )


@pytest.mark.parametrize("hostile", list(parameters()))
def test_a_hostile_program_gets_its_verdict_and_harms_nobody(
    sandbox_launcher: SandboxLauncher, hostile: Hostile
) -> None:
    assert harm(sandbox_launcher, hostile) == []
