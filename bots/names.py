"""Names, descriptions and slugs of bots."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any, Final, NamedTuple

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Lower, Replace
from django.utils.translation import gettext as _

from bots.lookalikes import (
    PLAIN_FOLDS,
    alike,
    has_banned_word,
    has_invisible,
    is_blank,
    is_reserved,
    is_respelling,
    mixes_scripts,
    plain_shapes,
    unusual,
)
from bots.models import Bot, BotVersion, TextRemoval
from esr_platform.accounts.errors import NameRefused, Refused
from esr_platform.accounts.mail import contact_staff
from esr_platform.accounts.models import FormerName, User

MAX_NAME: Final = 40
MAX_DESCRIPTION: Final = 2000
RESERVED_SLUGS: Final = ("new", "mine", "house", "starter")
GUEST_NAME: Final = "Guest"
MAX_GUEST_NAME: Final = 20

_GUEST_PUNCTUATION: Final = " '.-_"
_OF_THE_SITE: Final = re.compile(r"(deleted|user)[-_ ]*(user)?[-_ ]*\d+", re.IGNORECASE)
_ADDRESSES: Final = 20


def clean_name(name: str) -> str:
    """Normalize a bot name. Raises ``NameRefused`` for unreadable, misleading or reserved names."""
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    if not 1 <= len(text) <= MAX_NAME:
        raise NameRefused(f"A bot name must have 1 to {MAX_NAME} characters.", code="name_length")
    if has_invisible(text) or not any(char.isalnum() for char in text):
        message = "A bot name must contain a letter or digit and no invisible characters."
        raise NameRefused(message, code="name_invisible")
    if unusual(text):
        raise NameRefused(
            f"A bot name cannot contain {unusual(text)[0]}. Use letters, digits, spaces and ASCII punctuation.",
            code="name_character",
        )
    if "://" in text:
        raise NameRefused("A bot name cannot contain :// because emails would turn it into a link.", code="name_link")
    if mixes_scripts(text):
        message = "Each word of a bot name must use a single alphabet. Choose another name."
        raise NameRefused(message, code="name_scripts")
    if _tower(text):
        message = "A bot name can have at most two accents or marks per letter."
        raise NameRefused(message, code="name_marks")
    _require_available(text)
    return text


def _require_available(text: str) -> None:
    """Raise ``NameRefused`` for an offensive bot name, and for names of house bots, guests and the site."""
    if alike(text, GUEST_NAME):
        message = f"{text} is reserved for guests without an account. Choose another name."
        raise NameRefused(message, code="name_reserved")
    if is_house_name(text):
        message = f"{text} is the name of a house bot, or looks like one. Choose another name."
        raise NameRefused(message, code="name_of_house_bot")
    if is_reserved(text):
        message = f"{text} looks like an official name of this site. Choose another name."
        raise NameRefused(message, code="name_reserved")
    if has_banned_word(text):
        raise NameRefused("This name contains an offensive word. Choose another name.", code="name_banned")


def guest_name(name: str) -> str:
    """Normalize the name of a guest. Raises ``NameRefused``.

    Guests cannot have the name of a user, a bot or the site, or one that looks like it. Symbols are not allowed: a name
    must not contain an email address, or look like one with a suffix.
    """
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    if not 1 <= len(text) <= MAX_GUEST_NAME:
        raise NameRefused(_("Enter a name of 1 to %(most)s characters.") % {"most": MAX_GUEST_NAME}, code="name_length")
    if not _is_plain(text):
        raise NameRefused(
            _("Use letters of one alphabet, digits, spaces, hyphens, periods and apostrophes."), code="name_character"
        )
    if has_banned_word(text):
        raise NameRefused(_("This name contains an offensive word. Choose another name."), code="name_banned")
    if _is_taken(text):
        raise NameRefused(
            _("This name is not available. Choose another name, or sign in if it is yours."), code="name_unavailable"
        )
    return text


def guest_label(name: str) -> str:
    """The name of a guest as it is shown: ``Anna (guest)``; ``Guest`` without a name."""
    return _("%(name)s (guest)") % {"name": name} if name else _("Guest")


def _is_plain(text: str) -> bool:
    """Whether ``text`` has a letter and only letters, digits and a little punctuation, in scripts that can be mixed."""
    plain = all(char in _GUEST_PUNCTUATION or unicodedata.category(char)[0] in "LMN" for char in text)
    odd = has_invisible(text) or unusual(text) or mixes_scripts(text) or _tower(text)
    return plain and not odd and any(char.isalpha() for char in text)


def _is_taken(text: str) -> bool:
    """Whether ``text`` looks like a name of the site, or the present or former name of a user or bot."""
    of_the_site = alike(text, GUEST_NAME) or is_reserved(text) or _OF_THE_SITE.fullmatch(text) is not None
    former = FormerName.objects.filter(digest=FormerName.digest_of(text.replace(" ", ""))).exists()
    return of_the_site or former or is_house_name(text) or is_user_name(text) or is_bot_name(text)


def is_house_name(name: str) -> bool:
    """Whether ``name`` is the name of a house bot, or looks like one."""
    return any(alike(name, other) for other in Bot.objects.filter(owner=None).values_list("name", flat=True))


def is_user_name(name: str, except_of: User | None = None) -> bool:
    """Whether ``name`` is a username or looks like one. The username of ``except_of`` does not count.

    Suspended users keep their names.
    """
    people = get_user_model()._default_manager.filter(deleted=None)
    if except_of is not None:
        people = people.exclude(pk=except_of.pk)
    return any(alike(name, other) for other in candidates(people, name, "username"))


def is_bot_name(name: str, except_of: User | None = None) -> bool:
    """Whether ``name`` is the name or the slug of a public bot, or looks like one.

    Bots of ``except_of`` do not count, because users may have the same name as their own bots.
    """
    ready = BotVersion.objects.filter(bot=OuterRef("pk"), state=BotVersion.State.READY)
    bots = Bot.objects.of_code().filter(Q(owner=None) | Exists(ready))
    if except_of is not None:
        bots = bots.exclude(owner=except_of)
    return any(alike(name, other) for other in candidates(bots, name, "name", "slug"))


def candidates(rows: QuerySet[Any], name: str, *fields: str) -> Iterator[str]:
    """Yield the values of ``fields`` in rows that may look like ``name``. The database excludes most others."""
    shapes, maybe = plain_shapes(name), Q()
    for field in fields:
        plain: Any = field
        for old, new in PLAIN_FOLDS:
            plain = Replace(plain, Value(old), Value(new))
        rows = rows.alias(**{f"plain_{field}": Lower(plain)})
        maybe |= Q(**{f"plain_{field}__in": shapes}) | ~Q(**{f"{field}__regex": r"^[ -~]*$"})
    names: QuerySet[Any, tuple[str, ...]] = rows.filter(maybe).order_by().values_list(*fields)
    return chain.from_iterable(names.iterator())


def name_for(owner: User, name: str, bot: Bot | None = None) -> str:
    """``name`` as it is stored, for ``bot`` or for a new bot of ``owner``.

    Raises ``NameRefused`` also if another bot of the owner has the name, if staff took it from one of their bots, or if
    it looks like the username of another user. A bot keeps the name that it has.
    """
    if bot is not None and name == bot.name:
        return name
    text = clean_name(name)
    if is_user_name(text, owner):
        message = f"{text} is the username of another user, or looks like one. Choose another name."
        raise NameRefused(message, code="name_of_user")
    others = Bot.objects.of_code().filter(owner=owner, name__iexact=text)
    if (others.exclude(pk=bot.pk) if bot else others).exists():
        raise NameRefused(
            f"You already have a bot named {text}. Choose another name, or upload a new version of that bot.",
            code="name_taken",
        )
    _not_taken_away(owner, TextRemoval.What.NAME, text, NameRefused)
    return text


def description_for(bot: Bot, description: str) -> str:
    """Normalize a description of ``bot``. Raises ``Refused``."""
    text = clean_lines(description)
    if len(text) > MAX_DESCRIPTION:
        message = f"The description has {len(text)} characters. The limit is {MAX_DESCRIPTION}."
        raise Refused(message, code="description_length")
    if is_unreadable(text):
        raise Refused("The description contains invisible characters. Remove them.", code="description_invisible")
    if bot.owner is not None:
        _not_taken_away(bot.owner, TextRemoval.What.DESCRIPTION, text, Refused)
    return text


def clean_lines(text: str) -> str:
    """Normalize ``text``, and strip it and the end of each line."""
    lines = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def is_unreadable(text: str) -> bool:
    """Whether a text of lines has invisible or direction-changing characters, or many marks on one letter."""
    plain = text.replace("\n", "").replace("\t", "")
    return not plain.isprintable() or _tower(text) or (text != "" and is_blank(text))


def free_slug(name: str) -> str:
    """Return an unused slug for a bot with this name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_NAME] or "bot"
    if stem in RESERVED_SLUGS or stem.startswith("house-"):
        stem = f"bot-{stem}"
    taken = set(Bot.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    candidates = [stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3))]
    return next(slug for slug in candidates if slug not in taken)


def save_at_a_free_address(bot: Bot) -> None:
    """Save ``bot``; if another bot has just taken its slug, use another one."""
    for _try in range(_ADDRESSES):
        try:
            with transaction.atomic():
                return bot.save()
        except IntegrityError:
            bot.slug = free_slug(bot.name)
    return bot.save()


def _not_taken_away(owner: User, what: TextRemoval.What, text: str, refusal: type[Refused]) -> None:
    """Raise ``refusal`` for a text that staff removed from a bot of ``owner``, also in another spelling."""
    taken = TextRemoval.objects.filter(bot__owner=owner, what=what).values_list("before", flat=True)
    if text and any(is_respelling(text, before) for before in taken):
        removed = f"A moderator removed this {what.label} from one of your bots. Choose another one."
        raise refusal(f"{removed} {contact_staff('mistake')}", code="removed_by_moderator")


def _tower(text: str) -> bool:
    """Whether three or more marks are stacked on a letter."""
    return bool(re.search(r"M{3}", "".join(unicodedata.category(char)[0] for char in text)))


# --- Names in lists --------------------------------------------------------------------------------------------------


class OwnerName(NamedTuple):
    """The columns of a user that its name and its links need. The names are those of ``User``."""

    username: str
    deleted: datetime | None


class BotName(NamedTuple):
    """The columns of a bot or human player that its name, its links and its owner need. The names are those of ``Bot``.

    Long lists read these columns, because whole rows of bots and users take several times as long.
    """

    pk: int
    slug: str
    name: str
    kind: str
    house_name: str
    retired: datetime | None
    owner_id: int | None
    owner: OwnerName | None

    @classmethod
    def of(cls, row: Mapping[str, Any], bot: str = "bot") -> BotName:
        """Read a row with the columns ``bot_columns(bot)``."""
        pk, slug, name, kind, house_name, retired, owner, username, deleted = _values(bot)(row)
        named = None if owner is None else OwnerName(username, deleted)
        return cls(pk, slug, name, kind, house_name, retired, owner, named)


@cache
def bot_columns(bot: str = "bot") -> tuple[str, ...]:
    """The columns that ``BotName.of`` reads; ``bot`` is the lookup path to the bot."""
    return (bot, *(f"{bot}__{name}" for name in _COLUMNS))


@cache
def _values(bot: str) -> Callable[[Mapping[str, Any]], Any]:
    return itemgetter(*bot_columns(bot))


_COLUMNS: Final = ("slug", "name", "kind", "house_name", "retired", "owner", "owner__username", "owner__deleted")


def owner_name(bot: Bot | BotName) -> str | None:
    """The username of the owner; ``None`` for house bots, guests and deleted accounts."""
    return bot.owner.username if bot.owner and bot.owner.deleted is None else None
