from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.models import Ladder, Season
from ladder.pages.statistics import CollusionReport, CollusionRow, report_from
from ladder.season_statistics import collusion_document, latest_blocks

_SHOWN = 20


class Command(BaseCommand):
    help = "Tell which bots of a ladder gained from each other in barters what nobody else gives them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ladder", help="the address name of a ladder, such as edel-stein-reich-4")
        parser.add_argument("--json", action="store_true", help="all pairs, as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        ladder = Ladder.objects.filter(slug=options["ladder"]).first()
        if ladder is None:
            known = ", ".join(Ladder.objects.values_list("slug", flat=True))
            raise CommandError(f"No ladder is called {options['ladder']!r}. There are: {known}.")
        season = ladder.seasons.order_by("-number").first()
        report = report_from(ladder, season, None, _document_of(season) if season else {})
        if options["json"]:
            self.stdout.write(json.dumps(_document(report), ensure_ascii=False, indent=2))
            return
        self.stdout.write(
            f"{ladder}: {report.pairs} ordered pairs over {report.blocks} blocks; {report.standing_out} stand out"
        )
        for row in report.rows[:_SHOWN]:
            self.stdout.write(_line(row))
        for row in report.won[:_SHOWN]:
            self.stdout.write(_won_line(row))


def _document_of(season: Season) -> dict[str, Any]:
    return collusion_document(latest_blocks(season), with_people=season.ladder.for_people)


def _line(row: CollusionRow) -> str:
    found = row.found
    mark = "!" if found["stands_out"] else " "
    return (
        f"{mark} {row.taker.bot.slug} gained {found['gain']:+.2f} a game from {row.giver.bot.slug},"
        f" {found['excess']:+.2f} beyond expectation, chance {found['chance']:.2g}, {found['games']} games"
    )


def _won_line(row: CollusionRow) -> str:
    found = row.found
    mark = "!" if found["stands_out"] else " "
    return (
        f"{mark} {row.taker.bot.slug} was ahead of {row.giver.bot.slug} in {found['share']:.0%}"
        f" of {found['games']} games, {found['expected']:.0%} expected, chance {found['chance']:.2g}"
    )


def _document(report: CollusionReport) -> dict[str, Any]:
    return {
        "ladder": report.ladder.slug,
        "season": report.season and report.season.number,
        "unit": report.game.statistics.price_unit,
        "blocks": report.blocks,
        "pairs": report.pairs,
        "found": [
            {**row.found, "taker": row.taker.bot.slug, "giver": row.giver.bot.slug}  # the memberships' ids mean nothing
            for row in report.rows
        ],
        "won": [{**row.found, "taker": row.taker.bot.slug, "giver": row.giver.bot.slug} for row in report.won],
    }
