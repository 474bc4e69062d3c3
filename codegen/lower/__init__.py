"""The user's code without Lightning: one small rewriting a module, the rest word for word."""

from .lower import Lowered, lower

__all__ = ["Lowered", "lower"]
