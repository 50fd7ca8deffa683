"""Pauses: a bot that fails again and again is paused until its owner resumes it. Its rating stays.

A match is *bad* for a bot that lost it by its own failure, for one of the reasons in ``BAD``. Every other match ends
the row of bad ones. A match that the bot lost after server lag counts as neither.

A bot whose code the site has lost is also paused. Otherwise it would be paired again and again, and each match voided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from bots.runner.report import MatchReport
from esr_platform.commits import after_commit
from games.words import FORFEITS, listing
from ladder.matches.sweep import cancel_matches_of_paused_bots
from ladder.models import Block, SeatResult

MOST_BAD: Final = 3
"""A bot is paused after this many bad matches in a row."""

BAD: Final = {reason: FORFEITS[reason] for reason in ("strikes", "exit", "not_ready", "memory", "time")}
"""The forfeits that are a failure of the program, in words."""

_SEATS_PER_QUERY: Final = 20


def count(report: MatchReport, results: Sequence[SeatResult], bots: dict[int, Bot]) -> None:
    """Count a match for ``bots``, by seat, whose rows are locked, in the transaction of its result.

    Nothing is counted for human players. ``results`` are the stored results of the match, in seat order.
    """
    delayed = {delay.seat for delay in report.machine_delays}
    for seat in sorted(bots, key=lambda seat: bots[seat].pk):
        bot = bots[seat]
        if bot.kind == Bot.Kind.PERSON:
            continue
        if results[seat].forfeit in BAD:
            if seat not in delayed:
                _one_more(bot)
        elif bot.bad_in_a_row:
            Bot.objects.filter(pk=bot.pk).update(bad_in_a_row=0)


def begin_for_lost_code(version: BotVersion) -> bool:
    """Pause the bot of ``version`` if this is its active version. Return whether it was paused by this.

    The archive of ``version`` is permanently lost (``bots.programs.LostCode``). This does not count as a bad match.
    """
    with transaction.atomic():
        bot = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        if bot.paused is not None or not bot.versions.filter(pk=version.pk, active=True).exists():
            return False
        _begin(
            bot,
            f"The stored code of v{version.number} was lost because of an error on the site."
            " Upload the same file or a new version, then resume the bot.",
        )
    return True


def resume(bot: Bot) -> bool:
    """Resume ``bot`` and reset its count of bad matches. Return whether it was paused."""
    paused = Bot.objects.filter(pk=bot.pk, paused__isnull=False)
    return bool(paused.update(paused=None, pause_reason="", bad_in_a_row=0))


def _one_more(bot: Bot) -> None:
    bad = bot.bad_in_a_row + 1
    Bot.objects.filter(pk=bot.pk).update(bad_in_a_row=bad)
    if bad >= MOST_BAD and bot.paused is None:
        _begin(bot, _sentence(bot))


def _begin(bot: Bot, reason: str) -> None:
    """In a transaction that holds the bot."""
    Bot.objects.filter(pk=bot.pk).update(paused=Now(), pause_reason=reason)
    after_commit(cancel_matches_of_paused_bots, bot)


def _sentence(bot: Bot) -> str:
    """Which matches, and why: the last ones that counted, since their rows are written under the bot's lock."""
    forfeits = [f"match {match_id} ({BAD[forfeit]})" for match_id, forfeit in islice(_counted(bot), MOST_BAD)][::-1]
    return f"It forfeited {MOST_BAD} matches in a row: {listing(forfeits)}."


def _counted(bot: Bot) -> Iterator[tuple[int, str]]:
    """The bad matches of ``bot`` and their reasons, newest first, without those that the machine had a part in.

    Only rated matches count. Others can belong to a round of a cup, whose results are not public yet.
    """
    bad = SeatResult.objects.filter(seat__version__bot=bot, forfeit__in=BAD)
    lost = bad.filter(result__match__block__purpose__in=Block.RATED).order_by("-pk")
    rows = lost.values_list("seat__match_id", "seat__index", "forfeit", "result__report__machine_delays")
    for match_id, index, forfeit, delays in rows.iterator(_SEATS_PER_QUERY):
        if index not in {delay["seat"] for delay in delays}:
            yield match_id, forfeit
