"""Does a script train as the user's code does under Lightning? Both are run, and what they do is compared."""

from .report import Verdict, table
from .verify import Failed, Request, verify

__all__ = ["Failed", "Request", "Verdict", "table", "verify"]
