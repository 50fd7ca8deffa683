"""Fixtures for tests that start real processes."""

from __future__ import annotations

import os

import pytest

from bots.sandbox import SandboxLauncher, sandbox


@pytest.fixture(scope="session")
def sandbox_launcher() -> SandboxLauncher:
    """The sandbox of this machine. Where it cannot work the test is skipped, but never in continuous integration."""
    launcher, test = sandbox()
    if launcher is None:
        reason = f"{test.problem} {test.remedy}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return launcher
