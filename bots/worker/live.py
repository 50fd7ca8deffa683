"""Ask a hosted bot for one decision at a live table, on the host of a worker. Celery workers and hosts share this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from bots.protocol import Decide, Hello
from bots.runner.consultation import Advice, Consultation, consult
from bots.runner.inside import advise
from bots.runner.launcher import Launcher
from bots.runner.spec import HouseProgram, P_co
from bots.sandbox import CoreUse, launcher_for_ladder, shared_core


@dataclass(frozen=True)
class LiveDecision(Generic[P_co]):
    """One decision at a live table.

    ``hellos`` has the first message of each process that may be started for it: the next one is started if only the
    machine made the answer late.
    """

    label: str
    program: P_co
    hellos: tuple[Hello, ...]
    decide: Decide


def advices(decision: LiveDecision[Any], site: object, launcher: Launcher[Any] | None = None) -> list[Advice]:
    """Ask for the decision; the result of each process that was started. The last one counts.

    House bots are asked inside this process, unless ``launcher`` is given. ``site`` identifies the site on this host,
    for the shares of the processor cores. Raises ``PlatformFailure``.
    """
    inside = launcher is None and isinstance(decision.program, HouseProgram)
    launcher = launcher or launcher_for_ladder()
    results: list[Advice] = []
    with shared_core(CoreUse.LIVE, site) as core:
        for hello in decision.hellos:
            asked = Consultation(decision.label, decision.program, hello, decision.decide)
            results.append(advise(asked, core) if inside else consult(asked, launcher, core=core))
            if results[-1].machine_delay is None:
                break
    return results
