"""Actions for races on cups. ``tests.services.races`` runs them."""

from __future__ import annotations

from bots.models import Bot
from bots.tournaments.tables import Ruling
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.cups import desk
from ladder.cups.progress import advance
from ladder.cups.registration import enter, withdraw
from ladder.matches.leases import claim
from ladder.models import Cup, CupEntry, CupTable
from tests.services.races import Act, Actions


def advancing(times: int = 1) -> Act:
    """Do what is due, as a scheduler; how many steps were done."""
    return lambda: sum(advance() for _ in range(times))


def entering(cup: int, bot: int) -> Act:
    """Enter a bot by its owner; the code of the refusal, or nothing."""
    row, entered = Cup.objects.get(pk=cup), Bot.objects.select_related("owner").get(pk=bot)

    def act() -> str:
        assert entered.owner is not None
        try:
            enter(entered.owner, row, entered)
        except Refused as refusal:
            return refusal.code
        return ""

    return act


def withdrawing(entry: int) -> Act:
    """Withdraw an entry by its owner."""
    row = CupEntry.objects.select_related("bot__owner", "cup").get(pk=entry)

    def act() -> str:
        assert row.bot.owner is not None
        return withdraw(row.bot.owner, row).state

    return act


def ruling(by: int, table: int, what: str) -> Act:
    """Rule on a table; whether that changed anything."""
    user, row = User.objects.get(pk=by), CupTable.objects.select_related("round__cup").get(pk=table)
    loser = row.entrants[0] if what == Ruling.LOSS else None
    return lambda: desk.rule(user, row, Ruling(what), f"A race: {what}.", loser)


def calling_off(by: int, cup: int) -> Act:
    user, row = User.objects.get(pk=by), Cup.objects.get(pk=cup)
    return lambda: desk.call_off(user, row, "A race.")


def disqualifying(by: int, entry: int) -> Act:
    user, row = User.objects.get(pk=by), CupEntry.objects.select_related("bot", "cup").get(pk=entry)
    return lambda: desk.remove(user, row, "A race.", disqualified=True)


def claiming(matches: list[int]) -> Act:
    """Claim every match; which of them were claimed."""
    return lambda: [match for match in matches if claim(match, "racing")]


ACTIONS: Actions = {
    action.__name__: action
    for action in (advancing, entering, withdrawing, ruling, calling_off, disqualifying, claiming)
}
