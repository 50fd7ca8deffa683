from __future__ import annotations

import logging

import pytest
from django.db import OperationalError

from ladder.matches.sweep import apart

log = logging.getLogger(__name__)


def test_what_is_done_gives_what_it_gives() -> None:
    assert apart(lambda: 3, 0, log, "it failed") == 3


def test_what_fails_is_written_down_and_holds_up_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert apart(lambda: 1 // 0, -1, log, "match %s failed", 7) == -1
    (record,) = caplog.records
    assert record.getMessage() == "match 7 failed"
    assert record.exc_info is not None


def test_a_lost_database_is_the_business_of_all(caplog: pytest.LogCaptureFixture) -> None:
    def lost() -> int:
        raise OperationalError("gone")

    with pytest.raises(OperationalError, match="gone"):
        apart(lost, 0, log, "it failed")
    assert not caplog.records
