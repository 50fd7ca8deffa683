from __future__ import annotations

import logging
from threading import Event

import pytest
from django.db import OperationalError

from esr_platform import heartbeats as heartbeat
from esr_platform.heartbeats import beating
from tests.services.ports import wait_until

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


def test_what_a_beat_refuses_is_lost() -> None:
    with beating(lambda: False, "the match", 0.001) as heart:
        wait_until(lambda: heart.lost, "the loss is noticed")


def test_what_beats_keep_alive_is_not_lost() -> None:
    beats, enough = [], Event()

    def beat() -> bool:
        beats.append(1)
        if len(beats) == 5:
            enough.set()
        return True

    with beating(beat, "the match", 0.001, lasts_s=60) as heart:
        assert enough.wait(60)
        assert not heart.lost


@pytest.mark.parametrize("lasts_s", [0.01, 60])
def test_a_database_out_of_reach_loses_nothing_before_its_time(lasts_s: float) -> None:
    tried = Event()

    def beat() -> bool:
        tried.set()
        raise OperationalError

    with beating(beat, "the match", 0.001, lasts_s) as heart:
        assert tried.wait(60)
        if lasts_s == 60:
            assert not heart.lost
        else:
            wait_until(lambda: heart.lost, "the time is over")
