"""Fixtures for tests that start real processes."""

from __future__ import annotations

import pytest

from bots.sandbox import SandboxLauncher, sandbox
from tests.services.tools import missing


@pytest.fixture(scope="session")
def sandbox_launcher() -> SandboxLauncher:
    """The sandbox of this machine. Where it cannot work the test is skipped, but never in continuous integration."""
    launcher, test = sandbox()
    if launcher is None:
        missing(f"{test.problem} {test.remedy}")
    return launcher
