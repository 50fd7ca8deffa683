"""State that is left for the next game."""

from __future__ import annotations

from typing import Final

from tests.bots.hostile.kind import Hostile

TRACES: Final = (
    Hostile(
        "file for the next game",
        "writes to its folder, /tmp, /dev/shm and a cache of compiled modules",
        """
        places = ("/bot", "/tmp", "/dev/shm", "/dev", "/var/tmp", "/run", "/bot/__pycache__", os.path.expanduser("~"))
        def leave():
            for place in places:
                attempt(f"found in {place}", os.stat, f"{place}/esr-hostile")
                attempt(place, os.open, f"{place}/esr-hostile", os.O_CREAT | os.O_WRONLY)
        attack(leave)
        """,
    ),
    Hostile(
        "file locks",
        "uses flock, fcntl locks, open file locks and leases on its own and shared files",
        """
        import fcntl
        def lock():
            for path in (sys.executable, "/bot/bot.py", "/dev/null", "/usr", "/bot", os.__file__):
                shared = os.open(path, os.O_RDONLY)
                attempt(f"flock {path}", fcntl.flock, shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
                attempt(f"lockf {path}", fcntl.lockf, shared, fcntl.LOCK_SH | fcntl.LOCK_NB)
                for name, command in (("lease", 1024), ("open file lock", 37), ("asking for a lock", 5),
                                      ("seals", 1033), ("a hint", 1036)):
                    attempt(f"{name} {path}", fcntl.fcntl, shared, command, bytes(64))
                os.close(shared)
            attempt("a device that can be written", fcntl.lockf, os.open("/dev/null", os.O_RDWR), fcntl.LOCK_EX)
        attack(lock)
        """,
    ),
    Hostile(
        "access times",
        "reads one of its files and looks for traces of the read in all timestamps",
        """
        def read():
            for path in ("/bot/read.txt", "/bot/bot.py", "/bot"):
                before = os.stat(path)
                os.listdir(path) if os.path.isdir(path) else open(path, "rb").read()
                mapped(4096, 1, 2, os.open(path, os.O_RDONLY)) if not os.path.isdir(path) else None
                after = os.stat(path)
                if (before.st_atime_ns, before.st_mtime_ns, before.st_ctime_ns) != (
                    after.st_atime_ns, after.st_mtime_ns, after.st_ctime_ns):
                    got.append(path)
                if abs(after.st_mtime - time.time()) < 1e6 or abs(after.st_atime - time.time()) < 1e6:
                    got.append(f"when it was last started, by {path}")
        attack(read)
        """,
        files={"read.txt": "a bit"},
    ),
    Hostile(
        "host counters",
        "reads counters of sockets, sandboxes, mounts and page faults",
        """
        def count():
            ours, theirs = socket.socketpair()
            for name, option in (("SO_COOKIE", 57), ("SO_NETNS_COOKIE", 71), ("SO_PEERCRED", 17), ("SO_MEMINFO", 55)):
                attempt(name, ours.getsockopt, socket.SOL_SOCKET, option, 64)
            buffer = ctypes.create_string_buffer(256)
            absent(statx=(332, -100, ctypes.create_string_buffer(b"/bot"), 0, 0x5000, buffer), membarrier=(324, 0, 0),
                   getrusage=(98, 0, buffer), mincore=(27, 0, 4096, buffer), cachestat=(451, 0, buffer, buffer, 0))
        attack(count)
        """,
    ),
    Hostile(
        "global names",
        "uses abstract sockets, shared memory, semaphores, queues and keys with known names",
        """
        def keep():
            local = socket.socket(socket.AF_UNIX)
            attempt("abstract socket", local.bind, "\\0esr-hostile")
            attempt("autobind", local.bind, "")
            attempt("semaphore", os.open, "/dev/shm/sem.esr-hostile", os.O_CREAT | os.O_RDWR)
            absent(mq_open=(240, ctypes.create_string_buffer(b"esr-hostile"), 0o102, 0o666, 0),
                   shmget=(29, 0x657372, 4096, 0o1666), add_key=(248, 0, 0, 0, 0, -4))
        attack(keep)
        """,
    ),
    Hostile(
        "process for the next game",
        "leaves a child, a thread or a stopped copy of itself",
        """
        def stay():
            attempt("a child", os.fork)
            attempt("a child in a new session", os.forkpty)
            threading.Thread(target=time.sleep, args=(3600,)).start()
        attack(stay)
        """,
    ),
    Hostile(
        "device with memory",
        "looks for a device that stores written data",
        """
        def write():
            for name in os.listdir("/dev"):
                before = os.stat(f"/dev/{name}")
                device = os.open(f"/dev/{name}", os.O_RDWR)
                os.write(device, b"esr-hostile")
                os.read(device, 16)
                attempt("mapping", mapped, 4096, 3, 1, device)
                attempt("its mode", os.chmod, f"/dev/{name}", 0o600)
                attempt("its times", os.utime, f"/dev/{name}")
                after = os.stat(f"/dev/{name}")
                if (before.st_atime_ns, before.st_mtime_ns) != (after.st_atime_ns, after.st_mtime_ns):
                    got.append(f"the times of /dev/{name}")
        attack(write)
        """,
    ),
)
