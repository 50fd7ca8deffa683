from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.models import Ladder, Season
from ladder.pages.statistics import CollusionReport, CollusionRow, report_from
from ladder.season_statistics import collusion_document, latest_blocks

_SHOWN = 20


class Command(BaseCommand):
    help = "Print the collusion report of a ladder: pairs of bots that pass value to each other."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ladder", help="slug of the ladder, for example edel-stein-reich-4")
        parser.add_argument("--json", action="store_true", help="print all pairs as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        ladder = Ladder.objects.filter(slug=options["ladder"]).first()
        if ladder is None:
            known = ", ".join(Ladder.objects.values_list("slug", flat=True))
            raise CommandError(f"Ladder {options['ladder']!r} not found. Available ladders: {known or 'none'}.")
        season = ladder.seasons.order_by("-number").first()
        report = report_from(ladder, season, None, _document_of(season) if season else {})
        if options["json"]:
            self.stdout.write(json.dumps(_document(report), ensure_ascii=False, indent=2))
            return
        self.stdout.write(
            f"{ladder}: {report.pairs} ordered pairs in {report.blocks} blocks, {report.standing_out} flagged"
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
        f"{mark} {row.taker.bot.slug} gained {found['gain']:+.2f} per game from {row.giver.bot.slug}"
        f" ({found['excess']:+.2f} above expectation, p = {found['chance']:.2g}, {found['games']} games)"
    )


def _won_line(row: CollusionRow) -> str:
    found = row.found
    mark = "!" if found["stands_out"] else " "
    return (
        f"{mark} {row.taker.bot.slug} finished ahead of {row.giver.bot.slug} in {found['share']:.0%}"
        f" of {found['games']} games (expected {found['expected']:.0%}, p = {found['chance']:.2g})"
    )


def _document(report: CollusionReport) -> dict[str, Any]:
    return {
        "ladder": report.ladder.slug,
        "season": report.season and report.season.number,
        "unit": report.game.statistics.price_unit,
        "blocks": report.blocks,
        "pairs": report.pairs,
        "found": [
            {**row.found, "taker": row.taker.bot.slug, "giver": row.giver.bot.slug}  # slugs instead of membership ids
            for row in report.rows
        ],
        "won": [{**row.found, "taker": row.taker.bot.slug, "giver": row.giver.bot.slug} for row in report.won],
    }
