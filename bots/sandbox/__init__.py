"""Starts bots: in the sandbox, as plain processes, or as fakes in this process. It knows no games and no matches."""

from __future__ import annotations

from bots.sandbox.cores import CoreUse
from bots.sandbox.in_process import InProcessLauncher
from bots.sandbox.launchers import PlainLauncher, launcher_for_ladder, launcher_for_uploads, shared_core
from bots.sandbox.proof import SelfTest, sandbox, self_test
from bots.sandbox.sandbox_launcher import SandboxLauncher
from bots.sandbox.status import LanguageStatus, offers

__all__ = [
    "CoreUse",
    "InProcessLauncher",
    "LanguageStatus",
    "PlainLauncher",
    "SandboxLauncher",
    "SelfTest",
    "launcher_for_ladder",
    "launcher_for_uploads",
    "offers",
    "sandbox",
    "self_test",
    "shared_core",
]
