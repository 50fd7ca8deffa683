"""A challenge is made, answered, withdrawn, or ends by itself. Every function raises ``Refused`` with a sentence.

The rows of the person who acts and of the people at the table are held first, by id, then the challenge's, then the
ladder's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from bots import remote
from bots.models import Bot
from bots.owners import owner_of
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User
from ladder.challenges.allowances import ANSWER_WITHIN, require_not_too_often, require_room, require_unasked
from ladder.challenges.table import begin_game, require_free, require_table
from ladder.models import Challenge, ChallengePlayer, Ladder, Match
from ladder.seating.people import hold_people, people_of
from ladder.seating.presence import here_among
from ladder.seating.telling import tell_asked
from ladder.tables.telling import tell

_State = Challenge.State

_ENDED: Final = {
    _State.STARTED: "has begun",
    _State.DECLINED: "was declined",
    _State.EXPIRED: "was not answered in time",
    _State.WITHDRAWN: "was withdrawn",
}


def challenge(
    by: User,
    ladder: Ladder,
    bots: Sequence[Bot],
    *,
    rated: bool = False,
    limits: Limits | None = None,
    again: Match | None = None,
) -> Challenge:
    """Propose a game of ``bots`` on ``ladder`` for ``by``, who may know of that ladder; casual unless it is ``rated``.

    Bots are seated as given, with people the seats are drawn. Other people and their remote bots are asked, and have to
    be here. Without any the game begins at once. The same proposal while the first is open is that one. Without
    ``limits`` it is played by the usual ones; ``again`` is the game of the same players that is played once more: a
    proposal of that, whoever has made it, is that one, too.
    """
    require_table(by, ladder, bots, rated=rated)
    asked = [bot for bot in bots if bot.kind != Bot.Kind.HOSTED and bot.owner_id != by.pk]
    here = _here(asked)
    with transaction.atomic():
        people = hold_people([by.pk, *(people_of(bots) if again else ())])
        if by.pk not in people:
            raise Refused("Your account is closed, so nothing was changed.")
        known = _open_one(by, ladder, bots, rated=rated) or (once_more(again) if again else None)
        if known is not None:
            return known
        require_room(by)
        require_unasked(asked)
        require_not_too_often(by, people_of(asked), again)
        require_free(by, bots, rated=rated)
        for bot in asked:
            if bot.pk not in here:
                raise Refused(f"{bot.name} is not here now. Challenge it when it is.")
        made = Challenge.objects.create(
            ladder=ladder,
            by=by,
            rated=rated,
            limits=asdict(limits) if limits else {},
            again=again,
            expires=Now() + ANSWER_WITHIN,
        )
        ChallengePlayer.objects.bulk_create(
            ChallengePlayer(challenge=made, index=index, bot=bot, accepted=None if bot in asked else True)
            for index, bot in enumerate(bots)
        )
        tell(None, "challenged", [bot.pk for bot in asked])
        _tell(made, people_of(asked))
        return _begun(made, people, people[by.pk])


def once_more(played: Match) -> Challenge | None:
    """The proposal to play a game once more that is open, or by which it is being played."""
    on = Q(state=_State.OPEN, expires__gt=Now()) | Q(state=_State.STARTED, match__status=Match.Status.RUNNING)
    return Challenge.objects.filter(on, again=played).select_related("ladder", "by").order_by("pk").first()


def answer(made: Challenge, bot: Bot, accepted: bool) -> Challenge:
    """Say for ``bot`` whether it plays; the last to accept begins the game, one refusal ends the challenge.

    The same answer given twice is one. Where somebody is busy when the game is to begin, the acceptance is not taken,
    and may come again.
    """
    with transaction.atomic():
        people = hold_people([owner_of(bot).pk, made.by_id, *people_of(_bots(made))])
        if bot.owner_id not in people:
            raise Refused("Your account is closed, so nothing was changed.")
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
        return _begun(locked, people, people[owner_of(bot).pk]) if accepted else _end(locked, _State.DECLINED)


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
    if not late.exists():
        return 0
    with transaction.atomic():
        free = late.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        ids = list(free.values_list("pk", flat=True))
        for match_id in Challenge.objects.filter(pk__in=ids, again__isnull=False).values_list("again", flat=True):
            tell(match_id, "moved")
        return Challenge.objects.filter(pk__in=ids).update(state=_State.EXPIRED, ended=Now()) if ids else 0


def _here(asked: Sequence[Bot]) -> set[int]:
    """Those of them who are here, remote bots and people, by the ids of their rows."""
    bots = set(remote.available().filter(pk__in=[bot.pk for bot in asked]).values_list("pk", flat=True))
    people = here_among(people_of(asked))
    return bots | {bot.pk for bot in asked if bot.kind == Bot.Kind.PERSON and bot.owner_id in people}


def _open_one(by: User, ladder: Ladder, bots: Sequence[Bot], *, rated: bool) -> Challenge | None:
    """The open challenge of ``by`` for this very table; where people sit, in whatever order."""
    drawn = bool(people_of(bots))
    wanted = [bot.pk for bot in bots]
    for known in Challenge.objects.filter(by=by, ladder=ladder, rated=rated, state=_State.OPEN, expires__gt=Now()):
        seated = list(known.players.order_by("index").values_list("bot", flat=True))
        if seated == wanted or (drawn and sorted(seated) == sorted(wanted)):
            return known
    return None


def _bots(made: Challenge) -> list[Bot]:
    """By seat, who is to play: nobody comes or goes."""
    return [player.bot for player in made.players.select_related("bot").order_by("index")]


def _held(made: Challenge) -> Challenge:
    rows = Challenge.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder")
    return rows.get(pk=made.pk)


def _require_open(locked: Challenge) -> None:
    if locked.state != _State.OPEN:
        raise Refused(f"The challenge {_ENDED[_State(locked.state)]}.")
    if not Challenge.objects.filter(pk=locked.pk, expires__gt=Now()).exists():
        raise Refused(f"The challenge {_ENDED[_State.EXPIRED]}.")


def _begun(made: Challenge, people: Mapping[int, User], by: User) -> Challenge:
    """Begin the game if ``by`` was the last to accept; the caller's transaction holds ``people`` and the challenge."""
    if made.players.exclude(accepted=True).exists():
        _tell(made, [])
        return _read(made)
    return _end(made, _State.STARTED, match=begin_game(made, _bots(made), people, by))


def _end(made: Challenge, state: Challenge.State, **fields: object) -> Challenge:
    Challenge.objects.filter(pk=made.pk).update(state=state, ended=Now(), **fields)
    _tell(made, [made.by_id, *people_of(_bots(made))])
    return _read(made)


def _tell(made: Challenge, people: Iterable[int]) -> None:
    """Tell these people of a change, and of a rematch those who are still at the table of the game before."""
    if asked := list(people):
        tell_asked(asked)
    if made.again_id is not None:
        tell(made.again_id, "moved")


def _read(made: Challenge) -> Challenge:
    return Challenge.objects.select_related("ladder", "by").get(pk=made.pk)
