"""From packed bytes to files, counting what comes out; sizes that the archive says are believed when they are so."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

from bots.archives.directory import Packed
from bots.archives.entries import STORED
from bots.archives.limits import ArchiveLimits
from bots.archives.refusing import Refused, refused, size

_RAW_DEFLATE: Final = -zlib.MAX_WBITS


def unpack(data: bytes, contents: Iterable[Packed], limits: ArchiveLimits) -> dict[str, bytes]:
    """The files by their names, folders left out. Never holds more than the limits say. Raises ``Refused``."""
    files = {}
    left = limits.unpacked_bytes
    for packed in contents:
        if packed.sizes.unpacked > left:
            raise too_large(limits)
        content = _unpacked(data, packed)
        left -= len(content)
        if not packed.is_folder:
            files[packed.name] = content
    return files


def too_large(limits: ArchiveLimits) -> Refused:
    """The refusal of files that are together too large."""
    return Refused(
        f"The files have more than {size(limits.unpacked_bytes)} together: leave out what the bot does not read."
    )


def _unpacked(data: bytes, packed: Packed) -> bytes:
    """The bytes of one file; unpacking stops one byte after the size that it says."""
    raw = memoryview(data)[packed.start : packed.end]
    content = bytes(raw) if packed.method == STORED else _inflated(raw, packed)
    if len(content) != packed.sizes.unpacked:
        more = "more" if len(content) > packed.sizes.unpacked else "less"
        raise refused(packed.name, f"holds {more} than it says, as in an archive that is meant to do harm")
    if zlib.crc32(content) != packed.sizes.crc:
        raise refused(packed.name, "is damaged: its checksum is wrong, so upload the archive again")
    return content


def _inflated(raw: memoryview, packed: Packed) -> bytes:
    machine = zlib.decompressobj(_RAW_DEFLATE)
    try:
        content = machine.decompress(raw, packed.sizes.unpacked + 1)
    except zlib.error as error:
        raise refused(packed.name, "is damaged and cannot be unpacked: upload the archive again") from error
    if len(content) <= packed.sizes.unpacked and (not machine.eof or machine.unused_data):
        raise refused(
            packed.name, "is damaged, its packed bytes do not end where they should: upload the archive again"
        )
    return content
