"""What bots may be called, how they describe themselves, and the addresses they get."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Lower, Replace

from bots.lookalikes import (
    PLAIN_FOLDS,
    alike,
    has_invisible,
    is_blank,
    is_reserved,
    mixes_scripts,
    plain_shapes,
    unusual,
)
from bots.models import Bot, BotVersion, TextRemoval
from esr_platform.accounts.errors import NameRefused, Refused
from esr_platform.accounts.models import User

MAX_NAME: Final = 40
MAX_DESCRIPTION: Final = 2000
RESERVED_SLUGS: Final = ("new", "mine", "house", "starter")
GUEST_NAME: Final = "Guest"

_ADDRESSES: Final = 20


def clean_name(name: str) -> str:
    """A bot's name as it is kept. Raises ``NameRefused`` for one that nobody could read, or that plays tricks."""
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    if not 1 <= len(text) <= MAX_NAME:
        raise NameRefused(f"A bot's name has 1 to {MAX_NAME} characters.")
    if has_invisible(text) or not any(char.isalnum() for char in text):
        raise NameRefused("A bot's name has letters or digits, and nothing that cannot be seen.")
    if unusual(text):
        raise NameRefused(
            f"A bot's name cannot contain {unusual(text)[0]}. Use letters, digits, spaces and ASCII punctuation."
        )
    if "://" in text:
        raise NameRefused("A bot's name cannot contain ://, because emails would make a link of it.")
    if mixes_scripts(text):
        raise NameRefused("A word of a bot's name has letters of one alphabet. Choose another name.")
    if _tower(text):
        raise NameRefused("A bot's name has at most two marks on a letter.")
    if alike(text, GUEST_NAME):
        raise NameRefused(f"{text} is what people without an account are called. Choose another name.")
    if is_house_name(text):
        raise NameRefused(f"{text} is a bot of the house, or looks like one. Choose another name.")
    if is_reserved(text):
        raise NameRefused(f"{text} looks like a name of the site itself. Choose another name.")
    return text


def is_house_name(name: str) -> bool:
    """Whether ``name`` is the name of a house bot, or looks like one."""
    return any(alike(name, other) for other in Bot.objects.filter(owner=None).values_list("name", flat=True))


def is_user_name(name: str, except_of: User | None = None) -> bool:
    """Whether ``name`` is a user name or looks like one. The user name of ``except_of`` does not count.

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
    """The values of ``fields`` in each row that may look like ``name``. The database leaves out nearly all others."""
    shapes, maybe = plain_shapes(name), Q()
    for field in fields:
        plain: Any = field
        for old, new in PLAIN_FOLDS:
            plain = Replace(plain, Value(old), Value(new))
        rows = rows.alias(**{f"plain_{field}": Lower(plain)})
        maybe |= Q(**{f"plain_{field}__in": shapes}) | ~Q(**{f"{field}__regex": r"^[ -~]*$"})
    found: QuerySet[Any, tuple[str, ...]] = rows.filter(maybe).order_by().values_list(*fields)
    return chain.from_iterable(found.iterator())


def name_for(owner: User, name: str, bot: Bot | None = None) -> str:
    """``name`` as it is stored, for ``bot`` or for a new bot of ``owner``.

    Raises ``NameRefused`` also if another bot of the owner has the name, if staff took it from one of their bots, or if
    it looks like the user name of another user. A bot keeps the name that it has.
    """
    if bot is not None and name == bot.name:
        return name
    text = clean_name(name)
    if is_user_name(text, owner):
        raise NameRefused(f"{text} is the user name of somebody else, or looks like it. Choose another name.")
    others = Bot.objects.of_code().filter(owner=owner, name__iexact=text)
    if (others.exclude(pk=bot.pk) if bot else others).exists():
        raise NameRefused(
            f"You have a bot called {text} already. Choose another name, or upload a new version of that one."
        )
    _not_taken_away(owner, TextRemoval.What.NAME, text, NameRefused)
    return text


def description_for(bot: Bot, description: str) -> str:
    """What ``bot`` may say of itself, as it is kept. Raises ``Refused``."""
    lines = unicodedata.normalize("NFC", description.replace("\r\n", "\n")).split("\n")
    text = "\n".join(line.rstrip() for line in lines).strip()
    if len(text) > MAX_DESCRIPTION:
        raise Refused(f"A description has at most {MAX_DESCRIPTION} characters; this one has {len(text)}.")
    if not text.replace("\n", "").replace("\t", "").isprintable() or _tower(text) or (text and is_blank(text)):
        raise Refused("A description is text, with nothing in it that cannot be seen.")
    if bot.owner is not None:
        _not_taken_away(bot.owner, TextRemoval.What.DESCRIPTION, text, Refused)
    return text


def free_slug(name: str) -> str:
    """An address for a bot called ``name`` that no other bot has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_NAME] or "bot"
    if stem in RESERVED_SLUGS or stem.startswith("house-"):
        stem = f"bot-{stem}"
    taken = set(Bot.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    candidates = [stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3))]
    return next(slug for slug in candidates if slug not in taken)


def save_at_a_free_address(bot: Bot) -> None:
    """Save ``bot``; where somebody else's has taken its address at this very moment, at another one."""
    for _ in range(_ADDRESSES):
        try:
            with transaction.atomic():
                return bot.save()
        except IntegrityError:
            bot.slug = free_slug(bot.name)
    return bot.save()


def _not_taken_away(owner: User, what: TextRemoval.What, text: str, refusal: type[Refused]) -> None:
    """Raises ``refusal`` for words that staff took from a bot of ``owner``'s, also when they are only spaced anew."""
    taken = TextRemoval.objects.filter(bot__owner=owner, what=what).values_list("before", flat=True)
    if text and _letters(text) in map(_letters, taken):
        raise refusal(f"Staff took this {what.label} away from a bot of yours. Write another one.")


def _letters(text: str) -> str:
    """``text`` without case, accents and everything that is no letter or digit."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if char.isalnum())


def _tower(text: str) -> bool:
    """Whether marks are piled up on a letter, over the lines above and below."""
    return bool(re.search(r"M{3}", "".join(unicodedata.category(char)[0] for char in text)))
