"""Encrypted backups of a whole site, their restore and its verification. ``docs/decisions/0124`` explains the format.

A backup is an age file that contains a tar archive: ``backup.json`` (:class:`esr_platform.backups.backup.Header`),
``tables/NAME/NUMBER.zst`` and ``sealed/NAME/NUMBER.zst.age`` with rows, ``uploads/PATH``, and ``end.json``. Rows are
lines in the text format of PostgreSQL's ``COPY``, also in the backup of an SQLite site. Sealed rows are those from
which future deals could be learned. They are encrypted with a second key, which is needed only for a restore.
"""

from __future__ import annotations


class BackupProblem(Exception):
    """A problem that an operator can fix. The message states what happened, why, and what to do."""
