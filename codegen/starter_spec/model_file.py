"""A spec made for a file: what its model is given, and where its data may come from, with blanks to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import libcst as cst
import yaml

from ..facts.code.literals import code_of, literal
from ..facts.code.parameters import Parameter, parameters
from ..facts.data.modules_as_data import with_data_modules
from ..facts.entry.entry import read_entry
from ..facts.main.own_main import builds_trainer
from ..facts.model.classes import choose_data, choose_model
from ..ir.project import Class, Project
from ..link.data_sources import DataSource, data_sources
from ..link.link import link
from ..spec.load import parse_spec
from ..spec.yaml_file import BLANK
from .settings import starter_spec

OBJECT = "{class_path: package.module.Class, init_args: {}}"

PLAIN = frozenset(
    "bool int float str list dict tuple set List Dict Tuple Set Any Optional Union None".split()
)
"""Types of which a value is written as it is."""


def spec_for(model: Path, name: str, classes: tuple[str | None, str | None], roots: tuple[Path, ...]) -> str:
    """The text of a spec in a file of that `name`, for a model's file or a script that trains.

    Raises CompileError where the file cannot be read, or where several classes could be meant.
    """
    project = with_data_modules(link(model, model.parent, roots))
    entry = read_entry(project)
    if entry.lost and builds_trainer(project):
        return starter_spec(name, model.as_posix(), "# The code makes the model and the data by itself.\n")
    chosen = choose_model(project, entry.entry, classes[0])
    blocks = ["\n".join(_section("model", chosen.name, chosen, entry.entry.model))]
    blocks.append("\n".join(_data(project, chosen, model, classes[1])))
    return starter_spec(name, model.as_posix(), "\n\n".join(blocks) + "\n")


def _data(project: Project, model: Class, file: Path, wanted: str | None) -> Iterator[str]:
    """The data's section: of a class in the file, else of one that is found near it."""
    entry = read_entry(project).entry
    own = choose_data(project, entry, wanted, model)
    if own is not None:
        yield from _section("data", own.name, own, entry.data)
        return
    if "train_dataloader" in model.methods:
        yield f"# `{model.name}` brings its own data: its `train_dataloader`."
        return
    found = [each for each in data_sources(file, project.roots) if each.file != file.resolve()]
    modules = [each for each in found if each.kind == "LightningDataModule"]
    if modules:
        cls = _linked(modules[0], file, project.roots)
        yield from _section("data", modules[0].path, cls, None, [each.path for each in modules[1:]])
        return
    yield from ("data:", f"  class_path: {BLANK}  # your LightningDataModule, such as package.module.Data")
    yield from (f"  # what it may be made of: {each.path}, a {each.kind}" for each in found)


def _linked(source: DataSource, file: Path, roots: tuple[Path, ...]) -> Class | None:
    """The class that a spec would name."""
    text = f"data: {{class_path: {source.path}}}"
    project = link(file, file.parent, roots, spec=parse_spec("spec", None, "spec.yaml", text.encode()))
    return project.classes.get(project.class_name(source.path))


def _section(
    section: str, path: str, cls: Class | None, call: cst.Call | None, instead: Sequence[str] = ()
) -> Iterator[str]:
    """A class and its arguments: first those that it has to be given, then, as comments, those with a default."""
    yield from (f"{section}:", f"  class_path: {path}")
    yield from (f"  # or: {each}" for each in instead)
    given = {argument.keyword.value if argument.keyword else "" for argument in call.args} if call else set()
    taken = parameters(cls) if cls and not (call and "" in given) else []
    needed = [each for each in taken if each.default is None and each.name not in given]
    others = [each for each in taken if each not in needed and each.name not in given]
    lines = [(f"    {each.name}: {BLANK}", _type(each)) for each in needed]
    lines += [(f"    # {each.name}: {_default(each)}", _type(each)) for each in others]
    if lines:
        yield "  init_args:" if needed else "  # init_args:"
        width = max(len(setting) for setting, _ in lines)
        yield from (f"{setting:{width}}  # {kind}" if kind else setting for setting, kind in lines)


def _default(parameter: Parameter) -> str:
    """As YAML, on one line; of what YAML has not, a blank."""
    try:
        value = literal(parameter.node.default) if parameter.node.default else None
        text = yaml.safe_dump(
            list(value) if isinstance(value, tuple) else value, default_flow_style=True, width=9999
        )
    except (ValueError, yaml.YAMLError):
        return BLANK
    return text.removesuffix("\n...\n").strip()


def _type(parameter: Parameter) -> str:
    """What the annotation says; of objects also how they are written, and a default that is none of YAML's."""
    kind = parameter.annotation
    names = set(re.findall(r"\w+", kind))
    parts = [kind] if kind else []
    if names and not names <= PLAIN and '"' not in kind and "Literal" not in kind:
        parts.append(f"such as {OBJECT}")
    if parameter.node.default and _default(parameter) == BLANK:
        parts.append(f"by default {code_of(parameter.node.default)}")
    return ", ".join(parts)
