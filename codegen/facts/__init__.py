"""From a project and a spec to facts: what the code does, and asks for."""

from .facts import Facts

__all__ = ["Facts"]
