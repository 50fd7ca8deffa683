"""Which kind of channel this system can have."""

from __future__ import annotations

import os
import select
from collections.abc import Callable

from bots.runner.channel import Channel
from bots.runner.launching import Process
from bots.runner.polled import PolledChannel
from bots.runner.threaded import ThreadedChannel

OpenChannel = Callable[[Process], Channel]
"""Takes over the pipes of a started process."""


def best_channel() -> type[PolledChannel | ThreadedChannel]:
    """The kind that polls, where pipes can be polled, and the one with threads elsewhere."""
    return PolledChannel if hasattr(select, "poll") and hasattr(os, "set_blocking") else ThreadedChannel


def open_channel(process: Process) -> Channel:
    """The best channel there is for ``process``."""
    return best_channel()(process)
