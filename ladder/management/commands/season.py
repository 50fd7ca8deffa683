from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from ladder.models import Ladder, Season
from ladder.seasons import KEPT, WrongMoment, close, open_next, plan


def share(text: str) -> Fraction:
    """Parse ``1/2``, ``0.5`` or ``0``: a number from 0 to 1 with a denominator of up to 1000."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1 or value.denominator > 1000:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to 1. Example: 1/2")
    return value


def moment(text: str) -> datetime:
    """Parse an ISO date and time, in the time zone of the site if it has none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a date and time. Example: 2027-01-31T20:00") from None
    return at if at.tzinfo else timezone.make_aware(at)


class Command(BaseCommand):
    help = "Close the current season of a ladder, now or at a given time, or open the next one."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        closing = actions.add_parser("close", help="freeze the standings and open the next season")
        closing.add_argument(
            "--at",
            type=moment,
            metavar="TIME",
            help="time to close the season, for example 2027-01-31T20:00 (default: now)",
        )
        closing.add_argument("--last", action="store_true", help="do not open the next season")
        opening = actions.add_parser("open", help="open the next season after one that was closed with --last")
        for action in (closing, opening):
            action.add_argument("ladder", help="slug of the ladder")
            action.add_argument(
                "--keep",
                type=share,
                default=KEPT,
                metavar="SHARE",
                help=f"share of each rating's distance from 1500 that the next season keeps (default: {KEPT})",
            )

    def handle(self, *_args: Any, **options: Any) -> None:
        ladder = Ladder.objects.filter(slug=options["ladder"]).first()
        if ladder is None:
            raise CommandError(f"Ladder {options['ladder']} not found. Pass the slug from its URL.")
        try:
            done = _open(ladder, options) if options["action"] == "open" else _close(ladder, options)
        except WrongMoment as error:
            raise CommandError(str(error)) from error
        self.stdout.write(done)


def _open(ladder: Ladder, options: dict[str, Any]) -> str:
    return f"Opened {open_next(ladder, options['keep'])}."


def _close(ladder: Ladder, options: dict[str, Any]) -> str:
    season = Season.objects.filter(ladder=ladder, closed=None).first()
    if season is None:
        raise WrongMoment(f"{ladder} has no open season.")
    then = None if options["last"] else options["keep"]
    if options["at"]:
        plan(season, options["at"], then)
        return f"{season} will close on {options['at']:%Y-%m-%d at %H:%M %Z}."
    closed = close(season, then).closed
    return f"Closed {season}." if closed else f"{season} will close when its last rated match has ended."
