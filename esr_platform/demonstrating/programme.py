"""What happens on a demo site at which share of its matches, done once each and in any number of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from esr_platform.demonstrating import meeting, ordering
from esr_platform.demonstrating.cast import BOTS, MEETINGS, OFFERS, Meeting
from esr_platform.demonstrating.people import bring, everybody

_BETWEEN_VERSIONS: Final = 0.22
"""The share of the matches after which a bot's next version comes."""

_VISIT: Final = 0.15

Act = Callable[[], bool]
"""Does what has not been done; whether it is done now."""


@dataclass
class Programme:
    """The acts that are still to come, each with the share from which it is due, in that order."""

    waiting: list[tuple[float, Act]]

    @classmethod
    def whole(cls, visit: Act, meet: Callable[[Meeting], bool] = meeting.meet) -> Programme:
        """All of it, with the ``visit`` of remote bots. What an earlier run has done finds that out by itself."""
        people = ((one.comes, partial(meet, one)) for one in MEETINGS)
        return cls(sorted([*_acts(), *people, (_VISIT, visit)], key=lambda act: act[0]))

    def go_on(self, share: float) -> None:
        """Do what is due once ``share`` (0 to 1) of the matches have been played. What fails now is tried again."""
        self.waiting = [(due, act) for due, act in self.waiting if due > share or not act()]


def _acts() -> Iterator[tuple[float, Act]]:
    yield 0.0, _people_come
    for bot in BOTS:
        for number in range(1, len(bot.versions) + 1):
            yield min(0.95, bot.comes + (number - 1) * _BETWEEN_VERSIONS), partial(bring, bot, number)
    yield 0.05, ordering.found_class
    yield 0.25, ordering.order_a_match
    yield 0.3, ordering.order_a_test
    yield 0.4, partial(ordering.end_a_season, "edel-stein-reich-duel")
    yield 0.45, partial(ordering.end_a_season, "die-weinhaendler-3")
    yield 0.5, ordering.order_a_comparison
    for table in OFFERS:
        yield table.comes, partial(meeting.offer, table)


def _people_come() -> bool:
    return bool(everybody())
