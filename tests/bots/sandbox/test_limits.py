from __future__ import annotations

import os
import subprocess
import sys

import pytest

SAY = """
import os, resource
from bots.protocol import Limits
from bots.sandbox.limits import limit_values
resource.setrlimit(resource.RLIMIT_CORE, ({most}, {most}))
if {ordinary}:
    os.setuid(65534)
print(limit_values(Limits())["CORE"], resource.getrlimit(resource.RLIMIT_CORE)[0])
"""
"""The soft limit of the platform itself must not change, because it may keep its own core dumps."""


def core_limits(most: int, *, ordinary: bool = False) -> str:
    """The core limit of a bot, and that of the worker, where the host allows the worker ``most``."""
    command = [sys.executable, "-c", SAY.format(most=most, ordinary=ordinary)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_core_limit_of_a_bot_is_one_byte() -> None:
    assert core_limits(4096) == "1 4096"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can raise a limit")
def test_root_raises_a_core_limit_of_zero() -> None:
    if subprocess.run(["prlimit", "--core=0", "prlimit", "--core=1", "true"], check=False).returncode:
        pytest.skip("this container does not let root raise a limit")
    assert core_limits(0) == "1 0"


def test_the_core_limit_of_a_bot_is_never_more_than_the_host_allows() -> None:
    assert core_limits(0, ordinary=os.geteuid() == 0) == "0 0"
