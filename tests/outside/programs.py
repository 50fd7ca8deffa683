"""What all kinds of outside programs have in common: how they are installed and run, and what is expected of them."""

from __future__ import annotations

import os
import platform
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND_SECONDS = 600
INHERITED = ("pip_", "npm_", "https_", "ssl_")
"""How the names of the environment variables begin that tell programs how to reach the package registries."""


@dataclass(frozen=True)
class Program:
    """One outside program and the expected result of its run.

    ``apt`` names Debian packages; ``pip`` and ``npm`` contain requirements with exact versions, separated by spaces.
    The first package, in this order, is the program whose version the table shows. ``unavailable`` is the reason why no
    registry offers the program.
    """

    name: str
    expected: str
    apt: str = ""
    pip: str = ""
    npm: str = ""
    unavailable: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class Result:
    """The result of a program in the version that ran."""

    program: Program
    version: str
    text: str

    @property
    def as_expected(self) -> bool:
        return bool(self.program.unavailable) or self.text == self.program.expected


class Failed(Exception):
    """An outside program could not be installed, or failed where it must succeed."""


@dataclass(frozen=True)
class Installation:
    """Outside programs below ``folder``. Only Debian packages are installed system-wide.

    ``work`` is an empty folder, in which commands run.
    """

    folder: Path
    work: Path

    def install(self, program: Program) -> dict[str, str]:
        """Install the packages of ``program``, and return the environment variables of its commands."""
        home, python = self.folder / "home", self.folder / "python"
        home.mkdir(exist_ok=True)
        if not python.exists():
            self.run([sys.executable, "-m", "venv", "--without-pip", str(python)])
        inherited = {name: text for name, text in os.environ.items() if name.lower().startswith(INHERITED)}
        environment = {**inherited, "HOME": str(home), "LC_ALL": "C.UTF-8"}
        path = [str(python / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]
        if program.apt:
            self.run(["tools/system-packages", *program.apt.split()], ROOT)
        if program.pip:
            target = self.folder / "pip" / program.pip.replace(" ", "+")
            if not target.exists():
                pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target)]
                self.run([*pip, *program.pip.split()])
            environment["PYTHONPATH"] = str(target)
            path.insert(0, str(target / "bin"))
        if program.npm:
            target = self.folder / "npm" / program.npm.replace("/", "-").replace(" ", "+")
            if not (target / "node_modules").exists():
                target.mkdir(parents=True, exist_ok=True)
                npm = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
                self.run([*npm, *program.npm.split()], target)
            environment["NODE_PATH"] = str(target / "node_modules")
            path.insert(0, str(target / "node_modules" / ".bin"))
        return {**environment, "PATH": os.pathsep.join(path)}

    def version(self, program: Program) -> str:
        """Return the version of the first package, without the revision of Debian. Without packages, that of Python."""
        if program.apt:
            version = self.run(["dpkg-query", "--show", "--showformat=${Version}", program.apt.split()[0]])
            return re.sub(r"^\d+:|.*\+really|[-+~].*", "", version)
        for pin in f"{program.pip} {program.npm}".split():
            return re.split("==|(?<=.)@", pin)[-1]
        return platform.python_version()

    def run(
        self, command: list[str] | str, cwd: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> str:
        """Run ``command``, a text in a shell, and return its output. Nothing that it started survives it.

        Raises ``Failed``.
        """
        words = ["/bin/sh", "-c", command] if isinstance(command, str) else command
        process = subprocess.Popen(
            words,
            cwd=cwd or self.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output = process.communicate(timeout=COMMAND_SECONDS)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired as late:
            raise Failed(f"`{shlex.join(words)}` did not end within {COMMAND_SECONDS} s") from late
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode:
            raise Failed(f"`{shlex.join(words)}` exited with {process.returncode}:\n{output[-3000:]}")
        return output


def markdown_table(*rows: tuple[str, ...]) -> str:
    """Return a Markdown table. The first row is its head."""
    lines = [f"| {' | '.join(cells)} |\n" for cells in rows]
    return "".join([lines[0], "|---" * len(rows[0]) + "|\n", *lines[1:]])


def replace_table(page: Path, name: str, table: str) -> None:
    """Replace what is between the comments ``<!-- outside: NAME -->`` and ``<!-- end -->`` of a page."""
    before, marker, rest = page.read_text(encoding="utf-8").partition(f"<!-- outside: {name} -->\n")
    _, ended, after = rest.partition("<!-- end -->")
    if not marker or not ended:
        raise LookupError(f"{page} has no table {name}")
    page.write_text(f"{before}{marker}\n{table}\n{ended}{after}", encoding="utf-8")
