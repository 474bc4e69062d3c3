"""What a script is built from, and with which options: a call of `ddpgen build` as data."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Settings = Mapping[str, object]
"""What a file says, of which nothing is known yet."""


@dataclass(frozen=True)
class Recipe:
    """The inputs of a build, and where its script stands."""

    script: Path
    model: Path
    strategy: str | Path  # a preset's name, or a YAML file
    model_class: str | None = None
    data_class: str | None = None
    roots: tuple[Path, ...] = ()
    overrides: tuple[str, ...] = ()  # of a configuration: what the command line would say

    @property
    def folder(self) -> Path:
        return self.script.parent

    @property
    def strategy_argument(self) -> str:
        """What `--strategy` is given; a file named like a preset comes with its folder."""
        if isinstance(self.strategy, str):
            return self.strategy
        is_bare = len(self.strategy.parts) == 1 and not self.strategy.suffix
        return f"./{self.strategy.name}" if is_bare else self.strategy.as_posix()

    @property
    def command(self) -> str:
        """What to type for it."""
        return shlex.join(("ddpgen", "build", *self._arguments()))

    def _arguments(self) -> Iterator[str]:
        yield self.model.as_posix()
        yield from ("--strategy", self.strategy_argument)
        if self.script != self.model.parent / f"train_{Path(self.strategy).stem}.py":
            yield from ("-o", self.script.as_posix())
        yield from ("--model", self.model_class) if self.model_class else ()
        yield from ("--data", self.data_class) if self.data_class else ()
        for root in self.roots:
            yield from ("--root", root.as_posix())
        yield from ("--", *self.overrides) if self.overrides else ()

    def to_settings(self) -> dict[str, Any]:
        """As plain data; paths as seen from the script's folder, so that they hold wherever the project stands."""
        strategy = (
            {"preset": self.strategy}
            if isinstance(self.strategy, str)
            else {"spec": seen_from(self.folder, self.strategy)}
        )
        settings = {
            "model": seen_from(self.folder, self.model),
            **strategy,
            "model_class": self.model_class,
            "data_class": self.data_class,
            "roots": [seen_from(self.folder, root) for root in self.roots],
            "overrides": list(self.overrides),
        }
        return {name: value for name, value in settings.items() if value}

    @classmethod
    def from_settings(cls, script: Path, settings: Settings) -> Recipe:
        """The opposite of `to_settings`. Raises KeyError or TypeError where these are none."""
        folder = script.parent
        has_preset = "preset" in settings
        strategy = text_of(settings["preset" if has_preset else "spec"])
        return cls(
            script,
            within(folder, text_of(settings["model"])),
            strategy if has_preset else within(folder, strategy),
            _name(settings.get("model_class")),
            _name(settings.get("data_class")),
            tuple(within(folder, root) for root in _texts(settings.get("roots", []))),
            _texts(settings.get("overrides", [])),
        )


def text_of(value: object) -> str:
    """A text. Raises TypeError where it is none."""
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _name(value: object) -> str | None:
    return None if value is None else text_of(value)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return tuple(map(text_of, value))


def seen_from(folder: Path, path: Path) -> str:
    """`path` relative to `folder`."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def within(folder: Path, path: str) -> Path:
    """The path that is `path` as seen from `folder`, without `..` where it is the same without."""
    joined = folder / path
    plain = Path(os.path.normpath(joined))
    return plain if plain.resolve() == joined.resolve() else joined
