"""From an entry file to a project: its modules found, what is reached of them made one, its classes told."""

from .link import link, reached_files

__all__ = ["link", "reached_files"]
