"""The commands, a file each: they read, call, print, write and exit, and decide nothing."""

from .build import build
from .check import check
from .convert import convert
from .diff import diff
from .explain import explain
from .init import init
from .inspect import inspect
from .plan import plan
from .schema import schema
from .strategies import strategies
from .verify import verify

COMMANDS = (build, check, diff, verify, plan, explain, inspect, convert, init, schema, strategies)

__all__ = ["COMMANDS"]
