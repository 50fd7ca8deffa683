from __future__ import annotations

import pytest

from bots.cli.esr import main
from tests.bots.cli.bots import Esr, Said


@pytest.fixture
def esr(capsys: pytest.CaptureFixture[str]) -> Esr:
    """Types a command of ``esr`` in this process."""

    def type_in(*words: object) -> Said:
        capsys.readouterr()
        try:
            status = main([str(word) for word in words])
        except SystemExit as leaving:  # argparse
            status = leaving.code if isinstance(leaving.code, int) else 1
        return Said(status, *capsys.readouterr())

    return type_in
