"""The organizer's desk: pause and resume a cup, remove entrants, and rule on tables.

Records never change. Every ruling is appended to the ledger of the cup with its reason and its author.
"""

from __future__ import annotations

from enum import StrEnum

from django.db import transaction
from django.utils.translation import gettext as _

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.cups import proof
from ladder.cups.progress import cancel_queued, leave
from ladder.cups.registration import cancel, organizes
from ladder.models import Cup, CupEntry, CupTable, Match
from ladder.pairings.rounds import Points
from ladder.pairings.seatings import seatings

LONGEST_REASON = 500


class Ruling(StrEnum):
    """What an organizer decides about a table: one entrant loses, the table is void, or its entrants get a bye."""

    LOSS = "loss"
    VOID = "void"
    BYE = "bye"


def pause(by: User, cup: Cup, *, paused: bool) -> None:
    """Pause or resume a cup. Games that are queued are played; no new round begins. Raises ``Refused``."""
    with transaction.atomic():
        cup = _held(by, cup)
        Cup.objects.filter(pk=cup.pk).update(paused=paused)


def call_off(by: User, cup: Cup, reason: str) -> None:
    """Cancel a cup. Its finished games remain visible. Raises ``Refused``."""
    with transaction.atomic():
        cup = _held(by, cup)
        cancel(cup, _reason(reason))
        cancel_queued(Match.objects.filter(block__cup_table__round__cup=cup), "The cup was canceled.")


def remove(by: User, entry: CupEntry, reason: str, *, disqualified: bool = False) -> None:
    """Withdraw or disqualify an entrant. Only results that are not decided yet change. Raises ``Refused``."""
    with transaction.atomic():
        cup = Cup.objects.select_for_update(no_key=True).get(pk=entry.cup_id)
        own = entry.bot.owner_id == by.pk and not disqualified
        if not own and not organizes(by, cup) and not by.is_staff:
            raise Refused(_("Only the organizers of this cup can do that."), code="not_organizer")
        if cup.state not in (Cup.State.READY, Cup.State.RUNNING) or entry.number is None:
            raise Refused(_("This cup is not running. Nothing was changed."), code="not_running")
        state = CupEntry.State.DISQUALIFIED if disqualified else CupEntry.State.WITHDRAWN
        leave(cup, entry, state, _reason(reason), by)


def rule(by: User, table: CupTable, ruling: Ruling, reason: str, entrant: int | None = None) -> None:
    """Rule on a table of a running cup. ``entrant`` is the one who loses. Raises ``Refused``.

    A decided table of an ended round gets a new result in the ledger. The pairings of earlier rounds remain.
    """
    with transaction.atomic():
        cup = _held(by, table.round.cup)
        table = CupTable.objects.select_related("round").get(pk=table.pk)
        if ruling is Ruling.LOSS and entrant not in table.entrants:
            raise Refused(_("Choose the entrant of this table who loses."), code="unknown_entrant")
        points = ruled(
            len(table.entrants), table.points, ruling, None if entrant is None else table.entrants.index(entrant)
        )
        cancel_queued(Match.objects.filter(block__cup_table=table), "The organizer ruled on this table.")
        CupTable.objects.filter(pk=table.pk).update(points=points and list(points), decided=True)
        document = {
            "round": table.round.number,
            "table": table.index,
            "ruling": str(ruling),
            "entrant": entrant,
            "points": points and list(points),
            "reason": _reason(reason),
        }
        proof.append(cup, proof.Kind.RULING, document, by)


def ruled(seats: int, points: Points | None, ruling: Ruling, loser: int | None) -> Points | None:
    """The points after a ruling. A bye gives all entrants of the table half of the points of a block."""
    games = len(seatings(seats))
    if ruling is Ruling.VOID:
        return None
    if ruling is Ruling.BYE or points is None or loser is None:
        half = (seats - 1) * games
        return tuple(0 if place == loser else half for place in range(seats))
    return tuple(0 if place == loser else own for place, own in enumerate(points))


def _held(by: User, cup: Cup) -> Cup:
    held = Cup.objects.select_for_update(no_key=True).get(pk=cup.pk)
    if not organizes(by, held) and not by.is_staff:
        raise Refused(_("Only the organizers of this cup can do that."), code="not_organizer")
    if held.state not in Cup.OPEN:
        raise Refused(_("This cup has ended. Nothing was changed."), code="already_ended")
    return held


def _reason(text: str) -> str:
    if not text.strip() or len(text) > LONGEST_REASON:
        raise Refused(_("Enter a reason of 1 to %(most)s characters.") % {"most": LONGEST_REASON}, code="reason")
    return text.strip()
