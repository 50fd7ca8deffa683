"""Open games: people offer, take, leave and withdraw seats. The game begins when the last seat is taken.

The rows of all people concerned are held first, by id, then the seek's, then the ladder's. Every function raises
``Refused`` with a sentence.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.limits import hold_acting
from esr_platform.accounts.models import User
from ladder.matchmaking.begin import begin, limits_of, table_of
from ladder.matchmaking.limits import (
    hold_people,
    may_begin,
    may_have_code,
    people_of,
    require_may_begin,
    require_offer,
    require_place,
    require_seat,
)
from ladder.matchmaking.presence import tell_lobby
from ladder.models import Ladder, Seek, SeekPlayer

_State = Seek.State

GRACE: Final = timedelta(seconds=30)
"""So long an open offer stays after its maker was last seen in the lobby."""

LINK: Final = timedelta(hours=24)
TWICE: Final = timedelta(seconds=10)
"""The same table against bots once more within this is a second click, and that game."""

_TRIES: Final = 5
_TOKEN_BYTES: Final = 32


def seek(
    by: User,
    ladder: Ladder,
    *,
    rated: bool = False,
    clock: str = "usual",
    kind: str = Seek.Kind.OPEN,
    bots: Sequence[Bot | None] = (),
) -> Seek:
    """Offer the seats of a table of ``ladder`` at which ``by`` sits, with ``bots``; ``None`` is any bot of the house.

    Against bots alone, which fill it, the game begins at once; seats for which none was named are the house's. The same
    offer once more, while the first is open, is that one.
    """
    limits_of(clock, rated=rated)
    kind = _kind(kind)
    if kind == Seek.Kind.BOTS:
        bots = [*bots, *[None] * (ladder.seats - 1 - len(bots))]
    _require_size(ladder, kind, bots)
    with transaction.atomic():
        player = require_place(by, ladder, rated=rated)
        known = _same(by, ladder, rated, clock, kind, bots)
        if known is not None:
            return known
        require_may_begin(by, rated=rated)
        require_offer(by)
        if kind != Seek.Kind.BOTS:
            require_seat(player)
        made = Seek.objects.create(
            ladder=ladder,
            by=by,
            rated=rated,
            clock=clock,
            kind=kind,
            token=secrets.token_urlsafe(_TOKEN_BYTES) if kind == Seek.Kind.LINK else "",
            expires=Now() + (LINK if kind == Seek.Kind.LINK else GRACE),
        )
        table = [player, *table_of(by, ladder, bots, rated=rated)]
        SeekPlayer.objects.bulk_create(SeekPlayer(seek=made, index=i, bot=bot) for i, bot in enumerate(table))
        tell_lobby()
        return _begun(_held(made.pk), {by.pk: by}, by)


def take_seat(offered: Seek | str, by: User) -> Seek:
    """Sit down at an open offer, or at that of a link's token; the last begins the game. Twice is once.

    Who can begin no game by then has left; if it is whoever made the offer, it is not on any more.
    """
    found = _offered(offered, by)
    for _try in range(_TRIES):
        done = _sit_down(found, by)
        if done is not None:
            return done
    raise TooMany(_("Many are sitting down there now. Try again in a moment."), 1)


def leave_seat(left: Seek, by: User) -> Seek:
    """Stand up again before the game begins; who made the offer withdraws it by that. Twice is once."""
    if left.by_id == by.pk:
        return withdraw(left, by)
    with transaction.atomic():
        hold_acting(by.pk)
        locked = _held(left.pk)
        _require_not_begun(locked)
        locked.players.filter(bot__owner=by, bot__kind=Bot.Kind.PERSON).delete()
        tell_lobby()
        return locked


def withdraw(made: Seek, by: User) -> Seek:
    """Take the offer back, for ``by``, who made it. Twice is once."""
    with transaction.atomic():
        hold_acting(by.pk)
        locked = _held(made.pk)
        if locked.by_id != by.pk:
            raise Refused(_("Only whoever offers the seats can withdraw that. Stand up."))
        _require_not_begun(locked)
        return locked if locked.state != _State.OPEN else _end(locked, _State.WITHDRAWN)


def expire() -> int:
    """End the offers to which nobody has come in time, or whose maker has gone; how many. Safe to run twice at once."""
    late = Seek.objects.filter(state=_State.OPEN, expires__lte=Now())
    if not late.exists():
        return 0
    with transaction.atomic():
        free = late.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        ids = list(free.values_list("pk", flat=True))
        ended = Seek.objects.filter(pk__in=ids).update(state=_State.EXPIRED, ended=Now())
        if ended:
            tell_lobby()
        return ended


def stay(people: Collection[int]) -> int:
    """These people are in the lobby: their open offers stay. Of how many; nothing is written before it is time."""
    mine = Seek.objects.filter(by__in=people, state=_State.OPEN, kind=Seek.Kind.OPEN)
    fading = mine.filter(expires__gt=Now(), expires__lt=Now() + GRACE * 0.7)
    if not fading.exists():
        return 0
    with transaction.atomic():  # without waiting: who holds one of them may be waiting for another one
        free = fading.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        return Seek.objects.filter(pk__in=list(free.values_list("pk", flat=True))).update(expires=Now() + GRACE)


# --- sitting down --------------------------------------------------------------------------------------------------


def _sit_down(found: Seek, by: User) -> Seek | None:
    """One try; ``None`` where somebody has sat down since it was read who has to be held, too."""
    concerned = {by.pk, found.by_id, *people_of(_bots(found))}
    with transaction.atomic():
        people = hold_people(concerned)
        if by.pk not in people:
            raise Refused(_("Your account is closed, so nothing was changed."))
        locked = _held(found.pk)
        bots = _bots(locked)
        if not concerned.issuperset(people_of(bots)):
            return None
        if locked.state == _State.STARTED and by.pk in people_of(bots):
            return locked
        _require_open(locked)
        player = require_place(by, locked.ladder, rated=locked.rated)
        if player in bots:
            return locked
        _require_company(locked, bots, by)
        require_may_begin(by, rated=locked.rated)
        require_seat(player)
        index = min(set(range(locked.ladder.seats)) - set(locked.players.values_list("index", flat=True)))
        SeekPlayer.objects.create(seek=locked, index=index, bot=player)
        tell_lobby()
        return _begun(locked, people, by)


def _begun(locked: Seek, people: Mapping[int, User], by: User) -> Seek:
    """Begin the game if the table is full; the rows of ``people``, who are everybody at it, and the seek are held.

    What keeps others than ``by`` from playing keeps nobody waiting: they have left.
    """
    bots = _bots(locked)
    if len(bots) < locked.ladder.seats:
        return locked
    hosted = sum(bot.kind == Bot.Kind.HOSTED for bot in bots)
    others = [one for one in people_of(bots) if one != by.pk]
    gone = [one for one in others if one not in people or not _can_begin(people[one], locked, hosted)]
    if locked.by_id in gone:
        return _end(locked, _State.WITHDRAWN)
    if gone:
        locked.players.filter(bot__owner__in=gone, bot__kind=Bot.Kind.PERSON).delete()
        return locked
    limits = limits_of(locked.clock, rated=locked.rated)
    match = begin(locked.ladder, bots, rated=locked.rated, limits=limits, seek=locked.pk)
    return _end(locked, _State.STARTED, match=match)


def _can_begin(person: User, locked: Seek, hosted: int) -> bool:
    """Whether ``person``, who has sat down there before, can play with so many ``hosted`` bots."""
    try:
        require_place(person, locked.ladder, rated=locked.rated)
    except Refused:
        return False
    return may_begin(person.pk, rated=locked.rated) and may_have_code(person.pk, hosted)


def _bots(offered: Seek) -> list[Bot]:
    """Who sits there, as players, in the order in which they came."""
    players = SeekPlayer.objects.filter(seek=offered).select_related("bot").order_by("index")
    return [player.bot for player in players]


def _offered(offered: Seek | str, by: User) -> Seek:
    """The offer itself, or that of a token. Raises ``Refused``; seats by link are for who has it, not its number."""
    if isinstance(offered, Seek) and (offered.kind != Seek.Kind.LINK or offered.by_id == by.pk):
        return offered
    if isinstance(offered, Seek):
        raise Refused(_("These seats are for whoever has the link to them. Ask for it."))
    found = Seek.objects.filter(token=offered).first() if offered else None
    if found is None:
        raise Refused(_("There is no such invitation. Ask for another link."))
    return found


def _held(pk: int) -> Seek:
    rows = Seek.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder", "by")
    return rows.get(pk=pk)


def _end(locked: Seek, state: Seek.State, **fields: object) -> Seek:
    Seek.objects.filter(pk=locked.pk).update(state=state, ended=Now(), **fields)
    tell_lobby()
    return Seek.objects.select_related("ladder", "by").get(pk=locked.pk)


# --- what is refused -----------------------------------------------------------------------------------------------


def _kind(kind: str) -> Seek.Kind:
    if kind not in Seek.Kind.values:
        raise Refused(_("Offer seats to everybody, by a link, or play against bots."))
    return Seek.Kind(kind)


def _require_size(ladder: Ladder, kind: Seek.Kind, bots: Collection[Bot | None]) -> None:
    free = ladder.seats - 1 - len(bots)
    if free < 0:
        raise Refused(_("%(ladder)s has %(seats)s seats: name fewer bots.") % _words(ladder))
    if kind != Seek.Kind.BOTS and not free:
        raise Refused(_("Nobody else could sit down there. Leave a seat free, or play against bots alone."))


def _words(ladder: Ladder) -> dict[str, object]:
    return {"ladder": ladder, "seats": ladder.seats}


def _require_open(locked: Seek) -> None:
    if locked.state == _State.OPEN and Seek.objects.filter(pk=locked.pk, expires__gt=Now()).exists():
        return
    state = _State.EXPIRED if locked.state == _State.OPEN else _State(locked.state)
    sentences = {
        _State.STARTED: _("The game has begun without you. Look for other seats."),
        _State.WITHDRAWN: _("The seats are not offered any more. Look for other ones."),
        _State.EXPIRED: _("The seats are not offered any more. Look for other ones."),
    }
    raise Refused(sentences[state])


def _require_not_begun(locked: Seek) -> None:
    if locked.state == _State.STARTED:
        raise Refused(_("The game has begun. Resign there, or abort it, if you do not want to play."))


def _require_company(locked: Seek, bots: Iterable[Bot], by: User) -> None:
    """Raises ``Refused`` where ``by`` would meet their own bot for a rating."""
    if locked.rated and by.pk in {bot.owner_id for bot in bots if bot.kind != Bot.Kind.PERSON}:
        raise Refused(_("Your own bot sits there, and nobody plays their own for a rating."))


def _same(
    by: User, ladder: Ladder, rated: bool, clock: str, kind: Seek.Kind, bots: Sequence[Bot | None]
) -> Seek | None:
    """The offer of ``by`` that is this very one: open still, or against bots and begun a moment ago."""
    mine = Seek.objects.select_related("ladder", "by").filter(by=by, ladder=ladder, rated=rated, clock=clock, kind=kind)
    if kind == Seek.Kind.BOTS:
        mine = mine.filter(created__gt=Now() - TWICE, match__status="running")
    else:
        mine = mine.filter(state=_State.OPEN, expires__gt=Now())
    named = {bot.pk for bot in bots if bot is not None}
    for known in mine.order_by("-pk"):
        if named <= {bot.pk for bot in _bots(known) if bot.kind != Bot.Kind.PERSON}:
            return known
    return None
