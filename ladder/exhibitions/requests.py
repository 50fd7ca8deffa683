"""Request exhibition matches, accept scheduled matches, cancel and end requests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from bots.models import BotVersion
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import hold_acting
from esr_platform.accounts.models import User
from ladder.exhibitions.choices import MARGINS, SOONEST, allowances, chosen, require_blocks, require_room
from ladder.matches.blocks import end_if_over
from ladder.models import Agreement, Exhibition, ExhibitionPlayer, Ladder, Match
from ladder.pairings.seatings import seatings
from ladder.ratings.sprt import Verdict

# --- Requests --------------------------------------------------------------------------------------------------------
#
# Nothing is played here: ``ladder.exhibitions.progress`` does that from the row. ``token`` is the form's, so that a
# form sent twice is one order. Every function raises ``Refused`` with a sentence for the person.

_Part = ExhibitionPlayer.Part
_State = Exhibition.State
Players = Sequence[tuple[ExhibitionPlayer.Part, BotVersion]]


def request_test(by: User, ladder: Ladder, versions: Sequence[int], blocks: int, token: UUID) -> Exhibition:
    """So many blocks at one table, in seat order; a challenge where other people's bots sit there."""
    require_blocks(blocks, allowances().blocks)
    table = _table(by, ladder, versions)
    strangers = any(version.bot.owner_id not in (None, by.pk) for version in table)
    return _placed(
        Exhibition(
            kind=Exhibition.Kind.CHALLENGE if strangers else Exhibition.Kind.TEST,
            ladder=ladder,
            requested_by=by,
            token=token,
            blocks_wanted=blocks,
            games_wanted=blocks * len(seatings(ladder.seats)),
            state=_State.RUNNING,
        ),
        [(_Part.SEAT, version) for version in table],
    )


def request_comparison(
    by: User,
    ladder: Ladder,
    pair: tuple[int, int],
    gauntlet: Sequence[int],
    most_blocks: int,
    margin: int,
    token: UUID,
) -> Exhibition:
    """Ask whether the first of ``pair`` is better than the second, both one's own, by ``margin`` (1/1000).

    Both play the same deals against the same ``gauntlet``, of at least as many versions as there are other seats; of
    more, blocks take the next ones in turn.
    """
    require_blocks(most_blocks, allowances().comparison_blocks)
    if margin not in MARGINS:
        raise Refused("Choose one of the differences that are offered.")
    candidate, baseline, *others = chosen(by, ladder, [*pair, *gauntlet])
    if {candidate.bot.owner_id, baseline.bot.owner_id} != {by.pk}:
        raise Refused("Compare two versions of your own.")
    if len(others) < ladder.seats - 1:
        raise Refused(f"At {ladder} they need {ladder.seats - 1} opponents at least. Tick more of them.")
    return _placed(
        Exhibition(
            kind=Exhibition.Kind.COMPARISON,
            ladder=ladder,
            requested_by=by,
            token=token,
            blocks_wanted=most_blocks,
            games_wanted=2 * most_blocks * len(seatings(ladder.seats)),
            margin=margin,
            state=_State.RUNNING,
        ),
        [(_Part.CANDIDATE, candidate), (_Part.BASELINE, baseline), *((_Part.GAUNTLET, other) for other in others)],
    )


def request_scheduled(
    by: User,
    ladder: Ladder,
    versions: Sequence[int],
    deals: int,
    due_at: datetime,
    token: UUID,
    rotated: bool = True,
) -> Exhibition:
    """A match at ``due_at``: ``deals`` deals, each in all seatings or, without ``rotated``, once and seated as given.

    Staff's are fixed at once. Anybody else's wait until every other owner of a bot at the table has agreed.
    """
    require_blocks(deals, allowances().deals)
    _require_time(due_at)
    table = _table(by, ladder, versions)
    asked = set() if by.is_staff else {one.bot.owner_id for one in table} - {None, by.pk}
    if not by.is_staff and by.pk not in {one.bot.owner_id for one in table}:
        raise Refused("One of the bots has to be yours.")
    return _placed(
        Exhibition(
            kind=Exhibition.Kind.SCHEDULED,
            ladder=ladder,
            requested_by=by,
            token=token,
            blocks_wanted=deals,
            games_wanted=deals * (len(seatings(ladder.seats)) if rotated else 1),
            rotated=rotated,
            due_at=due_at,
            state=_State.INVITED if asked else _State.PLANNED,
        ),
        [(_Part.SEAT, version) for version in table],
        sorted(person for person in asked if person is not None),
    )


def _table(by: User, ladder: Ladder, versions: Sequence[int]) -> list[BotVersion]:
    if len(versions) != ladder.seats:
        raise Refused(f"{ladder} has {ladder.seats} seats: choose a bot for each.")
    return chosen(by, ladder, versions)


def _require_time(due_at: datetime) -> None:
    days = allowances().days_ahead
    if due_at < timezone.now() + SOONEST:
        raise Refused("Choose a time that is at least a minute from now.")
    if due_at > timezone.now() + timedelta(days=days):
        raise Refused(f"Choose a time within the next {days} days.")


def _placed(exhibition: Exhibition, players: Players, asked: Sequence[Any] = ()) -> Exhibition:
    """Write the exhibition with its players, or give the one that the same form has made before."""
    if not exhibition.ladder.open:
        raise Refused(f"The ladder {exhibition.ladder} is closed.")
    if exhibition.ladder.live:
        raise Refused(
            f"Games on {exhibition.ladder} are live ones: challenge somebody there, or choose another ladder."
        )
    with transaction.atomic():
        hold_acting(exhibition.requested_by_id)
        known = Exhibition.objects.filter(token=exhibition.token).first()
        if known is not None:
            return _same(known, exhibition)
        require_room(exhibition.requested_by, exhibition.games_wanted)
        exhibition.save(force_insert=True)
        seen: dict[ExhibitionPlayer.Part, int] = {}
        for part, version in players:
            ExhibitionPlayer.objects.create(exhibition=exhibition, part=part, index=seen.get(part, 0), version=version)
            seen[part] = seen.get(part, 0) + 1
        Agreement.objects.bulk_create(Agreement(exhibition=exhibition, person_id=person) for person in asked)
    return exhibition


def _same(known: Exhibition, exhibition: Exhibition) -> Exhibition:
    if known.requested_by_id != exhibition.requested_by_id:
        raise Refused("This form was used before. Open it again.")
    return known


# --- Scheduled matches -----------------------------------------------------------------------------------------------


def answer(exhibition: Exhibition, person: User, agreed: bool) -> Exhibition:
    """Say for ``person`` whether their bot will be there; the last to agree fixes the match, one refusal ends it.

    The same answer given twice is one. Raises ``Refused``.
    """
    with transaction.atomic():
        now = hold_acting(person.pk)
        locked = held(exhibition)
        asked = Agreement.objects.filter(exhibition=locked, person=person).first()
        if asked is None:
            raise Refused("You were not asked: no bot of yours is at that table.")
        if asked.agreed == agreed:
            return locked
        if locked.state != Exhibition.State.INVITED:
            raise Refused("It is fixed already, or has ended. Who agreed may cancel it until it begins.")
        Agreement.objects.filter(pk=asked.pk).update(agreed=agreed, answered=Now())
        if not agreed:
            cancelled(locked, DISAGREED.format(now.username))
        elif not Agreement.objects.filter(exhibition=locked).exclude(agreed=True).exists():
            Exhibition.objects.filter(pk=locked.pk).update(state=Exhibition.State.PLANNED)
    return Exhibition.objects.get(pk=exhibition.pk)


# --- Ends ------------------------------------------------------------------------------------------------------------

CANCELLED_BY: Final = "Cancelled by {}."
DISAGREED: Final = "{} did not agree."
_DECIDED: Final = "The comparison was decided without it."


def cancel(exhibition: Exhibition, by: User) -> None:
    """End an exhibition: what nobody has begun is not played. Raises ``Refused``.

    Who may ask for that is the page's to say; but once it has begun, only who ordered it, and staff.
    """
    with transaction.atomic():
        now = hold_acting(by.pk)
        locked = held(exhibition)
        if not locked.open:
            raise Refused("It has ended already.")
        if locked.state == _State.RUNNING and locked.requested_by_id != by.pk and not by.is_staff:
            raise Refused("It has begun. Now only who ordered it can cancel it.")
        cancelled(locked, CANCELLED_BY.format(now.username))


def held(exhibition: Exhibition) -> Exhibition:
    """The exhibition, its row held until the end of the transaction."""
    return Exhibition.objects.select_for_update(no_key=True, of=("self",)).get(pk=exhibition.pk)


def cancelled(exhibition: Exhibition, reason: str) -> None:
    """Cancel the exhibition, whose row the caller's transaction holds."""
    _end(exhibition, _State.CANCELLED, reason)
    _drop(exhibition, reason)


def call_otherwise(name: str, called: str) -> None:
    """Write ``called`` for the user name ``name`` where it is said why exhibitions and their games were cancelled."""
    for sentence in (CANCELLED_BY, DISAGREED):
        before, after = sentence.format(name), sentence.format(called)
        exhibitions = list(Exhibition.objects.filter(reason=before).values_list("pk", flat=True))
        Exhibition.objects.filter(pk__in=exhibitions).update(reason=after[:1].upper() + after[1:])
        Match.objects.filter(block__exhibition__in=exhibitions, reason=before).update(
            reason=after[:1].upper() + after[1:]
        )


def ended(exhibition: Exhibition, verdict: Verdict) -> None:
    """Finish the exhibition, whose row the caller's transaction holds; ``verdict`` is that of a comparison."""
    if exhibition.kind == Exhibition.Kind.COMPARISON:
        Exhibition.objects.filter(pk=exhibition.pk).update(verdict=verdict.value)
    _end(exhibition, _State.FINISHED, "")
    _drop(exhibition, _DECIDED)


def _end(exhibition: Exhibition, state: Exhibition.State, reason: str) -> None:
    Exhibition.objects.filter(pk=exhibition.pk, state__in=Exhibition.OPEN).update(
        state=state, reason=reason, ended=Now()
    )


def _drop(exhibition: Exhibition, reason: str) -> None:
    """Cancel the games that nobody has begun, and end the blocks that are over by that."""
    untried = Match.objects.filter(block__exhibition=exhibition, status=Match.Status.QUEUED, attempts_started=0)
    rows = untried.select_for_update(no_key=True, of=("self",)).order_by("pk")
    found = dict(rows.values_list("pk", "block"))
    Match.objects.filter(pk__in=found, status=Match.Status.QUEUED, attempts_started=0).update(
        status=Match.Status.CANCELLED, reason=reason, ended=Now()
    )
    end_if_over(found.values())
