"""The API under load: ``python -m bench.api``, reading first, then 200 remote bots at tables of four and of two.

Reading is on SQLite, playing on SQLite and PostgreSQL; ``bench.reading`` and ``bench.playing`` have the options of
each. It takes most of an hour; with ``--short`` some minutes, whose figures are less exact. It fails only if
the CPU times of a part cannot be right (``bench.cpu_time``).
"""

from __future__ import annotations

import subprocess
import sys

PARTS = (["bench.reading"], ["bench.playing", "--seats", "4"], ["bench.playing", "--seats", "2"])
SHORT = {
    "bench.reading": ["--matches", "10000", "--people", "40", "--windows", "3", "--window-s", "1"],
    "bench.playing": ["--seconds", "90"],
}


def main() -> int:
    short = "--short" in sys.argv[1:]
    commands = [[sys.executable, "-m", *part, *(SHORT[part[0]] if short else [])] for part in PARTS]
    return max(subprocess.run(command, check=False).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main())
