from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.models import Cup, Ladder, Season
from ladder.pages.statistics import CollusionReport, CollusionRow, cup_collusion_report, report_from
from ladder.season_statistics import collusion_document, latest_blocks

_SHOWN = 20


class Command(BaseCommand):
    help = "Print the collusion report of a ladder or a cup: pairs of bots that pass value to each other."

    def add_arguments(self, parser: CommandParser) -> None:
        of = parser.add_mutually_exclusive_group(required=True)
        of.add_argument("ladder", nargs="?", help="slug of the ladder, for example edel-stein-reich-4")
        of.add_argument("--cup", metavar="CUP", help="slug of a cup")
        parser.add_argument("--json", action="store_true", help="print all pairs as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        report = _of_cup(options["cup"]) if options["cup"] else _of_ladder(options["ladder"])
        if options["json"]:
            self.stdout.write(json.dumps(_document(report), ensure_ascii=False, indent=2))
            return
        self.stdout.write(
            f"{report.name}: {report.pairs} ordered pairs in {report.blocks} blocks, {report.standing_out} flagged"
        )
        for row in report.rows[:_SHOWN]:
            self.stdout.write(_line(row))
        for row in report.won[:_SHOWN]:
            self.stdout.write(_won_line(row))


def _of_ladder(slug: str) -> CollusionReport:
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        known = ", ".join(Ladder.objects.values_list("slug", flat=True))
        raise CommandError(f"Ladder {slug!r} not found. Available ladders: {known or 'none'}.")
    season = Season.objects.latest_of(ladder.pk).first()
    document = collusion_document(latest_blocks(season), with_people=ladder.for_people) if season else {}
    return report_from(ladder, season, None, document)


def _of_cup(slug: str) -> CollusionReport:
    cup = Cup.objects.filter(slug=slug).select_related("ladder").first()
    if cup is None:
        raise CommandError(f"Cup {slug!r} not found. Its slug is in the URL of its page.")
    return cup_collusion_report(cup)


def _line(row: CollusionRow) -> str:
    finding = row.found
    mark = "!" if finding["stands_out"] else " "
    return (
        f"{mark} {row.taker.slug} gained {finding['gain']:+.2f} per game from {row.giver.slug}"
        f" ({finding['excess']:+.2f} above expectation, p = {finding['chance']:.2g}, {finding['games']} games)"
    )


def _won_line(row: CollusionRow) -> str:
    finding = row.found
    mark = "!" if finding["stands_out"] else " "
    return (
        f"{mark} {row.taker.slug} finished ahead of {row.giver.slug} in {finding['share']:.0%}"
        f" of {finding['games']} games (expected {finding['expected']:.0%}, p = {finding['chance']:.2g})"
    )


def _document(report: CollusionReport) -> dict[str, Any]:
    return {
        "ladder": report.ladder.slug,
        "cup": report.cup and report.cup.slug,
        "season": report.season and report.season.number,
        "unit": report.game.statistics.price_unit,
        "blocks": report.blocks,
        "pairs": report.pairs,
        "found": [
            {**row.found, "taker": row.taker.slug, "giver": row.giver.slug}  # slugs instead of membership ids
            for row in report.rows
        ],
        "won": [{**row.found, "taker": row.taker.slug, "giver": row.giver.slug} for row in report.won],
    }
