"""The command line of a script."""

import argparse
from collections.abc import Mapping
from dataclasses import fields
from typing import Any


def parse_config(
    kind: Any, description: str | None, required: Mapping[str, type] | None = None
) -> Any:
    """The command line's options, one for each field."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=formatter)
    for option in fields(kind):
        flag, default = "--" + option.name.replace("_", "-"), option.default
        options: dict[str, Any] = {"type": type(default)}
        if isinstance(default, bool):
            options = {"action": argparse.BooleanOptionalAction}
        if required and option.name in required:
            options = {"type": required[option.name], "required": True}
        parser.add_argument(flag, default=default, **options)
    return kind(**vars(parser.parse_args()))


class Settings(dict[str, Any]):
    """What a command line was told: by name, as attributes, and by dotted paths. It stays as it is."""

    def __getitem__(self, path: str) -> Any:
        name, _, rest = path.partition(".")
        value = super().__getitem__(name)
        value = Settings(value) if isinstance(value, dict) else value
        return value[rest] if rest else value

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(name)
        return self[name]

    def __contains__(self, path: object) -> bool:
        name, _, rest = str(path).partition(".")
        return super().__contains__(name) and (not rest or rest in self[name])

    def get(self, path: str, default: Any = None) -> Any:
        try:
            return self[path]
        except KeyError:
            return default

    def as_dict(self) -> dict[str, Any]:
        return dict(self)

    def __setitem__(self, path: str, value: Any) -> None:
        raise TypeError(f"{path} is given when the script is built")

    def __setattr__(self, path: str, value: Any) -> None:
        self[path] = value

    def update(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("settings are given when the script is built")
