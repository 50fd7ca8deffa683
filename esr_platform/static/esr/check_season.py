"""Verify all deals of a season: ``python3 check_season.py LADDER-season-NUMBER-deals.jsonl``."""

from __future__ import annotations

import hmac
import json
import sys
from hashlib import sha256
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8") as lines:
    head, *deals = map(json.loads, lines)
wrong = []
for one in head["series"]:
    key = bytes.fromhex(one["key"] or sys.exit("The season keys are secret until the season is over."))
    own = [deal for deal in deals if deal["name"] == one["name"]]
    gapless = [deal["number"] for deal in own] == list(range(1, one["deals"] + 1))
    wrong += [one["name"]] if not gapless or sha256(key).hexdigest() != one["key_hash"] else []
    for deal in own:
        seed = hmac.digest(key, f"{one['name']}/{head['season']}/{deal['number']}".encode("ascii"), "sha256")
        wrong += [deal] if (deal["seed"], deal["commitment"]) != (seed.hex(), sha256(seed).hexdigest()) else []
sys.exit(f"Faults: {wrong}" if wrong else print(f"Verified: all {len(deals)} deals match the season keys."))
