"""The command ``steinreich-worker``: play for a site on this host. It needs the site's URL and a token only."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Final

from bots.client import Unreachable
from bots.client.work import TokenRefused, WorkClient
from bots.runner.clock import cores
from bots.worker.host import KINDS, HostProcess, Stopping

TOKEN: Final = "ESR_WORKER_TOKEN"  # noqa: S105 - the name of a variable
WORK_PER_PROCESS: Final = 2000
"""After this number of games or decisions, a process is replaced by a new one."""

LIVE_PROCESSES: Final = 2
"""People wait for bots at live tables, so these processes do nothing else."""

CONFIGURATION: Final = 78
"""Exit status for a wrong token or URL (``EX_CONFIG`` of sysexits.h)."""

RESTART_S: Final = 5.0
_TICK_S: Final = 0.2
_STOP_S: Final = 30.0

logger = logging.getLogger("steinreich-worker")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "steinreich-worker"
    known = argparse.ArgumentParser(
        prog="steinreich-worker",
        description="Play matches, validate uploads and play for hosted bots at live tables, as the token allows."
        " The host needs the URL of the site and a token.",
        epilog=f"The token is read from {TOKEN} or from a file. A site admin creates it with"
        " `manage.py worker_hosts create NAME`.",
    )
    site = os.environ.get("ESR_SITE", "")
    known.add_argument("--site", default=site, required=not site, metavar="URL", help="URL of the site (or ESR_SITE)")
    known.add_argument("--token-file", type=Path, metavar="FILE", help="file that contains the token")
    known.add_argument(
        "--processes", type=int, default=cores(), metavar="N", help="games at a time (default: one per core)"
    )
    known.add_argument(
        "--live-processes",
        type=int,
        default=LIVE_PROCESSES,
        metavar="N",
        help=f"bots at live tables that play while all other processes are busy (default: {LIVE_PROCESSES})",
    )
    known.add_argument(
        "--cache", type=Path, default=default, metavar="DIR", help=f"folder for code (default: {default})"
    )
    known.add_argument("--slot", type=int, help=argparse.SUPPRESS)
    known.add_argument("--live", action="store_true", help=argparse.SUPPRESS)
    return known


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    options = parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    token = os.environ.pop(TOKEN, "")
    try:
        token = options.token_file.read_text().strip() if options.token_file else token.strip()
        options.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        client = WorkClient(options.site, token)
    except (OSError, ValueError) as error:
        logger.error("%s", error)
        return CONFIGURATION
    if not token:
        logger.error("No token. Set %s or --token-file.", TOKEN)
        return CONFIGURATION
    os.environ.setdefault("VAR_DIR", str(options.cache))  # hidden from bots (bots.sandbox.proof)
    if options.slot is None:
        client.close()
        return _Processes(options, token).run()
    kinds = ("live",) if options.live else KINDS
    return _play(HostProcess(client, options.site, options.cache, options.slot, kinds))


def _play(process: HostProcess) -> int:
    """Run one process of the host."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        process.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        process.run(WORK_PER_PROCESS)
    except TokenRefused as refused:
        logger.error("The site refuses the token: %s", refused)
        return CONFIGURATION
    except (Stopping, Unreachable):
        pass
    return 0


class _Processes:
    """The processes of a host, each of which does one piece of work at a time. Those that end are replaced."""

    def __init__(self, options: argparse.Namespace, token: str) -> None:
        self._options, self._token = options, token
        self._stopping = False

    def run(self) -> int:
        """Run until a signal, or until the site refuses the token; the exit status."""
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        count = max(1, self._options.processes) + max(0, self._options.live_processes)
        began = {slot: time.monotonic() for slot in range(count)}
        running = {slot: self._started(slot) for slot in began}
        logger.info("Asking %s for work, with %s processes.", self._options.site, len(running))
        status = 0
        while not self._stopping:
            time.sleep(_TICK_S)
            for slot, process in running.items():
                ended = process.poll()
                if ended == CONFIGURATION:
                    status, self._stopping = CONFIGURATION, True
                elif ended is not None and time.monotonic() > began[slot] + RESTART_S:
                    began[slot], running[slot] = time.monotonic(), self._started(slot)
        for process in running.values():
            process.terminate()
        until = time.monotonic() + _STOP_S
        for process in running.values():
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return status

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _started(self, slot: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "bots.worker", "--site", self._options.site, "--cache"]
        command += [str(self._options.cache), "--slot", str(slot)]
        command += ["--live"] if slot >= max(1, self._options.processes) else []
        # A separate group: a Ctrl-C in a terminal reaches this process alone, which stops the others in order.
        return subprocess.Popen(command, env={**os.environ, TOKEN: self._token}, start_new_session=True)


if __name__ == "__main__":
    sys.exit(main())
