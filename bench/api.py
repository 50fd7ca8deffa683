"""Measure the API: reads first, then 200 remote bots at tables of four and of two: ``python -m bench.api``.

Reads are measured on SQLite, live games on SQLite and PostgreSQL. The options are those of ``bench.api_reads`` and
``bench.remote_play``. A run takes most of an hour. With ``--short`` it takes a few minutes and is less exact. The bench
fails only if the CPU times of a part cannot be right (``bench.cpu_time``).
"""

from __future__ import annotations

import subprocess
import sys

PARTS = (["bench.api_reads"], ["bench.remote_play", "--seats", "4"], ["bench.remote_play", "--seats", "2"])
SHORT = {
    "bench.api_reads": ["--matches", "10000", "--people", "40", "--windows", "3", "--window-s", "1"],
    "bench.remote_play": ["--seconds", "90"],
}


def main() -> int:
    short = "--short" in sys.argv[1:]
    commands = [[sys.executable, "-m", *part, *(SHORT[part[0]] if short else [])] for part in PARTS]
    return max(subprocess.run(command, check=False).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main())
