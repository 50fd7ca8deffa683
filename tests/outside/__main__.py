"""Run outside programs against a site: ``python -m tests.outside [--kind KIND] [--only NAME] [--write]``.

Installs each program in a pinned version, runs it and prints a table of version, result and expected result. Exits
with 1 if a result differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bots.client import ClientError
from tests.outside import archivers, clients, compilers, learning, readers, streams
from tests.outside.programs import Failed, Installation, Program, Result, replace_table
from tests.outside.site import Site, running_site


@dataclass(frozen=True)
class ProgramKind:
    """Programs of one kind, and the function that runs one of them. ``table`` is the one of ``page``."""

    programs: Sequence[Program]
    result: Callable[[Installation, Site, Any], str]
    page: Path | None = None
    table: Callable[[list[Result]], str] | None = None


KINDS = {
    "archivers": ProgramKind(archivers.ARCHIVERS, archivers.result, archivers.PAGE, archivers.table),
    "compilers": ProgramKind(compilers.COMPILERS, compilers.result, compilers.PAGE, compilers.table),
    "clients": ProgramKind(clients.TOOLS, clients.result),
    "streams": ProgramKind(streams.CLIENTS, streams.result),
    "readers": ProgramKind(readers.READERS, readers.result),
    "learning": ProgramKind(learning.LIBRARIES, learning.result),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.outside", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kind", choices=KINDS, action="append", help="kind of programs (default: all)")
    parser.add_argument("--only", default="", help="programs whose name contains this text (default: all)")
    parser.add_argument("--write", action="store_true", help="update the tables of the documentation")
    parser.add_argument("--folder", type=Path, help="folder for the installed programs (default: a temporary one)")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write needs the results of all programs")
    chosen = {
        name: [program for program in KINDS[name].programs if options.only.lower() in program.name.lower()]
        for name in options.kind or KINDS
    }
    if not any(chosen.values()):
        parser.error(f"no program has “{options.only}” in its name")
    differing = 0
    with (
        tempfile.TemporaryDirectory(prefix="esr-outside-") as temporary,
        tempfile.TemporaryDirectory(prefix="esr-site-") as data,
        running_site(Path(data)) as site,
    ):
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        for name, programs in chosen.items():
            kind, results = KINDS[name], []
            print(f"{name}: version, result, expected", flush=True)
            for program in programs:
                results.append(run(kind, folder, site, program))
                print(line(results[-1]), flush=True)
            unexpected = sum(not result.as_expected for result in results)
            if options.write and kind.page and kind.table and not unexpected:
                replace_table(kind.page, name, kind.table(results))
            differing += unexpected
    ran = sum(map(len, chosen.values()))
    print(f"{differing} of {ran} results differ." if differing else f"All {ran} results are as expected.")
    return 1 if differing else 0


def run(kind: ProgramKind, folder: Path, site: Site, program: Program) -> Result:
    """Install a program below ``folder`` and run it. If it fails or the site does not respond, the result says so."""
    if program.unavailable:
        return Result(program, "-", f"not run: {program.unavailable}")
    try:
        with tempfile.TemporaryDirectory(prefix="esr-outside-") as work:
            installation = Installation(folder, Path(work))
            text = kind.result(installation, site, program)
            return Result(program, installation.version(program), text)
    except (Failed, ClientError, OSError, AssertionError) as failure:
        return Result(program, "?", f"failed: {failure}")


def line(result: Result) -> str:
    """Return the line of the printed table. The expected result is left out if it is the same."""
    mark = "ok" if result.as_expected else "DIFFERS"
    differing = "" if result.as_expected else f"  (expected: {result.program.expected})"
    return f"{mark:8}{result.program.name:32} {result.version:16} {result.text}{differing}"


if __name__ == "__main__":
    sys.exit(main())
