"""Options that a LightningCLI's code adds by `add_argument`, as argparse reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....diagnostics import CompileError
from ....spec.yaml_file import read_yaml

TYPES = {"int": int, "float": float, "bool": bool}
TEXTS = ("", "str")
"""Types of options whose values are taken as they are written."""

TEXTS_OR_NONE = ("Optional[str]", "typing.Optional[str]", "str | None", "None | str")

NEGATIVE = re.compile(r"-\d+$|-\d*\.\d+$")


class Refused(Exception):
    """What the parser stops at."""


@dataclass(frozen=True)
class OwnOption:
    """One of them."""

    key: str
    count: int | str | None = None  # of its values, as `nargs` says; None: it is one, and no list
    const: Any = None  # what it is without a value
    kind: str = ""  # its type, as it is written
    choices: tuple[Any, ...] | None = None
    is_known: bool = True  # what becomes of values

    def value(self, text: str | None, waiting: list[str]) -> Any:
        """What it is where a text is given with `=`, or some that follow it, which are taken. Raises Refused."""
        texts = self._following(waiting) if text is None else [text]
        is_fixed = isinstance(self.count, int)
        if not self.is_known or (is_fixed and len(texts) != self.count):
            raise Refused
        if self.count == 0:
            return self.const
        if (self.count is None or self.count == "+") and not texts:
            raise Refused
        values = [self._typed(each) for each in texts]
        if self.count in (None, "?"):
            return values[0] if values else self.const
        return values

    def _following(self, waiting: list[str]) -> list[str]:
        most = self.count if isinstance(self.count, int) else len(waiting) if self.count in ("*", "+") else 1
        found: list[str] = []
        while waiting and len(found) < most and not _is_option(waiting[0]):
            found.append(waiting.pop(0))
        return found

    def _typed(self, text: str) -> Any:
        """Raises Refused."""
        value = text if self.kind in TEXTS else value_of(text)
        if self.kind in TEXTS_OR_NONE and value is not None:
            value = text
        if self.kind == "float" and type(value) is int:
            value = float(value)
        is_right = type(value) is TYPES.get(self.kind, type(value))
        if not is_right or (self.choices is not None and value not in self.choices):
            raise Refused
        return value


def _is_option(text: str) -> bool:
    return text.startswith("-") and len(text) > 1 and not NEGATIVE.match(text) and " " not in text


def key_of(names: Sequence[str]) -> str:
    """Under which key the settings have it."""
    long = [each for each in names if each.startswith("--")]
    return (long or list(names))[0].lstrip("-").replace("-", "_")


def value_of(text: str) -> Any:
    """What a text is, as YAML has it."""
    try:
        return read_yaml("", text.encode()).data
    except CompileError:
        return text
