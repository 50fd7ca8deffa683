"""Proposals of live games: open games, games against bots, challenges and rematches.

A proposal collects players. Its game begins once every seat has a player who accepts: the players of an open game join
it, those of a challenge are named and asked. A rematch is a challenge of the players of a match that has ended. Guests
make and join casual games by link.

Rows are locked in one order: people by id, the proposal, the ladder, the bots. Every function here raises ``Refused``
with a message for the user. Repeating a change has no further effect.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots import remote
from bots.lookalikes import alike
from bots.models import Bot
from bots.owners import owner_of
from bots.protocol import Limits
from esr_platform.accounts.errors import NameRefused, Refused, TooMany
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.models import User
from ladder.live.notify import tell
from ladder.live.start import Guest
from ladder.matchmaking.game_start import begin, limits_of, require_addresses, require_free, require_table, table_of
from ladder.matchmaking.limits import (
    ANSWER_WITHIN,
    end_searches,
    lock_people,
    may_have_code,
    people_of,
    require_guest_games,
    require_guest_seats,
    require_guests_on,
    require_may_begin,
    require_not_too_often,
    require_offer,
    require_place,
    require_rematch,
    require_room,
    require_seat,
    require_unasked,
    why_busy,
)
from ladder.matchmaking.presence import here_among, tell_asked, tell_lobby
from ladder.models import Block, Ladder, Match, Proposal, ProposalPlayer, Seat

GRACE: Final = timedelta(seconds=30)
"""An open game stays in the lobby this long after its creator was last seen there."""

LINK: Final = timedelta(hours=24)
"""A game by link can be joined this long."""

GUEST_LINK: Final = timedelta(hours=2)
"""The same for games of guests, whose places count while they wait."""

TWICE: Final = timedelta(seconds=10)
"""A second game against the same bots within this time is a second click and returns the first game."""

REMATCH_WITHIN: Final = timedelta(minutes=30)
"""A rematch can be proposed this long after the end of a match."""

_TRIES: Final = 5
_TOKEN_BYTES: Final = 32
_Kind, _State = Proposal.Kind, Proposal.State

# --- Open games ------------------------------------------------------------------------------------------------------


def create_game(
    by: User,
    ladder: Ladder,
    *,
    rated: bool = False,
    clock: str = "usual",
    kind: str = _Kind.OPEN,
    bots: Sequence[Bot | None] = (),
) -> Proposal:
    """Create a game of ``by`` and ``bots`` on ``ladder`` that others can join; ``None`` stands for any house bot.

    A game against bots begins at once, with house bots at the seats for which none was named. If ``by`` has such a game
    already, that game is returned.
    """
    limits = limits_of(clock, rated=rated)
    if kind not in (_Kind.OPEN, _Kind.LINK, _Kind.BOTS):
        raise Refused(_("Choose an open game, a game by link or a game against bots."), code="unknown_kind")
    if kind == _Kind.BOTS:
        bots = [*bots, *[None] * (ladder.seats - 1 - len(bots))]
    _require_size(ladder, kind, bots)
    with transaction.atomic():
        player = require_place(by, ladder, rated=rated)
        known = _same_game(by, ladder, rated, clock, kind, bots)
        if known is not None:
            return known
        require_may_begin(by, rated=rated)
        require_offer(by)
        if kind != _Kind.BOTS:
            require_seat(player)
        made = _create(
            [player, *table_of(by.pk, ladder, bots, rated=rated)],
            by=by,
            ladder=ladder,
            rated=rated,
            clock=clock,
            limits=asdict(limits),
            kind=kind,
            token=secrets.token_urlsafe(_TOKEN_BYTES) if kind == _Kind.LINK else "",
            expires=Now() + (LINK if kind == _Kind.LINK else GRACE),
        )
        return _begin_if_complete(made, {by.pk: by}, by.pk)


def create_guest_game(by: Guest, ladder: Ladder, *, clock: str = "usual", bots: Sequence[Bot] = ()) -> Proposal:
    """Create a casual game by link of a guest and ``bots``. If ``by`` has the same game already, that is returned."""
    limits = limits_of(clock, rated=False)
    _require_size(ladder, _Kind.LINK, bots)
    with transaction.atomic():
        player = require_guests_on(ladder)
        Bot.objects.select_for_update(no_key=True).get(pk=player.pk)
        mine = Proposal.objects.games().waiting().filter(by_guest=by.secret_hash, ladder=ladder, clock=clock)
        known = mine.select_related("ladder").first()
        if known is not None:
            return known
        made = _create(
            [player, *table_of(None, ladder, bots, rated=False)],
            by_guest=by.secret_hash,
            ladder=ladder,
            clock=clock,
            limits=asdict(limits),
            kind=_Kind.LINK,
            token=secrets.token_urlsafe(_TOKEN_BYTES),
            expires=Now() + GUEST_LINK,
        )
        made.players.filter(index=0).update(**_place_of(by))
        require_guest_games(by)
        require_guest_seats([by])
        return made


def join(game: Proposal | str, by: User | Guest) -> Proposal:
    """Join an open game, or the game that a link's token opens. The last player to join begins it.

    Players who can no longer begin a game at that moment leave it. If its creator is one of them, the game is
    withdrawn.
    """
    proposal = _joinable(game, by)
    for _try in range(_TRIES):
        done = _join(proposal, by)
        if done is not None:
            return done
    raise TooMany(_("Other players are joining this game at the same time. Try again."), 1, code="contended")


def leave(game: Proposal, by: User | Guest) -> Proposal:
    """Leave an open game before it begins. A creator who leaves withdraws the game."""
    if isinstance(by, Guest):
        return _leave_as_guest(game, by)
    if game.by_id == by.pk:
        return withdraw(game, by)
    with transaction.atomic():
        lock_active_user(by.pk)
        locked = _locked(game)
        _require_not_begun(locked)
        _remove(locked, [by.pk])
        tell_lobby()
        return locked


def keep_open(people: Collection[int]) -> int:
    """Extend the open games of these people, who are in the lobby, if they expire soon. Returns how many."""
    mine = Proposal.objects.filter(by__in=people, state=_State.OPEN, kind=_Kind.OPEN)
    fading = mine.filter(expires__gt=Now(), expires__lt=Now() + GRACE * 0.7)
    if not fading.exists():
        return 0
    with transaction.atomic():  # skip locked rows, since waiting for them could cause a deadlock
        free = fading.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        return Proposal.objects.filter(pk__in=list(free.values_list("pk", flat=True))).update(expires=Now() + GRACE)


def leave_lobby(person: User) -> None:
    """End the search of ``person``, withdraw their open games, and leave those of others. The caller holds the row."""
    with transaction.atomic():
        end_searches([person.pk])
        tell_lobby()


def _leave_as_guest(game: Proposal, by: Guest) -> Proposal:
    with transaction.atomic():
        locked = _locked(game)
        _require_not_begun(locked)
        own = locked.players.filter(guest=by.secret_hash).first()
        if own is None or locked.state != _State.OPEN:
            return locked
        if locked.by_guest == by.secret_hash:
            return _end(locked, _State.WITHDRAWN)
        own.delete()
        tell_lobby()
        return locked


def _join(proposal: Proposal, by: User | Guest) -> Proposal | None:
    """One try. ``None`` if somebody joined after the people to lock were read."""
    acting = None if isinstance(by, Guest) else by.pk
    concerned = {person for person in (acting, proposal.by_id, *people_of(_bots(proposal))) if person is not None}
    with transaction.atomic():
        people = lock_people(concerned) if acting is None else _held(concerned, acting)
        locked = _locked(proposal)
        bots = _bots(locked)
        if not concerned.issuperset(people_of(bots)):
            return None
        if isinstance(by, Guest):
            return _join_as_guest(locked, people, by)
        if locked.state == _State.STARTED and by.pk in people_of(bots):
            return locked
        _require_open(locked)
        player = require_place(by, locked.ladder, rated=locked.rated)
        if player in bots:
            return locked
        if locked.rated and by.pk in {bot.owner_id for bot in bots if bot.kind != Bot.Kind.PERSON}:
            raise Refused(
                _("One of your bots is playing in this rated game, so you cannot join it. Choose another game."),
                code="own_bot",
            )
        require_may_begin(by, rated=locked.rated)
        require_seat(player)
        ProposalPlayer.objects.create(proposal=locked, index=_free_index(locked), bot=player, accepted=True)
        return _begin_if_complete(locked, people, by.pk)


def _join_as_guest(locked: Proposal, people: Mapping[int, User], by: Guest) -> Proposal:
    """``by`` joins a casual game by link. Joining twice has no further effect."""
    players = list(locked.players.select_related("bot"))
    if any(player.guest == by.secret_hash for player in players):
        return locked
    _require_open(locked)
    if locked.rated:
        raise Refused(_("Sign in to join this game: it is rated."), code="guest_rated")
    bot = require_guests_on(locked.ladder)
    if any(alike(player.guest_name or player.bot.name, by.name) for player in players):
        raise NameRefused(_("Another player of this game has this name. Choose another name."), code="name_in_game")
    place = {"index": _free_index(locked), "bot": bot, "accepted": True, **_place_of(by)}
    ProposalPlayer.objects.create(proposal=locked, **place)
    made = _begin_if_complete(locked, people, None)
    require_guest_games(by)
    if made.state == _State.OPEN:  # a game that begins counts the seats of all
        require_guest_seats([by])
    return made


def _place_of(guest: Guest) -> dict[str, Any]:
    return {"guest": guest.secret_hash, "guest_name": guest.name, "guest_address": guest.address}


def _free_index(locked: Proposal) -> int:
    return min(set(range(locked.ladder.seats)) - set(locked.players.values_list("index", flat=True)))


def _joinable(game: Proposal | str, by: User | Guest) -> Proposal:
    """The game itself, or that of a token. Only its token opens a game by link, its number does not."""
    if isinstance(game, Proposal):
        if isinstance(by, Guest) or (game.kind == _Kind.LINK and game.by_id != by.pk):
            raise Refused(_("You need a link to join this game. Ask its creator for the link."), code="needs_link")
        return game
    proposal = Proposal.objects.filter(token=game).first() if game else None
    if proposal is None:
        raise Refused(_("This link is not valid. Ask for a new one."), code="invalid_link")
    return proposal


def _require_size(ladder: Ladder, kind: str, bots: Collection[Bot | None]) -> None:
    free = ladder.seats - 1 - len(bots)
    if free < 0:
        words = {"ladder": ladder, "seats": ladder.seats}
        raise Refused(_("%(ladder)s has %(seats)s seats. Choose fewer bots.") % words, code="too_many_bots")
    if kind != _Kind.BOTS and not free:
        raise Refused(
            _("No seat is left for another player. Choose fewer bots or play against bots only."), code="no_free_seat"
        )


def _same_game(
    by: User, ladder: Ladder, rated: bool, clock: str, kind: str, bots: Sequence[Bot | None]
) -> Proposal | None:
    """The same game of ``by``: still open, or against bots and begun within ``TWICE``."""
    mine = Proposal.objects.filter(by=by, ladder=ladder, rated=rated, clock=clock, kind=kind)
    if kind == _Kind.BOTS:
        mine = mine.filter(created__gt=Now() - TWICE, match__status="running")
    else:
        mine = mine.waiting()
    named = {bot.pk for bot in bots if bot is not None}
    for known in mine.select_related("ladder", "by").order_by("-pk"):
        if named <= {bot.pk for bot in _bots(known) if bot.kind != Bot.Kind.PERSON}:
            return known
    return None


# --- Challenges ------------------------------------------------------------------------------------------------------


def challenge(
    by: User,
    ladder: Ladder,
    bots: Sequence[Bot],
    *,
    rated: bool = False,
    limits: Limits | None = None,
    again: Match | None = None,
) -> Proposal:
    """Propose a game of ``bots`` on ``ladder``.

    Bots are seated as given; with people among them the seats are drawn. Other people and their remote bots must be
    online and are asked. The game begins at once if there are none. Without ``limits`` those of the ladder, or of
    people, apply. If ``by`` has proposed the same game, or anybody a rematch of ``again``, that challenge is returned.
    """
    require_table(by, ladder, bots, rated=rated)
    asked = [bot for bot in bots if bot.kind != Bot.Kind.HOSTED and bot.owner_id != by.pk]
    here = _here(asked)
    with transaction.atomic():
        people = _held([by.pk, *(people_of(bots) if again else ())], by.pk)
        known = _same_challenge(by, ladder, bots, rated=rated) or (_rematch_of(again) if again else None)
        if known is not None:
            return known
        require_room(by)
        require_unasked(asked)
        require_not_too_often(by, people_of(asked), again)
        require_free(by.pk, bots, rated=rated)
        for bot in asked:
            if bot.pk not in here:
                raise Refused(f"{bot.name} is offline. Send the challenge again later.", code="offline")
        made = _create(
            bots,
            asked,
            by=by,
            ladder=ladder,
            rated=rated,
            kind=_Kind.CHALLENGE,
            limits=asdict(limits) if limits else {},
            again=again,
            expires=Now() + ANSWER_WITHIN,
        )
        tell(None, "challenged", [bot.pk for bot in asked])
        tell_asked()
        return _begin_if_complete(made, people, by.pk)


def answer(made: Proposal, bot: Bot, accepted: bool) -> Proposal:
    """Accept or decline a challenge for ``bot``. The last to accept begins the game; one refusal ends the challenge.

    If a player is busy when the game is to begin, the acceptance is not stored and may be repeated.
    """
    owner = owner_of(bot).pk
    with transaction.atomic():
        challenger = [] if made.by_id is None else [made.by_id]
        people = _held([owner, *challenger, *people_of(_bots(made))], owner)
        locked = _locked(made)
        asked = ProposalPlayer.objects.filter(proposal=locked, bot=bot).first()
        if asked is None:
            raise Refused(
                f"{bot.name} is not a player of this challenge. Answer for a bot that was challenged.",
                code="not_a_player",
            )
        if asked.accepted == accepted:
            return locked
        if asked.accepted is not None and locked.state == _State.OPEN:
            raise Refused(
                f"{bot.name} has already accepted. Only the challenger can withdraw the challenge.",
                code="already_accepted",
            )
        _require_open(locked)
        ProposalPlayer.objects.filter(pk=asked.pk).update(accepted=accepted)
        return _begin_if_complete(locked, people, owner) if accepted else _end(locked, _State.DECLINED)


def _here(asked: Sequence[Bot]) -> set[int]:
    """Those of the remote bots and people that are online, by the ids of their rows."""
    bots = set(remote.available().filter(pk__in=[bot.pk for bot in asked]).values_list("pk", flat=True))
    people = here_among(people_of(asked))
    return bots | {bot.pk for bot in asked if bot.kind == Bot.Kind.PERSON and bot.owner_id in people}


def _same_challenge(by: User, ladder: Ladder, bots: Sequence[Bot], *, rated: bool) -> Proposal | None:
    """The open challenge of ``by`` with the same players; in the same order unless seats are drawn."""
    drawn = bool(people_of(bots))
    wanted = [bot.pk for bot in bots]
    for known in Proposal.objects.challenges().waiting().filter(by=by, ladder=ladder, rated=rated):
        seated = list(known.players.order_by("index").values_list("bot", flat=True))
        if seated == wanted or (drawn and sorted(seated) == sorted(wanted)):
            return known
    return None


# --- Rematches -------------------------------------------------------------------------------------------------------


def rematch(match: Match, by: User | Guest) -> Proposal:
    """Propose a rematch of ``match`` with its time control, or accept the one that another player has proposed.

    People, guests and remote bots are asked; bots that run here play again. The seats are drawn. If the rematch is
    being played, its proposal is returned.
    """
    seats, own = _seats(match, by)
    made = _rematch_of(match)
    if made is None and (isinstance(by, Guest) or any(seat.live_seat.guest for seat in seats)):
        made = _rematch_with_guests(match, seats, own, by)
    elif made is None:
        assert isinstance(by, User)
        players, rated = [seat.version.bot for seat in seats], match.block.purpose == Block.Purpose.LIVE
        made = challenge(by, match.ladder, players, rated=rated, limits=Limits(**match.table.limits), again=match)
    if made.state != _State.OPEN or _is_by(made, by):
        return made
    return _answer_as_guest(made, by, True) if isinstance(by, Guest) else answer(made, own.version.bot, True)


def call_off(match: Match, by: User | Guest) -> None:
    """Withdraw the open rematch proposal of ``by`` for ``match``, or decline that of another player."""
    own = _seats(match, by)[1]
    made = _rematch_of(match)
    if made is None or made.state != _State.OPEN:
        return
    if isinstance(by, Guest):
        _answer_as_guest(made, by, False)
    elif _is_by(made, by):
        withdraw(made, by)
    else:
        answer(made, own.version.bot, False)


def _rematch_with_guests(match: Match, seats: Sequence[Seat], own: Seat, by: User | Guest) -> Proposal:
    """Propose a rematch of a casual game with guests. The row of ``match``, which has ended, guards against two."""
    people, acting = people_of([seat.version.bot for seat in seats]), None if isinstance(by, Guest) else by.pk
    with transaction.atomic():
        held = lock_people(people) if acting is None else _held(people, acting)
        Match.objects.select_for_update(no_key=True).get(pk=match.pk)
        known = _rematch_of(match)
        if known is not None:
            return known
        author: dict[str, Any] = {"by_guest": by.secret_hash} if isinstance(by, Guest) else {"by": by}
        require_rematch(Proposal.objects.filter(again=match, **author))
        players = [(seat.version.bot_id, seat.live_seat.guest) for seat in seats]
        made = Proposal.objects.create(
            **author,
            ladder=match.ladder,
            kind=_Kind.CHALLENGE,
            limits=match.table.limits,
            again=match,
            expires=Now() + ANSWER_WITHIN,
        )
        ProposalPlayer.objects.bulk_create(
            ProposalPlayer(
                proposal=made,
                index=seat.index,
                bot=seat.version.bot,
                copy=players[: seat.index].count(players[seat.index]),
                accepted=True if seat == own or seat.version.bot.kind == Bot.Kind.HOSTED else None,
                guest=seat.live_seat.guest,
                guest_name=seat.guest_name,
                guest_address=seat.live_seat.guest_address,
            )
            for seat in seats
        )
        tell_asked()
        return _begin_if_complete(_locked(made), held, acting)


def _answer_as_guest(made: Proposal, by: Guest, accepted: bool) -> Proposal:
    """As ``answer``, for a guest. Without ``accepted``, a guest withdraws their own proposal."""
    with transaction.atomic():
        people = lock_people(people_of(_bots(made)))
        locked = _locked(made)
        asked = ProposalPlayer.objects.filter(proposal=locked, guest=by.secret_hash).first()
        if asked is None:
            raise Refused(_("You did not play in this game. Start a new one."), code="not_a_player")
        if accepted and asked.accepted:
            return locked
        _require_open(locked)
        if not accepted and _is_by(locked, by):
            return _end(locked, _State.WITHDRAWN)
        ProposalPlayer.objects.filter(pk=asked.pk).update(accepted=accepted)
        return _begin_if_complete(locked, people, None) if accepted else _end(locked, _State.DECLINED)


def _is_by(made: Proposal, by: User | Guest) -> bool:
    """Whether ``by`` has made the proposal."""
    return made.by_guest == by.secret_hash if isinstance(by, Guest) else made.by_id == by.pk


def _rematch_of(played: Match) -> Proposal | None:
    """The proposal of a rematch that is open, or whose game runs."""
    on = Q(state=_State.OPEN, expires__gt=Now()) | Q(state=_State.STARTED, match__status=Match.Status.RUNNING)
    return Proposal.objects.filter(on, again=played).select_related("ladder", "by").order_by("pk").first()


def _seats(match: Match, by: User | Guest) -> tuple[list[Seat], Seat]:
    """The seats of ``match``, and that of ``by``, who must have played."""
    if match.status in Match.PENDING:
        raise Refused(_("The game is still running. Offer a rematch after its end."), code="not_ended")
    recent = Q(ended__gt=Now() - REMATCH_WITHIN, status__in=Match.ENDED, table__isnull=False)
    if not Match.objects.filter(recent, pk=match.pk).exists():
        raise Refused(
            _("The game ended more than 30 minutes ago, so you cannot offer a rematch. Send a challenge instead."),
            code="rematch_too_late",
        )
    seats = list(match.seats.select_related("version__bot__owner", "live_seat").order_by("index"))
    own = next((seat for seat in seats if _is_of(seat, by)), None)
    if own is None:
        raise Refused(
            _("You did not play in this game, so you cannot offer a rematch. Send a challenge instead."),
            code="not_a_player",
        )
    return seats, own


def _is_of(seat: Seat, by: User | Guest) -> bool:
    if isinstance(by, Guest):
        return seat.live_seat.guest == by.secret_hash
    return seat.version.bot.kind == Bot.Kind.PERSON and seat.version.bot.owner_id == by.pk


# --- Every proposal --------------------------------------------------------------------------------------------------


def withdraw(made: Proposal, by: User) -> Proposal:
    """Withdraw a proposal for ``by``, who made it."""
    with transaction.atomic():
        lock_active_user(by.pk)
        locked = _locked(made)
        challenged = locked.kind == _Kind.CHALLENGE
        if locked.by_id != by.pk:
            if challenged:
                raise Refused("Only the challenger can withdraw a challenge. Decline it instead.", code="not_yours")
            raise Refused(_("Only the creator can withdraw this game. Leave it instead."), code="not_yours")
        if locked.state == _State.WITHDRAWN:
            return locked
        if challenged:
            _require_open(locked)
        _require_not_begun(locked)
        return _end(locked, _State.WITHDRAWN) if locked.state == _State.OPEN else locked


def expire() -> int:
    """End the proposals whose time is over. Returns how many. Safe to run concurrently."""
    late = Proposal.objects.filter(state=_State.OPEN, expires__lte=Now())
    if not late.exists():
        return 0
    with transaction.atomic():
        ended = list(late.select_for_update(skip_locked=True, no_key=True).order_by("pk"))
        Proposal.objects.filter(pk__in=[proposal.pk for proposal in ended]).update(state=_State.EXPIRED, ended=Now())
        for proposal in ended:
            if proposal.again_id is not None:
                tell(proposal.again_id, "moved")
        if any(proposal.kind != _Kind.CHALLENGE for proposal in ended):
            tell_lobby()
        return len(ended)


def _create(players: Sequence[Bot], asked: Collection[Bot] = (), **fields: Any) -> Proposal:
    """A new proposal. All players accept it except those who are ``asked``."""
    made = Proposal.objects.create(**fields)
    ProposalPlayer.objects.bulk_create(
        ProposalPlayer(
            proposal=made,
            index=index,
            bot=bot,
            copy=players[:index].count(bot),
            accepted=None if bot in asked else True,
        )
        for index, bot in enumerate(players)
    )
    return _locked(made)


def _begin_if_complete(locked: Proposal, people: Mapping[int, User], by: int | None) -> Proposal:
    """Begin the game if ``by``, a user id or ``None`` for a guest, was the last player to accept.

    The caller holds ``people`` and the proposal.

    A challenge is refused if one of the players cannot begin. From an open game such players are removed instead, so
    that they keep nobody else waiting.
    """
    players = list(locked.players.select_related("bot").order_by("index"))
    bots = [player.bot for player in players]
    if len(bots) < locked.ladder.seats or not all(player.accepted for player in players):
        _tell(locked)
        return locked
    if locked.kind == _Kind.CHALLENGE:
        _require_able(locked, bots, people, by)
    else:
        gone = _unable(locked, bots, people, by)
        if locked.by_id in gone:
            return _end(locked, _State.WITHDRAWN)
        if gone:
            _remove(locked, gone)
            _tell(locked)
            return locked
    limits = Limits(**locked.limits) if locked.limits else None
    guests = [Guest(player.guest, player.guest_address, player.guest_name) for player in players if player.guest]
    match = begin(locked.ladder, bots, rated=locked.rated, limits=limits, proposal=locked.pk, guests=guests)
    started = _end(locked, _State.STARTED, match=match)
    if guests:
        require_guest_seats(guests)
    return started


def _require_able(locked: Proposal, bots: Sequence[Bot], people: Mapping[int, User], by: int | None) -> None:
    for bot in bots:
        if bot.kind == Bot.Kind.PERSON and bot.owner_id is not None and bot.owner_id not in people:
            raise Refused(
                f"{bot.name} cannot play at the moment. Choose another opponent.", code="opponent_unavailable"
            )
    if locked.rated and by is not None:
        require_addresses(people[by], [people[person] for person in people_of(bots)])
    require_free(by, bots, rated=locked.rated)


def _unable(locked: Proposal, bots: Sequence[Bot], people: Mapping[int, User], by: int | None) -> list[int]:
    """The people other than ``by`` who joined earlier and can no longer begin this game."""
    hosted = sum(bot.kind == Bot.Kind.HOSTED for bot in bots)

    def able(person: User) -> bool:
        try:
            require_place(person, locked.ladder, rated=locked.rated)
        except Refused:
            return False
        return not why_busy(person.pk, rated=locked.rated) and may_have_code(person.pk, hosted)

    return [person for person in people_of(bots) if person != by and (person not in people or not able(people[person]))]


def _remove(locked: Proposal, people: Collection[int]) -> None:
    locked.players.filter(bot__owner__in=people, bot__kind=Bot.Kind.PERSON).delete()


def _end(locked: Proposal, state: Proposal.State, **fields: object) -> Proposal:
    Proposal.objects.filter(pk=locked.pk).update(state=state, ended=Now(), **fields)
    if locked.kind == _Kind.CHALLENGE:
        tell_asked()
    _tell(locked)
    return Proposal.objects.select_related("ladder", "by").get(pk=locked.pk)


def _tell(changed: Proposal) -> None:
    """Tell the lobby of a game, and the table of the match before of a rematch."""
    if changed.kind != _Kind.CHALLENGE:
        tell_lobby()
    if changed.again_id is not None:
        tell(changed.again_id, "moved")


def _bots(made: Proposal) -> list[Bot]:
    """The players of a proposal, in their order."""
    return [player.bot for player in made.players.select_related("bot").order_by("index")]


def _held(ids: Iterable[int], acting: int) -> dict[int, User]:
    """Lock the rows of these people. Raises ``Refused`` if that of ``acting`` is suspended or deleted."""
    people = lock_people(ids)
    if acting not in people:
        raise Refused(_("Your account is suspended or deleted. Nothing was changed."), code="account_closed")
    return people


def _locked(made: Proposal) -> Proposal:
    rows = Proposal.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder", "by")
    return rows.get(pk=made.pk)


_ENDED: Final = {
    _State.STARTED: "was already accepted",
    _State.DECLINED: "was declined",
    _State.EXPIRED: "was not answered in time",
    _State.WITHDRAWN: "was withdrawn",
}


def _require_open(locked: Proposal) -> None:
    """Raises ``Refused`` if the proposal has ended or its time is over."""
    if Proposal.objects.waiting().filter(pk=locked.pk).exists():
        return
    state = _State.EXPIRED if locked.state == _State.OPEN else _State(locked.state)
    if locked.kind == _Kind.CHALLENGE:
        raise Refused(f"The challenge {_ENDED[state]}.", code=state)
    if state == _State.STARTED:
        raise Refused(_("This game has started without you. Choose another one."), code=state)
    raise Refused(_("This game is no longer open. Choose another one."), code=state)


def _require_not_begun(locked: Proposal) -> None:
    if locked.state == _State.STARTED:
        raise Refused(
            _("The game has already started. Resign or abort it if you do not want to play."), code="already_started"
        )
