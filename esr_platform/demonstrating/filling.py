"""Has a site play until it has so many matches: by the workers of one that runs here, or by some started for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final

from esr_platform.demonstrating.programme import Programme
from esr_platform.demonstrating.visiting import visits
from esr_platform.supervising import problems
from esr_platform.supervising.ladders import finished_matches
from esr_platform.supervising.problems import Problem
from esr_platform.supervising.showing import Terminal
from esr_platform.supervising.site import NO_MATCH_SECONDS, Place, Site

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
