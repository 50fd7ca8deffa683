"""Starts bots: in the sandbox, as plain processes, or as fakes in this process. It knows no games and no matches."""

from __future__ import annotations

from bots.sandbox.choosing import launcher_for_ladder, launcher_for_uploads, shared_core
from bots.sandbox.in_process import InProcessLauncher
from bots.sandbox.offering import Offer, offers
from bots.sandbox.plain import PlainLauncher
from bots.sandbox.proving import SelfTest, sandbox, self_test
from bots.sandbox.sandboxed import SandboxLauncher

__all__ = [
    "InProcessLauncher",
    "Offer",
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
