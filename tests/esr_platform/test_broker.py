from __future__ import annotations

from bots.uploads import hints
from esr_platform.broker import empty_unread, messages_in


def test_a_queue_that_nobody_reads_is_emptied_once_it_is_long(broker: str) -> None:
    hints.send(4)
    assert empty_unread(hints.QUEUE, "seats", most=4) == 0
    assert messages_in(hints.QUEUE) == 4
    hints.send()
    assert empty_unread(hints.QUEUE, "seats", most=4) == 1
    assert messages_in(hints.QUEUE) == 0
