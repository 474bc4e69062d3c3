"""The command line of a script."""

import argparse
from dataclasses import fields
from typing import TypeVar

C = TypeVar("C")


def parse_config(kind: type[C]) -> C:
    """The command line's options, one for each field."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in fields(kind):  # type: ignore[arg-type]  # a dataclass
        flag = "--" + field.name.replace("_", "-")
        if isinstance(field.default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=field.default)
        else:
            parser.add_argument(flag, type=type(field.default), default=field.default)
    return kind(**vars(parser.parse_args()))
