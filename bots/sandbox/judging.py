"""What the probe must have seen for the sandbox to hold: one check for every property, with a sentence if it fails."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bots.sandbox.bubblewrap import HOME
from bots.sandbox.interpreter import bots_interpreter
from bots.sandbox.limits import THREADS
from bots.sandbox.probing import Outside
from bots.sandbox.root import LINKER_CACHE, has_holes

Seen = Mapping[str, Any]

_SIGKILL: Final = 9


@dataclass(frozen=True)
class Check:
    """One property of the sandbox: a sentence that should be true, and ``problem``, which is empty if it is true.

    A property ``for_ratings`` protects only ratings: without it unrated games can be played.
    """

    name: str
    problem: str = ""
    for_ratings: bool = False

    @property
    def ok(self) -> bool:
        """Whether it holds."""
        return not self.problem


def judge_world(seen: Seen, root: Path, limits: Mapping[str, int], environment: Mapping[str, str]) -> Iterator[Check]:
    """Check a bot's own view: its surroundings and its rights.

    ``root``, ``limits`` and ``environment`` are what it should have.
    """
    yield from _judge_files(seen, root)
    yield from _judge_identity(seen)
    strange = sorted(set(environment.items()) ^ {(k, v) for k, v in seen["environment"].items() if k != "PWD"})
    yield _check("Its environment is the bots'.", "the environment is not the bots'", strange)
    yield _check("It has three descriptors.", "descriptors of the platform are open", seen["descriptors"] != [0, 1, 2])
    yield _check("It cannot open a socket.", "there is a way to the network", seen["sockets"])
    yield _check("It cannot make processes.", "other processes can be made", seen["fork"] == "done")
    many = seen["threads"] > THREADS
    yield _check(f"It has at most {THREADS} threads.", f"{seen['threads']} threads can be made", many)
    loose = [name for name, value in limits.items() if seen["limits"].get(name) != [value, value]]
    yield _check("Its limits hold.", f"the limits {', '.join(loose)} do not hold", loose)
    open_ = [name for name, result in seen["calls"].items() if result not in ("ENOSYS", "EINVAL")]
    yield _check("Dangerous calls do not exist.", f"the calls {', '.join(open_)} are allowed", open_)
    shared = seen["shared_memory"] == "done"
    yield _check("It has no shared memory.", "memory can be mapped that no limit counts", shared)
    yield _check(
        "It has no huge pages.", "its pages can become huge pages, which others can notice", seen["huge_pages"]
    )
    yield _check("A seccomp filter is on.", "there is no seccomp filter", seen["seccomp_mode"] != 2)
    yield _check("It gains no privileges.", "new privileges can be had", seen["no_new_privileges"] != 1)


def _judge_files(seen: Seen, root: Path) -> Iterator[Check]:
    yield _check("Files of the host are hidden.", "a file of the host can be read", seen["host_file"] != "ENOENT")
    shown = [place for place, names in seen["hidden"].items() if set(names) - _on_the_way(place)]
    yield _check("The platform is hidden.", f"bots can look into {', '.join(shown)}", shown)
    wanted = set(os.listdir(root))
    stray = sorted(set(seen["root"]) - wanted)
    yield _check("The root holds nothing else.", f"the root holds {', '.join(stray)}", stray)
    lacking = sorted(wanted - set(seen["root"]))
    yield _check("The root is whole.", f"the root lacks {', '.join(lacking)}", lacking)
    yield _check("There is no /proc.", "/proc is there", seen["proc"])
    cache = [LINKER_CACHE.name] if LINKER_CACHE.exists() else []
    yield _check("/etc holds the linker's cache alone.", "/etc holds more or less than that", seen["etc"] != cache)
    yield _check("Its folder for temporary files is empty.", "the folder for temporary files is not empty", seen["tmp"])
    devices = set(seen["dev"]) != {"null", "random", "urandom"}
    yield _check("/dev holds three devices.", "/dev holds other devices", devices)
    writable = seen["writable"]
    yield _check("Nothing can be written.", f"files can be made in {', '.join(writable)}", writable)


def _judge_identity(seen: Seen) -> Iterator[Check]:
    pid, *ids, groups = seen["ids"]
    yield _check("It is process 1.", "the probe is not alone in its process namespace", pid != 1)
    foreign = ids != [65534] * 4 or set(groups) - {65534}
    yield _check("It is user 65534.", "the probe has another user or group", foreign)
    own = seen["session"] == [1, 1, 0]
    yield _check("It leads its own session.", "the probe shares a session with the platform", not own)
    yield _check("Its host is called bot.", "the probe knows the name of the host", seen["host"] != "bot")
    yield _check("It starts in its own folder.", f"the probe starts in {seen['here']}", seen["here"] != HOME)


def judge_walls(seen: Seen) -> Iterator[Check]:
    """What holds without the seccomp filter."""
    nested = seen["new_namespace"] == "done"
    yield _check("User namespaces are disabled.", "more user namespaces can be made", nested)
    outlives = seen["death_signal"] != _SIGKILL
    yield _check("It dies with its parent.", "the probe would outlive the platform", outlives)
    powers = seen["capabilities"] or seen["bounding_set"]
    yield _check("It has no capabilities.", "the probe has capabilities or can have them", powers)
    done = [name for name in ("mount", "chroot", "another_user", "raised") if seen[name] == "done"]
    yield _check("It has no powers of root.", f"without a filter these work: {', '.join(done)}", done)
    loose = sorted(set(seen["mounts"]) - set(seen["read_only"]))
    yield _check("All is mounted read-only.", f"{', '.join(loose)} can be written to", loose)
    more = set(seen["interfaces"]) - {"lo"}
    yield _check("It sees no interface.", f"the network interfaces {', '.join(sorted(more))} are there", more)
    reached = [name for name in ("host_port", "host_socket") if seen[name] == "done"]
    yield _check("It cannot reach the host.", "sockets of the host can be reached", reached)
    yield _check("It shares no memory.", "shared memory of the host can be reached", seen["host_memory"] == "done")
    many = seen["processes"] > THREADS
    yield _check("Processes would be counted.", f"{seen['processes']} processes can be made without a filter", many)


def judge_from_outside(outside: Outside, folders: Iterable[Path]) -> Iterator[Check]:
    """What no probe can see from inside: its namespaces, its user, when it began, and what of its files is on disk.

    ``folders`` are those that the host bound into its world.
    """
    names = ", ".join(outside.shared_namespaces)
    yield _check("Its namespaces are its own.", f"the namespaces {names} are the host's", outside.shared_namespaces)
    yield _check("It is not root outside either.", "the probe is root outside of its namespace", outside.is_root)
    yield _check("It waits for its limits.", "the probe began before its limits were set", not outside.held)
    on_disk = ", ".join(outside.on_disk)
    problem = f"{on_disk} lie on a disk, whose cache can tell a bot's next game what it has read"
    yield Check("All its files are in memory.", problem if outside.on_disk else "", for_ratings=True)
    if not outside.on_disk:
        problem = "its files have holes, for which reading allocates memory"
        yield Check("Its files have no holes.", problem if any(map(has_holes, folders)) else "")


def _check(name: str, problem: str, wrong: object) -> Check:
    return Check(name, problem if wrong else "")


def _on_the_way(place: str) -> set[str]:
    """The one name in a folder that an interpreter outside ``/usr`` needs there."""
    prefix = bots_interpreter().parent.parent
    parts = place.rstrip("/").split("/")
    if (
        prefix.is_relative_to("/usr")
        or list(prefix.parts[1 : len(parts)]) != parts[1:]
        or len(prefix.parts) <= len(parts)
    ):
        return set()
    return {prefix.parts[len(parts)]}
