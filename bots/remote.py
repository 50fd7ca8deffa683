"""Bots whose programs run elsewhere: what they declare, and whether they are here.

Entries on ladders follow from what is declared here: ``ladder.members.memberships`` does both, and is what others call.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256
from typing import Final

from django.db import transaction
from django.db.models import Case, DateTimeField, F, Max, QuerySet, When
from django.db.models.functions import Now

from bots.limits import require_new_bot
from bots.lookalikes import has_invisible
from bots.manifest import every_table
from bots.models import Bot, BotVersion, RemoteBot
from bots.names import clean_name, free_slug, name_for
from bots.owners import owner_of_code
from bots.uploads.upload import Games, chosen_claims
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import HOUR, Limit, hold_acting
from esr_platform.accounts.models import User

LANGUAGE: Final = "remote"
"""What stands for the language of a version whose code nobody here has."""

FIRST_LABEL: Final = "main"
MOST_LABEL: Final = 60
MOST_GAMES: Final = 32

HERE: Final = timedelta(seconds=15)
"""Who was not seen for so long is away: three times what notes of it may be late."""


_LABELS: Final = Limit(
    "MAX_UPLOADS_PER_HOUR",
    "You have named %(most)s states of remote bots within an hour, which is the most. Go on under a label that"
    " the bot has, and name the next one later.",
    per=HOUR,
    retry_s=600,
)


def new_bot(
    owner: User, name: str, games: Games | None = None, label: str = FIRST_LABEL, games_at_once: int = 1
) -> BotVersion:
    """Make a remote bot of ``owner``'s; its first version, which does not play yet.

    ``games`` are the tables it wants to sit at, ``None`` for all. Sent twice, it is the same bot. Raises ``Refused``.
    """
    claims, chosen = chosen_claims(every_table() if games is None else games)
    label, most = _label(label), _games_at_once(games_at_once)
    with transaction.atomic():
        hold_acting(owner.pk)
        called = clean_name(name)
        again = Bot.objects.filter(owner=owner, kind=Bot.Kind.REMOTE, retired=None, name__iexact=called)
        same = again.filter(versions__digest=digest_of(label), versions__chosen=chosen).first()
        if same is not None:
            return _version(same, label, claims, chosen)
        called = name_for(owner, called)
        require_new_bot(owner)
        bot = Bot.objects.create(owner=owner, name=called, slug=free_slug(called), kind=Bot.Kind.REMOTE)
        RemoteBot.objects.create(bot=bot, games_at_once=most)
        return _version(bot, label, claims, chosen)


def version_for(bot: Bot, label: str | None = None, games: Games | None = None) -> BotVersion:
    """The version of ``bot`` with this label for these tables, appended if there is none; it does not play by that.

    What is ``None`` stays as it is in the newest version. Raises ``Refused``.
    """
    owner = owner_of_code(bot)
    with transaction.atomic():
        hold_acting(owner.pk)
        now = bot.versions.filter(active=True).first() or bot.versions.order_by("-number").first()
        if games is None:
            games = now.claims if now else every_table()
        if label is None:
            label = now.label if now else FIRST_LABEL
        return _version(bot, _label(label), *chosen_claims(games))


def play_at_once(bot: Bot, games: int) -> None:
    """Let ``bot`` play so many games at once, 0 for no new one; those that run go on. Raises ``Refused``."""
    RemoteBot.objects.filter(pk=bot.pk).update(games_at_once=_games_at_once(games))


def note_seen(bots: Iterable[int]) -> int:
    """Write down that these remote bots are here now, by id; of how many. Whoever holds a row has noted it, too."""
    with transaction.atomic():
        free = RemoteBot.objects.filter(pk__in=list(bots)).select_for_update(skip_locked=True, no_key=True)
        ids = list(free.order_by("pk").values_list("pk", flat=True))
        came = Case(When(seen_at__gt=Now() - HERE, then=F("here_since")), default=Now(), output_field=DateTimeField())
        return RemoteBot.objects.filter(pk__in=ids).update(here_since=came, seen_at=Now()) if ids else 0


def here() -> QuerySet[RemoteBot]:
    """The remote bots that hold a stream open, or asked for a decision a moment ago."""
    return RemoteBot.objects.filter(seen_at__gt=Now() - HERE)


def available() -> QuerySet[RemoteBot]:
    """Those that can be given a game, if they do not play as many as they want: here, with a version, on no leave."""
    with_a_version = BotVersion.objects.filter(active=True).values("bot")
    return here().filter(bot__in=Bot.objects.playing().filter(pk__in=with_a_version))


def plays_remotely(version: BotVersion, game: str, seats: int) -> bool:
    """Whether ``version`` is a remote bot's and claims a table of ``seats`` at ``game``."""
    return version.bot.kind == Bot.Kind.REMOTE and version.state == "ready" and version.claims_table(game, seats)


def digest_of(label: str) -> str:
    """What stands for the code of a version with this label, whose code nobody here has: SHA-256, hex."""
    return sha256(f"{LANGUAGE}/{label}".encode()).hexdigest()


def _version(bot: Bot, label: str, claims: dict[str, list[int]], chosen: str) -> BotVersion:
    """In a transaction that holds the owner, on whom the numbers of versions hang."""
    found = Bot.objects.get(pk=bot.pk)
    if found.kind != Bot.Kind.REMOTE:
        raise Refused(f"{found.name} is not a remote bot: upload a new version of it.")
    if found.retired is not None:
        raise Refused(f"{found.name} is retired. Take it back first.")
    known = found.versions.filter(digest=digest_of(label), chosen=chosen).select_related("bot").first()
    if known is not None:
        return known
    _LABELS.require(BotVersion.objects.filter(bot__owner=owner_of_code(found), language=LANGUAGE))
    version = BotVersion.objects.create(
        bot=found,
        number=(found.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        digest=digest_of(label),
        label=label,
        language=LANGUAGE,
        claims=claims,
        chosen=chosen,
        checked=Now(),
    )
    version.refresh_from_db()
    return version


def _label(label: str) -> str:
    text = " ".join(label.split())
    if not 1 <= len(text) <= MOST_LABEL or has_invisible(text):
        raise Refused(f"A label has 1 to {MOST_LABEL} characters, all of which can be seen.")
    return text


def _games_at_once(games: int) -> int:
    if not 0 <= games <= MOST_GAMES:
        raise Refused(f"A bot plays 0 to {MOST_GAMES} games at once, not {games}.")
    return games
