"""Trainers, models and data modules of which it cannot be read how they are made: a library makes them, or a class."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ...ir.rewrites import Rewrites
from ...lightning import lightning_1
from ...values import MADE_TRAINER, Class, Dict, External, Instance, Member, Partial, Value, Values, values_of
from ..code.literals import code_of
from ..trainer.methods import FIT, FIT_PARAMETERS

OF_SCRIPTS = {
    "ddpgen.instances": "instantiated",
    "ddpgen.modules": "module_named",
    "ddpgen.module_here": "ModuleHere",
    "ddpgen.unchanged": "as_built",
    "ddpgen.without": "without_options",
}
"""What code is written with that stands for configurations and modules, and the script's own for it."""

NO_CONFIGURATION = frozenset({"configuration-unknown", "choices-open"})
OF_CONFIGURATION = frozenset({"instantiated", "trainer-made-elsewhere"})
"""Codes of diagnostics that say why there is none, and of what would be known of it."""

FROM_CONFIGURATION = "instantiate"
TARGET = "_target_"
INSTANTIATE = "`hydra.utils.instantiate"
FROM_ARGUMENTS = "from_argparse_args"
OF_ZEN = ("_target_wrapper_", "_execution_whitelist_")
"""What hydra-zen's `instantiate` takes beside what hydra's takes."""


def unread_objects(project: Project) -> Iterator[Diagnostic]:
    """What the script cannot take over, told where it is made, once each."""
    reader = _Reader(project, values_of(project))
    yield from dict.fromkeys((*reader.trainers(), *reader.instantiated(), *reader.told_more()))


def asks_what_is_made(project: Project) -> bool:
    """Whether it matters what a library makes of a configuration that is known."""
    own = project.configuration
    return own is not None and not own.instantiate and _Reader(project, values_of(project)).asks_what_is_made


def names_idle_trainers(project: Project) -> bool:
    """Whether code makes its Trainers itself, and none of those that configurations name."""
    values, own = values_of(project), project.configuration
    if own is None or own.instantiate is None:
        return False
    named = _named_trainers(project, own.instantiate)
    functions = [project.index.function_of(call) for call in values.calls_of("Trainer")]
    if not any(each not in named and _may_run(values, each) for each in functions):
        return False
    ran = {
        function.node
        for node in values.running
        for function in values.runs(node)
        if function.node is not node
    }
    return any(each in functions for each in named) and ran.isdisjoint(named)


def converting_elsewhere(project: Project) -> frozenset[str]:
    """What of modules that stay code hands configurations, by dotted names, where objects are made of what it gives."""
    values, own = values_of(project), project.configuration
    if own is None or own.instantiate is None:
        return frozenset()
    calls = [
        each for each in project.index.of_kind(cst.Call) if m.matches(each.func, m.Name(own.instantiate))
    ]
    given = (value for call in calls for value in values.of(call.args[0].value if call.args else call))
    makers = map(_maker_elsewhere, given)
    return frozenset(each.name for each in makers if each is not None)


def _maker_elsewhere(value: Value) -> External | None:
    """What a module of the project's that stays has made a value with, or what holds it."""
    while isinstance(value, Member):
        value = value.receiver
    made = value.cls if isinstance(value, Instance) else None
    return made if isinstance(made, External) and made.is_local else None


def _may_run(values: Values, function: cst.CSTNode | None) -> bool:
    """Whether code in a function may run, or in none."""
    return not isinstance(function, cst.FunctionDef) or values.is_reached(function)


def _named_trainers(project: Project, instantiate: str) -> list[cst.CSTNode]:
    """The functions that the script's `instantiate` makes Trainers with."""
    nodes = {name: each.node for each in project.statements for name in each.names}
    tables = project.index.within(nodes[instantiate], cst.Dict)
    entries = [each for table in tables for each in table.elements if isinstance(each, cst.DictElement)]
    return [
        nodes[each.value.value]
        for each in entries
        if isinstance(each.key, cst.SimpleString) and str(each.key.evaluated_value).endswith(".Trainer")
        if isinstance(each.value, cst.Name) and each.value.value in nodes
    ]


def for_want_of_configuration(project: Project, said: Collection[Diagnostic]) -> list[Diagnostic]:
    """What is said, with why there is no configuration in the place of what it would say."""
    causes = [each for each in project.notes if each.code in NO_CONFIGURATION]
    if not causes or not any(map(_is_of_configuration, said)):
        return [*said]
    left = [each for each in said if not _is_of_configuration(each) and each not in causes]
    return [*(replace(each, severity="error") for each in causes), *left]


def _is_of_configuration(said: Diagnostic) -> bool:
    return said.code in OF_CONFIGURATION or (said.code == "callback-unread" and INSTANTIATE in said.message)


def with_targets(project: Project, rewrites: Rewrites) -> Rewrites:
    """The rewrites, and those of the script's `instantiate`, which makes objects of its own classes."""
    called = ((call, project.called(call) or "") for call in project.index.of_kind(cst.Call))
    own = ((call.func, OF_SCRIPTS[name]) for call, name in called if name in OF_SCRIPTS)
    return replace(rewrites, names=(*rewrites.names, *own))


@dataclass(frozen=True)
class _Reader:
    project: Project
    values: Values

    def trainers(self) -> Iterator[Diagnostic]:
        """Calls by which something other than Trainer's own name makes one."""
        for call in self.values.calls_of("Trainer"):
            for callee in self.values.callees(call):
                if isinstance(callee, Class):
                    yield messages.trainer_derived((self.project.source, call.func), callee.name)
                elif isinstance(callee, Partial):
                    yield messages.trainer_made_elsewhere((self.project.source, callee.node), "partial")
        for call in self.values.calls_of(FROM_ARGUMENTS):
            name = self.project.called(call) or FROM_ARGUMENTS
            instead = lightning_1.NAMES[FROM_ARGUMENTS]
            yield messages.removed_name((self.project.source, call.func), name, instead)

    @property
    def asks_what_is_made(self) -> bool:
        """Whether code trains with what `instantiate` makes, or tells kinds of it apart."""
        asked = (
            call.args[0].value for call in self.project.index.of_kind(cst.Call) if self._tells_kinds(call)
        )
        is_told_apart = any(_instantiate(value) for node in asked for value in self.values.of(node))
        return is_told_apart or any(each.code in OF_CONFIGURATION for each in self.instantiated())

    def _tells_kinds(self, call: cst.Call) -> bool:
        """Whether it asks if something is of a class of Lightning's."""
        kinds = (
            call.args[1].value if m.matches(call, m.Call(m.Name("isinstance"), [m.Arg(), m.Arg()])) else None
        )
        return kinds is not None and self.project.lightning_name(kinds) is not None

    def instantiated(self) -> Iterator[Diagnostic]:
        """What hydra makes of a configuration: it would be of the original class, not of the script's."""
        for node in self.project.index.attributes(FIT):
            call = self.project.index.parent(node)
            if isinstance(call, cst.Call) and call.func is node:
                for value in self.values.of(node.value):
                    if place := _instantiate(value):
                        yield messages.trainer_made_elsewhere(
                            (self.project.source, place), FROM_CONFIGURATION
                        )
                    if isinstance(value, Instance) and value.cls == MADE_TRAINER:
                        yield messages.trainer_made_by_parser((self.project.source, node.value))
                    elif made := self._handed_trainer(value):
                        yield messages.trainer_made_elsewhere((self.project.source, made), code_of(made.func))
                if self._is_given_trainer(node.value):
                    yield messages.trainer_of_command_line((self.project.source, node.value))
                yield from self._given(call)

    def told_more(self) -> Iterator[Diagnostic]:
        """What the script's own `instantiate` would take for an argument of what it makes."""
        own = self.project.configuration
        if own is None or own.instantiate is None:
            return
        for call in self.project.index.of_kind(cst.Call):
            named = [each for each in call.args if each.keyword and each.keyword.value in OF_ZEN]
            if named and m.matches(call.func, m.Name(own.instantiate)):
                for each in named:
                    name = cst.ensure_type(each.keyword, cst.Name).value
                    yield messages.instantiate_told_more((self.project.source, each), name)

    def _handed_trainer(self, value: Value) -> cst.Call | None:
        """The call of what is not read that makes a value, where it is handed Lightning's Trainer to make one."""
        if not (isinstance(value, Instance) and isinstance(value.cls, External) and not _instantiate(value)):
            return None
        given = value.node.args if isinstance(value.node, cst.Call) and value.cls.lightning is None else ()
        handed = (each for argument in given for each in self.values.of(argument.value))
        is_handed = any(isinstance(each, External) and each.lightning == "Trainer" for each in handed)
        return value.node if isinstance(value.node, cst.Call) and is_handed else None

    def _is_given_trainer(self, node: cst.BaseExpression) -> bool:
        """Whether it is a parameter for a Trainer, of a function that a library calls with what it makes."""
        bindings = self.project.index.bindings(node) if isinstance(node, cst.Name) else []
        parameter = bindings[0].by if len(bindings) == 1 else None
        if not (isinstance(parameter, cst.Param) and parameter.annotation):
            return False
        function, given = self.project.index.function_of(node), self.values.of(node)
        is_run = isinstance(function, cst.FunctionDef) and self.values.is_reached(function)
        is_trainer = self.project.lightning_name(parameter.annotation.annotation) == "Trainer"
        return is_run and is_trainer and bool(given.options) and not given.instances

    def _given(self, fit: cst.Call) -> Iterator[Diagnostic]:
        """The model and the data module that a call of `fit` is given."""
        given = self.values.arguments(fit, FIT_PARAMETERS)
        for name in (name for name in ("model", "datamodule") if name in given):
            for place in filter(None, map(_instantiate, given[name].values)):
                yield messages.instantiated((self.project.source, place), self._lacks_target(place))

    def _lacks_target(self, call: cst.CSTNode) -> bool:
        """Whether what it is given is known when building, and names nothing."""
        given = self.values.of(call.args[0].value) if isinstance(call, cst.Call) and call.args else ()
        held = [self.values.parts(each) if isinstance(each, Dict) else None for each in given]
        return bool(held) and all(parts is not None and TARGET not in parts for parts in held)


def _instantiate(value: Value) -> cst.CSTNode | None:
    """The call of `instantiate` that makes a value."""
    made = value.cls if isinstance(value, Instance) else None
    is_instantiated = isinstance(made, External) and made.name.rpartition(".")[2] == FROM_CONFIGURATION
    return value.node if isinstance(value, Instance) and is_instantiated else None
