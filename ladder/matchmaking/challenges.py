"""Challenges: a person proposes a game to people and bots, who accept or decline."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bots import remote
from bots.models import Bot
from bots.owners import owner_of
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import hold_acting
from esr_platform.accounts.models import User
from ladder.live.notify import tell
from ladder.matchmaking.begin import begin, versions_of
from ladder.matchmaking.limits import (
    ANSWER_WITHIN,
    hold_people,
    may_begin,
    people_of,
    require_not_too_often,
    require_room,
    require_unasked,
)
from ladder.matchmaking.presence import here_among, tell_asked
from ladder.members.memberships import PEOPLE_LIMITS, require_rated
from ladder.models import Challenge, ChallengePlayer, Ladder, Match, Membership

# --- The table of a challenge ----------------------------------------------------------------------------------------


def require_table(by: User, ladder: Ladder, bots: Sequence[Bot], *, rated: bool = False) -> None:
    """Raises ``Refused`` where ``by`` may not have these players sit down together on ``ladder``."""
    if not Ladder.objects.visible_to(by).filter(pk=ladder.pk).exists():
        raise Refused("There is no such ladder. Choose one of those that you see.")
    if not ladder.live:
        raise Refused(f"{ladder} plays in blocks: order a test there, or challenge somebody on a ladder of live games.")
    if len(bots) != ladder.seats or len({bot.pk for bot in bots}) != ladder.seats:
        raise Refused(f"{ladder} has {ladder.seats} seats: name {ladder.seats} different bots, in the order of seats.")
    if by.pk not in {bot.owner_id for bot in bots}:
        raise Refused("One of the bots has to be yours.")
    if all(bot.kind == Bot.Kind.HOSTED for bot in bots):
        raise Refused("One of the bots has to be a remote one. Order a test for bots that run here.")
    entered = set(Membership.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        if bot.pk not in entered and not _needs_no_entry(by, ladder, bot, rated=rated):
            raise Refused(f"{bot.name} is not on {ladder}. Choose a bot that is.")
    if rated:
        _require_rated(by, bots)
    versions_of(ladder, bots)


def require_free(by: User, bots: Collection[Bot], *, rated: bool) -> None:
    """Raises ``Refused`` where one of the people among ``bots`` plays as much as one may already."""
    for bot in bots:
        if bot.kind == Bot.Kind.PERSON and bot.owner_id is not None and not may_begin(bot.owner_id, rated=rated):
            who = "You play" if bot.owner_id == by.pk else f"{bot.name} plays"
            what = "a rated game already" if rated else "as many games at once as one may"
            raise Refused(f"{who} {what}. Try again when one has ended.")


def begin_game(made: Challenge, bots: Sequence[Bot], people: Mapping[int, User], by: User) -> Match:
    """Begin the game that was agreed on with the word of ``by``, in a transaction that holds ``people`` and it.

    Raises ``Refused``.
    """
    gone = set(people_of(bots)) - set(people)
    if gone:
        name = next(bot.name for bot in bots if bot.owner_id in gone)
        raise Refused(f"{name} cannot play at the moment.")
    if made.rated:
        _require_addresses(by, [people[one] for one in people_of(bots)])
    require_free(by, bots, rated=made.rated)
    limits = Limits(**made.limits) if made.limits else None
    return begin(made.ladder, bots, rated=made.rated, limits=limits)


def _needs_no_entry(by: User, ladder: Ladder, bot: Bot, *, rated: bool) -> bool:
    """People, one's own bots and the house's; but on a ladder by invitation bots stand, or nobody knows of it.

    For a rated game everybody does but people, who get theirs by it.
    """
    if bot.kind == Bot.Kind.PERSON:
        return bot.owner_id is not None
    return not rated and (bot.owner_id is None or (bot.owner_id == by.pk and not ladder.by_invitation))


def _require_rated(by: User, bots: Sequence[Bot]) -> None:
    if by.pk not in people_of(bots):
        raise Refused("A rated challenge is one in which you play yourself. Bots find their rated games themselves.")
    owners = [bot.owner_id for bot in bots if bot.owner_id is not None]
    if len(set(owners)) != len(owners):
        raise Refused("Nobody plays their own bot for a rating. Choose other players, or a casual game.")
    _require_addresses(by, [bot.owner for bot in bots if bot.kind == Bot.Kind.PERSON and bot.owner is not None])


def _require_addresses(by: User, people: Iterable[User]) -> None:
    """Raises ``Refused`` where one of ``people`` may not play for a rating; ``by``, if it is them, with what to do."""
    for person in sorted(people, key=lambda one: one.pk != by.pk):
        try:
            require_rated(person)
        except Refused as refused:
            if person.pk == by.pk:
                raise
            raise Refused(f"{person.username} cannot play rated games yet. Propose a casual one.") from refused


# --- Changes ---------------------------------------------------------------------------------------------------------
#
# The rows of the person who acts and of the people at the table are held first, by id, then the challenge's, then the
# ladder's.

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


# --- Challenges as their players see them ----------------------------------------------------------------------------


def challenges_seen_by(person: User) -> QuerySet[Challenge]:
    """Those that ``person`` has made, or whose table a bot of theirs is to sit at. Nobody else knows of them."""
    theirs = ChallengePlayer.objects.filter(bot__owner=person).values("challenge")
    return Challenge.objects.filter(Q(by=person) | Q(pk__in=theirs)).select_related("ladder", "by")


def waiting_for(bot: int) -> list[dict[str, Any]]:
    """The challenges that wait for the word of a remote bot, as documents, the oldest first."""
    asked = ChallengePlayer.objects.filter(bot=bot, accepted=None).values("challenge")
    still_open = Challenge.objects.filter(pk__in=asked, state=Challenge.State.OPEN, expires__gt=Now())
    return documents(still_open.select_related("ladder", "by").order_by("pk"))


def documents(challenges: Iterable[Challenge]) -> list[dict[str, Any]]:
    """``challenges``, which come with their ladder and who made them, as JSON values; one query."""
    rows = list(challenges)
    players = ChallengePlayer.objects.filter(challenge__in=rows).select_related("bot__owner").order_by("index")
    by_challenge: dict[int, list[ChallengePlayer]] = {one.pk: [] for one in rows}
    for player in players:
        by_challenge[player.challenge_id].append(player)
    return [_document(one, by_challenge[one.pk]) for one in rows]


def _document(challenge: Challenge, players: Sequence[ChallengePlayer]) -> dict[str, Any]:
    ladder = challenge.ladder
    return {
        "id": challenge.pk,
        "ladder": ladder.slug,
        "game": ladder.game,
        "seats": ladder.seats,
        "by": challenge.by.username,
        "state": challenge.state,
        "players": [_player(player) for player in players],
        "rated": challenge.rated,
        "limits": _limits(challenge, players),
        "expires": challenge.expires.isoformat(),
        "match": challenge.match_id,
    }


def _limits(challenge: Challenge, players: Iterable[ChallengePlayer]) -> dict[str, Any]:
    """What a seat may use up: what was agreed on, else what people have, else the ladder's."""
    if challenge.limits:
        return dict(challenge.limits)
    people = any(player.bot.kind == Bot.Kind.PERSON for player in players)
    return asdict(Limits(**(PEOPLE_LIMITS if people else challenge.ladder.limits)))


def _player(player: ChallengePlayer) -> dict[str, Any]:
    return {
        "bot": player.bot.slug,
        "name": player.bot.name,
        "owner": player.bot.owner.username if player.bot.owner else None,
        "accepted": player.accepted,
    }
