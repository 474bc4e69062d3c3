"""The commands, a file each: they read, call, print, write and exit, and decide nothing."""

from .build import build
from .check import check
from .diff import diff
from .inspect import inspect
from .strategies import strategies

COMMANDS = (build, check, diff, inspect, strategies)

__all__ = ["COMMANDS"]
