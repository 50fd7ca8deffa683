"""Run outside programs against a site: ``python -m tests.outside [--kind KIND] [--only NAME] [--write]``.

Installs each program in a pinned version, runs it and prints a table of version, result and expected result. Exits
with 1 if a result differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tests.outside import archivers, clients, compilers, streams
from tests.outside.site import Site, running_site
from tests.outside.trial import Outcome, Workshop, replace_table

Kind = tuple[tuple[Any, ...], Callable[[Workshop, Site, list[Any]], Iterator[Outcome]]]
KINDS: dict[str, Kind] = {
    "archivers": (archivers.ARCHIVERS, archivers.outcomes),
    "compilers": (compilers.COMPILERS, compilers.outcomes),
    "clients": (clients.CLIENTS, clients.outcomes),
    "streams": (streams.CLIENTS, streams.outcomes),
}
PAGES = {"archivers": (archivers.PAGE, archivers.written), "compilers": (compilers.PAGE, compilers.written)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.outside", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kind", choices=KINDS, action="append", help="kind of programs (default: all)")
    parser.add_argument("--only", default="", help="programs whose name contains this text (default: all)")
    parser.add_argument("--write", action="store_true", help="update the tables of the documentation")
    parser.add_argument("--folder", type=Path, help="folder for the installed programs (default: a temporary one)")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write needs the results of all programs")
    unexpected = 0
    with (
        tempfile.TemporaryDirectory(prefix="esr-outside-") as temporary,
        tempfile.TemporaryDirectory(prefix="esr-site-") as data,
        nullcontext(options.folder or Path(temporary)) as folder,
        running_site(Path(data)) as site,
    ):
        folder.mkdir(exist_ok=True)
        for name in options.kind or KINDS:
            trials, outcomes = KINDS[name]
            chosen = [trial for trial in trials if options.only.lower() in trial.name.lower()]
            print(f"{name}: version, result, expected", flush=True)
            found = []
            for outcome in outcomes(Workshop(folder), site, chosen):
                found.append(outcome)
                unexpected += not outcome.as_expected
                print(line(outcome), flush=True)
            if len(found) != len(chosen):
                print(f"{len(chosen) - len(found)} of {name} did not run.")
                unexpected += 1
            if options.write and name in PAGES:
                page, written = PAGES[name]
                replace_table(page, name, written(found))
    print(f"{unexpected} results differ." if unexpected else "All results are as expected.")
    return 1 if unexpected else 0


def line(outcome: Outcome) -> str:
    """Return the line of the printed table. The expected result is left out if it is the same."""
    mark = "ok" if outcome.as_expected else "DIFFERS"
    differing = "" if outcome.as_expected else f"  (expected: {outcome.trial.expected})"
    return f"{mark:8}{outcome.trial.name:32} {outcome.version:16} {outcome.result}{differing}"


if __name__ == "__main__":
    sys.exit(main())
