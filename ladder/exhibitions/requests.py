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
from bots.tournaments.seatings import seatings
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.models import User
from esr_platform.accounts.roles import has_role
from ladder.exhibitions.choices import MARGINS, SOONEST, allowances, chosen, require_blocks, require_room
from ladder.matches.blocks import end_if_over
from ladder.models import Agreement, Exhibition, ExhibitionPlayer, Ladder, Match
from ladder.ratings.sprt import TestVerdict

# --- Requests --------------------------------------------------------------------------------------------------------
#
# These functions only store requests; ``ladder.exhibitions.progress`` plays them. ``token`` belongs to the form, so
# that a form submitted twice creates one request. Every function raises ``Refused`` with a sentence for the user.

_Part = ExhibitionPlayer.Part
_State = Exhibition.State
Players = Sequence[tuple[ExhibitionPlayer.Part, BotVersion]]


def request_test(by: User, ladder: Ladder, versions: Sequence[int], blocks: int, token: UUID) -> Exhibition:
    """Request ``blocks`` blocks with one version per seat; a challenge if other users' bots take part."""
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
    """Request a test of whether the first of ``pair`` is better than the second by ``margin`` (1/1000).

    Both versions belong to ``by``. They play the same deals against the same ``gauntlet``, which has at least one
    version per other seat. If it has more, blocks use them in turn.
    """
    require_blocks(most_blocks, allowances().comparison_blocks)
    if margin not in MARGINS:
        raise Refused(
            f"Choose a difference of {', '.join(map(str, MARGINS))} (1/1000 of the score), not {margin}.",
            code="unknown_margin",
        )
    candidate, baseline, *others = chosen(by, ladder, [*pair, *gauntlet])
    if {candidate.bot.owner_id, baseline.bot.owner_id} != {by.pk}:
        raise Refused("Both compared versions must belong to your bots.", code="not_your_versions")
    if len(others) < ladder.seats - 1:
        raise Refused(
            f"{ladder} needs at least {ladder.seats - 1} opponents, not {len(others)}. Select more.",
            code="too_few_opponents",
        )
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
    """Request a match at ``due_at`` with ``deals`` deals, each in all seatings or, without ``rotated``, once as seated.

    Requests of staff are scheduled immediately. Other requests wait until all other owners have agreed.
    """
    require_blocks(deals, allowances().deals, "deals")
    require_time(due_at)
    table = _table(by, ladder, versions)
    asked = set() if has_role(by) else {version.bot.owner_id for version in table} - {None, by.pk}
    if not has_role(by) and by.pk not in {version.bot.owner_id for version in table}:
        raise Refused("At least one of the bots must be yours.", code="no_bot_of_yours")
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
        raise Refused(
            f"{ladder} has {ladder.seats} seats, but you chose {len(versions)} versions. Choose one per seat.",
            code="wrong_number_of_seats",
        )
    return chosen(by, ladder, versions)


def require_time(due_at: datetime) -> None:
    """Raise ``Refused`` unless a match can be scheduled at this time."""
    days = allowances().days_ahead
    if due_at < timezone.now() + SOONEST:
        raise Refused("Choose a time at least 1 minute from now.", code="time_too_early")
    if due_at > timezone.now() + timedelta(days=days):
        raise Refused(f"Choose a time within the next {days} days.", code="time_too_late")


def _placed(exhibition: Exhibition, players: Players, asked: Sequence[Any] = ()) -> Exhibition:
    """Store the exhibition with its players, or return the one that the same form has already created."""
    if not exhibition.ladder.open:
        raise Refused(f"{exhibition.ladder} is closed. Choose an open ladder.", code="ladder_closed")
    if exhibition.ladder.paused:
        raise Refused(
            f"{exhibition.ladder} is paused: {exhibition.ladder.pause_reason} Choose another ladder, or "
            "try again when it is resumed.",
            code="ladder_paused",
        )
    if exhibition.ladder.live:
        raise Refused(
            f"{exhibition.ladder} has only live games. Challenge a player there, or choose a ladder for hosted bots.",
            code="live_ladder",
        )
    with transaction.atomic():
        lock_active_user(exhibition.requested_by_id)
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
        raise Refused("This form was already submitted. Reload the page and try again.", code="token_used")
    return known


# --- Scheduled matches -----------------------------------------------------------------------------------------------


def answer(exhibition: Exhibition, person: User, agreed: bool) -> Exhibition:
    """Store the answer of ``person``. The match is scheduled when all agree and canceled if one declines.

    Repeating an answer has no effect. Raises ``Refused``.
    """
    with transaction.atomic():
        now = lock_active_user(person.pk)
        locked = lock_exhibition(exhibition)
        asked = Agreement.objects.filter(exhibition=locked, person=person).first()
        if asked is None:
            raise Refused("You were not invited to this match because none of your bots plays in it.", code="not_asked")
        if asked.agreed == agreed:
            return locked
        if locked.state != Exhibition.State.INVITED:
            raise Refused(
                "You can no longer change your answer because the match is already scheduled or has ended. You can"
                " cancel a scheduled match that you accepted until it starts.",
                code="answer_final",
            )
        Agreement.objects.filter(pk=asked.pk).update(agreed=agreed, answered=Now())
        if not agreed:
            cancelled(locked, DISAGREED.format(now.username), now)
        elif not Agreement.objects.filter(exhibition=locked).exclude(agreed=True).exists():
            Exhibition.objects.filter(pk=locked.pk).update(state=Exhibition.State.PLANNED)
    return Exhibition.objects.get(pk=exhibition.pk)


# --- Ends ------------------------------------------------------------------------------------------------------------

CANCELLED_BY: Final = "Canceled by {}."
DISAGREED: Final = "{} declined."
_DECIDED: Final = "The comparison was decided before this match started."


def cancel(exhibition: Exhibition, by: User) -> None:
    """Cancel an exhibition and its queued matches. Raises ``Refused``.

    The caller checks the permission. After the start, only the requester and staff may cancel it.
    """
    with transaction.atomic():
        now = lock_active_user(by.pk)
        locked = lock_exhibition(exhibition)
        if not locked.open:
            raise Refused("This match request has already ended. Nothing was changed.", code="already_ended")
        if locked.state == _State.RUNNING and locked.requested_by_id != by.pk and not has_role(by):
            raise Refused(
                "The match has started, so only the user who requested it can cancel it. Ask this user to cancel it.",
                code="already_started",
            )
        cancelled(locked, CANCELLED_BY.format(now.username), now)


def lock_exhibition(exhibition: Exhibition) -> Exhibition:
    """Return the exhibition with its row locked until the end of the transaction."""
    return Exhibition.objects.select_for_update(no_key=True, of=("self",)).get(pk=exhibition.pk)


def cancelled(exhibition: Exhibition, reason: str, by: User | None = None) -> None:
    """Cancel the exhibition, for the user ``by`` if there is one. The caller has locked its row."""
    _end(exhibition, _State.CANCELLED, reason, by)
    _drop(exhibition, reason)


def replace_username_in_reasons(person: User, before: str, after: str) -> None:
    """Replace the username of ``person`` in the reasons of the exhibitions that they ended, and of their matches."""
    exhibitions = Exhibition.objects.filter(ended_by=person.pk)
    matches = Match.objects.filter(block__exhibition__in=exhibitions.values("pk"))
    for sentence in (CANCELLED_BY, DISAGREED):
        old, new = sentence.format(before), sentence.format(after)
        for rows in (matches, exhibitions):
            rows.filter(reason__in=[old, _capitalized(old)]).update(reason=_capitalized(new))


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def ended(exhibition: Exhibition, verdict: TestVerdict) -> None:
    """Finish the exhibition with the ``verdict`` of a comparison. The caller has locked its row."""
    if exhibition.kind == Exhibition.Kind.COMPARISON:
        Exhibition.objects.filter(pk=exhibition.pk).update(verdict=verdict.value)
    _end(exhibition, _State.FINISHED, "")
    _drop(exhibition, _DECIDED)


def _end(exhibition: Exhibition, state: Exhibition.State, reason: str, by: User | None = None) -> None:
    Exhibition.objects.filter(pk=exhibition.pk, state__in=Exhibition.OPEN).update(
        state=state, reason=reason, ended_by=by, ended=Now()
    )


def _drop(exhibition: Exhibition, reason: str) -> None:
    """Cancel the matches that have not started, and end the blocks that are then complete."""
    untried = Match.objects.filter(block__exhibition=exhibition, status=Match.Status.QUEUED, attempts_started=0)
    rows = untried.select_for_update(no_key=True, of=("self",)).order_by("pk")
    canceled = dict(rows.values_list("pk", "block"))
    Match.objects.filter(pk__in=canceled, status=Match.Status.QUEUED, attempts_started=0).update(
        status=Match.Status.CANCELLED, reason=reason, ended=Now()
    )
    end_if_over(canceled.values())
