"""Two other ways to read a zip archive: Python's own from the back, and one from the front, as from a pipe."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib


def read_from_the_back(data: bytes) -> dict[str, bytes]:
    """The files by their names as ``zipfile`` sees them, folders with their slash."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def read_from_the_front(data: bytes) -> dict[str, bytes]:
    """The same for somebody who reads on from the first byte and knows no table of contents."""
    files = {}
    position = 0
    while data.startswith(b"PK\x03\x04", position):
        _, _, flags, method, _, _, _, packed, _, name, extra = struct.unpack_from("<4s5H3I2H", data, position)
        begin = position + 30 + name + extra
        large = _zip64(data[begin - extra : begin])
        content, end = _content(data, begin, method, (large or packed) if not flags & 8 else None)
        files[data[begin - name - extra : begin - extra].decode()] = content
        position = end + (0 if not flags & 8 else 16 if large is None else 24)
    assert data.startswith(b"PK\x01\x02", position), "the files do not end where the table of contents begins"
    return files


def _zip64(extra: bytes) -> int | None:
    """The packed size in 8 bytes, if there is one."""
    while len(extra) >= 4:
        number, length = struct.unpack_from("<2H", extra)
        if number == 1:
            return int.from_bytes(extra[12:20], "little")
        extra = extra[4 + length :]
    return None


def _content(data: bytes, begin: int, method: int, packed: int | None) -> tuple[bytes, int]:
    """The contents that begin there, and where they end."""
    if method == 0:
        return data[begin : begin + (packed or 0)], begin + (packed or 0)
    machine = zlib.decompressobj(-15)
    content = machine.decompress(data[begin:])
    end = len(data) - len(machine.unused_data)
    assert packed is None or end == begin + packed
    return content, end
