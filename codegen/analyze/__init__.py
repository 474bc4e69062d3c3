"""From a project and a spec to the script: facts, then decisions."""

from .facts import Facts
from .script import Analysis, analyze

__all__ = ["Analysis", "Facts", "analyze"]
