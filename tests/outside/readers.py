"""Data frame libraries that read the downloads of a site with the calls of the guide.

The result is ``all values`` if no value of the games and the ledger of a ladder is lost.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from urllib.request import urlopen

from tests.outside.programs import ROOT, Installation, Program
from tests.outside.site import Site
from tests.services.ports import wait_until

PAGE = ROOT / "docs" / "guides" / "download-data.md"
LADDER = "edel-stein-reich-4"
BLOCKS = 31
ALL_VALUES = "all values"
PROGRAM = """\
import json
import MODULE
def is_lost(value, read):
    if isinstance(value, (dict, list)) and isinstance(read, str): read = json.loads(read)
    if isinstance(value, dict): return any(is_lost(inner, read.get(key)) for key, inner in value.items())
    if isinstance(value, list): return len(value) != len(read) or any(map(is_lost, value, read))
    return value is not None and read is None
for file in ("games.jsonl", "ledger.jsonl"):
    lines = [json.loads(line) for line in open(file, encoding="utf-8")]
    frame = CALL
    rows = ROWS
    assert len(rows) == len(lines) > 100
    for line, row in zip(lines, rows): assert not is_lost(line, row), (line, row)
"""

READERS = (
    Program("polars", ALL_VALUES, pip="polars==2.1.0"),
    Program("DuckDB", ALL_VALUES, pip="duckdb==2.0.1"),
    Program("pandas", ALL_VALUES, pip="pandas==3.1.1"),
)
ROWS = {
    "polars": "frame.to_dicts()",
    "DuckDB": "[dict(zip(frame.columns, row)) for row in frame.fetchall()]",
    "pandas": "frame.to_dict('records')",
}


def calls() -> dict[str, str]:
    """Return the calls on the page, by library."""
    return dict(re.findall(r"^\| (\w+) \| `(.*)` \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))


def result(installation: Installation, site: Site, reader: Program) -> str:
    """Read the games and the ledger, and compare the values with those of the files."""
    for name, data in downloads(site.url).items():
        (installation.work / name).write_bytes(data)
    code = PROGRAM.replace("MODULE", reader.name.lower()).replace("ROWS", ROWS[reader.name])
    code = code.replace("CALL", f"eval({calls()[reader.name]!r}.replace('ledger.jsonl', file))")
    installation.run(["python", "-c", code], environment=installation.install(reader))
    return ALL_VALUES


@cache
def downloads(site: str) -> dict[str, bytes]:
    """Return the games and the ledger of a ladder as JSON Lines. Some keys occur in the last lines only."""
    from ladder.models import Ladder
    from tests.build import finished_blocks, report_of, variety_of

    def content(path: str) -> bytes:
        with urlopen(site + path, timeout=60) as response:
            return bytes(response.read())

    def games() -> bytes:
        return gzip.decompress(content(f"/api/v1/ladders/{LADDER}/records?limit=1000"))

    ladder = Ladder.objects.get(slug=LADDER)
    finished_blocks(ladder, BLOCKS - 1)
    finished_blocks(ladder, 1, lambda match: report_of(match, variety=variety_of(match), forfeits={0: "memory"}))
    wait_until(lambda: games().count(b"\n") == BLOCKS * ladder.seats, "all games are public", every_s=10)
    return {"games.jsonl": games(), "ledger.jsonl": content(f"/ladders/{LADDER}/ledger.jsonl")}
