from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.corrections import change_k, merge, status_word, void, withdraw
from ladder.models import Ladder, Membership
from ladder.ratings.elo import KFactor


class Command(BaseCommand):
    help = "Correct the results or ratings of a ladder. The reason is public."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        for name, text in (
            ("void", "annul the result of a finished match"),
            ("withdraw", "end a match without a result"),
        ):
            _with_author(what.add_parser(name, help=text)).add_argument("match", type=int, help="match id")
        membership = _with_author(
            what.add_parser("merge", help="reassign the results of a bot to another bot, or to none")
        )
        membership.add_argument("ladder", help="slug of the ladder")
        membership.add_argument("bot", help="slug of the bot whose results are reassigned")
        membership.add_argument(
            "into",
            nargs="?",
            help="slug of the bot that gets the results: the same bot to undo a merge, or none",
        )
        k = _with_author(what.add_parser("k", help="change the K-factor of the open season"))
        k.add_argument("ladder", help="slug of the ladder")
        k.add_argument("provisional", type=int, help="K-factor of provisional bots")
        k.add_argument("established", type=int, help="K-factor of established bots")
        k.add_argument("provisional_games", type=int, help="number of games until a bot is established")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            self.stdout.write(_DO[options["what"]](options, _staff(options["by"])))
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal


def _with_author(parser: Any) -> Any:
    parser.add_argument("--by", required=True, metavar="USER", help="your username; you must belong to the site staff")
    parser.add_argument("--reason", required=True, help="reason for the correction, shown publicly")
    return parser


def _void(options: Mapping[str, Any], by: User) -> str:
    return void(options["match"], options["reason"], by)


def _withdraw(options: Mapping[str, Any], by: User) -> str:
    return f"Match {options['match']} is now {status_word(withdraw(options['match'], options['reason'], by))}."


def _merge(options: Mapping[str, Any], by: User) -> str:
    membership = _membership(options["ladder"], options["bot"])
    into = _membership(options["ladder"], options["into"]) if options["into"] else None
    return f"Added ledger entry {merge(membership, into, options['reason'], by).number}."


def _k(options: Mapping[str, Any], by: User) -> str:
    try:
        k = KFactor(options["provisional"], options["established"], options["provisional_games"])
    except ValueError as error:
        raise Refused(f"{error}.", code="bad_k_factor") from error
    return f"Added ledger entry {change_k(_ladder(options['ladder']), k, options['reason'], by).number}."


def _staff(name: str) -> User:
    user: User | None = get_user_model().objects.filter(username=name).first()
    if user is None:
        raise Refused(f"User {name} not found. Pass an existing username.", code="unknown_user")
    return user


def _ladder(slug: str) -> Ladder:
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        raise Refused(f"Ladder {slug} not found. Pass the slug from its URL.", code="unknown_ladder")
    return ladder


def _membership(ladder: str, bot: str) -> Membership:
    membership = (
        Membership.objects.select_related("ladder", "bot").filter(ladder=_ladder(ladder), bot__slug=bot).first()
    )
    if membership is None:
        raise Refused(f"Bot {bot} not found on ladder {ladder}. Pass the slug of a member.", code="unknown_bot")
    return membership


_DO: Mapping[str, Callable[[Mapping[str, Any], User], str]] = {
    "void": _void,
    "withdraw": _withdraw,
    "merge": _merge,
    "k": _k,
}
