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


def open_channel(process: Process) -> Channel:
    """A channel that polls, where pipes can be polled, and one with threads elsewhere."""
    if hasattr(select, "poll") and hasattr(os, "set_blocking"):
        return PolledChannel(process)
    return ThreadedChannel(process)
