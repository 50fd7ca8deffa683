from __future__ import annotations

import signal
import threading

import pytest

from bots.runner.launcher import uninterrupted


def test_ctrl_c_waits_until_it_can_do_no_harm() -> None:
    done = []

    def start() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_failure_inside_is_raised_unchanged() -> None:
    with pytest.raises(ValueError, match="wrong"), uninterrupted():
        raise ValueError("wrong")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_changes_no_handler() -> None:
    seen: list[object] = []

    def run() -> None:
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
