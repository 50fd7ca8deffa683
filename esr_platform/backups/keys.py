"""The two key pairs of backups: one for the whole file, one for the rows from which future deals could be learned."""

from __future__ import annotations

import hmac
import os
from pathlib import Path

import pyrage
from django.conf import settings
from pyrage.x25519 import Identity, Recipient

from esr_platform.backups import BackupProblem

NAMES = {"BACKUP_KEY": "backup.key", "BACKUP_DEALS_KEY": "deals.key"}
"""The settings with public keys, and the files that ``create`` writes the private keys to."""


def public_keys() -> tuple[Recipient, Recipient]:
    """The public keys of the settings: that of whole backups and that of sealed rows."""
    values = [settings.BACKUP_KEY, settings.BACKUP_DEALS_KEY]
    missing = [name for name, value in zip(NAMES, values, strict=True) if not value]
    if len(missing) == 1:
        raise BackupProblem(f"{missing[0]} is not set. `manage.py backup_keys` printed it together with the other key.")
    if missing:
        raise BackupProblem(
            "BACKUP_KEY and BACKUP_DEALS_KEY are not set. Create both keys with `manage.py backup_keys DIR`."
        )
    key, deals_key = map(Recipient.from_str, values)  # the settings have checked them
    return key, deals_key


def private_key(path: Path) -> Identity:
    """Read the private key in the file ``path``, in the format of ``age-keygen``."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BackupProblem(f"Cannot read the key {path}: {getattr(error, 'strerror', error)}.") from None
    keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    try:
        (key,) = keys
        return Identity.from_str(key)
    except (ValueError, pyrage.IdentityError):
        raise BackupProblem(f"{path} does not contain exactly one private key (AGE-SECRET-KEY-…).") from None


def create(folder: Path) -> dict[str, str]:
    """Write two new private keys to ``folder``, which only the owner can read. Returns the settings with the public
    keys. Existing keys are never replaced.
    """
    public = {}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, file in NAMES.items():
            key = Identity.generate()
            public[name] = str(key.to_public())
            handle = os.open(folder / file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as opened:
                opened.write(f"# public key: {public[name]}\n{key}\n")
                opened.flush()
                os.fsync(opened.fileno())
    except FileExistsError as error:
        raise BackupProblem(f"{error.filename} already exists. Choose another folder.") from None
    except OSError as error:
        raise BackupProblem(f"Cannot write to {folder}: {error.strerror}.") from None
    return public


def fingerprint(secret_key: str) -> str:
    """A value that identifies a secret key of the site, and from which the key cannot be computed."""
    return hmac.digest(secret_key.encode(), b"backup", "sha256").hex()[:16]
