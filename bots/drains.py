"""Hosts that get no new work because an operator has drained them: no match and no validation.

``ladder.operations`` drains and resumes hosts. The row in the database decides: no match is claimed for a drained host
(``ladder.matches.leases``). Celery workers also stop taking messages, which other machines would otherwise not get
(``esr_platform.drains``). The periodic task ``sweep`` renews the announcement. If it is lost, a worker takes a
message, finds the row, and stops again.
"""

from __future__ import annotations

import socket

from bots.models import Drain, WorkerHost
from esr_platform.drains import announce


def reason_of(host: str) -> str | None:
    """Why ``host``, as in the names of workers, is drained; ``None`` if it is not. One query."""
    return Drain.objects.filter(host=host).values_list("reason", flat=True).first()


def refuses_work_here() -> bool:
    """Whether this machine is drained. Then its workers stop taking messages. One query."""
    host = socket.gethostname()
    if reason_of(host) is None:
        return False
    announce([host])
    return True


def announce_all() -> None:
    """Tell the workers of all drained machines to take no messages."""
    announce(Drain.objects.exclude(host__startswith=WorkerHost.WORKER).values_list("host", flat=True))
