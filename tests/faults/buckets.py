"""A bucket of an S3 server on this machine, in which runs keep their files."""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import fsspec

BUCKET = "s3://runs"


@cache
def begin() -> None:
    """Start the server, which ends with this process, and have all find it by their environment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", f"{port}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(server.kill)
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "anyone",
        "AWS_SECRET_ACCESS_KEY": "anything",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",  # else it is tried again for minutes
    }
    while not answers(port):
        time.sleep(0.05)
    fsspec.filesystem("s3").mkdir(BUCKET)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def bring(url: str, folder: Path) -> None:
    """Have a local folder hold what lies there."""
    shutil.rmtree(folder, ignore_errors=True)
    files = fsspec.filesystem("s3", use_listings_cache=False)
    with suppress(FileNotFoundError):
        files.get(f"{url}/", f"{folder}/", recursive=True)


def lose(process: int, moment: str) -> None:
    """Have this process reach nothing any more; its threads still tell each other by sockets."""
    connect, send = socket.socket.connect, socket.socket.send

    def refusing(call: Callable[..., Any]) -> Any:
        def called(of: socket.socket, *arguments: Any) -> Any:
            if of.family == socket.AF_INET:
                raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
            return call(of, *arguments)

        return called

    socket.socket.connect, socket.socket.send = refusing(connect), refusing(send)  # type: ignore[method-assign]
