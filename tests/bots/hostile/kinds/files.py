"""Files, inodes and descriptors."""

from __future__ import annotations

from typing import Final

from tests.bots.hostile.kind import Hostile

FILES: Final = (
    Hostile(
        "files in every folder",
        "creates files, folders, links and pipes in every folder",
        """
        def make():
            places = [folder for folder, _, _ in os.walk("/") if folder.count("/") < 3]
            for place in ["/", *places]:
                attempt(place, os.open, f"{place}/esr-hostile", os.O_CREAT | os.O_WRONLY, 0o666)
                attempt(f"folder in {place}", os.mkdir, f"{place}/esr-hostile")
                attempt(f"link in {place}", os.symlink, "/bot", f"{place}/esr-hostile")
                attempt(f"hard link in {place}", os.link, "/bot/bot.py", f"{place}/esr-hostile")
                attempt(f"pipe in {place}", os.mkfifo, f"{place}/esr-hostile")
                attempt(f"device in {place}", os.mknod, f"{place}/esr-hostile", 0o20666, os.makedev(1, 5))
        attack(make)
        """,
    ),
    Hostile(
        "one million inodes",
        "creates one million empty files in each folder",
        """
        def make():
            for number in range(100_000):
                attempt("a file", os.open, f"/tmp/esr-hostile-{number}", os.O_CREAT | os.O_WRONLY)
        attack(make)
        """,
    ),
    Hostile(
        "its own code",
        "rewrites, renames, truncates and deletes its files and changes their modes and times",
        """
        def change():
            attempt("open", os.open, "/bot/bot.py", os.O_RDWR)
            attempt("append", os.open, "/bot/bot.py", os.O_WRONLY | os.O_APPEND)
            attempt("truncate", os.truncate, "/bot/bot.py", 0)
            attempt("rename", os.rename, "/bot/bot.py", "/bot/old.py")
            attempt("remove", os.unlink, "/bot/bot.py")
            attempt("mode", os.chmod, "/bot/bot.py", 0o777)
            attempt("mode of the folder", os.chmod, "/bot", 0o777)
            attempt("owner", os.chown, "/bot/bot.py", 0, 0)
            attempt("times", os.utime, "/bot/bot.py", (1, 1))
            attempt("attribute", os.setxattr, "/bot/bot.py", "user.esr-hostile", b"1")
            attempt("attribute of a program", os.setxattr, sys.executable, "user.esr-hostile", b"1")
            attempt("cache", os.mkdir, "/bot/__pycache__")
        attack(change)
        """,
    ),
    Hostile(
        "shared library files",
        "writes to the library and the interpreter that all bots share",
        """
        def change():
            for place in (os.__file__, sys.executable, "/etc/ld.so.cache"):
                attempt(place, os.open, place, os.O_RDWR)
                attempt(f"remove {place}", os.unlink, place)
            attempt("writable mapping", lambda: mapped(4096, 3, 1, os.open(os.__file__, os.O_RDONLY)))
        attack(change)
        """,
    ),
    Hostile(
        "full disk",
        "writes to every device and past the end of every open file",
        """
        def fill():
            for name in os.listdir("/dev"):
                if name not in ("null", "random", "urandom"):
                    got.append(name)
            for number in (0, 1, 2):
                attempt(f"truncate {number}", os.ftruncate, number, 1 << 30)
                attempt(f"allocate {number}", os.posix_fallocate, number, 0, 1 << 30)
                attempt(f"sync {number}", os.fsync, number)
            absent(sync=(162,), syncfs=(306, 0), sync_file_range=(277, 0, 0, 0, 0))
            file = os.open("/dev/null", os.O_WRONLY)
            for _ in range(1000):
                os.write(file, b"x" * 65536)
        attack(fill)
        """,
    ),
    Hostile(
        "random numbers of the host",
        "writes to /dev/urandom and claims that it added entropy",
        """
        def spoil():
            import fcntl
            device = os.open("/dev/urandom", os.O_RDWR)
            attempt("RNDADDENTROPY", fcntl.ioctl, device, 0x40085203, struct.pack("iiI", 8, 4, 1))
            attempt("RNDCLEARPOOL", fcntl.ioctl, device, 0x5206)
            attempt("RNDRESEEDCRNG", fcntl.ioctl, device, 0x5207)
            for _ in range(100):
                os.write(device, bytes(4096))
            if len(set(os.urandom(64))) < 20:
                got.append("randomness")
        attack(spoil)
        """,
    ),
    Hostile(
        "all descriptors",
        "opens descriptors with open, dup, pipe, epoll and eventfd until none is left",
        """
        def open_():
            made = 3
            for more in (lambda: os.open("/dev/null", 0), lambda: os.dup(0), os.pipe, lambda: syscall(291, 0),
                         lambda: syscall(290, 0, 0)):
                try:
                    while made < 10_000:
                        made += len(result) if isinstance(result := more(), tuple) else 1
                except OSError:
                    pass
            attempt("a high number", os.dup2, 0, 1000)
            if made > 64:
                got.append(f"{made} descriptors")
        attack(open_)
        """,
    ),
    Hostile(
        "descriptors in sockets",
        "sends descriptors to itself through a socket, where no limit covers them",
        """
        def send():
            one, other = socket.socketpair()
            attempt("SCM_RIGHTS", socket.send_fds, one, [b"x"], [0] * 32)
            absent(recvmsg=(47, other.fileno(), 0, 0), sendmmsg=(307, one.fileno(), 0, 0, 0),
                   recvmmsg=(299, other.fileno(), 0, 0, 0, 0))
        attack(send)
        """,
    ),
    Hostile(
        "inherited descriptors",
        "looks for descriptors that it should not have",
        """
        def look():
            for number in range(3, 1024):
                attempt(str(number), os.fstat, number)
            for number in (0, 1, 2):
                if os.fstat(number).st_mode & 0o170000 != 0o010000:
                    got.append(f"{number} is no pipe")
            attempt("writing to stdin", os.write, 0, b"x")
            attempt("reading stdout", os.read, 1, 1)
            attempt("reading stderr", os.read, 2, 1)
            for path in ("/proc/self/fd/1", "/dev/stdout", "/dev/fd/0"):
                attempt(path, os.open, path, os.O_RDWR)
        attack(look)
        """,
    ),
)
