"""The commands, a file each: they read, call, print, write and exit, and decide nothing."""

from .build import build
from .check import check
from .diff import diff
from .init import init
from .inspect import inspect
from .schema import schema
from .strategies import strategies

COMMANDS = (build, check, diff, inspect, init, schema, strategies)

__all__ = ["COMMANDS"]
