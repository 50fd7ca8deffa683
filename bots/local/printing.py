"""What a person sees of a series: the table, and everything that went wrong at a seat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from bots.local.escaping import escaped
from bots.local.tallies import Estimate, Tallies, Tally
from bots.series import Played

STDERR_LINES = 20
"""How many of the last lines of a bot's stderr are shown of one game."""


def result_table(tallies: Tallies, title: str) -> Table:
    """The table of a series; every mean has its interval of 95 %."""
    ranked = tallies.ranked()
    names = list(ranked[0].scores) if ranked else []
    caption = "± and (from-to): intervals of 95 %; ms: mean time of a decision"
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left", box=SIMPLE_HEAD)
    table.show_edge, table.padding = False, (0, 1, 0, 0)
    table.add_column("Bot", overflow="fold", min_width=8)
    scores = [name.capitalize() for name in names]
    for heading in ("Games", "Mean rank", "Wins %", *scores, "Strikes", "Forfeits", "ms"):
        table.add_column(heading, justify="right", no_wrap=True)
    for tally in ranked:
        table.add_row(Text(tally.label), *_cells(tally, names))
    return table


def _cells(tally: Tally, names: list[str]) -> Iterator[str]:
    share, low, high = tally.win_share
    yield str(tally.games)
    yield _estimate(tally.mean_rank, 2)
    yield f"{100 * share:.0f} ({100 * low:.0f}-{100 * high:.0f})"
    for name in names:
        yield _estimate(Estimate.of(tally.scores[name]), 0)
    yield str(tally.strikes)
    yield str(tally.forfeits)
    yield "-" if tally.decision_ms is None else f"{tally.decision_ms:.2f}"


def _estimate(estimate: Estimate, digits: int) -> str:
    if estimate.half_width is None:
        return f"{estimate.mean:.{digits}f}"
    return f"{estimate.mean:.{digits}f} ± {estimate.half_width:.{digits}f}"


_V8_OUT_OF_MEMORY: Final = re.compile("Fatal process (OOM|out of memory)")
_NODE: Final = (
    "Node.js reserves more address space than the memory limit of a bot, so it cannot run as an uploaded bot."
    " Play it at home with --command 'node bot.js', and on the site with `esr play-remote`."
)


def explained(stderr: str) -> str:
    """What an error on stderr means that a bot's author cannot know, in a sentence; ``""`` for all others."""
    return _NODE if _V8_OUT_OF_MEMORY.search(stderr) else ""


def incidents(played: Played) -> Iterator[str]:
    """Every strike, forfeit and word on stderr of one game, a line each; control characters are escaped."""
    forfeits = {forfeit.seat: forfeit for forfeit in played.report.forfeits}
    for seat, report in enumerate(played.report.seats):
        where = f"game {played.number}, seat {seat}, {report.label}"
        for strike in report.strikes:
            answer = f", it answered {strike.answer}" if strike.answer else ""
            yield f"{where}: strike at decision {strike.id}: {strike.reason}: {strike.detail}{answer}"
        if forfeit := forfeits.get(seat):
            yield f"{where}: forfeit: {forfeit.reason}: {forfeit.evidence}"
        lines = report.stderr_tail.splitlines()
        if len(lines) > STDERR_LINES:
            yield f"{where}: stderr: ({len(lines) - STDERR_LINES} earlier lines)"
        for line in lines[-STDERR_LINES:]:
            yield f"{where}: stderr: {escaped(line)}"
        if reason := explained(report.stderr_tail):
            yield f"{where}: {reason}"
