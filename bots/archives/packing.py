"""Write the zip archive of a bot folder. The same files give the same bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Container, Mapping
from typing import Final

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_FILE: Final = 0o100644
_PROGRAM: Final = 0o100755


def zip_of(files: Mapping[str, bytes | str], programs: Container[str] = ()) -> bytes:
    """Return a zip archive of ``files`` by path, sorted. The files in ``programs`` become executable when unpacked."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = _UNIX  # on every system, so that the permissions have a meaning
            entry.external_attr = (_PROGRAM if path in programs else _FILE) << 16
            archive.writestr(entry, files[path])
    return buffer.getvalue()
