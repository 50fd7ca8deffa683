"""The schedule of a demo site, and the loop that plays until it has enough matches."""

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
from esr_platform.supervisor.problems import SiteProblem
from esr_platform.supervisor.site import NO_MATCH_SECONDS, Site, SiteLocation
from esr_platform.supervisor.terminal import Terminal, finished_matches

# --- Program ---------------------------------------------------------------------------------------------------------

_BETWEEN_VERSIONS: Final = 0.22
"""Share of the matches after which the next version of a bot is uploaded."""

_VISIT: Final = 0.15

Act = Callable[[], bool]
"""Performs a step if it is not done yet; returns whether it is done."""


@dataclass
class Programme:
    """The steps that are not done yet, each with the share of matches at which it is due, in order."""

    waiting: list[tuple[float, Act]]

    @classmethod
    def whole(cls, visit: Act, meet: Callable[[Meeting], bool] = activities.meet) -> Programme:
        """The complete program, with the ``visit`` of remote bots. Steps that an earlier run has done are skipped."""
        people = ((meeting.comes, partial(meet, meeting)) for meeting in MEETINGS)
        return cls(sorted([*_acts(), *people, (_VISIT, visit)], key=lambda act: act[0]))

    def go_on(self, share: float) -> None:
        """Perform the steps due at this share (0 to 1) of the matches. Failed steps are retried later."""
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


def fill_by_playing(matches: int, location: SiteLocation, terminal: Terminal, prepare: Callable[[], object]) -> None:
    """Play until the site has ``matches`` finished matches in total. Raises :class:`SiteProblem`.

    After an interruption, call it again to continue.
    """
    with visits(location) as visit:
        programme = Programme.whole(visit)

        def done() -> int | None:
            finished_now = finished_matches()
            if finished_now is not None:
                programme.go_on(finished_now / matches)
            return finished_now

        if _runs_already(location):
            terminal.say("A site with this data folder is already running. Its workers play the matches.")
            _watch(matches, done, terminal)
            return
        site = Site(location, terminal)
        with site.up(prepare):
            site.play(matches, done, NO_MATCH_SECONDS)


def _runs_already(location: SiteLocation) -> bool:
    try:
        os.close(problems.lock_folder(location.data))
    except SiteProblem:
        return True
    return False


def _watch(matches: int, finished: Callable[[], int | None], terminal: Terminal) -> None:
    """Show the progress of a site that is already running."""
    done, since = finished() or 0, time.monotonic()
    with terminal.progress(matches, done) as show:
        while done < matches:
            time.sleep(_LOOK_EVERY_S)
            finished_now = finished()
            if finished_now is not None and finished_now > done:
                done, since = finished_now, time.monotonic()
                show(done)
            if time.monotonic() - since > NO_MATCH_SECONDS:
                raise SiteProblem(f"No match finished in the last {NO_MATCH_SECONDS:.0f} s. Check the running site")
