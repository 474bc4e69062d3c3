"""What messages are made with: places in code and in files, and the codes that their functions' names give."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..diagnostics import Diagnostic, Severity, Span

if TYPE_CHECKING:
    import libcst as cst

    from ..source.source import Source

At = tuple["Source", "cst.CSTNode"]

Place = tuple[Span, str]
"""Where something stands in a text file, and the line it stands in."""

NOT_THERE = re.compile(r"Could not find '([^']+)/[^/']+'")
"""What hydra says of an option of a group that is not there."""


def here(at: At, message: str, severity: Severity = "error", subject: str = "") -> Diagnostic:
    """A message on code."""
    source, node = at
    span = source.span(node)
    return Diagnostic(_code(), message, span, source.line_of(span), severity, subject)


def there(place: Place, message: str, severity: Severity = "error", subject: str = "") -> Diagnostic:
    """A message on a line of a file."""
    span, line = place
    return Diagnostic(_code(), message, span, line, severity, subject)


def of_file(path: str, message: str) -> Diagnostic:
    """A message on a whole file."""
    return Diagnostic(_code(), message, Span(path, 1, 1, 1, 1))


def placeless(message: str, severity: Severity = "error") -> Diagnostic:
    """A message on no place in particular."""
    return Diagnostic(_code(), message, severity=severity)


def _code() -> str:
    """The name of the message function two calls up."""
    frame = inspect.currentframe()
    for _ in range(2):
        assert frame is not None
        frame = frame.f_back
    assert frame is not None
    return frame.f_code.co_name.replace("_", "-")


def on_overrides(reason: str) -> str:
    """What may be done where a configuration is not known, as a sentence; nothing where no override matters."""
    if "there is no folder" in reason or "is no YAML" in reason:
        return ""
    if missing := NOT_THERE.search(reason):
        is_group = ".." not in missing[1]
        return (
            f" If another is meant, name it: `ddpgen build train.py -- {missing[1]}=OPTION`."
            if is_group
            else ""
        )
    return " If it lacks overrides, name them: `ddpgen build train.py -- model=small`."


def would_import(original: str) -> str:
    """The class for whose sake hydra might import Lightning, as a sentence; nothing where there is none."""
    if not original:
        return ""
    return f" A run may name `{original}`: hydra would import that as it is, and Lightning with it."


def choices(names: Sequence[str]) -> str:
    """Names in a row, each in backticks."""
    return ", ".join(f"`{name}`" for name in names)


def arguments_wanted(section: str, cls: str, names: Sequence[str], is_of_cli: bool) -> str:
    """What a class lacks, and where to write it."""
    lines = "".join(f"        {name}: ...\n" for name in names)
    answer = "Give it a default" if len(names) == 1 else "Give them defaults"
    if is_of_cli:
        answer = "Build with the file that LightningCLI is given, `--strategy FILE.yaml`"
    return (
        f"`{cls}` needs a value for {choices(names)}. {answer}, or write into the spec:\n"
        f"    {section}:\n      init_args:\n{lines}"
        "    For an object, write its class: {class_path: torch.nn.MSELoss, init_args: {...}}."
    )


@dataclass(frozen=True)
class Command:
    """What was asked for, around the class that a script is for."""

    options: str  # with a blank before each
    option: str  # that names the class
    rest: str = ""


def builds(at: At, command: Command, names: Sequence[str]) -> str:
    """The commands that build a script for each of several classes, as else this one was asked for."""
    first = f"ddpgen build {at[0].path}{command.options} {command.option}"
    return ", ".join(f"`{first} {name} -o train_{name.lower()}.py{command.rest}`" for name in names)


def shown(text: str) -> str:
    """`text` in backticks, short, and without anything that a terminal would act on."""
    text = text if text.isprintable() else repr(text)[1:-1]
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def to_build(files: Sequence[str]) -> str:
    """What stands behind "Build the file that ...": the commands, where such files were found."""
    return f": {choices([f'ddpgen build {each}' for each in files])}" if files else ""
