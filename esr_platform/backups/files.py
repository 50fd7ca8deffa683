"""Backup files: named parts in a tar archive, encrypted with age as a stream.

A new file gets its name only when it is complete and on the disk. age authenticates every 64 KiB and marks the last of
them, so a damaged or truncated file is always noticed.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BytesIO
from pathlib import Path
from secrets import token_hex
from threading import Thread
from typing import IO, Any, Final

import pyarrow
import pyrage
from pyrage.x25519 import Identity, Recipient

from esr_platform.backups import BackupProblem

_BUFFER = 1 << 20

Add = Callable[[str, bytes], None]


# --- Writing ---------------------------------------------------------------------------------------------------------


@contextmanager
def new_backup(path: Path, key: Recipient) -> Iterator[Add]:
    """Write a backup to ``path``; gives a function that adds a part. After an error, nothing is left of it.

    Raises ``BackupProblem`` if the file exists or cannot be written.
    """
    if path.exists():
        raise BackupProblem(f"{path} already exists. Choose another name.")
    part = path.with_name(f"{path.name}.{token_hex(4)}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, "wb", 0) as file, _encrypted(file, key, path) as add:
            yield add
        try:
            part.rename(path)
            sync(path.parent)
        except OSError as error:
            raise _unwritable(path, error) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _encrypted(file: IO[bytes], key: Recipient, path: Path) -> Iterator[Add]:
    """Encrypt in a thread what is added, which goes through a pipe, because age reads from a file."""
    read, write = os.pipe()
    watched, failed = _WatchedWriter(file), list[BaseException]()

    def encrypt() -> None:
        try:
            with os.fdopen(read, "rb") as plain:  # after an error the pipe breaks, which ends the other thread's work
                pyrage.encrypt_io(plain, watched, [key])
            watched.sync()
        except BaseException as error:
            failed.append(watched.error or error)

    thread = Thread(target=encrypt)
    thread.start()
    try:
        with (
            os.fdopen(write, "wb", _BUFFER) as plain,
            tarfile.open(fileobj=plain, mode="w|", bufsize=_BUFFER, format=tarfile.PAX_FORMAT) as tar,
        ):
            yield lambda name, data: _add(tar, name, data)
    except BrokenPipeError:
        thread.join()
        if not failed:
            raise
    finally:
        thread.join()
    if failed:
        raise _unwritable(path, failed[0]) from failed[0]


class _WatchedWriter(BufferedIOBase):
    """A file for age, which would turn an ``OSError`` into an error without a number."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        pass

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        os.fsync(self._file.fileno())


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(data), 0o600
    tar.addfile(member, BytesIO(data))


def sync(path: Path) -> None:
    """Wait until the file or folder ``path`` is on the disk. Raises ``OSError``."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritable(path: Path, error: BaseException) -> BackupProblem:
    if not isinstance(error, OSError):
        return BackupProblem(f"Cannot write {path}: {error}.")
    remedy = "Free some space or choose another folder." if error.errno else ""
    return BackupProblem(f"Cannot write {path}: {error.strerror}. No backup was made. {remedy}".rstrip())


# --- Reading ---------------------------------------------------------------------------------------------------------


@contextmanager
def opened_backup(path: Path, key: Identity) -> Iterator[Iterator[tuple[str, bytes]]]:
    """Read the backup ``path``; gives the name and the contents of each part, in order.

    The iterator raises ``BackupProblem`` for a file that is no backup, has another key, or is damaged or truncated.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise BackupProblem(f"Cannot read {path}: {error.strerror}.") from None
    read, write = os.pipe()
    failed = list[Exception]()

    def decrypt() -> None:
        try:
            with file, os.fdopen(write, "wb") as plain:
                pyrage.decrypt_io(file, plain, [key])
        except Exception as error:
            failed.append(error)

    thread = Thread(target=decrypt)
    thread.start()
    with os.fdopen(read, "rb") as plain:
        try:
            yield _parts(path, plain, thread, failed)
        finally:
            plain.close()  # the thread ends, also if not everything was read
            thread.join()


def _parts(path: Path, plain: IO[bytes], thread: Thread, failed: list[Exception]) -> Iterator[tuple[str, bytes]]:
    problem: Exception | None = None
    try:
        with tarfile.open(fileobj=plain, mode="r|", bufsize=_BUFFER) as tar:
            for member in tar:
                content = tar.extractfile(member)
                yield member.name, b"" if content is None else content.read()
    except tarfile.TarError as error:
        problem = error
    while plain.read(_BUFFER):  # so that the thread comes to the end of the file, and to its authentication
        pass
    thread.join()
    if failed or problem:
        raise _unreadable(path, failed[0] if failed else problem)


def _unreadable(path: Path, error: Exception | None) -> BackupProblem:
    text = str(error)
    if "No matching keys" in text:
        return BackupProblem(
            f"This key cannot decrypt {path}, or the beginning of the file is damaged. Use the private key of the "
            "BACKUP_KEY that it was made with, or another backup."
        )
    if isinstance(error, pyrage.DecryptError):
        return BackupProblem(f"{path} is not a backup, or its beginning is damaged ({text}). Use another file.")
    return BackupProblem(f"{path} is damaged or truncated ({text}). Use another backup.")


# --- Contents of parts -----------------------------------------------------------------------------------------------

_ZSTD: Final = pyarrow.Codec("zstd", compression_level=3)


def compressed(data: bytes) -> bytes:
    """Compress one part with zstd."""
    packed: bytes = _ZSTD.compress(data, asbytes=True)
    return packed


def decompressed(packed: bytes) -> bytes:
    """Decompress one part."""
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd") as stream:
        data: bytes = stream.read()
    return data


def seal(data: bytes, key: Recipient) -> bytes:
    """Encrypt one part."""
    return pyrage.encrypt(data, [key])


def unseal(data: bytes, key: Identity) -> bytes:
    """Decrypt one part. Raises ``BackupProblem`` for another key."""
    try:
        return pyrage.decrypt(data, [key])
    except (pyrage.DecryptError, OSError) as error:
        raise BackupProblem(f"A sealed part of the backup cannot be decrypted: {error}.") from None
