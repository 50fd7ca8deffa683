"""Write the golden games again: ``python -m tests.games.golden``."""

from __future__ import annotations

import json

from tests.games.golden import FORFEITS, TABLES, give_up, path, play

for slug, seats in TABLES:
    lines = [json.dumps(line, separators=(",", ":")) for line in play(slug, seats)]
    path(slug, seats).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path(slug, seats).name}: {len(lines) - 2} steps")
games = {f"{slug}-{seats}": give_up(slug, seats) for slug, seats in TABLES}
FORFEITS.write_text(json.dumps(games, indent=1) + "\n", encoding="utf-8")
