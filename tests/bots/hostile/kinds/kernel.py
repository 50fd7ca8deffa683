"""Namespaces and privileges, other ABIs, the kernel's surface, terminals, limits and schedulers."""

from __future__ import annotations

from typing import Final

from bots.sandbox.seccomp import ALLOWED, CONDITIONAL, REFUSED
from tests.bots.hostile.kind import Hostile

PRIVILEGES: Final = (
    Hostile(
        "namespaces",
        "uses unshare, setns and clone to create new namespaces of every kind",
        """
        def part():
            for name, flag in (("user", 1 << 28), ("mount", 1 << 17), ("pid", 1 << 29), ("net", 1 << 30),
                               ("ipc", 1 << 27), ("uts", 1 << 26), ("cgroup", 1 << 25), ("time", 1 << 7)):
                absent(**{f"unshare_{name}": (272, flag), f"setns_{name}": (308, 0, flag)})
                attempt(f"clone {name}", syscall, 56, flag | 17, 0, 0, 0, 0)
                attempt(f"thread in a new {name}", syscall, 56, flag | 0x10D00, 0, 0, 0, 0)
        attack(part)
        """,
    ),
    Hostile(
        "mounts",
        "uses mount, umount, pivot_root, chroot and the new mount calls",
        """
        path = ctypes.create_string_buffer(b"/")
        def remount():
            absent(mount=(165, path, path, path, 4096, 0), umount2=(166, path, 2), pivot_root=(155, path, path),
                   chroot=(161, path), fsopen=(430, path, 0), open_tree=(428, -100, path, 1),
                   move_mount=(429, 0, path, 0, path, 0), mount_setattr=(442, -100, path, 0, 0, 0),
                   fspick=(433, -100, path, 0), fsmount=(432, 0, 0, 0), swapon=(167, path, 0), acct=(163, path))
        attack(remount)
        """,
    ),
    Hostile(
        "chroot escape",
        "tries to leave a chroot by using open folders, parent folders and openat",
        """
        def climb():
            os.chdir("/")
            for _ in range(100):
                os.chdir("..")
            top = os.open(".", os.O_RDONLY)
            for name in ("etc/passwd", "../etc/passwd", "../../../../root", "home"):
                attempt(name, lambda: os.stat(name, dir_fd=top))
            os.chdir("/bot")
            absent(openat2=(437, -100, 0, 0, 24), open_by_handle_at=(304, -100, 0, 0),
                   name_to_handle_at=(303, -100, 0, 0, 0, 0))
        attack(climb)
        """,
    ),
    Hostile(
        "another user",
        "uses setuid, setgid, setgroups, capset and other calls that grant capabilities",
        """
        def rise():
            for name in ("setuid", "setgid", "seteuid", "setegid"):
                attempt(name, getattr(os, name), 0)
            attempt("setresuid", os.setresuid, 0, 0, 0)
            attempt("setgroups", os.setgroups, [0, 27, 999])
            header = ctypes.create_string_buffer(struct.pack("II", 0x20080522, 0))
            absent(capset=(126, header, ctypes.create_string_buffer(b"\\xff" * 24)), setfsuid=(122, 0),
                   setfsgid=(123, 0))
            attempt("ambient capabilities", syscall, 157, 47, 2, 21, 0, 0)
            attempt("bounding set", syscall, 157, 24, 21)
            attempt("PR_SET_KEEPCAPS", syscall, 157, 8, 1)
            attempt("PR_SET_SECUREBITS", syscall, 157, 28, 0)
            attempt("PR_SET_NO_NEW_PRIVS", syscall, 157, 38, 0, 0, 0, 0)
            if (os.getuid(), os.geteuid(), os.getgid()) != (65534, 65534, 65534):
                got.append("an identity")
        attack(rise)
        """,
    ),
    Hostile(
        "seccomp filter",
        "removes its filter, or uses another filter to listen to its own calls",
        """
        def relax():
            program = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
            outer = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(program)))
            attempt("prctl", syscall, 157, 22, 2, ctypes.addressof(outer))
            absent(seccomp=(317, 1, 0, outer), seccomp_listener=(317, 1, 8, outer))
            attempt("speculation", syscall, 157, 53, 0, 1, 0, 0)
        attack(relax)
        """,
    ),
    Hostile(
        "truncated arguments",
        "uses call numbers and arguments whose upper halves could deceive a filter",
        """
        def deceive():
            for number, *arguments in ((1 << 32 | 41, 2, 1, 0), (41, 2 | 1 << 32, 1, 0), (56, 17 | 1 << 63, 0, 0, 0),
                                       (157, 1 << 32 | 1, 0), (16, 0, 1 << 32 | 0x5412, 0), (72, 1, 1 << 32 | 1031, 99),
                                       (302, 1 << 32, 7, 0, 0), (512,), (548,), (1000,)):
                error = attempt(f"{number:#x}", syscall, number, *arguments)
                if number == 302:
                    got.clear()
            tell("said", type(error).__name__)
        attack(deceive)
        """,
    ),
)

ABIS: Final = (
    Hostile(
        "32-bit calls",
        "uses int 0x80 in 64-bit code",
        """
        def call(message):
            address = mapped(4096, 7)
            ctypes.memmove(address, bytes.fromhex("b814000000cd80c3"), 8)
            tell("got", ctypes.CFUNCTYPE(ctypes.c_int)(address)())
            move(message)
        ready()
        play(call)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "32-bit code",
        "jumps into a 32-bit code segment and forks from there",
        """
        def call(message):
            address = mapped(4096, 7, 0x22 | 0x40)
            code = bytes.fromhex("6a2368") + struct.pack("<I", address + 64) + bytes.fromhex("48cb")
            ctypes.memmove(address, code, len(code))
            ctypes.memmove(address + 64, bytes.fromhex("b802000000cd80ebfe"), 9)
            ctypes.CFUNCTYPE(ctypes.c_int)(address)()
        ready()
        play(call)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "x32 calls",
        "uses call numbers from the ABI with 32-bit pointers",
        """
        def call(message):
            tell("got", libc.syscall(0x40000000 | 39))
            move(message)
        ready()
        play(call)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "personality",
        "uses personality, modify_ldt, iopl, ioperm and arch_prctl",
        """
        def change():
            absent(personality=(135, 0x0040000), personality_32=(135, 8), modify_ldt=(154, 0, 0, 0), iopl=(172, 3),
                   ioperm=(173, 0, 8, 1), set_thread_area=(205, 0), uselib=(134, 0), vhangup=(153,))
            for code in (0x1011, 0x1012, 0x1022, 0x1023, 0x5001):
                attempt(f"arch_prctl {code:#x}", syscall, 158, code, 1)
        attack(change)
        """,
    ),
)

SURFACE: Final = (
    Hostile(
        "io_uring",
        "uses io_uring and Linux's older asynchronous I/O",
        """
        def open_():
            absent(io_uring_setup=(425, 8, ctypes.create_string_buffer(120)), io_uring_enter=(426, 0, 0, 0, 0, 0),
                   io_uring_register=(427, 0, 0, 0, 0), io_setup=(206, 8, ctypes.create_string_buffer(8)),
                   io_submit=(209, 0, 0, 0), io_getevents=(208, 0, 0, 0, 0, 0))
        attack(open_)
        """,
    ),
    Hostile(
        "kernel programs",
        "uses bpf, perf_event_open, userfaultfd, modules, kexec and landlock",
        """
        def load():
            absent(bpf=(321, 0, 0, 0), perf_event_open=(298, 0, 0, -1, -1, 0), userfaultfd=(323, 1),
                   init_module=(175, 0, 0, 0), finit_module=(313, 0, 0, 0), delete_module=(176, 0, 0),
                   kexec_load=(246, 0, 0, 0, 0), kexec_file_load=(320, 0, 0, 0, 0, 0), reboot=(169, 0, 0, 0, 0),
                   landlock_create_ruleset=(444, 0, 0, 1), lsm_set_self_attr=(460, 0, 0, 0, 0))
            attempt("userfaultfd", os.open, "/dev/userfaultfd", os.O_RDWR)
        attack(load)
        """,
    ),
    Hostile(
        "file watches",
        "uses inotify, fanotify and dnotify to watch files that others open",
        """
        def watch():
            import fcntl
            absent(inotify_init=(253,), inotify_init1=(294, 0), fanotify_init=(300, 0, 0))
            folder = os.open("/usr/bin", os.O_RDONLY)
            attempt("dnotify", fcntl.fcntl, folder, 1026, 1)
            attempt("signal of a file", fcntl.fcntl, 0, 10, 29)
            attempt("owner of a file", fcntl.fcntl, 0, 8, os.getpid())
        attack(watch)
        """,
    ),
    Hostile(
        "System V and POSIX queues",
        "creates shared memory, semaphores and message queues that outlive their creator",
        """
        def make():
            absent(shmget=(29, 0x657372, 4096, 0o1666), shmat=(30, 0, 0, 0), shmctl=(31, 0, 2, 0),
                   semget=(64, 0x657372, 1, 0o1666), semop=(65, 0, 0, 0), semctl=(66, 0, 0, 0),
                   msgget=(68, 0x657372, 0o1666), msgsnd=(69, 0, 0, 0, 0), msgctl=(71, 0, 0, 0),
                   mq_open=(240, ctypes.create_string_buffer(b"esr-hostile"), 0o102, 0o666, 0), mq_unlink=(241, 0))
        attack(make)
        """,
    ),
    Hostile(
        "keyrings",
        "uses keyrings, which belong to a user and outlive a process",
        """
        def keep():
            kind, name = (ctypes.create_string_buffer(word) for word in (b"user", b"esr-hostile"))
            absent(add_key=(248, kind, name, name, 4, -4), request_key=(249, kind, name, 0, -4),
                   keyctl=(250, 0, -4, 1), keyctl_join=(250, 1, 0))
        attack(keep)
        """,
    ),
    Hostile(
        "zero-copy pipes",
        "uses splice, vmsplice, tee, sendfile and copy_file_range",
        """
        def splice():
            reading, writing = os.pipe()
            file = os.open("/bot/bot.py", os.O_RDONLY)
            absent(splice=(275, file, 0, writing, 0, 4096, 0), vmsplice=(278, writing, 0, 0, 0),
                   tee=(276, reading, writing, 1, 0), sendfile=(40, writing, file, 0, 4096),
                   copy_file_range=(326, file, 0, writing, 0, 4096, 0))
        attack(splice)
        """,
    ),
    Hostile(
        "clocks and timers",
        "sets the clock, and creates timers that wake the machine",
        """
        def set_():
            attempt("settimeofday", lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
            absent(settimeofday=(164, 0, 0), adjtimex=(159, 0), clock_adjtime=(305, 0, 0), sethostname=(170, 0, 0),
                   setdomainname=(171, 0, 0))
            for clock in (8, 9):  # CLOCK_REALTIME_ALARM, CLOCK_BOOTTIME_ALARM
                attempt("an alarm", syscall, 222, clock, 0, ctypes.create_string_buffer(8))
                attempt("an alarm to read", syscall, 283, clock, 0)
        attack(set_)
        """,
    ),
    Hostile(
        "unlisted system calls",
        "makes every call from 0 to 600 that is not allowed, except uprobe and uretprobe",
        """
        def all_():
            for number in range(600):
                if number not in LISTED:
                    error = attempt(str(number), syscall, number, -1, -1, -1, -1, -1, -1)
                    if error is not None and error.errno != errno.ENOSYS:
                        got.append(f"{number} ({error.errno})")
        attack(all_)
        """.replace("LISTED", repr({335, 336, *ALLOWED.values(), *CONDITIONAL.values(), *REFUSED.values()})),
    ),
)

TERMINALS: Final = (
    Hostile(
        "terminal input",
        "uses TIOCSTI, TIOCLINUX and a controlling terminal on all open descriptors",
        """
        def type_():
            import fcntl
            for number in (0, 1, 2, os.open("/dev/null", os.O_RDWR)):
                for name, command in (("TIOCSTI", 0x5412), ("TIOCLINUX", 0x541C), ("TIOCSCTTY", 0x540E),
                                      ("TIOCSETD", 0x5423), ("TCSETS", 0x5402), ("TIOCSWINSZ", 0x5414),
                                      ("KDSETLED", 0x4B32), ("TIOCSTI, signed", 0x5412 | 1 << 32)):
                    attempt(name, libc_ioctl, number, command)
        def libc_ioctl(number, command):
            if syscall(16, number, command, ctypes.create_string_buffer(b"x" * 64)):
                raise OSError
        attack(type_)
        """,
    ),
    Hostile(
        "terminals",
        "opens /dev/tty, /dev/console, /dev/ptmx and virtual consoles",
        """
        def open_():
            for name in ("tty", "tty0", "tty1", "console", "ptmx", "pts/0", "pts/ptmx", "vcs", "input/event0", "fb0"):
                attempt(name, os.open, f"/dev/{name}", os.O_RDWR)
            for number in (0, 1, 2):
                if os.isatty(number):
                    got.append(f"a terminal at {number}")
            attempt("the controlling one", os.open, "/dev/tty", os.O_RDWR | os.O_NOCTTY)
        attack(open_)
        """,
    ),
    Hostile(
        "sessions and groups",
        "leaves its process group with setsid and setpgid",
        """
        def leave():
            attempt("setsid", os.setsid)
            attempt("setpgid", os.setpgid, 0, 0)
            attempt("another's group", os.setpgid, 0, 2)
            if (os.getsid(0), os.getpgrp(), os.getppid()) != (1, 1, 0):
                got.append("a session of others")
        attack(leave)
        """,
    ),
)

LIMITS: Final = (
    Hostile(
        "higher limits",
        "raises every limit with setrlimit and prlimit, including those of other processes",
        """
        def raise_():
            whole = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            for name in dir(resource):
                if name.startswith("RLIMIT_"):
                    number = getattr(resource, name)
                    attempt(name, resource.setrlimit, number, whole)
                    for pid in (0, 1, 2):
                        attempt(f"{name} of {pid}", resource.prlimit, pid, number, whole)
                    if resource.getrlimit(number)[1] == -1 and number in (0, 1, 3, 4, 6, 7, 8, 9, 11, 12):
                        got.append(f"{name} without end")
        attack(raise_)
        """,
    ),
    Hostile(
        "lower limits",
        "sets limits so low that nothing works, to make its failure look like the platform's",
        """
        def lower():
            for name in ("RLIMIT_AS", "RLIMIT_NOFILE", "RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_STACK"):
                attempt(name, resource.setrlimit, getattr(resource, name), (0, 0))
        attack(lower)
        """,
    ),
    Hostile(
        "priority",
        "changes priorities, schedulers and I/O classes, including those of other processes",
        """
        def push():
            attempt("nice", os.nice, -5)
            for which in (0, 1, 2):
                attempt(f"setpriority {which}", os.setpriority, which, 0, -20)
                attempt(f"setpriority {which}, worse", os.setpriority, which, 0, 19)
            for policy in (os.SCHED_FIFO, os.SCHED_RR, os.SCHED_IDLE, os.SCHED_BATCH):
                attempt(f"policy {policy}", os.sched_setscheduler, 0, policy, os.sched_param(1))
            absent(sched_setattr=(314, 0, ctypes.create_string_buffer(64), 0), ioprio_set=(251, 1, 0, 1 << 13),
                   sched_setparam=(142, 0, 0))
        attack(push)
        """,
    ),
    Hostile(
        "processor affinity",
        "binds itself to one core and its memory to one node",
        """
        def move_():
            attempt("sched_setaffinity", os.sched_setaffinity, 0, {0})
            absent(mbind=(237, 0, 0, 0, 0, 0, 0), set_mempolicy=(238, 0, 0, 0), migrate_pages=(256, 0, 0, 0, 0))
            attempt("PR_SCHED_CORE", syscall, 157, 62, 1, 0, 0, 0)
        attack(move_)
        """,
    ),
    Hostile(
        "all processor time",
        "uses as much processor time as possible on all cores",
        """
        import hashlib
        def burn():
            while True:
                hashlib.pbkdf2_hmac("sha256", b"x", b"y", 100_000)
        ready()
        def start(message):
            for _ in range(30):
                threading.Thread(target=burn, daemon=True).start()
            burn()
        play(start)
        """,
        forfeit="strikes",
        strikes=("late", "late", "late"),
        says="",
        slow=True,
    ),
    Hostile(
        "frequent timers",
        "interrupts itself 10,000 times per second",
        """
        def set_():
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
            until = time.monotonic() + 0.1
            while time.monotonic() < until:
                pass
            signal.setitimer(signal.ITIMER_REAL, 0)
        attack(set_)
        """,
    ),
)
