"""Lets streams end by themselves when the web server is told to stop: it waits for open answers, then breaks them."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def on_shutdown(act: Callable[[], None]) -> None:
    """Call ``act`` on this event loop when one of ``SIGNALS`` comes, beside what the web server does about it."""
    if threading.current_thread() is not threading.main_thread():
        return  # under a test's own server; signals belong to the main thread
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        _add(number, lambda: loop.call_soon_threadsafe(act))


def _add(number: signal.Signals, act: Callable[[], Any]) -> None:
    before = signal.getsignal(number)
    if not callable(before):
        return  # nobody stops the process gently, so there is nothing to be gentle about

    def handle(received: int, frame: FrameType | None) -> None:
        act()
        before(received, frame)

    signal.signal(number, handle)
