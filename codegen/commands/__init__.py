"""The commands, a file each: they read, call, print, write and exit, and decide nothing."""

from .build import build
from .inspect import inspect
from .strategies import strategies

COMMANDS = (build, inspect, strategies)
"""In the order of their help."""

__all__ = ["COMMANDS"]
