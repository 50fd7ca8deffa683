"""Small modules in WebAssembly for tests, and an assembler for the part of the text format that they need."""

from __future__ import annotations

import re
from typing import Final

# --- Bots ------------------------------------------------------------------------------------------------------------

_LINE: Final = 1024
"""The address of the line that a bot has read. Before it are the parts of its answers, each an address and a length."""

_TEXT: Final = b'{"type":"ready"}\n,"move":}\n'
_READ, _COUNT, _READY, _ANSWER, _TEXT_AT = 0, 8, 16, 24, 64
_ANSWER_PARTS: Final = ((_LINE, 0), (_TEXT_AT + 17, 8), (0, 0), (_TEXT_AT + 25, 2))
_DATA: Final = b"".join(
    number.to_bytes(4, "little") for part in ((0, 1), (0, 0), (_TEXT_AT, 17), *_ANSWER_PARTS) for number in part
).ljust(_TEXT_AT, b"\0") + _TEXT  # fmt: skip


def _find(text: str) -> str:
    """Instructions that move ``$at`` to the next place of these eight characters."""
    sought = int.from_bytes(text.encode(), "little")
    return f"""
        (loop
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if 0 (i64.ne (i64.load (local.get $at)) (i64.const {sought}))))
    """


HONEST: Final = f"""
(loop
  (local.set $at (i32.const {_LINE}))
  (loop
    (i32.store (i32.const {_READ}) (local.get $at))
    (drop (call $fd_read (i32.const 0) (i32.const {_READ}) (i32.const 1) (i32.const {_COUNT})))
    (if (i32.eqz (i32.load (i32.const {_COUNT}))) (return))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br_if 0 (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const {ord(chr(10))}))))
  (if (i32.eq (i32.load8_u (i32.const {_LINE + 9})) (i32.const {ord("h")}))
    (drop (call $fd_write (i32.const 1) (i32.const {_READY}) (i32.const 1) (i32.const {_COUNT}))))
  (if (i32.eq (i32.load8_u (i32.const {_LINE + 9})) (i32.const {ord("d")}))
    (local.set $at (i32.const {_LINE}))
    {_find(',"strike')}
    (i32.store (i32.const {_ANSWER + 4}) (i32.sub (local.get $at) (i32.const {_LINE})))
    {_find('"default')}
    (local.set $start (i32.add (local.get $at) (i32.const 10)))
    (i32.store (i32.const {_ANSWER + 16}) (local.get $start))
    {_find(',"legal"')}
    (i32.store (i32.const {_ANSWER + 20}) (i32.sub (local.get $at) (local.get $start)))
    (drop (call $fd_write (i32.const 1) (i32.const {_ANSWER}) (i32.const 4) (i32.const {_COUNT}))))
  (br 0))
"""
"""Answer ``hello`` with ``ready`` and each decision with its default. The answer also has the keys before the id."""

UNBLOCKED: Final = f"(drop (call $fd_fdstat_set_flags (i32.const 0) (i32.const 4))) {HONEST}"
"""Ask first for a stdin that does not block, as programs in Go do, and end when nothing can be read."""

GREEDY: Final = """
(loop
  (local.set $at (memory.grow (i32.const 16)))
  (if (i32.eq (local.get $at) (i32.const -1)) (unreachable))
  (memory.fill (i32.shl (local.get $at) (i32.const 16)) (i32.const 1) (i32.const 1048576))
  (br 0))
"""
"""Fill one MiB after the other, and trap when there is no more."""

CHATTY: Final = f"""
(i32.store (i32.const {_READY + 4}) (i32.const 0))
(loop
  (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (return))
  (local.set $at (i32.const 200))
  (loop
    (drop (call $fd_write (i32.const 1) (i32.const {_READY}) (i32.const 1) (i32.const {_COUNT})))
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (br_if 0 (local.get $at)))
  (br 0))
"""
"""Write nothing very often, while the memory grows as far as it can. Then Node.js collects garbage in the calls."""

CLOCKS_AND_RANDOM: Final = f"""
(if (call $clock_time_get (i32.const 0) (i64.const 1) (i32.const 200)) (unreachable))
(if (call $clock_time_get (i32.const 1) (i64.const 1) (i32.const 208)) (unreachable))
(if (call $random_get (i32.const 216) (i32.const 8)) (unreachable))
(i32.store (i32.const {_READY}) (i32.const 200))
(i32.store (i32.const {_READY + 4}) (i32.const 24))
(drop (call $fd_write (i32.const 1) (i32.const {_READY}) (i32.const 1) (i32.const {_COUNT})))
(call $proc_exit (i32.const 7))
"""
"""Write the time, the monotonic time and random bytes, eight bytes each, and exit with the status 7."""


def opening(path: str, create: bool = False) -> str:
    """Open the file with this path of ASCII characters, or create it, and exit with the error number of WASI."""
    padded = path.encode().ljust(-4 * (-len(path) // 4), b"\0")
    words = [int.from_bytes(padded[at : at + 4], "little") for at in range(0, len(padded), 4)]
    stores = [f"(i32.store (i32.const {512 + 4 * n}) (i32.const {word}))" for n, word in enumerate(words)]
    return f"""
        {" ".join(stores)}
        (call $proc_exit (call $path_open
          (i32.const 3) (i32.const 0) (i32.const 512) (i32.const {len(path)})
          (i32.const {int(create)}) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const {_COUNT})))
    """


# --- The assembler ---------------------------------------------------------------------------------------------------

_I32, _I64 = b"\x7f", b"\x7e"
_IMPORTS: Final = {
    "fd_read": (_I32 * 4, _I32),
    "fd_write": (_I32 * 4, _I32),
    "fd_fdstat_set_flags": (_I32 * 2, _I32),
    "clock_time_get": (_I32 + _I64 + _I32, _I32),
    "random_get": (_I32 * 2, _I32),
    "path_open": (_I32 * 5 + _I64 * 2 + _I32 * 2, _I32),
    "proc_exit": (_I32, b""),
}
_NUMBERS: Final = {f"${name}": number for names in (_IMPORTS, ("at", "start")) for number, name in enumerate(names)}
_OPCODES: Final = {
    "unreachable": "00", "loop": "03 40", "if": "04 40", "br": "0c", "br_if": "0d", "return": "0f", "call": "10",
    "drop": "1a", "local.get": "20", "local.set": "21", "i32.load": "28 00 00", "i64.load": "29 00 00",
    "i32.load8_u": "2d 00 00", "i32.store": "36 00 00", "memory.grow": "40 00", "i32.const": "41", "i64.const": "42",
    "i32.eqz": "45", "i32.eq": "46", "i32.ne": "47", "i64.ne": "52", "i32.add": "6a", "i32.sub": "6b",
    "i32.shl": "74", "memory.fill": "fc 0b 00",
}  # fmt: skip
_END: Final = b"\x0b"


def module(text: str, *, start: str = "_start", memory_mb: int = 1) -> bytes:
    """Assemble a module for WASI preview 1, whose function ``start`` has the instructions ``text``.

    They are in the folded text format, with numbers as labels. ``if`` has a condition and instructions. The locals
    ``$at`` and ``$start`` are 32-bit integers. The memory has ``memory_mb`` MiB initially.
    """
    types = [b"\x60" + _vector(p, len(p)) + _vector(r, len(r)) for p, r in (*_IMPORTS.values(), (b"", b""))]
    imports = [_name("wasi_snapshot_preview1") + _name(each) + b"\0" + _leb(n) for n, each in enumerate(_IMPORTS)]
    body = _vector(_leb(2) + _I32, 1) + b"".join(map(_instruction, _lists(text))) + _END
    sections = {
        1: _vectors(types),
        2: _vectors(imports),
        3: _vectors([_leb(len(_IMPORTS))]),
        5: _vectors([b"\0" + _leb(memory_mb * 16)]),
        7: _vectors([_name(start) + b"\0" + _leb(len(_IMPORTS)), _name("memory") + b"\2\0"]),
        10: _vectors([_vector(body, len(body))]),
        11: _vectors([b"\0\x41\0" + _END + _vector(_DATA, len(_DATA))]),
    }
    return b"\0asm\1\0\0\0" + b"".join(bytes([n]) + _vector(data, len(data)) for n, data in sections.items())


def _lists(text: str) -> list[list[object]]:
    """The nested lists that ``text`` consists of."""
    stack: list[list[object]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    (whole,) = stack
    return whole  # type: ignore[return-value]


def _instruction(words: list[object]) -> bytes:
    """An instruction after its operands. A block contains them."""
    name, *rest = words
    opcode = bytes.fromhex(_OPCODES[str(name)])
    parts = [_instruction(part) if isinstance(part, list) else _leb(_number(str(part))) for part in rest]
    lists = [isinstance(part, list) for part in rest]
    if name == "loop":
        return opcode + b"".join(parts) + _END
    if name == "if":
        return parts[0] + opcode + b"".join(parts[1:]) + _END
    operands = b"".join(part for part, is_list in zip(parts, lists, strict=True) if is_list)
    return operands + opcode + b"".join(part for part, is_list in zip(parts, lists, strict=True) if not is_list)


def _number(word: str) -> int:
    return _NUMBERS[word] if word in _NUMBERS else int(word)


def _leb(number: int) -> bytes:
    """An integer as signed LEB128, which has the same value as unsigned LEB128 if the number is not negative."""
    encoded = bytearray()
    while not -64 <= number < 64:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number & 0x7F])


def _vector(data: bytes, count: int) -> bytes:
    return _leb(count) + data


def _vectors(parts: list[bytes]) -> bytes:
    return _vector(b"".join(parts), len(parts))


def _name(text: str) -> bytes:
    return _vector(text.encode(), len(text))
