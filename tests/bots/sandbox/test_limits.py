from __future__ import annotations

import subprocess
import sys

SAY = """
import resource
from bots.protocol import Limits
from bots.sandbox.limits import limit_values
resource.setrlimit(resource.RLIMIT_CORE, ({most}, {most}))
print(limit_values(Limits())["CORE"])
"""


def said(most: int) -> str:
    command = [sys.executable, "-c", SAY.format(most=most)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_core_limit_of_a_bot_is_one_byte_and_never_more_than_the_host_allows() -> None:
    assert (said(4096), said(0)) == ("1", "0")
