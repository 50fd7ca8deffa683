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
        "tries to exceed its memory limit with a single mmap or brk, and reserves more addresses than it may",
        """
        def grow():
            attempt("mmap", mapped, 600 << 20)
            attempt("2 TiB without reserve", mapped, 2 << 40, 0, 0x22 | 0x4000)
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
        places = iter(range(1, 1 << 16))
        def scatter():
            address = mapped(4096, 3, 0x22 | 0x100000, hint=(next(places) << 30) + (1 << 21))
            ctypes.memset(address, 1, 1)
        attack(lambda: grow(scatter))
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "page tables of zeros",
        "reads one page of each 2 MiB of read-only memory that it never writes",
        """
        def read():
            address = mapped(1 << 30, 1, 0x4022)
            for offset in range(0, 1 << 30, 1 << 21):
                ctypes.c_char.from_address(address + offset).value
        attack(lambda: grow(read))
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "page tables of files",
        "maps the largest file that it can read again and again, and reads a byte of each 2 MiB",
        """
        def largest():
            paths = (os.path.join(folder, name) for folder, _, names in os.walk("/usr") for name in names)
            return max((os.path.getsize(path), path) for path in paths)
        size, path = largest()
        file = os.open(path, os.O_RDONLY)
        def read():
            address = mapped(size, 1, 0x2, file)
            for offset in range(0, size, 1 << 21):
                ctypes.c_char.from_address(address + offset).value
        attack(lambda: grow(read))
        """,
        forfeit="memory",
        says="",
        maps_files=True,
    ),
    Hostile(
        "read-only memory",
        "makes its memory read-only after writing, so that no limit on data counts it",
        """
        attack(grow)
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "read-only memory on all threads",
        "does the same on 30 threads at once",
        """
        def eat():
            for _ in range(30):
                threading.Thread(target=grow, daemon=True).start()
            time.sleep(1000)
        attack(eat)
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "read-only heap",
        "extends its heap with brk, makes it read-only, and continues elsewhere",
        """
        def eat():
            start = syscall(12, 0)
            end = start + (300 << 20) & ~4095
            if syscall(12, end) != end:
                got.append("no heap")
                return
            first = start + 4095 & ~4095
            ctypes.memset(first, 1, end - first)
            libc.mprotect(ctypes.c_void_p(first), ctypes.c_size_t(end - first), 1)
            grow()
        attack(eat)
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "remapped read-only memory",
        "lets read-only memory grow with mremap, then writes to the new part and makes it read-only again",
        """
        libc.mremap.restype = ctypes.c_void_p
        address, size = read_only(), 1 << 21
        def extend():
            global address, size
            address = libc.mremap(ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_size_t(size + (1 << 21)), 1)
            if address == ctypes.c_void_p(-1).value:
                raise MemoryError
            libc.mprotect(ctypes.c_void_p(address + size), ctypes.c_size_t(1 << 21), 3)
            ctypes.memset(address + size, 1, 1 << 21)
            libc.mprotect(ctypes.c_void_p(address + size), ctypes.c_size_t(1 << 21), 1)
            size += 1 << 21
        attack(lambda: grow(extend))
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "stack mappings",
        "maps memory that grows downward, which no limit on data or stacks counts",
        """
        def eat():
            address = mapped(1 << 24, flags=0x122)
            ctypes.memset(address, 1, 1 << 24)
        attack(lambda: grow(eat))
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory in one call",
        "lets the kernel fill 64 GiB with one mmap",
        """
        attack(lambda: grow(lambda: mapped(1 << 36, flags=0x122 | 0x8000 | 0x4000)))
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory freed and used again",
        "frees memory with MADV_DONTNEED and MADV_FREE and uses it again, on 24 threads",
        """
        def churn():
            address = mapped(16 << 20)
            while True:
                for advice in (4, 8):
                    ctypes.memset(address, 1, 16 << 20)
                    libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(16 << 20), advice)
        def eat():
            threading.stack_size(1 << 20)
            for _ in range(24):
                threading.Thread(target=churn, daemon=True).start()
            time.sleep(0.9)
        attack(eat)
        """,
    ),
    Hostile(
        "memory without a main thread",
        "ends its main thread, so that its process appears as ended, and uses memory on another thread",
        """
        def leave():
            threading.Thread(target=grow, daemon=True).start()
            libc.syscall(60, 0)
        attack(leave)
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory on threads that end",
        "ends its main thread and replaces each other thread after 2 MiB",
        """
        def chain():
            read_only()
            threading.Thread(target=chain, daemon=True).start()
        def leave():
            threading.Thread(target=chain, daemon=True).start()
            libc.syscall(60, 0)
        attack(leave)
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory of another program",
        "becomes another program that uses memory without an end",
        """
        ready()
        code = "import ctypes\\nlibc = ctypes.CDLL(None)\\nlibc.mmap.restype = ctypes.c_void_p\\nwhile True:\\n"
        code += " a = ctypes.c_void_p(libc.mmap(None, 1 << 21, 3, 0x22, -1, 0))\\n"
        code += " ctypes.memset(a, 1, 1 << 21)\\n libc.mprotect(a, 1 << 21, 1)"
        play(lambda message: os.execv(sys.executable, ["python3", "-c", code]))
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory under another name",
        "calls itself like a line of /proc that says that it uses no memory",
        """
        def rename():
            for name in (b"x\\nVmRSS:\\t0 kB", b"VmRSS: 0 kB", b"x\\\\nVmPTE: 0"):
                libc.prctl(15, ctypes.create_string_buffer(name))
            grow()
        attack(rename)
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory before it is ready",
        "uses memory without an end when it starts",
        """
        grow()
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory between decisions",
        "uses memory on a thread while other seats are asked",
        """
        ready()
        def answer(message):
            move(message)
            threading.Thread(target=grow, daemon=True).start()
            time.sleep(1000)
        play(answer)
        """,
        forfeit="memory",
        says="",
    ),
    Hostile(
        "memory at the end",
        "uses memory without an end after the game",
        """
        ready()
        tell("refused")
        play()
        grow()
        """,
    ),
    Hostile(
        "mappings",
        "creates as many mappings as possible, each of which needs memory of the kernel",
        """
        def divide():
            address, made = mapped(1 << 30, 0, 0x4022), 0
            while libc.mprotect(ctypes.c_void_p(address + 8192 * made), ctypes.c_size_t(4096), 1) == 0:
                made += 1
                if made > 70_000:
                    got.append("more than 140,000 mappings")
                    break
        attack(divide)
        """,
    ),
    Hostile(
        "timers as memory",
        "creates as many timers and timer descriptors as possible",
        """
        def create():
            made, number = 0, ctypes.c_int()
            while attempt("", syscall, 222, 1, 0, ctypes.addressof(number)) is None:
                got.clear()
                made += 1
            while attempt("", syscall, 283, 1, 0) is None:
                got.clear()
                made += 1
            if made > 128:
                got.append(f"{made} timers")
        attack(create)
        """,
    ),
)
