"""What of hydra's code names: what a main takes from its decorator and its command line, and what makes objects."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass

INSTANTIATING = frozenset({"hydra.utils.instantiate", "hydra.utils.call", "hydra_zen.instantiate"})
"""Functions of hydra's, and of hydra-zen's, that make what a configuration says."""

NAMES = ("config_path", "config_name", "version_base")
"""What it takes, in its order."""


@dataclass(frozen=True)
class Told:
    """What the command line of a main of hydra's says."""

    overrides: tuple[str, ...]
    name: str | None
    folder: str | None
    added: str | None  # a folder in which hydra looks, too, as seen from the current one

    @property
    def replaced(self) -> frozenset[str]:
        """The decorator's arguments in whose place something else comes."""
        given = {"config_path": self.folder, "config_name": self.name}
        return frozenset(name for name, value in given.items() if value)

    @property
    def options(self) -> tuple[str, ...]:
        """What is no override: other options of hydra's."""
        return tuple(each for each in self.overrides if each.startswith("-"))


def told_by(arguments: tuple[str, ...]) -> Told:
    """The same of these arguments."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config-name", "-cn", dest="name")
    parser.add_argument("--config-path", "-cp", dest="folder")
    parser.add_argument("--config-dir", "-cd", dest="added")
    parser.add_argument("--run", "-r", action="store_true")  # as it does in any case
    found, overrides = parser.parse_known_args(list(arguments))
    return Told(tuple(overrides), found.name, found.folder, found.added)
