"""Create ladders: those of site admins, and the initial ladders and house bots of a site."""

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
from ladder.models.ladders import STANDARD_SUFFIXES
from ladder.seasons import open_first

# --- Ladders of site admins ------------------------------------------------------------------------------------------

RESERVED: Final = ("test-", "live-", "invitations")
"""Reserved beginnings of ladder slugs: they are used for names of deal series and in URLs."""

LONGEST_MS: Final = 3_600_000
"""The maximum total time per seat of a live game."""


@dataclass(frozen=True)
class LadderPlan:
    """A ladder to be created. ``limits`` are those that differ from the defaults, ``house`` the names of house bots.

    A live ladder without limits gets the defaults for live games (more time for people). An open ladder without house
    bots gets all of them, so that opponents are available.
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


def found_ladder(plan: LadderPlan, by: User) -> Ladder:
    """Create the ladder of ``plan`` with its first season and house bots. Raises ``Refused``."""
    _require_table(plan)
    slug = _slug(plan.name)
    if plan.freezes_at is not None and plan.freezes_at <= timezone.now():
        raise Refused("The deadline is in the past. Choose a later time.", code="deadline_passed")
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
        text = f"A ladder with the URL slug {slug} already exists. Choose another name."
        raise Refused(text, code="slug_taken") from error
    if not ladder.by_invitation:
        enter_everybody()
    return ladder


def _require_table(plan: LadderPlan) -> None:
    game = GAMES.get(plan.game)
    if game is None or plan.seats not in game.seat_counts:
        raise Refused("Choose a game and one of its numbers of players.", code="unknown_format")
    if plan.players not in Ladder.Players.values:
        raise Refused("Choose the players: hosted bots, remote bots, human players, or everyone.", code="players")
    try:
        limits = Limits(**_limits(plan))
    except (TypeError, ValueError) as error:
        raise Refused(f"Invalid limits: {error}.", code="invalid_limits") from error
    if plan.players == Ladder.Players.HOSTED:
        _require_short(plan.seats, limits)
    else:
        _require_live(limits)


def _require_short(seats: int, limits: Limits) -> None:
    most_ms = 1000 * settings.CELERY_TASK_SOFT_TIME_LIMIT
    if budget_ms(seats, limits) > most_ms:
        raise Refused(
            f"A match could last {budget_ms(seats, limits) // 1000} s, but workers stop after {most_ms // 1000} s."
            " Reduce the total time per game.",
            code="match_too_long",
        )


def _require_live(limits: Limits) -> None:
    if limits.game_ms > LONGEST_MS:
        text = f"The total time per game of a live game must not exceed {LONGEST_MS // 60_000} min."
        raise Refused(text, code="game_too_long")


def _limits(plan: LadderPlan) -> dict[str, int]:
    return dict(plan.limits or LIMITS[Ladder.Players(plan.players)])


def _slug(name: str) -> str:
    slug = slugify(name)[:60].strip("-")
    if not slug:
        raise Refused("The name must contain letters (a to z) or digits for its URL.", code="no_slug")
    if slug.startswith(RESERVED):
        text = f"The URL of a ladder cannot begin with {', '.join(RESERVED)}. Choose another name."
        raise Refused(text, code="reserved_slug")
    return slug


def _enter_house(ladder: Ladder, names: Collection[str]) -> None:
    if not ladder.for_house:
        return
    names = names or (HOUSE if ladder.live else ())
    playing = [name for name in names if name in HOUSE and HOUSE[name].plays(ladder.game, ladder.seats)]
    Membership.objects.bulk_create(
        Membership(ladder=ladder, bot=bot) for bot in Bot.objects.filter(house_name__in=playing).order_by("pk")
    )


# --- The initial ladders and house bots ------------------------------------------------------------------------------

LIVE_LIMITS: Final = {"move_ms": 5000, "bank_ms": 60_000, "game_ms": 600_000}
"""The default limits of live games that differ from those of hosted games, to allow for network latency."""

_WHO: Final[Mapping[Ladder.Players, str]] = {
    Ladder.Players.HOSTED: "",
    Ladder.Players.REMOTE: ", remote bots",
    Ladder.Players.OPEN: ", open to everyone",
    Ladder.Players.PEOPLE: ", human players",
}
"""The ending of the name of the initial ladders, by kind of player."""

LIMITS: Final[Mapping[Ladder.Players, Mapping[str, int]]] = {
    Ladder.Players.HOSTED: {},
    Ladder.Players.REMOTE: LIVE_LIMITS,
    Ladder.Players.OPEN: LIVE_LIMITS,
    Ladder.Players.PEOPLE: PEOPLE_LIMITS,
}
"""The limits per seat that differ from the defaults, by kind of player."""


def open_house() -> None:
    """Create the ladders of every format and add all house bots.

    A house bot with changed code gets a new version. Queued matches with code that is no longer installed are canceled.
    Users' bots join new ladders. Safe to call at every start, and concurrently.
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
    """For every format a ladder for hosted bots, then live ladders for remote bots, for everyone and for people."""
    for players, words in _WHO.items():
        for game in GAMES.values():
            for seats in game.seat_counts:
                alone = len(game.seat_counts) == 1
                yield Ladder.objects.get_or_create(
                    slug=(game.slug if alone else f"{game.slug}-{seats}") + STANDARD_SUFFIXES[players],
                    defaults={
                        "name": (game.name if alone else f"{game.name}, {seats} players") + words,
                        "players": players,
                        "game": game.slug,
                        "seats": seats,
                        "limits": LIMITS[players],
                    },
                )[0]


def _sits(bot: HouseBot, ladder: Ladder) -> bool:
    """Levels are opponents for people, and would fill the top of every ladder for hosted bots."""
    return ladder.for_house and (ladder.live or not bot.is_level) and bot.plays(ladder.game, ladder.seats)


def _bot(membership: HouseBot) -> Bot:
    words = {"name": membership.title, "description": membership.description}
    return Bot.objects.update_or_create(
        house_name=membership.name, defaults=words, create_defaults={**words, "slug": f"house-{membership.name}"}
    )[0]


def _bring_up_to_date(bot: Bot, digest: str) -> None:
    """Activate the version with ``digest``, and create it if it is new."""
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
    """Deactivate house bots that are no longer in the catalogue. They keep their ratings."""
    gone = Bot.objects.of_code().filter(owner=None).exclude(house_name__in=HOUSE)
    BotVersion.objects.filter(bot__in=gone, active=True).update(active=False)
