from __future__ import annotations

import signal

import pytest

from esr_platform.management.commands.run import listen_to_signals
from esr_platform.supervisor.site import STOP_SIGNALS


@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_every_signal_that_should_end_the_site_interrupts_it(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_DFL)
    listen_to_signals()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


def test_a_site_started_with_ctrl_c_ignored_still_listens_to_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listen_to_signals()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_site_started_with_nohup_outlives_its_terminal() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    listen_to_signals()
    signal.raise_signal(signal.SIGHUP)
