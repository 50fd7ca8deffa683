"""The way of a database from before seasons to this version, in processes of its own as on a site."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

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
