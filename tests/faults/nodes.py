"""Two nodes on this machine, each a network namespace, with a link between them that can be cut."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import time

FIRST = "10.99.0.1"
CLONE_NEWNET = 0x40000000


def can_be_made() -> bool:
    """By root alone, where there is `ip`."""
    return os.geteuid() == 0 and shutil.which("ip") is not None and ip("netns", "list") == 0


def ip(*arguments: str) -> int:
    return subprocess.run(["ip", *arguments], capture_output=True, check=False).returncode


class Nodes:
    """There while a training goes on."""

    def __init__(self) -> None:
        self.names = [f"faults-{os.getpid()}-{number}" for number in range(2)]

    def __enter__(self) -> Nodes:
        first, second = self.names
        for name in self.names:
            assert ip("netns", "add", name) == 0
            ip("-n", name, "link", "set", "lo", "up")
        wire = ["type", "veth", "peer", "name", "wire", "netns", second]
        assert ip("-n", first, "link", "add", "wire", *wire) == 0
        for number, name in enumerate(self.names, 1):
            ip("-n", name, "address", "add", f"10.99.0.{number}/24", "dev", "wire")
            ip("-n", name, "link", "set", "wire", "up")
        return self

    def __exit__(self, *_: object) -> None:
        for name in self.names:
            ip("netns", "delete", name)

    def enter(self, number: int) -> None:
        """Have this process be on that node from now on."""
        with open(f"/run/netns/{self.names[number]}") as namespace:
            assert ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) == 0


def cut(process: int, moment: str) -> None:
    """The link of this process's node, for good."""
    assert ip("link", "set", "wire", "down") == 0


def cut_for_a_second(process: int, moment: str) -> None:
    cut(process, moment)
    if os.fork() == 0:
        time.sleep(1)
        os.execlp("ip", "ip", "link", "set", "wire", "up")
