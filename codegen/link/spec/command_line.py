"""A LightningCLI written out: what makes the Trainer, the model and the data, and trains."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ... import messages
from ...lightning.trainer_names import TRAINER_DEFAULTS
from ...runtime.definitions import load_runtime
from ...source.names import free_name
from ...spec.init_args.environment import AtRun
from ...spec.init_args.signature import Parameter, Signature
from ...spec.init_args.values import Linked, Wrong, links_in, typed, wrong_arguments
from ...spec.layers import Layer
from ...spec.sections.section import ObjectSettings
from ...spec.yaml_file import KeyPath
from ..cli.changes.other_commands import SUBCOMMANDS
from ..cli.changes.settings import touch
from ..cli.parser import place_of
from ..cli.read import GETTER, ReadCli
from ..modules.graph import COMMAND_LINE
from .classes import objects_for_trainer
from .code import TRAINER, SpecCode

OPTIONS = {"int": int, "float": float, "str": str}
"""Types of values that may be given on the command line."""

SETTINGS = "Settings"
"""The runtime's class of what `cli.config` is."""

GIVEN = "given_"
"""Begins the names of attributes that have the objects which the constructor is handed."""

Argument = tuple[str, str, Any]
"""Its key, its name, and its code or what it is computed from."""


@dataclass
class CommandLineCode(SpecCode):
    """Writes the class in the place of LightningCLI."""

    cli: ReadCli = field(kw_only=True)
    option_lines: list[tuple[str, str]] = field(default_factory=list)
    passed: dict[tuple[str, ...], str] = field(
        default_factory=dict
    )  # what arguments are given, by their keys

    def write(self) -> None:
        self._write_optimizer()
        arguments = {section: list(self._arguments_of(section)) for section in self.cli.classes}
        checkpoint = self._training_options()
        if folder := self.cli.told.folder:
            self.passed["trainer", "default_root_dir"] = folder.code(self.class_name)
        if self._asks_config:
            self.class_name("typing.Any")
            self._whole(load_runtime().definitions[SETTINGS].code)
        self._begin("trainer", f"class {COMMAND_LINE}:")
        does = "trains" if self.cli.told.command == SUBCOMMANDS[0] else "runs"
        self._line(1, f'"""What {self.cli.name} {does}, and with what."""')
        self._line(1, f"def __init__({', '.join(['self', *self._handed.values()])}) -> None:")
        if self._is_kept:
            for name in self._handed.values():
                self._line(2, f"self.{GIVEN}{name} = {name}")
        if self.option_lines:
            self._line(2, f"parser = {self.class_name('argparse.ArgumentParser')}()")
            for key, line in self.option_lines:
                self._line(2, line, key)
            self._line(2, f"{self._options} = parser.parse_args()")
        if seed := self.passed.get(("seed_everything",)):
            seeding = self.class_name("lightning.pytorch.seed_everything")
            self._line(2, f"{seeding}({seed}, workers=True)", "seed_everything")
        for name, text in self.cli.told.texts.items():
            self._line(2, f"self.{name} = {text.code(self.class_name)}")
        self._say_what_is_asked()
        self._hook("before_instantiate_classes")
        if self._is_split:
            self._line(2, "self.instantiate_classes()")
        else:
            self._objects(arguments)
        self._hook("after_instantiate_classes")
        if self.cli.runs:
            self._run(checkpoint)
        self._methods(arguments)

    @property
    def _is_split(self) -> bool:
        """Whether the code has something to say of how objects are made."""
        return "instantiate_classes" in self.cli.methods

    @property
    def _is_told_folder(self) -> bool:
        """Whether the code's own way to make the Trainer knows where it trains."""
        return bool(self.cli.made and self.cli.made.folder)

    @property
    def _asks_config(self) -> bool:
        return self.cli.asks("config") or self.cli.gets_settings

    @property
    def _options(self) -> str:
        return "self.options" if self._is_kept else "options"

    @property
    def _is_kept(self) -> bool:
        """Whether what the constructor has is asked for in other methods too."""
        return self._is_split or "instantiate_trainer" in self.cli.methods

    # ---- what is handed over -----------------------------------------------------------------------------

    @cached_property
    def _handed(self) -> dict[str, str]:
        """What the constructor calls the objects that the code has made, by the variables which have them there."""
        found: dict[str, str] = {}
        for name in self.cli.handed:
            found[name] = free_name(
                name, {"self", "parser", "options", *self.names.values(), *found.values()}
            )
        return found

    def _object(self, key: str, settings: ObjectSettings, before: str, first: str = "") -> None:
        """A call, or the object that the code has made."""
        if name := self._handed.get(self.cli.told.handed.get(key, "")):
            self._put(f"{key}.class_path", f"{before}self.{GIVEN}{name}" if self._is_kept else before + name)
        else:
            super()._object(key, settings, before, first)

    # ---- options -----------------------------------------------------------------------------------------

    def _arguments_of(self, section: str) -> Iterator[Argument]:
        """What an object is made with; simple values become options."""
        path = self.cli.classes[section]
        takes = self.paths.signature(path)
        given = getattr(self.spec.spec, section).init_args
        settings = ObjectSettings(class_path=path, init_args=given)
        wrong = list(wrong_arguments(settings, self._without_required(takes, given)))
        missing = [each.about[1] for each in wrong if each.message is messages.missing_object_argument]
        found = self.paths.found(path)
        if missing and found:
            place = place_of(found.module, found.node)
            self.problems.append(messages.missing_cli_argument(place, section, found.node.name, missing))
            wrong = [each for each in wrong if each.message is not messages.missing_object_argument]
        for each in wrong:
            self._complain(section, each)
        names = dict.fromkeys([*(takes.parameters if takes else ()), *given])
        for name in names:
            key = f"{section}.init_args.{name}"
            parameter = takes[name] if takes else Parameter()
            value = self._value(key, name, given[name], parameter) if name in given else parameter.default
            if isinstance(value, str):
                option = self._option(section, key, name, value, parameter)
                self.passed[section, name] = option or value
                value = option or (value if name in given else "")
            if value:
                yield key, name, value

    def _without_required(self, takes: Signature | None, given: Any) -> Signature | None:
        """Without what an option asks for."""
        if takes is None:
            return None
        asked = {
            name: Parameter(each.annotation, "...", each.written) if each.annotation in OPTIONS else each
            for name, each in takes.parameters.items()
        }
        return Signature(asked, takes.takes_any, takes.hands_on, takes.is_dataclass)

    def _value(self, key: str, name: str, value: Any, parameter: Parameter) -> Any:
        """Its code; what is computed from others waits until those are known."""
        if any(links_in(value)):
            return value
        try:
            return typed(name, value, parameter, self)
        except Wrong as wrong:
            self._complain(key, wrong)
            return "None"

    def _option(self, section: str, key: str, name: str, code: str, parameter: Parameter) -> str:
        """What the option is called in the code; empty: there is none."""
        kind = parameter.annotation
        if not code:
            if kind not in OPTIONS:
                return ""
            return self._add_option(key, self._free(section, name), f"type={kind}, required=True")
        try:
            value = ast.literal_eval(code)
        except ValueError:
            return ""
        if kind == "float" and type(value) is int:
            value = float(value)
        is_plain = type(value) in OPTIONS.values() and not (
            isinstance(value, float) and not math.isfinite(value)
        )
        if not is_plain or self._is_fixed(tuple(key.split("."))) or name.startswith("_"):
            return ""
        return self._add_option(
            key, self._free(section, name), f"type={type(value).__name__}, default={value!r}"
        )

    def _free(self, section: str, name: str) -> str:
        taken = set(self.passed.values())
        while f"{self._options}.{name}" in taken:
            name = f"{section}_{name}"
        return name

    def _is_fixed(self, path: KeyPath) -> bool:
        """Whether other settings have been computed from one, which would not follow an option."""
        return any(touch(path, each) for each in self.cli.told.fixed)

    def _add_option(self, key: str, name: str, how: str) -> str:
        flag = "--" + name.replace("_", "-")
        self.option_lines.append((key, f'parser.add_argument("{flag}", {how})'))
        return f"{self._options}.{name}"

    def _training_options(self) -> str:
        """Settings that are options; what `fit` is given to go on from."""
        seed, trainer = self.spec.spec.seed_everything, self.spec.spec.trainer
        if seed is not None and self._is_fixed(("seed_everything",)):
            self.passed[("seed_everything",)] = repr(seed)
        elif seed is not None:
            option = self._add_option(
                "seed_everything", self._free("trainer", "seed"), f"type=int, default={seed}"
            )
            self.passed[("seed_everything",)] = option
        trains = self.cli.told.command == SUBCOMMANDS[0]
        if trains and (trainer.max_epochs is not None or trainer.max_steps == -1):
            self.passed["trainer", "max_epochs"] = self._epochs(trainer.max_epochs)
        for name, value in self.cli.told.own.items():
            self.passed[(name,)] = repr(value)
            if type(value) in OPTIONS.values() and not self._is_fixed((name,)):
                how = f"type={type(value).__name__}, default={value!r}"
                self.passed[(name,)] = self._add_option(name, self._free("own", name), how)
        if not self.cli.runs:
            return ""
        how = f"type=str, default={self.cli.told.ckpt_path!r}"
        checkpoint = self._add_option("trainer", self._free("trainer", "ckpt_path"), how)
        self.passed[("ckpt_path",)] = checkpoint
        return checkpoint

    def _epochs(self, given: int | None) -> str:
        """How many there are, as an option where that changes nothing else."""
        if self._is_fixed(("trainer", "max_epochs")):
            return repr(given)
        how = f"type=int, default={given}"
        return self._add_option("trainer.max_epochs", self._free("trainer", "max_epochs"), how)

    def linked(self, value: Linked) -> str:
        if value.is_of_objects:
            attributes = {"model": "self.model", "data": "self.datamodule"}
            codes = [".".join([attributes[each.key[0]], *each.key[1:]]) for each in value.sources]
        else:
            codes = [self.passed.get(each.key) or each.known or "None" for each in value.sources]
        return value.computed(codes, self.class_name(value.function) if value.function else "")

    # ---- objects -----------------------------------------------------------------------------------------

    def _objects(self, arguments: dict[str, list[Argument]]) -> None:
        is_asked_for = "instantiate_trainer" in self.cli.methods
        if not is_asked_for:
            self._make_trainer("        self.trainer = ")
        for section in self._in_order(arguments):
            attribute = {"model": "model", "data": "datamodule"}[section]
            name = self.class_name(self.cli.classes[section])
            self._line(2, f"self.{attribute} = {name}(", f"{section}.class_path")
            for number, (key, argument, value) in enumerate(arguments[section]):
                code = value if isinstance(value, str) else self._linked_value(key, argument, value)
                self._put(key, f"{', ' if number else ''}{argument}={code}")
            self._close(")")
        if "data" not in arguments:
            self._line(2, "self.datamodule = None")
        if is_asked_for:  # of the model, it may be, and of the data
            self._line(2, "self.trainer = self.instantiate_trainer()")

    def _linked_value(self, key: str, name: str, value: Any) -> str:
        takes = self.paths.signature(self.cli.classes[key.partition(".")[0]])
        try:
            return typed(name, value, takes[name] if takes else Parameter(), self)
        except Wrong as wrong:
            self._complain(key, wrong)
            return "None"

    def _in_order(self, arguments: dict[str, list[Argument]]) -> list[str]:
        of_model = (each for each in links_in(self.spec.spec.model.init_args) if each.is_of_objects)
        needs_data = any(source.key[0] == "data" for each in of_model for source in each.sources)
        return sorted(arguments, reverse=not needs_data)

    def _make_trainer(self, before: str) -> None:
        self._put("trainer", f"{before}{self.class_name(TRAINER)}(")
        if epochs := self.passed.get(("trainer", "max_epochs")):
            self._put("trainer.max_epochs", f"max_epochs={epochs},")
        if folder := self.passed.get(("trainer", "default_root_dir")):
            self._put("trainer", f"default_root_dir={folder},")
        self._trainer_objects(list(objects_for_trainer(self.spec, self.paths)))
        self._close(")")

    # ---- what runs ---------------------------------------------------------------------------------------

    def _hook(self, name: str) -> None:
        if name in self.cli.methods:
            self._line(2, f"self.{name}()")

    def _run(self, checkpoint: str) -> None:
        command = self.cli.told.command
        self._hook(f"before_{command}")
        data = "datamodule=self.datamodule, " if "data" in self.cli.classes else ""
        called = f"self.{command}(model=" if command in self.cli.methods else f"self.trainer.{command}("
        self._line(2, f"{called}self.model, {data}ckpt_path={checkpoint})")
        self._hook(f"after_{command}")

    def _say_what_is_asked(self) -> None:
        if self.cli.asks("subcommand") or self.cli.gets_settings:
            self._line(2, f"self.subcommand = {self.cli.told.command if self.cli.runs else None!r}")
        if self._asks_config:
            try:
                self._line(2, f"self.config = {SETTINGS}({self._shown(self._settings())})")
            except Wrong as wrong:
                self._complain("trainer", wrong)

    def _settings(self) -> dict[str, Any]:
        """All of them by name, those that are options as code."""
        layer = Layer(deepcopy(dict(self.cli.told.config)))
        place = self._span("")
        for section, path in self.cli.classes.items():
            layer.put((section, "class_path"), path, place)
        passed = {path: code for path, code in self.passed.items() if path not in self.cli.told.of_trainer}
        for (section, *names), code in passed.items():
            inside = (section, "init_args") if section in self.cli.classes else (section,)
            now = layer.get((*inside, *names))
            if self._is_option(code) or now is None or isinstance(now, AtRun):
                layer.put((*inside, *names), _Code(code), place)
        for section in self.cli.classes:
            if not self.cli.is_described(section):
                layer.data[section] = layer.get((section, "init_args")) or {}
        layer.data["trainer"] = {**self._defaults_named(), **(layer.data.get("trainer") or {})}
        command = self.cli.told.command
        return {"subcommand": command, command: layer.data} if self.cli.runs else layer.data

    def _defaults_named(self) -> dict[str, Any]:
        """What the Trainer's settings are where nothing says them, as far as code names these."""
        graph = self.paths.graph
        texts = "\n".join(module.text for module in graph.closure(graph.entry))
        return {name: TRAINER_DEFAULTS[name] for name in TRAINER_DEFAULTS if re.search(rf"\b{name}\b", texts)}

    def _is_option(self, code: str) -> bool:
        return code.startswith(f"{self._options}.")

    def _shown(self, value: Any) -> str:
        """As code. Raises Wrong where that is not known."""
        if isinstance(value, AtRun):
            return value.code(self.class_name)
        if isinstance(value, _Code):
            return value.text
        if isinstance(value, Linked):
            return "None" if value.is_of_objects else self.linked(value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self._shown(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self._shown, value)) + "]"
        return f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value)

    def _methods(self, arguments: dict[str, list[Argument]]) -> None:
        """What the code calls by `super()`, or is called in its place."""
        if "instantiate_classes" in self.cli.makers:
            self._line(1, "def instantiate_classes(self) -> None:")
            self._objects(arguments)
        if "instantiate_trainer" in self.cli.makers:
            takes = ", default_root_dir" if self._is_told_folder else ""
            self._line(1, f"def instantiate_trainer(self{takes}):")
            self._make_trainer("        return ")
        if self.cli.gets_settings:
            self._line(1, f"def {GETTER}(self, config, key, default=None):")
            self._line(2, "return config.get(str(self.subcommand), config).get(key, default)")
        for name in self.cli.empty_hooks:
            self._line(1, f"def {name}(self) -> None: pass")

    # ---- lines -------------------------------------------------------------------------------------------

    def _line(self, depth: int, code: str, key: str = "trainer") -> None:
        self._put(key, "    " * depth + code)

    def _whole(self, text: str) -> None:
        """Some lines, the first of which begins a statement."""
        first, *rest = text.rstrip().split("\n")
        self._begin("trainer", first)
        for line in rest:
            self._line(0, line)


@dataclass(frozen=True)
class _Code:
    """A value that only a run knows."""

    text: str
