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
from .schema import descriptions, spec_schema
from .section import Section
from .sections import StrategySpec

SCHEMA_FILE = ".ddpgen/spec.schema.json"
"""As seen from the spec's folder."""

HEAD = f"""\
# yaml-language-server: $schema={SCHEMA_FILE}
#
# How a model is trained. Every setting stands here with its default and when to change it; take the # away before those
# that you change, and before the name of the section that they are in. What is set here wins over the code's own
# Trainer(...). Build with this file: ddpgen build model.py --strategy {{name}}

"""


def write_starter(file: Path) -> tuple[Path, Path]:
    """Write the spec, and its schema beside it. Raises CompileError where that cannot be, or a file is there."""
    schema = file.parent / SCHEMA_FILE
    try:
        if os.path.lexists(file):
            raise CompileError([messages.already_there(file.as_posix())])
        schema.parent.mkdir(exist_ok=True)
        replace_file(schema, json.dumps(spec_schema(), indent=2) + "\n")
        replace_file(file, starter_spec(file.name))
    except OSError as error:
        raise CompileError([messages.not_writable(file.as_posix(), error.strerror or str(error))]) from None
    return file, schema


def starter_spec(name: str) -> str:
    """The text of a spec in a file of that name."""
    blocks = [list(lines) for lines in _blocks(StrategySpec())]
    width = max(len(setting) for lines in blocks for setting, _ in lines)
    texts = ["".join(f"{setting:{width}}  # {sentence}\n" for setting, sentence in lines) for lines in blocks]
    return HEAD.replace("{name}", name) + "\n".join(texts)


def _blocks(spec: StrategySpec) -> Iterator[Iterator[tuple[str, str]]]:
    """For each setting, or section of settings, how it is written, and its sentence."""
    sentences = descriptions(StrategySpec)
    for name, sentence in sentences.items():
        value = getattr(spec, name)
        if isinstance(value, Section):
            yield _section(name, value, sentence)
        else:
            yield iter([_line("" if name == "strategy" else "#", spec, name, sentence)])


def _section(name: str, section: Section, sentence: str) -> Iterator[tuple[str, str]]:
    yield f"#{name}:", sentence
    for inner, own in descriptions(type(section)).items():
        yield _line("#  ", section, inner, own)


def _line(mark: str, section: Section, name: str, sentence: str) -> tuple[str, str]:
    value = section.model_dump(mode="json", include={name})[name]
    default = getattr(section, name)
    choices = f" {' | '.join(type(default))}" if isinstance(default, Enum) else ""
    return f"{mark}{name}: {_written(value)}", sentence + choices


def _written(value: Any) -> str:
    """YAML for a value: JSON, but that words need no quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return value if isinstance(value, str) else json.dumps(value)
