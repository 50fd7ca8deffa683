"""The organizer's desk: pause, change or cancel a cup, remove entrants, and rule on tables.

Records never change. Every action is appended to the ledger of the cup with its reason and its author. Each holds the
row of the cup, as every step of ``ladder.cups.progress`` does, so the two never interleave. Moderators can remove the
text of a reason (``ladder.cups.moderation``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.names import clean_lines, is_unreadable
from bots.tournaments.tables import Ruling, ruled
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, lock_active_user
from esr_platform.accounts.models import User
from games.rules import Document
from ladder import access
from ladder.cups import creation, ledger, registration
from ladder.cups.cancellation import cancel, cancel_queued
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, Match

LONGEST_REASON: Final = 500
MOST_ACTIONS: Final = 1000
"""The most entries with an author in the ledger of a cup.

After that, the cup can still be resumed and canceled, entrants can withdraw, and co-organizers can be removed.
"""

MOST_CO_ORGANIZERS: Final = 10
MOST_ADDED_PER_DAY: Final = 20
_ADDED: Final = Limit(
    "additions of co-organizers",
    gettext_lazy("You have added %(most)s co-organizers in the last 24 hours (the maximum). Try again later."),
    per=DAY,
    count=MOST_ADDED_PER_DAY,
    until_free=True,
    code="organizers_per_day",
)
MOST_RESERVED: Final = 90
"""The largest share of the workers, in percent, that site admins can reserve for all open cups together."""


# --- The cup ---------------------------------------------------------------------------------------------------------


def pause(by: User, cup: Cup, *, paused: bool, reason: str = "") -> bool:
    """Pause a cup, which needs a reason, or resume it. Returns whether that changed anything. Raises ``Refused``.

    Games of the current round are still played; no new round begins. Registration still closes on time.
    """
    with transaction.atomic():
        cup = _held(by, cup, always=not paused)
        cleaned = _reason(reason) if paused or reason.strip() else ""
        if cup.paused == paused:
            return False
        Cup.objects.filter(pk=cup.pk).update(paused=paused, reason=cleaned if paused else "")
        ledger.append(cup, ledger.Kind.PAUSED if paused else ledger.Kind.RESUMED, {}, by, cleaned)
        return True


def call_off(by: User, cup: Cup, reason: str) -> None:
    """Cancel a cup. Its finished games remain visible. Raises ``Refused``."""
    with transaction.atomic():
        cup = _held(by, cup, always=True)
        cancel(cup, _reason(reason), by)
        cancel_queued(Match.objects.filter(block__cup_table__round__cup=cup), "The cup was canceled.")


@dataclass(frozen=True)
class CupChange:
    """What can be changed before registration closes."""

    title: str
    about: str
    closes_at: datetime
    starts_at: datetime
    repeat_days: int | None


def change(by: User, cup: Cup, wanted: CupChange) -> list[str]:
    """Change a cup before its registration closes; return the names of the changed fields. Raises ``Refused``.

    Titles are not in the ledger because moderators may remove them.
    """
    with transaction.atomic():
        cup = _held(by, cup)
        if cup.state != Cup.State.REGISTRATION or cup.closes_at <= timezone.now():
            raise Refused(_("Registration has closed. Nothing was changed."), code="registration_closed")
        new: dict[str, Any] = {
            "title": creation.clean_title(wanted.title),
            "about": creation.clean_about(wanted.about),
            "closes_at": wanted.closes_at,
            "starts_at": wanted.starts_at,
            "repeat_days": wanted.repeat_days,
        }
        creation.require_not_removed(by, new["title"], new["about"], cup)
        changed = {name: value for name, value in new.items() if value != getattr(cup, name)}
        if "title" in changed:
            creation.require_free_title(wanted.title, but=(cup.pk, cup.previous_id))
        if changed.keys() & {"closes_at", "starts_at"}:
            creation.require_times(wanted.closes_at, wanted.starts_at)
        creation.require_repeat(wanted.repeat_days)
        if changed:
            Cup.objects.filter(pk=cup.pk).update(**changed)
            times = {
                name: value.astimezone(UTC).isoformat()
                for name, value in changed.items()
                if isinstance(value, datetime)
            }
            _changed(cup, by, sorted(changed), times)
        return sorted(changed)


def reserve(by: User, cup: Cup, percent: int | None) -> None:
    """Reserve a share of the workers for one cup, or end the reservation. For operators. Raises ``Refused``."""
    with transaction.atomic():
        cup = _held(by, cup)
        if not by.operates:
            raise Refused(_("Only operators can reserve workers for a cup."), code="not_staff")
        others = Cup.objects.filter(state__in=Cup.OPEN).exclude(pk=cup.pk).aggregate(total=Sum("reserved_percent"))
        most = MOST_RESERVED - (others["total"] or 0)
        if percent is not None and not 1 <= percent <= most:
            text = _(
                "Reservations of all open cups can be at most %(all)s percent in total. Available: %(most)s percent."
            )
            raise Refused(text % {"most": most, "all": MOST_RESERVED}, code="reserved_percent")
        if percent != cup.reserved_percent:
            Cup.objects.filter(pk=cup.pk).update(reserved_percent=percent)
            _changed(cup, by, ["reserved_percent"], {"reserved_percent": percent})


# --- Co-organizers ---------------------------------------------------------------------------------------------------


def add_organizer(by: User, cup: Cup, username: str) -> User:
    """Make a user a co-organizer. Only the main organizer and site admins can do that. Raises ``Refused``."""
    with transaction.atomic():
        cup = _held(by, cup)
        _require_chooses(by, cup)
        users = get_user_model()._default_manager.filter(is_active=True, username=username.strip())
        user = None if "\0" in username else users.first()
        if user is None or user.pk == cup.organizer_id:
            text = _("No other user with this name was found. Check the spelling, including upper and lower case.")
            raise Refused(text, code="unknown_user")
        if cup.co_organizers.filter(pk=user.pk).exists():
            return user
        if cup.co_organizers.count() >= MOST_CO_ORGANIZERS:
            text = _("This cup has %(most)s co-organizers (the maximum). Remove one to add another.")
            raise Refused(text % {"most": MOST_CO_ORGANIZERS}, code="too_many_organizers")
        _ADDED.require(
            CupLedgerEntry.objects.filter(kind=ledger.Kind.CHANGED, author=by, document__added__isnull=False)
        )
        cup.co_organizers.add(user)
        _changed(cup, by, ["co_organizers"], {"added": user.pk})
        return user


def remove_organizer(by: User, cup: Cup, user_id: int) -> bool:
    """Remove a co-organizer, or leave as one. Returns whether that changed anything. Raises ``Refused``.

    This is also possible after the end of a cup, when nothing is appended to its ledger any longer.
    """
    with transaction.atomic():
        cup = _locked(by, cup)
        if user_id != by.pk:
            _require_chooses(by, cup)
        if not cup.co_organizers.filter(pk=user_id).exists():
            return False
        cup.co_organizers.remove(user_id)
        cup.former_organizers.add(user_id)
        if cup.state in Cup.OPEN:
            _changed(cup, by, ["co_organizers"], {"removed": user_id})
        return True


def _require_chooses(by: User, cup: Cup) -> None:
    if not access.chooses_organizers(by, cup):
        text = _("Only the main organizer of this cup can choose its co-organizers.")
        raise Refused(text, code="not_main_organizer")


def _changed(cup: Cup, by: User, fields: list[str], more: Document) -> None:
    ledger.append(cup, ledger.Kind.CHANGED, {"fields": fields, **more}, by)


# --- Entrants --------------------------------------------------------------------------------------------------------


def remove(by: User, entry: CupEntry, reason: str, *, disqualified: bool = False) -> bool:
    """Withdraw or disqualify an entrant. Returns whether it was still in the cup. Raises ``Refused``.

    Decided tables keep their results; at an undecided table, the entrant ranks last in every game. Before the deadline,
    a disqualified bot is taken off the list and cannot enter this cup again.
    """
    with transaction.atomic():
        cup = _held(by, entry.cup)
        state = CupEntry.State.DISQUALIFIED if disqualified else CupEntry.State.WITHDRAWN
        return registration.leave(cup, entry, state, _reason(reason), by)


# --- Rulings ---------------------------------------------------------------------------------------------------------


def rule(by: User, table: CupTable, ruling: Ruling, reason: str, entrant: int | None = None) -> bool:
    """Rule on a table of a running cup. ``entrant`` is the one who loses. Raises ``Refused``.

    Games of the table that have not begun are canceled. A decided table of an ended round gets a new result in the
    ledger. Earlier pairings remain, so in a knockout and in successive halving, a table whose round was followed by
    another one keeps its result. In a round that has not ended, a ruling ignores the points of the games, which are not
    public yet. Returns ``False`` if the last ruling on the table was the same.
    """
    with transaction.atomic():
        cup = _held(by, table.round.cup)
        table = CupTable.objects.select_related("round").get(pk=table.pk)
        if ruling is Ruling.LOSS and entrant not in table.entrants:
            raise Refused(_("Choose the entrant of this table who loses."), code="unknown_entrant")
        if is_settled(cup, table.round):
            text = _("The next round was already paired from this result. Disqualify the entrant instead.")
            raise Refused(text, code="already_paired")
        loser = table.entrants.index(entrant) if ruling is Ruling.LOSS else None
        earlier = _earlier(cup, table)
        is_public = table.round.ended is not None or table.ruled
        points = ruled(len(table.entrants), table.points if is_public else None, ruling, loser)
        document: Document = {
            "round": table.round.number,
            "table": table.index,
            "ruling": str(ruling),
            "entrant": entrant if ruling is Ruling.LOSS else None,
            "points": points and list(points),
        }
        cleaned = _reason(reason)
        if earlier is not None and earlier.reason == cleaned and document.items() <= earlier.document.items():
            return False  # as after a double click
        games = Match.objects.filter(block__cup_table=table)
        cancel_queued(games, "The organizer ruled on this table.")
        CupTable.objects.filter(pk=table.pk).update(points=document["points"], decided=True, ruled=True)
        ledger.append(cup, ledger.Kind.RULING, document, by, cleaned)
        return True


def is_settled(cup: Cup, round_: CupRound) -> bool:
    """Whether the results of ``round_`` cannot change because they have decided who plays the next round."""
    later = CupRound.objects.filter(cup=cup, number__gt=round_.number)
    return cup.tournament_format.results_decide_pairings and later.exists()


def _earlier(cup: Cup, table: CupTable) -> CupLedgerEntry | None:
    """The last ruling on ``table``."""
    rulings = CupLedgerEntry.objects.filter(cup=cup, kind=ledger.Kind.RULING).order_by("-number")
    return rulings.filter(document__round=table.round.number, document__table=table.index).first()


def _held(by: User, cup: Cup, *, always: bool = False) -> Cup:
    """The row of an open cup, locked, for an action that is ``always`` possible or limited by ``MOST_ACTIONS``."""
    held = _locked(by, cup)
    if held.state not in Cup.OPEN:
        raise Refused(_("This cup has ended. Nothing was changed."), code="already_ended")
    if not always and CupLedgerEntry.objects.filter(cup=held, author__isnull=False).count() >= MOST_ACTIONS:
        text = _("This cup has %(most)s actions in its ledger (the maximum). You can still cancel it.")
        raise Refused(text % {"most": f"{MOST_ACTIONS:,}"}, code="too_many_actions")
    return held


def _locked(by: User, cup: Cup) -> Cup:
    """The row of ``cup``, locked, for a user who may run it. The user's row is locked before it."""
    by = lock_active_user(by.pk)
    held = Cup.lock(cup.pk)
    if not access.may_run(by, held):
        raise Refused(_("Only the organizers of this cup can do that."), code="not_organizer")
    return held


def _reason(text: str) -> str:
    """Normalize a reason to one line. Raises ``Refused`` if it is empty, too long or unreadable."""
    reason = " ".join(clean_lines(text).split())
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise Refused(_("Enter a reason of 1 to %(most)s characters.") % {"most": LONGEST_REASON}, code="reason")
    if is_unreadable(reason):
        raise Refused(_("The reason contains invisible characters. Remove them."), code="reason")
    return reason
