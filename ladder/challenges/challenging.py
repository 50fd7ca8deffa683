"""A challenge is made, answered, withdrawn, or ends by itself. Every function raises ``Refused`` with a sentence.

The row of the person who acts is held first, then the challenge's, then the ladder's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from django.db import transaction
from django.db.models.functions import Now

from bots import remote
from bots.models import Bot
from bots.people import hold_acting, owner_of
from bots.refusals import Refused
from ladder.challenges.allowances import ANSWER_WITHIN, require_room, require_unasked
from ladder.challenges.table import begin, require_table
from ladder.models import Challenge, ChallengePlayer, Ladder
from ladder.tables.telling import tell

if TYPE_CHECKING:
    from esr_platform.accounts.models import User

_State = Challenge.State

_ENDED: Final = {
    _State.STARTED: "has begun",
    _State.DECLINED: "was declined",
    _State.EXPIRED: "was not answered in time",
    _State.WITHDRAWN: "was withdrawn",
}


def challenge(by: User, ladder: Ladder, bots: Sequence[Bot]) -> Challenge:
    """Propose a casual game of ``bots`` on ``ladder``, seated as given, for ``by``, who may know of that ladder.

    Other people's remote bots are asked, and have to be here. Without any the game begins at once. The same proposal
    while the first is open is that one.
    """
    require_table(by, ladder, bots)
    asked = [bot for bot in bots if bot.kind == Bot.Kind.REMOTE and bot.owner_id != by.pk]
    here = set(remote.available().filter(pk__in=[bot.pk for bot in asked]).values_list("pk", flat=True))
    with transaction.atomic():
        hold_acting(by.pk)
        known = _open_one(by, ladder, bots)
        if known is not None:
            return known
        require_room(by)
        require_unasked(asked)
        for bot in asked:
            if bot.pk not in here:
                raise Refused(f"{bot.name} is not here now. Challenge it when it is.")
        made = Challenge.objects.create(ladder=ladder, by=by, expires=Now() + ANSWER_WITHIN)
        ChallengePlayer.objects.bulk_create(
            ChallengePlayer(challenge=made, index=index, bot=bot, accepted=None if bot in asked else True)
            for index, bot in enumerate(bots)
        )
        tell(None, "challenged", [bot.pk for bot in asked])
        return _begun(made)


def answer(made: Challenge, bot: Bot, accepted: bool) -> Challenge:
    """Say for ``bot`` whether it plays; the last to accept begins the game, one refusal ends the challenge.

    The same answer given twice is one. Where somebody is busy when the game is to begin, the acceptance is not taken,
    and may come again.
    """
    with transaction.atomic():
        hold_acting(owner_of(bot).pk)
        locked = _held(made)
        asked = ChallengePlayer.objects.filter(challenge=locked, bot=bot).first()
        if asked is None:
            raise Refused(f"{bot.name} was not asked.")
        if asked.accepted == accepted:
            return locked
        if asked.accepted is not None and locked.state == _State.OPEN:
            raise Refused("It has accepted already. Whoever made the challenge can withdraw it.")
        _require_open(locked)
        ChallengePlayer.objects.filter(pk=asked.pk).update(accepted=accepted)
        return _begun(locked) if accepted else _end(locked, _State.DECLINED)


def withdraw(made: Challenge, by: User) -> Challenge:
    """Take the challenge back, for ``by``, who made it. Twice is once."""
    with transaction.atomic():
        hold_acting(by.pk)
        locked = _held(made)
        if locked.by_id != by.pk:
            raise Refused("Only whoever made the challenge can withdraw it. Decline it.")
        if locked.state == _State.WITHDRAWN:
            return locked
        _require_open(locked)
        return _end(locked, _State.WITHDRAWN)


def expire() -> int:
    """End the challenges that were not answered in time; how many. Safe to run twice at once."""
    late = Challenge.objects.filter(state=_State.OPEN, expires__lte=Now())
    with transaction.atomic():
        free = late.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        ids = list(free.values_list("pk", flat=True))
        return Challenge.objects.filter(pk__in=ids).update(state=_State.EXPIRED, ended=Now()) if ids else 0


def _open_one(by: User, ladder: Ladder, bots: Sequence[Bot]) -> Challenge | None:
    """The open challenge of ``by`` for this very table."""
    for known in Challenge.objects.filter(by=by, ladder=ladder, state=_State.OPEN, expires__gt=Now()):
        if list(known.players.order_by("index").values_list("bot", flat=True)) == [bot.pk for bot in bots]:
            return known
    return None


def _held(made: Challenge) -> Challenge:
    rows = Challenge.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder")
    return rows.get(pk=made.pk)


def _require_open(locked: Challenge) -> None:
    if locked.state != _State.OPEN:
        raise Refused(f"The challenge {_ENDED[_State(locked.state)]}.")
    if not Challenge.objects.filter(pk=locked.pk, expires__gt=Now()).exists():
        raise Refused(f"The challenge {_ENDED[_State.EXPIRED]}.")


def _begun(made: Challenge) -> Challenge:
    """Begin the game if everybody has accepted; the caller's transaction holds the challenge."""
    players = list(made.players.select_related("bot").order_by("index"))
    if all(player.accepted for player in players):
        match = begin(made.ladder, [player.bot for player in players])
        return _end(made, _State.STARTED, match=match)
    return _read(made)


def _end(made: Challenge, state: Challenge.State, **fields: object) -> Challenge:
    Challenge.objects.filter(pk=made.pk).update(state=state, ended=Now(), **fields)
    return _read(made)


def _read(made: Challenge) -> Challenge:
    return Challenge.objects.select_related("ladder", "by").get(pk=made.pk)
