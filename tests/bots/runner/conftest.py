"""The two ways of reading a bot's pipes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots.runner.channel import OpenChannel, PolledChannel, ThreadedChannel
from tests.bots.runner.fakes import CHANNEL


@pytest.fixture(params=[PolledChannel, ThreadedChannel])
def each_channel(request: pytest.FixtureRequest) -> Iterator[OpenChannel]:
    """A kind of channel, which :func:`tests.bots.runner.fakes.play` uses from here on."""
    before = CHANNEL.set(request.param)
    yield request.param
    CHANNEL.reset(before)
