"""Template filters for the names of users and players, with links to their pages."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from bots.models import Bot
from bots.names import BotName, OwnerName, guest_label
from bots.owners import is_guest
from esr_platform.accounts.models import User
from ladder.models import Seat
from ladder.pages.components.people import player_address, player_name

register = template.Library()
register.filter(player_name)


@register.filter
def person_name(person: User | OwnerName | None) -> str:
    """The username, or "deleted user"."""
    return gettext("deleted user") if person is None or person.deleted is not None else person.username


@register.filter
def person_link(person: User | OwnerName | None) -> SafeString:
    """The username with a link to the profile; plain text for a deleted user."""
    if person is None or person.deleted is not None:
        return format_html("<i>{}</i>", person_name(person))
    return format_html(
        '<a class="person-name" href="{}">{}</a>', reverse("pages:person", args=(person.username,)), person.username
    )


@register.filter
def player_link(bot: Bot | BotName) -> SafeString:
    """The name of a bot or human player with a link to its page; plain text for guests and deleted users."""
    address = player_address(bot)
    if address:
        return format_html('<a class="name" href="{}">{}</a>', address, bot.name)
    return format_html('<span class="name">{}</span>', player_name(bot))


@register.filter
def seat_link(seat: Seat) -> SafeString:
    """The name of the player of a seat with a link to their page; guests have the name that they chose."""
    if is_guest(seat.version.bot):
        return format_html('<span class="name">{}</span>', guest_label(seat.guest_name))
    return player_link(seat.version.bot)


@register.filter
def owner_name(bot: Bot | BotName) -> SafeString:
    """The owner of ``bot`` without a link, or the kind of player if it has none; needs the loaded owner."""
    if bot.kind == Bot.Kind.PERSON:
        return format_html("<i>{}</i>", gettext("no account") if is_guest(bot) else gettext("human player"))
    if bot.owner is None:
        return format_html("<i>{}</i>", gettext("house bot"))
    if bot.owner.deleted is not None:
        return format_html("<i>{}</i>", person_name(bot.owner))
    return format_html("{}", bot.owner.username)


@register.filter
def owner_link(bot: Bot | BotName) -> SafeString:
    """The owner of ``bot`` with a link, or the kind of player if it has none; needs the loaded owner."""
    if bot.owner is None or bot.kind == Bot.Kind.PERSON:
        return owner_name(bot)
    return person_link(bot.owner)
