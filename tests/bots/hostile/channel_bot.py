"""A bot that tries to tell its next game something. It is started with one argument, a JSON object.

``role`` is ``write`` or ``read``. A medium with slots carries a bit per slot: the writer changes the slots of ones in
``word``, and the reader reports a number per slot. A medium with a number carries that number: the writer moves it to
the target in ``numbers``, and the reader reports what it finds.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

SLOTS = 128
PAGE = 4096
BATCH = 1024
"""How many numbers of pipes and sockets the kernel gives a processor at once (fs/inode.c, get_next_ino)."""

MAX_OTHERS = 16
"""How many numbers other processes may take while the bot looks for the beginning of a batch."""

SYS_GETRUSAGE, SYS_GETCPU, SYS_STATX = 98, 309, 332
STATX_TIMES = (64, 96, 112)  # stx_atime, stx_ctime, stx_mtime
SO_COOKIE = 57
MADV_RANDOM = 1
LIBRARY = Path(os.__file__).parent

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p

# x86-64: mfence; lfence; rdtsc; mov ecx, eax; lfence; mov dl, [rdi]; lfence; rdtsc; sub eax, ecx; ret
TIME_A_LOAD = "0faef0 0faee8 0f31 89c1 0faee8 8a17 0faee8 0f31 29c8 c3"
# x86-64: clflush [rdi]; mfence; ret
FLUSH = "0fae3f 0faef0 c3"
# x86-64, rdi times: pipe(rsi), close(rsi[0]), close(rsi[1])
MAKE_PIPES = (
    "5355 4889fb 4889f5 b816000000 4889ef 0f05 b803000000 8b7d00 0f05 b803000000 8b7d04 0f05 48ffcb 75dd 5d5bc3"
)

kept: list[mmap.mmap] = []


def native(code: str) -> Callable[[int, int], int]:
    """Machine code as a function of two integers."""
    memory = mmap.mmap(-1, PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    memory.write(bytes.fromhex(code))
    kept.append(memory)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_long, ctypes.c_long)(start)


def call(number: int, *arguments: object) -> None:
    """Make a system call. Raises ``OSError``."""
    if libc.syscall(ctypes.c_long(number), *arguments) == -1:
        raise OSError(ctypes.get_errno(), "refused")


def sources() -> list[Path]:
    """Files of the library that an interpreter does not read: 128 of at least four pages, then 128 others."""
    skipped = {"test", "site-packages", "dist-packages"}
    paths = sorted(path for path in LIBRARY.rglob("*.py") if not skipped & set(path.parts))
    large = [path for path in paths if path.stat().st_size > 3 * PAGE][:SLOTS]
    return [*large, *(path for path in paths if path not in set(large))][: 2 * SLOTS]


def page(path: Path, number: int) -> int:
    """The address of a page of a file. It has not been read yet."""
    descriptor = os.open(path, os.O_RDONLY)
    address = libc.mmap(None, ctypes.c_size_t(PAGE), 1, 2, descriptor, ctypes.c_long(number * PAGE))
    os.close(descriptor)
    libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), MADV_RANDOM)  # only this page is read from a disk
    return int(address)


def last_page(path: Path) -> int:
    return page(path, (path.stat().st_size - 1) // PAGE)


# --- Media with slots ---


def touch(slot: int) -> None:
    ctypes.string_at(page(files[slot], 1), 1)


def touching_ns(slot: int) -> int:
    address = page(files[slot], 1)
    began = time.perf_counter_ns()
    ctypes.string_at(address, 1)
    return time.perf_counter_ns() - began


def touch_last_page(slot: int) -> None:
    ctypes.string_at(last_page(files[slot]), 1)


def faults_of_touching(slot: int) -> int:
    address, before = last_page(files[slot]), major_faults()
    ctypes.string_at(address, 1)
    return major_faults() - before


def major_faults() -> int:
    usage = ctypes.create_string_buffer(144)
    call(SYS_GETRUSAGE, 0, usage)
    return int.from_bytes(usage[72:80], "little")


def look_up(slot: int) -> None:
    for place in ("/bot", LIBRARY, "/", "/tmp"):
        Path(place, f"esr-{task['name']}-{slot}").exists()


def looking_up_ns(slot: int) -> int:
    began = time.perf_counter_ns()
    look_up(slot)
    return time.perf_counter_ns() - began


def read_file(slot: int) -> None:
    path = files[SLOTS + slot]
    os.close(os.open(path, os.O_RDONLY))
    path.read_bytes()


def newest_time(slot: int) -> int:
    status = files[SLOTS + slot].stat()
    return max(status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)


def newest_time_by_statx(slot: int) -> int:
    buffer = ctypes.create_string_buffer(256)
    call(SYS_STATX, -100, ctypes.c_char_p(bytes(files[SLOTS + slot])), 0, 0xFFF, buffer)
    seconds = (int.from_bytes(buffer[at : at + 8], "little") for at in STATX_TIMES)
    nanoseconds = (int.from_bytes(buffer[at + 8 : at + 12], "little") for at in STATX_TIMES)
    return max(second * 10**9 + nanosecond for second, nanosecond in zip(seconds, nanoseconds, strict=True))


def leave_note(slot: int) -> None:
    left = 0
    for place in task["places"]:
        try:
            os.close(os.open(f"{place}/esr-{task['name']}-{slot}-note", os.O_CREAT | os.O_WRONLY))
            left += 1
        except OSError:
            continue
    if not left:
        raise OSError("there is no place for a note")


def notes(slot: int) -> int:
    return sum(Path(place, f"esr-{task['name']}-{slot}-note").exists() for place in task["places"])


lines: list[int] = []


def find_lines() -> None:
    """A cache line in the third page of each large file. Another line of the page is read, to fill the page tables."""
    random = Random(0)  # an order that no prefetcher guesses, the same for the writer and the reader
    for path in files[:SLOTS]:
        address = page(path, 2)
        ctypes.string_at(address, 1)
        lines.append(address + 64 * random.randrange(8, 64))


def load_lines(ones: list[int]) -> None:
    """Every line leaves the caches, and those of the ones come back."""
    for line in lines:
        flush(line, 0)
    for slot in ones:
        ctypes.string_at(lines[slot], 1)


def loading_cycles() -> list[int]:
    order = Random(1).sample(range(SLOTS), SLOTS)
    cycles = {slot: time_a_load(lines[slot], 0) for slot in order}
    return [cycles[slot] for slot in range(SLOTS)]


SLOTTED = {
    "files": (leave_note, notes),
    "page cache, by time": (touch, touching_ns),
    "page cache, by page faults": (touch_last_page, faults_of_touching),
    "missing names": (look_up, looking_up_ns),
    "times of files": (read_file, newest_time),
    "times of files, by statx": (read_file, newest_time_by_statx),
}


# --- Media with a number ---


def cookie() -> int:
    with socket.socket(socket.AF_UNIX) as connection:
        return int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8), "little")


def bring_cookie(target: int, modulus: int) -> None:
    while cookie() % modulus != target:
        pass


def pipe_number() -> int:
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number - 1


def newest_batch() -> int:
    """Find the batch that the kernel hands out next, by using up the rest of this processor's batch."""
    last = pipe_number()
    while True:
        number = pipe_number()
        if number // BATCH > last // BATCH and number % BATCH < min(MAX_OTHERS, last % BATCH):
            return number // BATCH
        last = number


def bring_batches(target: int, modulus: int) -> None:
    make, ends = native(MAKE_PIPES), ctypes.create_string_buffer(8)
    left = (target - newest_batch()) % modulus
    while 0 < left < modulus - MAX_OTHERS:  # other processes take batches as well, so it can be a little too far
        make(BATCH * left - BATCH // 2, ctypes.addressof(ends))
        left = (target - newest_batch()) % modulus


def processor() -> int:
    number = ctypes.c_uint()
    call(SYS_GETCPU, ctypes.byref(number), None, None)
    return number.value


def bring_last_bits(target: int, modulus: int) -> None:
    """The number within its batch, on every processor that the bot's threads come to."""
    reached: set[int] = set()
    until = time.monotonic() + 1

    def bring() -> None:
        while len(reached) < len(os.sched_getaffinity(0)) and time.monotonic() < until:
            here = processor()
            if here not in reached and pipe_number() % modulus == target and processor() == here:
                reached.add(here)

    threads = [threading.Thread(target=bring) for _ in os.sched_getaffinity(0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wait_for(target_ms: int, modulus_ms: int) -> None:
    time.sleep((target_ms - time.time() * 1000) % modulus_ms / 1000)


NUMBERED = {
    "cookies of sockets": (bring_cookie, cookie),
    "batches of pipe numbers": (bring_batches, newest_batch),
    "pipe numbers in a batch": (bring_last_bits, lambda: os.fstat(0).st_ino - 1),
    "time of the next start": (wait_for, lambda: int(started_s * 1000)),
}


# --- The game ---


def write(ones: list[int]) -> None:
    for change, _ in SLOTTED.values():
        for slot in ones:
            try:
                change(slot)
            except OSError:
                break
    for title, target in task["numbers"].items():
        try:
            NUMBERED[title][0](*target)
        except OSError:
            continue


def read() -> dict[str, object]:
    """What each medium says; ``None`` for one that cannot be read at all."""
    numbers: dict[str, object] = {"processor caches": loading_cycles()}
    for title in task["numbers"]:
        try:
            numbers[title] = NUMBERED[title][1]()
        except OSError:
            numbers[title] = None
    for title, (_, measured) in SLOTTED.items():
        try:
            numbers[title] = [measured(slot) for slot in range(SLOTS)]
        except OSError:
            numbers[title] = None
    return numbers


def main() -> None:
    writes = task["role"] == "write"
    ones = [slot for slot, digit in enumerate(task.get("word", "")) if digit == "1"]
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, object] = {"type": "ready"}
        if message["type"] == "hello" and not writes:
            sys.stderr.write(json.dumps(read()))
        if message["type"] == "decide":
            if writes and message["id"] == 2:
                write(ones)
            answer = {"id": message["id"], "move": message["decision"]["default"]}
        if writes:
            load_lines(ones)
        if message["type"] != "end":
            print(json.dumps(answer), flush=True)


started_s = time.time()
task = json.loads(sys.argv[1])
files = sources()
flush, time_a_load = native(FLUSH), native(TIME_A_LOAD)
find_lines()
main()
