"""Migrations from the databases of earlier versions. The oldest one runs in separate processes, as on a site."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.db.models.functions import Now

from ladder.models import Attempt, Match

ROOT = Path(__file__).parents[2]


def run(folder: Path, *words: str) -> str:
    settings = {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3", "VAR_DIR": str(folder)}
    environment = {**os.environ, **settings, "DJANGO_SETTINGS_MODULE": "esr_platform.settings"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        return database.execute(query).fetchall()


@pytest.mark.slow
def test_old_results_keep_their_ratings_and_stand_in_a_chain_that_holds(tmp_path: Path) -> None:
    run(tmp_path, "-m", "tests.ladder.old_database")
    ratings = "SELECT id, rating, games, wins, last_change FROM ladder_entry ORDER BY id"
    before = rows(tmp_path, ratings), rows(tmp_path, "SELECT id, rating_before, rating_after FROM ladder_seatresult")
    seeds = rows(tmp_path, "SELECT id, seed FROM ladder_match ORDER BY id")
    run(tmp_path, "manage.py", "migrate")
    told = run(tmp_path, "manage.py", "rerate", "--check", "--records")
    assert "edel-stein-reich: 5 results, 0 differences" in told
    assert "edel-stein-reich-duel: 5 results, 0 differences" in told
    after = rows(tmp_path, ratings), rows(tmp_path, "SELECT id, rating_before, rating_after FROM ladder_seatresult")
    assert after == before
    deals = (
        "SELECT ladder_match.id, ladder_block.seed FROM ladder_match JOIN ladder_block ON block_id = ladder_block.id"
    )
    assert rows(tmp_path, f"{deals} ORDER BY 1") == seeds
    open_blocks = "SELECT status FROM ladder_match JOIN ladder_block b ON block_id = b.id WHERE b.ended IS NULL"
    assert rows(tmp_path, open_blocks) == [("queued",), ("queued",)]
    assert rows(tmp_path, "SELECT number, closed FROM ladder_season") == [(1, None), (1, None)]


@pytest.mark.django_db(transaction=True)
def test_of_the_matches_of_a_block_that_ran_at_the_same_time_all_but_one_are_queued_again(match: Match) -> None:
    (alone,) = (one for one in Match._meta.constraints if one.name == "match_runs_alone_in_block")
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {alone.name}")
    block = list(Match.objects.filter(block=match.block).order_by("pk"))
    other = Match.objects.exclude(block=match.block).earliest("pk")
    for game in (*block[:3], other):
        token = uuid4()
        Match.objects.filter(pk=game.pk).update(
            status="running", lease=token, lease_until=Now(), started=Now(), attempts_started=1
        )
        Attempt.objects.create(match=game, number=1, token=token, worker="w", started=Now(), heartbeat_at=Now())
    with transaction.atomic(), connection.cursor() as cursor:  # as a migration runs
        import_module("ladder.migrations.0012_reruns").queue_all_but_one(apps, None)
        cursor.execute(str(alone.create_sql(Match, connection.schema_editor())))
    running = Match.objects.filter(status="running").order_by("pk")
    assert list(running.values_list("pk", flat=True)) == [block[0].pk, other.pk]
    assert set(Attempt.objects.values_list("match", "ending")) == {
        (block[0].pk, "open"), (block[1].pk, "expired"), (block[2].pk, "expired"), (other.pk, "open"),
    }  # fmt: skip
