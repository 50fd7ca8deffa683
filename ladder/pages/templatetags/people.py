"""How people are named on pages: with a link to their page, or as nobody any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

if TYPE_CHECKING:
    from bots.models import Bot
    from esr_platform.accounts.models import User

register = template.Library()


@register.filter
def person_name(person: User | None) -> str:
    """The user name; "deleted user" for an account that was deleted, or of which nothing is left."""
    return gettext("deleted user") if person is None or person.deleted is not None else person.username


@register.filter
def person_link(person: User | None) -> SafeString:
    """The user name as a link to the page of that person; plain words where there is none."""
    if person is None or person.deleted is not None:
        return format_html("<i>{}</i>", person_name(person))
    return format_html(
        '<a class="person-name" href="{}">{}</a>', reverse("pages:person", args=(person.username,)), person.username
    )


@register.filter
def owner_name(bot: Bot) -> SafeString:
    """Whose ``bot`` is, in words without a link; its owner has to be loaded."""
    if bot.owner is None:
        return format_html("<i>{}</i>", gettext("house bot"))
    if bot.owner.deleted is not None:
        return format_html("<i>{}</i>", person_name(bot.owner))
    return format_html("{}", bot.owner.username)


@register.filter
def owner_link(bot: Bot) -> SafeString:
    """Whose ``bot`` is, with a link to that person; its owner has to be loaded."""
    return owner_name(bot) if bot.owner is None else person_link(bot.owner)
