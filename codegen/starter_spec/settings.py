"""The spec that `ddpgen init` writes: every setting with its default, and when to change it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from .. import messages
from ..diagnostics import CompileError
from ..source.text_file import replace_file
from ..spec.schema import descriptions, spec_schema
from ..spec.sections.section import Section
from ..spec.sections.strategy_spec import StrategySpec

SCHEMA_FILE = ".ddpgen/spec.schema.json"
"""As seen from the spec's folder."""

SCHEMA_LINE = f"# yaml-language-server: $schema={SCHEMA_FILE}\n#\n"

FILL_IN = """\
# Made for {model}. Write a value for each `...`; a line that is removed of an int, a float or a str becomes an option
# of the script that has to be given. Take the # away before an argument of which the default is not meant.
#
"""

HEAD = """\
# How a model is trained. Every setting stands here with its default and when to change it; take the # away before those
# that you change, and before the name of the section that they are in. What is set here wins over the code's own
# Trainer(...). Build with this file: ddpgen build {model} --strategy {name}

"""

MADE = ("model", "data")
"""Sections that are made for a file."""


def write_starter(file: Path, text: str) -> tuple[Path, Path]:
    """Write a spec, and its schema beside it. Raises CompileError where that cannot be, or a file is there."""
    schema = file.parent / SCHEMA_FILE
    try:
        if os.path.lexists(file):
            raise CompileError([messages.already_there(file.as_posix())])
        schema.parent.mkdir(exist_ok=True)
        replace_file(schema, json.dumps(spec_schema(), indent=2) + "\n")
        replace_file(file, text)
    except OSError as error:
        raise CompileError([messages.not_writable(file.as_posix(), error.strerror or str(error))]) from None
    return file, schema


def starter_spec(name: str, model: str = "model.py", made: str = "") -> str:
    """The text of a spec in a file of that name; `made` are the sections that are made for the `model`."""
    settings = {setting: list(lines) for setting, lines in _blocks(StrategySpec())}
    blocks = [lines for setting, lines in settings.items() if not (made and setting in MADE)]
    width = max(len(setting) for lines in blocks for setting, _ in lines)
    texts = ["".join(f"{setting:{width}}  # {sentence}\n" for setting, sentence in lines) for lines in blocks]
    head = SCHEMA_LINE + (FILL_IN if made else "") + HEAD
    return head.replace("{name}", name).replace("{model}", model) + "\n".join(
        [*texts[:1], made, *texts[1:]] if made else texts
    )


def _blocks(spec: StrategySpec) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """Each setting, or section of settings: its name, how it is written, and its sentence."""
    sentences = descriptions(StrategySpec)
    for name, sentence in sentences.items():
        value = getattr(spec, name)
        if isinstance(value, Section):
            yield name, _section(name, value, sentence)
        else:
            yield name, iter([_line("" if name == "strategy" else "#", spec, name, sentence)])


def _section(name: str, section: Section, sentence: str) -> Iterator[tuple[str, str]]:
    yield f"#{name}:", sentence
    for inner, own in descriptions(type(section)).items():
        yield _line("#  ", section, inner, own)


def _line(mark: str, section: Section, name: str, sentence: str) -> tuple[str, str]:
    value = section.model_dump(mode="json", include={name})[name]
    key = type(section).model_fields[name].alias or name
    default = getattr(section, name)
    choices = f" {' | '.join(type(default))}" if isinstance(default, Enum) else ""
    return f"{mark}{key}: {_written(value)}", sentence + choices


def _written(value: Any) -> str:
    """YAML for a value: JSON, but that words need no quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return value if isinstance(value, str) else json.dumps(value)
