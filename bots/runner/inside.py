"""Decisions of house bots in this process, for live tables: they are the platform's own code and need no sandbox."""

from __future__ import annotations

from functools import cache
from threading import Lock
from time import perf_counter_ns, thread_time_ns
from typing import Any, Final

from bots.house.catalogue import HOUSE, HouseBot
from bots.house.inside import Maker, load
from bots.runner.consultation import Advice, Consultation
from bots.runner.launcher import PlatformFailure
from bots.runner.questions import Core
from bots.runner.report import Thought
from bots.runner.spec import HouseProgram

_LOADING: Final = Lock()


@cache
def _program(name: str, digest: str) -> tuple[HouseBot, Maker]:
    """Return a house bot, loaded once per process. Raises ``PlatformFailure`` if its code has another digest."""
    bot = HOUSE.get(name)
    if bot is None or digest not in ("", bot.digest()):
        raise PlatformFailure(f"the installed code of the house bot {name} is not version {digest[:12]}")
    return bot, load(bot)


def advise(consultation: Consultation[HouseProgram], core: Core) -> Advice:
    """Ask a house bot for one decision, as :func:`bots.runner.consultation.consult` does. It holds ``core`` meanwhile.

    Its player is new and knows only these messages. Raises ``PlatformFailure`` if the code is missing or fails, because
    it belongs to the platform.
    """
    name, decide = consultation.program.name, consultation.decide
    with _LOADING:
        bot, make = _program(name, consultation.program.digest)
    hello: Any = consultation.hello
    core.hold()
    began, cpu_began = perf_counter_ns(), thread_time_ns()
    try:
        move = make(hello, list(bot.args)).choose(decide["decision"], decide["view"], decide["log"])
    except Exception as error:
        raise PlatformFailure(f"the house bot {name} failed: {type(error).__name__}: {error}") from error
    finally:
        core.release()
    wall_us, cpu_us = (perf_counter_ns() - began) // 1000, (thread_time_ns() - cpu_began) // 1000
    return Advice(
        move=move,
        fault=None,
        line=None,
        thought=Thought(decide["id"], wall_us, cpu_us, 0),
        ready_us=None,
        machine_delay=None,
        exit_status=None,
        stderr_tail="",
    )
