"""What all kinds of outside programs have in common: how they are installed and run, and what is expected of them."""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND_SECONDS = 600


@dataclass(frozen=True)
class Trial:
    """One outside program and the expected result of its run.

    ``apt`` are Debian packages; ``pip`` and ``npm`` are requirements with exact versions. The first of all packages is
    the program itself, whose version the table shows. ``unavailable`` is the reason why no registry offers it.
    """

    name: str
    expected: str
    apt: tuple[str, ...] = ()
    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    unavailable: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class Outcome:
    """The version and the result of one trial."""

    trial: Trial
    version: str
    result: str

    @property
    def as_expected(self) -> bool:
        return bool(self.trial.unavailable) or self.result == self.trial.expected


class Failed(Exception):
    """An outside program could not be installed, or failed where it must succeed."""


@dataclass(frozen=True)
class Workshop:
    """Installs outside programs below ``folder`` and runs them. Only Debian packages are installed system-wide."""

    folder: Path

    def install(self, trial: Trial) -> Mapping[str, str]:
        """Install the packages of ``trial``, and return the environment variables of its commands."""
        if trial.apt:
            self.run(["tools/system-packages", *trial.apt], ROOT)
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        python = self.folder / "python"
        if not python.exists():
            self.run([sys.executable, "-m", "venv", "--without-pip", str(python)], self.folder)
        environment = {
            **{name: text for name, text in os.environ.items() if name.lower().startswith(("pip_", "npm_", "https_"))},
            "PATH": os.pathsep.join([str(python / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
        }
        if trial.pip:
            target = self.folder / "pip" / "+".join(trial.pip)
            if not target.exists():
                self.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), *trial.pip])
            environment["PYTHONPATH"] = str(target)
            environment["PATH"] = f"{target / 'bin'}{os.pathsep}{environment['PATH']}"
        if trial.npm:
            target = self.folder / "npm" / "+".join(name.replace("/", "-") for name in trial.npm)
            if not (target / "node_modules").exists():
                target.mkdir(parents=True, exist_ok=True)
                self.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *trial.npm], target)
            environment["NODE_PATH"] = str(target / "node_modules")
            environment["PATH"] = f"{target / 'node_modules' / '.bin'}{os.pathsep}{environment['PATH']}"
        return environment

    def version(self, trial: Trial) -> str:
        """Return the version of the program: the pinned one, or that of the Debian package without its revision."""
        for pin in (*trial.pip[:1], *trial.npm[:1]):
            return pin.rpartition("==" if "==" in pin else "@")[2]
        if not trial.apt:
            return platform.python_version()
        version = self.run(["dpkg-query", "--show", "--showformat=${Version}", trial.apt[0]])
        return re.sub(r"^\d+:|.*\+really|[-+~].*", "", version)

    def run(
        self, command: list[str] | str, cwd: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> str:
        """Run ``command``, a text in a shell, and return its output. Raises ``Failed``."""
        words = ["/bin/sh", "-c", command] if isinstance(command, str) else command
        try:
            done = subprocess.run(
                words,
                cwd=cwd or self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=COMMAND_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise Failed(f"`{shlex.join(words)}` did not end within {COMMAND_SECONDS} s") from late
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            raise Failed(f"`{shlex.join(words)}` exited with {done.returncode}:\n{output[-3000:]}")
        return output


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return (
        "".join(f"| {' | '.join(cells)} |\n" for cells in lines).replace("| --- ", "|---").replace("---|\n", "---|\n")
    )


def replace_table(page: Path, name: str, text: str) -> None:
    """Replace what is between the comments ``<!-- outside: NAME -->`` and ``<!-- end -->`` of a page."""
    before, found, rest = page.read_text(encoding="utf-8").partition(f"<!-- outside: {name} -->\n")
    _, ended, after = rest.partition("<!-- end -->")
    if not found or not ended:
        raise LookupError(f"{page} has no table {name}")
    page.write_text(f"{before}{found}\n{text}\n{ended}{after}", encoding="utf-8")
