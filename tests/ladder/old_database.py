"""A database as the version before seasons left it: ``python -m tests.ladder.old_database``, on ``DATABASE_URL``.

Two ladders with rated results, one match that was void and one that is queued.
"""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import uuid4

import django

django.setup()

from django.db import connection  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

from games.registry import GAMES  # noqa: E402
from ladder.packing import pack  # noqa: E402
from ladder.ratings.elo import START_RATING  # noqa: E402
from ladder.ratings.rating import Rules, Standing, rate  # noqa: E402

BEFORE = [("ladder", "0002_owner_logs")]
NOW = datetime(2026, 6, 1, tzinfo=UTC)
RESULTS = 5


def main() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    apps = executor.loader.project_state(BEFORE).apps
    for slug, seats in (("edel-stein-reich", 3), ("edel-stein-reich-duel", 2)):
        fill(apps, slug, seats)


def fill(apps: Any, game: str, seats: int) -> None:
    ladder = row(apps, "ladder", "Ladder", slug=f"{game}-{seats}", name=game, game=game, seats=seats)
    entries, versions = [], {}
    for number in range(seats + 1):
        name = f"{game}-bot-{number}"
        bot = row(apps, "bots", "Bot", name=name, slug=name, house_name=name)
        entries.append(row(apps, "ladder", "Entry", ladder=ladder, bot=bot))
        version = row(apps, "bots", "BotVersion", bot=bot, number=1, digest=f"{number:064x}", active=True)
        versions[entries[-1].pk] = version
    accounts = {entry.pk: Standing() for entry in entries}
    random = Random(game)
    for number in range(1, RESULTS + 1):
        table = random.sample(entries, seats)
        result(apps, ladder, number, table, versions, accounts, random)
    ladder.next_ledger = RESULTS + 1
    ladder.save()
    for entry in entries:
        one = accounts[entry.pk]
        entry.rating, entry.games, entry.wins, entry.last_change = one.rating, one.games, one.wins, one.last_change
        entry.save()
    assert sum(one.rating - START_RATING for one in accounts.values()) == 0
    new_match(apps, ladder, entries[:seats], versions, status="void", reason="Given up.", ended=NOW)
    new_match(apps, ladder, entries[:seats], versions, status="queued")


def result(apps: Any, ladder: Any, number: int, table: list[Any], versions: Any, accounts: Any, random: Random) -> None:
    match = new_match(apps, ladder, table, versions, status="finished", ended=NOW)
    state = GAMES[ladder.game].new(ladder.seats, bytes(match.seed))
    while state.pending:
        for seat in state.pending:
            state.play(seat, state.random_move(seat, random))
    attempt = row(
        apps,
        "ladder",
        "Attempt",
        match=match,
        number=1,
        token=uuid4(),
        worker="here",
        started=NOW,
        heartbeat_at=NOW,
        ended=NOW,
        ending="finished",
    )
    kept = row(apps, "ladder", "Result", match=match, attempt=attempt, packed_record=pack(state.record), report={})
    row(apps, "ladder", "LedgerEntry", ladder=ladder, number=number, result=kept)
    outcome = state.outcome or {}
    rated = rate(accounts, [entry.pk for entry in table], outcome["ranks"], Rules())
    seats = apps.get_model("ladder", "Seat").objects.filter(match=match).order_by("index")
    for seat, rank, score, both in zip(seats, outcome["ranks"], outcome["scores"], rated, strict=True):
        before, after = both or (0, 0)
        row(
            apps,
            "ladder",
            "SeatResult",
            result=kept,
            seat=seat,
            rank=rank,
            score=score,
            rating_before=before,
            rating_after=after,
        )


def new_match(apps: Any, ladder: Any, table: list[Any], versions: Any, **columns: Any) -> Any:
    seed = uuid4().bytes * 2
    state = GAMES[ladder.game].new(ladder.seats, seed)
    match = row(apps, "ladder", "Match", ladder=ladder, seed=seed, commitment=state.record["commitment"], **columns)
    for index, entry in enumerate(table):
        row(apps, "ladder", "Seat", match=match, index=index, entry=entry, version=versions[entry.pk])
    return match


def row(apps: Any, app: str, model: str, **columns: Any) -> Any:
    return apps.get_model(app, model).objects.create(**columns)


if __name__ == "__main__":
    main()
