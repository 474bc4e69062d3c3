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
