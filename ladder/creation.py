"""Create ladders: those of site admins, and the ladders and house bots with which a site starts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from bots.house.catalogue import HOUSE, HouseBot
from bots.models import Bot, BotVersion
from bots.protocol import Limits
from bots.runner.spec import budget_ms
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.matches.sweep import end_unplayable_matches
from ladder.members.invitations import new_token
from ladder.members.memberships import PEOPLE_LIMITS, enter_everybody
from ladder.models import Ladder, Membership
from ladder.seasons import open_first

# --- Ladders of site admins ------------------------------------------------------------------------------------------

RESERVED: Final = ("test-", "live-", "invitations")
"""How the address of a ladder may not begin: the deals of another one's tests have that name."""

LONGEST_MS: Final = 3_600_000
"""What one seat of a live game may use up at most."""


@dataclass(frozen=True)
class Plan:
    """A ladder to be opened. ``limits`` are what differs from the usual ones, ``house`` the names of house bots.

    A live one without limits has those of the site's own, people more of them, and an open one without house bots has
    all of them: somebody has to be there to play with.
    """

    name: str
    game: str
    seats: int
    limits: Mapping[str, int] = field(default_factory=dict)
    house: Collection[str] = ()
    players: str = Ladder.Players.HOSTED
    weight: int = 1
    by_invitation: bool = False
    private: bool = False
    freezes_at: datetime | None = None


def found_ladder(plan: Plan, by: User) -> Ladder:
    """Open the ladder of ``plan`` with its first season and the house bots on it. Raises ``Refused``."""
    _require_table(plan)
    slug = _slug(plan.name)
    if plan.freezes_at is not None and plan.freezes_at <= timezone.now():
        raise Refused("Choose a deadline that is still to come.")
    try:
        with transaction.atomic():
            ladder = Ladder.objects.create(
                slug=slug,
                name=plan.name,
                game=plan.game,
                seats=plan.seats,
                players=plan.players,
                limits=_limits(plan),
                weight=plan.weight,
                by_invitation=plan.by_invitation or plan.private,
                private=plan.private,
                invitation=new_token() if plan.by_invitation or plan.private else "",
                freezes_at=plan.freezes_at,
                opened_by=by,
            )
            open_first(ladder)
            _enter_house(ladder, plan.house)
    except IntegrityError as error:
        raise Refused(f"There is a ladder at the address {slug} already. Choose another name.") from error
    if not ladder.by_invitation:
        enter_everybody()
    return ladder


def _require_table(plan: Plan) -> None:
    game = GAMES.get(plan.game)
    if game is None or plan.seats not in game.seat_counts:
        raise Refused("There is no such table. Choose a game and one of its numbers of seats.")
    if plan.players not in Ladder.Players.values:
        raise Refused("Choose who plays there: uploaded and house bots, remote bots, people, or all of them.")
    try:
        limits = Limits(**_limits(plan))
    except (TypeError, ValueError) as error:
        raise Refused(f"These limits are none: {error}.") from error
    if plan.players == Ladder.Players.HOSTED:
        _require_short(plan.seats, limits)
    else:
        _require_live(limits)


def _require_short(seats: int, limits: Limits) -> None:
    most_ms = 1000 * settings.CELERY_TASK_SOFT_TIME_LIMIT
    if budget_ms(seats, limits) > most_ms:
        raise Refused(
            f"A match could last {budget_ms(seats, limits) // 1000} s, and workers are cut short after"
            f" {most_ms // 1000} s. Give a seat less time for a game."
        )


def _require_live(limits: Limits) -> None:
    if limits.game_ms > LONGEST_MS:
        raise Refused(f"A seat of a live game has {LONGEST_MS // 60_000} min at most for the whole game.")


def _limits(plan: Plan) -> dict[str, int]:
    return dict(plan.limits or LIMITS[Ladder.Players(plan.players)])


def _slug(name: str) -> str:
    slug = slugify(name)[:60].strip("-")
    if not slug:
        raise Refused("The name needs letters a to z or digits, from which the address is made.")
    if slug.startswith(RESERVED):
        raise Refused(f"An address cannot begin with {' or '.join(RESERVED)}. Choose another name.")
    return slug


def _enter_house(ladder: Ladder, names: Collection[str]) -> None:
    if not ladder.for_house:
        return
    names = names or (HOUSE if ladder.live else ())
    playing = [name for name in names if name in HOUSE and HOUSE[name].plays(ladder.game, ladder.seats)]
    Membership.objects.bulk_create(
        Membership(ladder=ladder, bot=bot) for bot in Bot.objects.filter(house_name__in=playing).order_by("pk")
    )


# --- The ladders of the house ----------------------------------------------------------------------------------------

LIVE_LIMITS: Final = {"move_ms": 5000, "bank_ms": 60_000, "game_ms": 600_000}
"""What a seat of a live game may use up, where that differs from a hosted game's: networks are in between."""

_WHO: Final[Mapping[Ladder.Players, tuple[str, str]]] = {
    Ladder.Players.HOSTED: ("", ""),
    Ladder.Players.REMOTE: ("-remote", ", remote bots"),
    Ladder.Players.OPEN: ("-open", ", open to all"),
    Ladder.Players.PEOPLE: ("-people", ", people"),
}
"""By who plays there: what a ladder's address and its name end with."""

LIMITS: Final[Mapping[Ladder.Players, Mapping[str, int]]] = {
    Ladder.Players.HOSTED: {},
    Ladder.Players.REMOTE: LIVE_LIMITS,
    Ladder.Players.OPEN: LIVE_LIMITS,
    Ladder.Players.PEOPLE: PEOPLE_LIMITS,
}
"""What a seat of a ladder may use up, by who plays there, where that differs from the usual."""


def open_house() -> None:
    """Make the ladders for every game and number of seats, and enter every house bot that plays there.

    A house bot whose code has changed gets a new version. Matches still queued with code that is no longer installed
    are cancelled, since their seats are pinned. People's bots enter the ladders that are new. Safe to call at every
    start, and twice at once.
    """
    ladders = list(_house_ladders())
    for ladder in Ladder.objects.filter(seasons=None).order_by("pk"):
        open_first(ladder)
    for house_bot in HOUSE.values():
        bot = _bot(house_bot)
        _bring_up_to_date(bot, house_bot.digest())
        _enter(bot, [ladder for ladder in ladders if _sits(house_bot, ladder)])
    _retire_the_others()
    enter_everybody()
    end_unplayable_matches()


def _house_ladders() -> Iterator[Ladder]:
    """For every table a ladder of blocks; then one of live games each for remote bots, for everybody and for people."""
    for players, (suffix, words) in _WHO.items():
        for game in GAMES.values():
            for seats in game.seat_counts:
                alone = len(game.seat_counts) == 1
                yield Ladder.objects.get_or_create(
                    slug=(game.slug if alone else f"{game.slug}-{seats}") + suffix,
                    defaults={
                        "name": (game.name if alone else f"{game.name}, {seats} players") + words,
                        "players": players,
                        "game": game.slug,
                        "seats": seats,
                        "limits": LIMITS[players],
                    },
                )[0]


def _sits(bot: HouseBot, ladder: Ladder) -> bool:
    return ladder.for_house and bot.plays(ladder.game, ladder.seats)


def _bot(membership: HouseBot) -> Bot:
    words = {"name": membership.title, "description": membership.description}
    return Bot.objects.update_or_create(
        house_name=membership.name, defaults=words, create_defaults={**words, "slug": f"house-{membership.name}"}
    )[0]


def _bring_up_to_date(bot: Bot, digest: str) -> None:
    """Make the version with ``digest`` the active one, appending it if it is new."""
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
        if bot.versions.filter(digest=digest, active=True).exists():
            return
        last = bot.versions.aggregate(last=Max("number"))["last"] or 0
        version = bot.versions.get_or_create(digest=digest, defaults={"number": last + 1})[0]
        bot.versions.filter(active=True).update(active=False)
        bot.versions.filter(pk=version.pk).update(active=True)


def _enter(bot: Bot, ladders: Iterable[Ladder]) -> None:
    known = set(Membership.objects.filter(bot=bot).values_list("ladder", flat=True))
    missing = [Membership(ladder=ladder, bot=bot) for ladder in ladders if ladder.pk not in known]
    Membership.objects.bulk_create(missing, ignore_conflicts=True)


def _retire_the_others() -> None:
    """House bots that the catalogue no longer has keep their ratings and get no more matches. Guests are no bots."""
    gone = Bot.objects.of_code().filter(owner=None).exclude(house_name__in=HOUSE)
    BotVersion.objects.filter(bot__in=gone, active=True).update(active=False)
