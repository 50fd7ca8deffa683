"""When things happen on a demo site, and how long it plays."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from esr_platform.demo import activities
from esr_platform.demo.activities import bring, everybody, visits
from esr_platform.demo.cast import BOTS, MEETINGS, OFFERS, Meeting
from esr_platform.supervisor import problems
from esr_platform.supervisor.problems import Problem
from esr_platform.supervisor.site import NO_MATCH_SECONDS, Place, Site
from esr_platform.supervisor.terminal import Terminal, finished_matches

# --- Program ---------------------------------------------------------------------------------------------------------

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
    def whole(cls, visit: Act, meet: Callable[[Meeting], bool] = activities.meet) -> Programme:
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
    yield 0.05, activities.found_class
    yield 0.25, activities.request_a_match
    yield 0.3, activities.request_a_test
    yield 0.4, partial(activities.end_a_season, "edel-stein-reich-duel")
    yield 0.45, partial(activities.end_a_season, "die-weinhaendler-3")
    yield 0.5, activities.request_a_comparison
    for table in OFFERS:
        yield table.comes, partial(activities.offer, table)


def _people_come() -> bool:
    return bool(everybody())


# --- Playing ---------------------------------------------------------------------------------------------------------

_LOOK_EVERY_S: Final = 0.5


def fill_by_playing(matches: int, place: Place, terminal: Terminal, prepare: Callable[[], None]) -> None:
    """Go on until ``matches`` have results, all of the site's counted. Raises :class:`Problem`.

    Interrupted, it goes on where it was when it is called again.
    """
    with visits(place) as visit:
        programme = Programme.whole(visit)

        def done() -> int | None:
            found = finished_matches()
            if found is not None:
                programme.go_on(found / matches)
            return found

        if _runs_already(place):
            terminal.say("The site that runs with this data plays.")
            _watch(matches, done, terminal)
            return
        site = Site(place, terminal)
        with site.up(prepare):
            site.play(matches, done, NO_MATCH_SECONDS)


def _runs_already(place: Place) -> bool:
    try:
        os.close(problems.lock_folder(place.data))
    except Problem:
        return True
    return False


def _watch(matches: int, finished: Callable[[], int | None], terminal: Terminal) -> None:
    """Show the progress of workers that are somebody else's."""
    done, since = finished() or 0, time.monotonic()
    with terminal.progress(matches, done) as show:
        while done < matches:
            time.sleep(_LOOK_EVERY_S)
            found = finished()
            if found is not None and found > done:
                done, since = found, time.monotonic()
                show(done)
            if time.monotonic() - since > NO_MATCH_SECONDS:
                raise Problem(f"No match was finished for {NO_MATCH_SECONDS:.0f} s: look at the site that runs")
