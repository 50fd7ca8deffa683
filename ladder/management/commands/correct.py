from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.corrections import change_k, merge, void, withdraw
from ladder.models import Ladder, Membership
from ladder.ratings.elo import KFactor


class Command(BaseCommand):
    help = "Correct a ladder: take a result back, withdraw a match, merge an entry, set another K. Everybody reads why."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        for name, text in (("void", "take the result of a match back"), ("withdraw", "end a match without a result")):
            _with_author(what.add_parser(name, help=text)).add_argument("match", type=int)
        membership = _with_author(
            what.add_parser("merge", help="count the results of a bot for another, or for nobody")
        )
        membership.add_argument("ladder", help="its slug")
        membership.add_argument("bot", help="its slug")
        membership.add_argument("into", nargs="?", help="the other's slug, or its own; none takes the bot out")
        k = _with_author(what.add_parser("k", help="rate the open season with another K"))
        k.add_argument("ladder", help="its slug")
        for name in ("provisional", "established", "provisional_games"):
            k.add_argument(name, type=int)

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            self.stdout.write(_DO[options["what"]](options, _staff(options["by"])))
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal


def _with_author(parser: Any) -> Any:
    parser.add_argument("--by", required=True, help="who of the staff you are: a user name")
    parser.add_argument("--reason", required=True, help="for everybody to read")
    return parser


def _void(options: Mapping[str, Any], by: User) -> str:
    return void(options["match"], options["reason"], by)


def _withdraw(options: Mapping[str, Any], by: User) -> str:
    return f"Match {options['match']} is {withdraw(options['match'], options['reason'], by)}."


def _merge(options: Mapping[str, Any], by: User) -> str:
    membership = _entry(options["ladder"], options["bot"])
    into = _entry(options["ladder"], options["into"]) if options["into"] else None
    return f"Written as number {merge(membership, into, options['reason'], by).number}."


def _k(options: Mapping[str, Any], by: User) -> str:
    try:
        k = KFactor(options["provisional"], options["established"], options["provisional_games"])
    except ValueError as error:
        raise Refused(f"{error}.") from error
    return f"Written as number {change_k(_ladder(options['ladder']), k, options['reason'], by).number}."


def _staff(name: str) -> User:
    user: User | None = get_user_model().objects.filter(username=name).first()
    if user is None:
        raise Refused(f"Nobody is called {name}.")
    return user


def _ladder(slug: str) -> Ladder:
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        raise Refused(f"No ladder is called {slug}.")
    return ladder


def _entry(ladder: str, bot: str) -> Membership:
    membership = (
        Membership.objects.select_related("ladder", "bot").filter(ladder=_ladder(ladder), bot__slug=bot).first()
    )
    if membership is None:
        raise Refused(f"No bot {bot} is on {ladder}.")
    return membership


_DO: Mapping[str, Callable[[Mapping[str, Any], User], str]] = {
    "void": _void,
    "withdraw": _withdraw,
    "merge": _merge,
    "k": _k,
}
