"""Play a match while its lease lasts, on the host of a worker. Celery workers and worker hosts share this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from bots.runner.bot_log import Transcript
from bots.runner.launcher import Observer
from bots.runner.leased import LeasedProcesses, WhileLeased
from bots.runner.play import play_match
from bots.runner.report import MatchReport
from bots.runner.spec import MatchSpec, StoredProgram
from bots.sandbox import CoreUse, launcher_for_ladder, shared_core
from esr_platform.heartbeats import Heartbeat

Play = Callable[[MatchSpec[Any], Observer | None], MatchReport]
"""Plays one game to its end, watched; raises ``PlatformFailure`` if that is the platform's fault."""

Renewed = Callable[[Callable[[], None]], AbstractContextManager[Heartbeat]]
"""Renews the lease during a context, and calls its argument if the lease is lost."""


@dataclass(frozen=True)
class PlayedMatch:
    """A played match. ``transcript`` has the lines of uploaded bots, whose owners read them; ``None`` without any."""

    report: MatchReport
    transcript: Transcript | None
    wall_s: float


@contextmanager
def played(spec: MatchSpec[Any], renewed: Renewed, site: object, runner: Play | None = None) -> Iterator[PlayedMatch]:
    """Play the match, and renew its lease until the end of this context, in which the result is brought.

    ``site`` identifies the site on this host, for the shares of the processor cores. Raises ``PlatformFailure``, and
    ``LeaseLost`` once the lease is lost; all processes of the bots have then ended.
    """
    uploaded = [index for index, seat in enumerate(spec.seats) if isinstance(seat.program, StoredProgram)]
    transcript = Transcript(len(spec.seats), uploaded) if uploaded else None
    processes = LeasedProcesses[Any]()
    with renewed(processes.kill) as heart:
        observer = WhileLeased(heart, transcript)
        began_s = monotonic()
        if runner is not None:
            report = runner(spec, observer)
        else:
            with shared_core(CoreUse.VALIDATIONS if spec.trial else CoreUse.MATCHES, site) as core:
                report = play_match(spec, processes.of(launcher_for_ladder()), observer, core=core)
        yield PlayedMatch(report, transcript, monotonic() - began_s)
