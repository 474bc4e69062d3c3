"""From an entry file to a project: its modules found, what is reached of them made one, its classes told."""

from .files import Roots, entry_place
from .link import link, reached_files

__all__ = ["Roots", "entry_place", "link", "reached_files"]
