"""Memory, by every road."""

from __future__ import annotations

from typing import Final

from tests.bots.hostile.kind import Hostile

MEMORY: Final = (
    Hostile(
        "private memory",
        "allocates memory until no more is available",
        """
        def eat():
            hoard = []
            try:
                while True:
                    hoard.append(b"x" * (1 << 24))
            except MemoryError:
                pass
            if len(hoard) > 32:
                got.append(f"{16 * len(hoard)} MiB")
        attack(eat)
        """,
    ),
    Hostile(
        "shared memory",
        "writes to all pages of anonymous shared mappings",
        """
        def eat():
            hoard = []
            try:
                while len(hoard) < 100:
                    hoard.append(mmap.mmap(-1, 1 << 24))
                    hoard[-1][:: 4096] = b"x" * 4096
            except OSError:
                pass
            if len(hoard) > 32:
                got.append(f"{16 * len(hoard)} MiB")
        attack(eat)
        """,
    ),
    Hostile(
        "remapped shared memory",
        "moves shared pages with mremap, which keeps the old pages",
        """
        libc.mremap.restype = ctypes.c_void_p
        def eat():
            count = 0
            try:
                first = mapped(1 << 24, flags=0x21)
            except OSError:
                return
            while count < 100:
                if libc.mremap(ctypes.c_void_p(first), 0, 1 << 24, 1) == ctypes.c_void_p(-1).value:
                    break
                count += 1
            if count > 32:
                got.append(f"{count} times 16 MiB")
        attack(eat)
        """,
    ),
    Hostile(
        "unmapped shared memory",
        "writes to shared mappings and unmaps all pages but one, which keeps them allocated",
        """
        def eat():
            for count in range(40):
                try:
                    address = mapped(1 << 24, flags=0x21)
                except OSError:
                    break
                ctypes.memset(address, 1, 1 << 24)
                libc.munmap(ctypes.c_void_p(address + 4096), ctypes.c_size_t((1 << 24) - 4096))
            if count > 32:
                got.append(f"{16 * count} MiB")
        attack(eat)
        """,
    ),
    Hostile(
        "files in memory",
        "uses memfd_create, memfd_secret and files in /dev/shm and /tmp",
        """
        def eat():
            absent(memfd_create=(319, ctypes.create_string_buffer(b"x"), 0), memfd_secret=(447, 0))
            for place in ("/dev/shm", "/tmp", "/run", "/var/tmp"):
                attempt(place, os.open, f"{place}/esr-hostile", os.O_CREAT | os.O_RDWR)
                attempt(f"{place} unnamed", os.open, place, os.O_TMPFILE | os.O_RDWR)
        attack(eat)
        """,
    ),
    Hostile(
        "pipes as memory",
        "fills as many pipes as possible, each as large as possible",
        """
        F_SETPIPE_SZ = 1031
        def eat():
            import fcntl
            held = 0
            try:
                while True:
                    reading, writing = os.pipe()
                    attempt("a larger pipe", fcntl.fcntl, writing, F_SETPIPE_SZ, 1 << 20)
                    os.set_blocking(writing, False)
                    try:
                        while True:
                            held += os.write(writing, b"x" * 65536)
                    except BlockingIOError:
                        pass
            except OSError:
                pass
            if held > 4 << 20:
                got.append(f"{held} bytes")
        attack(eat)
        """,
    ),
    Hostile(
        "sockets as memory",
        "fills as many socket pairs as possible and enlarges their buffers",
        """
        def eat():
            held, pairs = 0, []
            try:
                while True:
                    pairs.append(socket.socketpair())
                    for end in pairs[-1]:
                        attempt("a larger buffer", end.setsockopt, socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
                        end.setblocking(False)
                        try:
                            while True:
                                held += end.send(b"x" * 65536)
                        except BlockingIOError:
                            pass
            except OSError:
                pass
            if held > 16 << 20:
                got.append(f"{held} bytes")
        attack(eat)
        """,
    ),
    Hostile(
        "device memory",
        "maps /dev/zero, /dev/mem, /dev/kmem and reserved huge pages",
        """
        def eat():
            for device in ("zero", "mem", "kmem", "full", "hugepages", "port", "kvm", "dri/card0", "nvidia0"):
                attempt(device, os.open, f"/dev/{device}", os.O_RDWR)
            for size in (0, 21 << 26, 30 << 26):
                attempt("huge pages", mapped, 1 << 21, 3, 0x22 | 0x40000 | size)
        attack(eat)
        """,
    ),
    Hostile(
        "thread stacks",
        "writes to the whole 64 MiB stacks of its threads",
        """
        def fill():
            block = ctypes.create_string_buffer(48 << 20)
            ctypes.memset(block, 1, len(block))
            time.sleep(1000)
        def eat():
            threading.stack_size(64 << 20)
            made = 0
            try:
                for _ in range(100):
                    threading.Thread(target=fill, daemon=True).start()
                    made += 1
            except RuntimeError:
                pass
            if made > 8:
                got.append(f"{64 * made} MiB of stacks")
        attack(eat)
        """,
    ),
    Hostile(
        "locked memory",
        "uses mlock, mlock2, mlockall and locked mappings",
        """
        def lock():
            address = mapped(1 << 22)
            absent(mlock=(149, address, 1 << 22), mlock2=(325, address, 1 << 22, 0), mlockall=(151, 3))
            attempt("MAP_LOCKED", mapped, 1 << 22, 3, 0x22 | 0x2000)
        attack(lock)
        """,
    ),
    Hostile(
        "merged pages",
        "offers its pages for merging with other bots' pages and evicts shared pages",
        """
        def merge():
            address = mapped(1 << 20)
            for name, advice in (("MADV_MERGEABLE", 12), ("MADV_COLD", 20), ("MADV_PAGEOUT", 21),
                                 ("MADV_HUGEPAGE", 14), ("MADV_COLLAPSE", 25),
                                 ("MADV_HWPOISON", 100), ("MADV_SOFT_OFFLINE", 101)):
                attempt(name, syscall, 28, address, 1 << 20, advice)
            attempt("PR_SET_MEMORY_MERGE", syscall, 157, 67, 1, 0, 0, 0)
            with open(sys.executable, "rb") as shared:
                attempt("posix_fadvise", syscall, 221, shared.fileno(), 0, 0, 4)
            absent(process_madvise=(440, 0, 0, 0, 21, 0), process_mrelease=(448, 0, 0))
        attack(merge)
        """,
    ),
    Hostile(
        "one large mapping",
        "tries to exceed its memory limit with a single mmap, brk or stack",
        """
        def grow():
            attempt("mmap", mapped, 600 << 20)
            attempt("without reserve", mapped, 600 << 20, 0, 0x22 | 0x4000)
            start = syscall(12, 0)
            if syscall(12, start + (600 << 20)) != start:
                got.append("brk")
        attack(grow)
        """,
    ),
    Hostile(
        "out of memory",
        "uses all its memory and does not catch the error",
        """
        ready()
        hoard = []
        play(lambda message: [hoard.append(b"x" * (1 << 24)) for _ in range(100)])
        """,
        forfeit="exit",
        says="MemoryError",
    ),
    Hostile(
        "page tables",
        "uses single pages at distant addresses, each of which needs its own page tables",
        """
        def scatter():
            made = 0
            try:
                for number in range(200_000):
                    address = mapped(4096, 3, 0x22 | 0x100000, hint=(number + 1 << 30) % (1 << 46) + (1 << 21))
                    ctypes.c_char.from_address(address).value
                    made += 1
            except OSError:
                pass
            if made > 65_530:
                got.append(f"{made} mappings")
        attack(scatter)
        """,
    ),
)
