from __future__ import annotations

import logging
from threading import Event

import pytest

from bots import beating as heartbeat
from bots.beating import beating

LOST = "the match is not ours any more; what comes out will not count"


def test_work_that_ends_right_after_a_failed_beat_is_not_reported_as_lost(caplog: pytest.LogCaptureFixture) -> None:
    beaten = Event()

    def beat() -> bool:
        beaten.set()
        return False

    with caplog.at_level(logging.WARNING), beating(beat, "the match", 0.001):
        assert beaten.wait(60)
    assert caplog.messages == []


def test_work_that_goes_on_after_a_failed_beat_is_reported_as_lost(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "ENDING_S", 0)
    reported = Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            reported.set()

    listener = Listener()
    heartbeat.logger.addHandler(listener)
    try:
        with caplog.at_level(logging.WARNING), beating(lambda: False, "the match", 0.001):
            assert reported.wait(60)
    finally:
        heartbeat.logger.removeHandler(listener)
    assert caplog.messages == [LOST]
