"""Reading secrets and opponents, and the network of every family."""

from __future__ import annotations

from typing import Final

from tests.bots.hostile.kind import Hostile

SECRETS: Final = (
    Hostile(
        "host files",
        "reads the host's passwords, keys, logs, mail and other files",
        """
        def look():
            for place in ("/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/hostname", "/etc/machine-id",
                          "/etc/resolv.conf", "/root", "/root/.ssh/id_rsa", "/home", "/var", "/var/log", "/run", "/srv",
                          "/mnt", "/opt", "/media", "/boot", "/sys", "/dev/mem", "/dev/kmsg", "/dev/shm", "/dev/pts",
                          "/.dockerenv", "/tmp/../root", "/bot/../root", "//root", "/proc/../root"):
                attempt(place, os.stat, place)
            strange = set(os.listdir("/")) - {"bin", "bot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "sbin",
                                              "tmp", "usr", sys.prefix.split("/")[1]}
            got.extend(strange | set(os.listdir("/tmp")) | set(os.listdir("/etc")) - {"ld.so.cache"})
        attack(look)
        """,
    ),
    Hostile(
        "the package games",
        "changes the package that all bots import, and looks for other parts of the platform",
        """
        def look():
            import games, importlib.util
            folder = os.path.dirname(games.__file__)
            platform = ("bots", "ladder", "esr_platform", "manage", "tests", "django", "orjson", "celery")
            got.extend(name for name in platform if importlib.util.find_spec(name))
            got.extend(set(os.listdir(os.path.dirname(folder))) - {"games"})
            for place in (games.__file__, games.__cached__, f"{folder}/rules.py", folder):
                for change in (lambda path: open(path, "r+b"), os.remove, os.utime, lambda path: os.chmod(path, 0o777),
                               lambda path: os.rename(path, path + "2"), lambda path: os.symlink("/", path + "3")):
                    attempt(place, change, place)
            attempt("a new module", open, f"{folder}/new.py", "w")
        attack(look)
        """,
    ),
    Hostile(
        "environment",
        "searches the environment, the arguments and the auxiliary vector for secrets",
        """
        def look():
            known = {"PATH", "HOME", "LANG", "PWD", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
                     "MALLOC_ARENA_MAX"}
            if os.environ.get("PYTHONPATH", "").startswith("/usr/"):  # on a host with NumPy
                known.add("PYTHONPATH")
            got.extend(set(os.environ) - known)
            raw = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
            number = 0
            while raw[number]:
                name = raw[number].split(b"=")[0].decode()
                if name not in known | {"LC_CTYPE"}:
                    got.append(name)
                number += 1
            if any("esr" in word.lower() or "/tmp" in word for word in sys.orig_argv):
                got.append(str(sys.orig_argv))
        attack(look)
        """,
    ),
    Hostile(
        "/proc",
        "reads the environment, memory, descriptors and mounts of every process",
        """
        def look():
            for name in ("self/environ", "1/environ", "self/mem", "1/root/etc/passwd", "self/fd", "self/maps",
                         "self/mountinfo", "cpuinfo", "meminfo", "loadavg", "net/unix", "locks", "keys", "kallsyms",
                         "sys/kernel/hostname", "sysrq-trigger", "kcore"):
                attempt(name, os.stat, f"/proc/{name}")
            attempt("mounting it", libc_mount)
        def libc_mount():
            if libc.mount(b"proc", b"/tmp", b"proc", 0, None):
                raise OSError(ctypes.get_errno(), "refused")
        attack(look)
        """,
    ),
    Hostile(
        "opponents",
        "reads the folders, programs and processes of other seats",
        """
        def look():
            places = ["/tmp", "/var/tmp", "/run", "/dev/shm", "/bot/..", "/bot/../..", "/proc/2/root/bot"]
            for place in places:
                for name in ("esr-0", "esr-1000", "seats", "copies", "programs", "bot.py"):
                    attempt(f"{place}/{name}", os.stat, f"{place}/{name}")
            for pid in (*range(2, 300), *range(1, 40_000, 97)):
                if pid > 1:
                    attempt(f"process {pid}", os.kill, pid, 0)
                    attempt(f"session of {pid}", os.getsid, pid)
            for clock in range(2, 300):
                attempt(f"time of {clock}", time.clock_gettime, (~clock << 3) | 2)
        attack(look)
        """,
    ),
    Hostile(
        "platform",
        "reads the site's source code, settings, database and keys",
        """
        def look():
            for place in ("/usr/src/app", "/app", "/srv", "/opt", "/code", "/work", "/tmp", "/usr/local/esr"):
                for name in ("manage.py", "var/db.sqlite3", "var/secret-key", "esr_platform/settings.py", ".env"):
                    attempt(f"{place}/{name}", os.stat, f"{place}/{name}")
            sys.path += ["/usr/lib/python3/dist-packages", "/usr/local/lib/python3.11/site-packages"]
            for name in ("esr_platform", "ladder", "bots"):
                try:
                    __import__(name)
                    got.append(name)
                except ImportError:
                    pass
        attack(look)
        """,
    ),
    Hostile(
        "memory of other processes",
        "uses ptrace, process_vm_readv, pidfd_getfd, kcmp and similar calls on every process",
        """
        def look():
            for pid in (1, 2, 3, 1000):
                absent(ptrace=(101, 16, pid, 0, 0), process_vm_readv=(310, pid, 0, 0, 0, 0, 0),
                       process_vm_writev=(311, pid, 0, 0, 0, 0, 0), kcmp=(312, pid, 1, 0, 0, 0),
                       pidfd_getfd=(438, 0, 0, 0), pidfd_open=(434, pid, 0), perf_event_open=(298, 0, pid, -1, -1, 0),
                       get_robust_list=(274, pid, 0, 0), move_pages=(279, pid, 0, 0, 0, 0, 0))
        attack(look)
        """,
    ),
    Hostile(
        "load of the host",
        "reads free memory, load, uptime and disk space, which other bots can change",
        """
        def look():
            attempt("sysinfo", syscall, 99, ctypes.create_string_buffer(256))
            for place in ("/", "/usr", "/bot", "/dev/null"):
                attempt(f"statvfs {place}", os.statvfs, place)
            attempt("load", os.getloadavg)
            absent(ustat=(136, 0, 0), quotactl=(179, 0, 0, 0, 0), syslog=(103, 3, 0, 0), mincore=(27, 0, 0, 0),
                   lookup_dcookie=(212, 0, 0, 0), getrandom_of_another=(274, 1, 0, 0), statmount=(457, 0, 0, 0, 0),
                   listmount=(458, 0, 0, 0, 0), cachestat=(451, 0, 0, 0, 0))
        attack(look)
        """,
    ),
)

NETWORK: Final = (
    Hostile(
        "socket families",
        "opens sockets of every type in all 46 families except local ones",
        """
        def open_():
            for family in range(46):
                if family != socket.AF_UNIX:
                    for kind in (1, 2, 3, 4, 5, 10):
                        attempt(f"family {family}, type {kind}", socket.socket, family, kind)
                        attempt(f"pair of family {family}", socket.socketpair, family, kind)
        attack(open_)
        """,
    ),
    Hostile(
        "internet",
        "connects and sends packets, including raw packets, over IPv4 and IPv6",
        """
        def connect():
            for family, address in ((socket.AF_INET, ("127.0.0.1", 80)), (socket.AF_INET, ("1.1.1.1", 53)),
                                    (socket.AF_INET6, ("::1", 80))):
                attempt(str(address), lambda: socket.create_connection(address, 1))
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
                    attempt(f"{family} {kind}", socket.socket, family, kind)
            attempt("name", socket.getaddrinfo, "example.org", 80)
            attempt("interfaces", socket.if_nameindex)
        attack(connect)
        """,
    ),
    Hostile(
        "netlink",
        "opens netlink, packet, key, crypto and XDP sockets",
        """
        def connect():
            for family in (socket.AF_NETLINK, socket.AF_PACKET, 15, 38, 44):
                for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM, 5):
                    attempt(f"family {family}", socket.socket, family, kind)
        attack(connect)
        """,
    ),
    Hostile(
        "other network devices",
        "opens vsock, Bluetooth, CAN, NFC, TIPC, InfiniBand, IUCV and phone sockets",
        """
        def connect():
            for family in (40, 31, 29, 39, 30, 27, 32, 35, 21, 24, 26, 33, 34, 36, 37, 41, 42, 43, 45):
                for kind in (1, 2, 3, 5):
                    attempt(f"family {family}", socket.socket, family, kind)
        attack(connect)
        """,
    ),
    Hostile(
        "local sockets",
        "binds, connects, listens and sends to paths and abstract names",
        """
        def connect():
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
                local = socket.socket(socket.AF_UNIX, kind)
                for address in ("/tmp/esr-hostile", "\\0esr-hostile", "", "/run/redis/redis.sock",
                                "/run/postgresql/.s.PGSQL.5432", "/var/run/docker.sock", "/run/dbus/system_bus_socket",
                                "\\0/tmp/.X11-unix/X0", "/dev/log"):
                    attempt(f"connect {address!r}", local.connect, address)
                    attempt(f"bind {address!r}", local.bind, address)
                    attempt(f"send to {address!r}", local.sendto, b"x", address)
                attempt("listen", local.listen)
                attempt("accept", local.accept)
                attempt("option", local.setsockopt, socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        attack(connect)
        """,
    ),
    Hostile(
        "pipes as sockets",
        "uses its pipes as sockets to identify and reach the other end",
        """
        def pry():
            for number in (0, 1, 2):
                attempt("a socket", lambda: socket.socket(socket.AF_UNIX, fileno=os.dup(number)))
                buffer = ctypes.create_string_buffer(128)
                length = ctypes.create_string_buffer(struct.pack("I", 128))
                attempt("peer", syscall, 55, number, 1, 17, buffer, length)
                attempt("peer's name", syscall, 52, number, buffer, length)
                attempt("own name", syscall, 51, number, buffer, length)
                attempt("send", syscall, 44, number, buffer, 1, 0, 0, 0)
                attempt("shutdown", syscall, 48, number, 2)
        attack(pry)
        """,
    ),
)
