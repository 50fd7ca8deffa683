from __future__ import annotations

import errno
import platform
import re
import struct
from pathlib import Path

import pytest

from bots.sandbox.seccomp import ALLOWED, CLONE_FILES, CLONE_THREAD, CONDITIONAL, REFUSED, bot_filter, no_filter

HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
X86_64, I386 = 0xC000003E, 0x40000003
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter is for x86-64")


def verdict(number: int, *arguments: int, arch: int = X86_64) -> int:
    """What the kernel would decide: the filter, run by an interpreter of the few instructions it uses."""
    words = [number, arch, 0, 0]
    for argument in (*arguments, *[0] * (6 - len(arguments))):
        words += [argument & 0xFFFFFFFF, argument >> 32]
    program = list(struct.iter_unpack("=HBBI", bot_filter()))
    accumulator, here = 0, 0
    while True:
        code, if_true, if_false, value = program[here]
        here += 1
        if code == 0x20:
            accumulator = words[value // 4]
        elif code == 0x06:
            return int(value)
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            here += if_true if holds else if_false


@pytest.mark.skipif(not HEADER.exists(), reason="the kernel's headers are not installed")
def test_every_number_is_the_kernels() -> None:
    numbers = {name: int(number) for name, number in re.findall(r"__NR_(\w+) (\d+)", HEADER.read_text())}
    ours = {**ALLOWED, **CONDITIONAL, **REFUSED}
    assert {name: numbers[name] for name in ours} == ours


def test_listed_calls_are_allowed_and_others_do_not_exist() -> None:
    known = {**ALLOWED, **CONDITIONAL, **REFUSED}.values()
    assert {verdict(number) for number in ALLOWED.values()} == {ALLOW}
    assert {verdict(number) for number in range(600) if number not in known} == {ERRNO | errno.ENOSYS}


@pytest.mark.parametrize("number", [435, 41 + 0x100, 272, 319, 425, 321, 101, 310, 73, 203, 285, 76, 253, 29])
def test_no_clone3_namespaces_memory_files_rings_or_locks(number: int) -> None:
    assert verdict(number) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize("number", range(0, 400, 7))
def test_other_abis_are_deadly(number: int) -> None:
    assert verdict(number, arch=I386) == KILL
    assert verdict(number | 0x40000000) == KILL


def test_clone_can_create_threads_only() -> None:
    assert verdict(56, 0x3D0F00) == ALLOW
    assert verdict(56, CLONE_THREAD | CLONE_FILES) == ALLOW
    assert verdict(56, 17) == ERRNO | errno.EPERM
    assert verdict(56, 0x3D0F00 | 0x10000000) == ERRNO | errno.EPERM
    assert verdict(57) == verdict(58) == ERRNO | errno.EPERM


def test_all_threads_share_their_descriptors() -> None:
    assert verdict(56, 0x3D0F00 & ~CLONE_FILES) == ERRNO | errno.EPERM
    assert verdict(436, 3, 60, 0) == verdict(436, 3, 60, 4) == ALLOW
    assert verdict(436, 3, 60, 2) == verdict(436, 3, 60, 6) == ERRNO | errno.EPERM


def test_sockets_are_local_and_go_nowhere() -> None:
    assert verdict(41, 1) == verdict(53, 1) == ALLOW
    assert {verdict(41, family) for family in (0, 2, 10, 16, 17, 38, 40)} == {ERRNO | errno.EAFNOSUPPORT}
    assert {verdict(number) for number in (42, 43, 49, 50, 288)} == {ERRNO | errno.ENOSYS}


def test_the_parents_death_cannot_be_ignored() -> None:
    assert verdict(157, 1, 0) == ERRNO | errno.EINVAL
    assert verdict(157, 4, 0) == ERRNO | errno.EINVAL
    assert verdict(157, 15, 0) == ALLOW


def test_limits_can_be_read_but_not_set() -> None:
    assert verdict(302, 0, 7, 0, 0x7FFF12345678) == ALLOW
    assert verdict(302, 0, 7, 0x7FFF12345678, 0) == ERRNO | errno.EPERM
    assert verdict(302, 0, 7, 1 << 40, 0) == ERRNO | errno.EPERM
    assert verdict(302, 1234, 7, 0, 0x7FFF12345678) == ERRNO | errno.EPERM


@pytest.mark.parametrize("command", [0x5412, 0x5414, 0x541C, 0x4B3A, 0x5413 | 1 << 31])
def test_terminals_cannot_be_typed_into(command: int) -> None:
    assert verdict(16, 0, command) == ERRNO | errno.ENOTTY


@pytest.mark.parametrize("command", [5, 6, 7, 8, 9, 36, 37, 38, 1024, 1025, 1026, 1031, 1033])
def test_files_cannot_be_locked_leased_watched_or_sealed(command: int) -> None:
    assert verdict(72, 0, command) == ERRNO | errno.EINVAL


def test_huge_pages_that_the_host_keeps_for_others_cannot_be_mapped() -> None:
    assert verdict(9, 0, 4096, 3, 0x22) == ALLOW
    assert verdict(9, 0, 1 << 21, 3, 0x22 | 0x40000) == ERRNO | errno.ENOMEM


def test_anonymous_memory_cannot_be_shared() -> None:
    assert verdict(9, 0, 4096, 1, 0x01) == verdict(9, 0, 4096, 1, 0x02) == ALLOW
    assert {verdict(9, 0, 4096, 3, flags) for flags in (0x21, 0x23, 0x4021)} == {ERRNO | errno.ENOMEM}


@pytest.mark.parametrize("option", [57, 71, 17, 16, 12])
def test_a_socket_reveals_no_counter_of_the_host(option: int) -> None:
    assert verdict(55, 3, 1, 4) == ALLOW
    assert verdict(55, 3, 1, option) == ERRNO | errno.ENOPROTOOPT
    assert verdict(55, 3, 6, 4) == ERRNO | errno.EOPNOTSUPP


@pytest.mark.parametrize("advice", [12, 13, 14, 20, 21, 25, 100, 101])
def test_pages_cannot_be_merged_with_others_joined_or_pushed_out(advice: int) -> None:
    assert verdict(28, 0, 4096, 4) == ALLOW
    assert verdict(28, 0, 4096, advice) == ERRNO | errno.EINVAL


@pytest.mark.parametrize("clock", [0, 256])
def test_threads_wait_and_wake_but_requeue_within_their_process_only(clock: int) -> None:
    waits_and_wakes, requeues = {0, 1, 9, 10}, {3, 4, 5}
    shared = {operation for operation in range(128) if verdict(202, 0, operation | clock) == ALLOW}
    private = {operation for operation in range(128) if verdict(202, 0, operation | 128 | clock) == ALLOW}
    assert shared == waits_and_wakes
    assert private == waits_and_wakes | requeues
    refused = {verdict(202, 0, operation | clock) for operation in range(128) if operation not in waits_and_wakes}
    assert refused == {ERRNO | errno.ENOSYS}


def test_nothing_is_sent_to_an_address_and_no_descriptor_at_all() -> None:
    assert verdict(44, 3, 0x7FFF12345678, 1, 0, 0, 0) == ALLOW
    assert verdict(44, 3, 0x7FFF12345678, 1, 0, 0x7FFF12345678, 110) == ERRNO | errno.EPERM
    assert verdict(44, 3, 0x7FFF12345678, 1, 0, 1 << 40, 110) == ERRNO | errno.EPERM
    assert {verdict(number) for number in (46, 47, 307, 299)} == {ERRNO | errno.ENOSYS}


def test_how_busy_the_host_is_cannot_be_asked() -> None:
    assert {verdict(number) for number in (99, 137, 138, 27, 221, 98, 332, 324)} == {ERRNO | errno.ENOSYS}


def test_the_filter_of_the_self_test_lets_everything_through() -> None:
    assert no_filter() == struct.pack("=HBBI", 6, 0, 0, ALLOW)
