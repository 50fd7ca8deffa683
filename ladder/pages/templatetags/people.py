"""How people are named on pages: with a link to their page, or as nobody any more."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from bots.models import Bot
from bots.owners import is_guest
from esr_platform.accounts.models import User
from ladder.pages.components.people import player_address

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
def player_link(bot: Bot) -> SafeString:
    """The name of a bot or a person as a link to their page; plain words for guests and who is gone."""
    address = player_address(bot)
    if address:
        return format_html('<a class="name" href="{}">{}</a>', address, bot.name)
    return format_html('<span class="name">{}</span>', player_name(bot))


@register.filter
def player_name(bot: Bot) -> str:
    """What a bot or a person is called: guests all alike, and nobody by the name that a deleted account has."""
    if bot.kind != Bot.Kind.PERSON:
        return bot.name
    if is_guest(bot):
        return gettext("Guest")
    return bot.name if bot.retired is None else gettext("deleted user")


@register.filter
def owner_name(bot: Bot) -> SafeString:
    """Whose ``bot`` is, in words without a link, or that it is a person; its owner has to be loaded."""
    if bot.kind == Bot.Kind.PERSON:
        return format_html("<i>{}</i>", gettext("without an account") if is_guest(bot) else gettext("person"))
    if bot.owner is None:
        return format_html("<i>{}</i>", gettext("house bot"))
    if bot.owner.deleted is not None:
        return format_html("<i>{}</i>", person_name(bot.owner))
    return format_html("{}", bot.owner.username)


@register.filter
def owner_link(bot: Bot) -> SafeString:
    """Whose ``bot`` is, with a link to that person, or that it is one; its owner has to be loaded."""
    if bot.owner is None or bot.kind == Bot.Kind.PERSON:
        return owner_name(bot)
    return person_link(bot.owner)
