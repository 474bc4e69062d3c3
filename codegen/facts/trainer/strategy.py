"""The Trainer's `strategy`: which ones come down to DistributedDataParallel, and what they ask of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...spec.load import LoadedSpec, Strategy
from ...values import Instance, Literal, Value, Values, values_of

SETTING = "ddp.find_unused_parameters"

KEPT = "torchrun decides it; its `find_unused_parameters` is kept, as of `ddp` in the spec"

REPLICATED = frozenset("""
    auto ddp ddp_spawn ddp_fork ddp_notebook single_device
    ddp_find_unused_parameters_false ddp_spawn_find_unused_parameters_false ddp_fork_find_unused_parameters_false
    ddp_notebook_find_unused_parameters_false
    """.split())
"""Those by which each process has the whole model, and that ask for nothing else."""

MADE = "DDPStrategy"


def with_ddp_of_trainer(project: Project, loaded: LoadedSpec, trainers: Iterable[cst.Call]) -> LoadedSpec:
    """The spec, in which unused parameters are looked for where a Trainer asks for that, and the spec is silent."""
    spec = loaded.spec
    given = [argument.value for call in trainers for argument in call.args if _is_strategy(argument)]
    in_spec = loaded.is_given("trainer.strategy")
    asked = (
        finds_unused(strategy_of(loaded))
        if in_spec
        else any(code_finds_unused(project, each) for each in given)
    )
    if not asked or loaded.is_given(SETTING) or spec.strategy is not Strategy.DDP or spec.ddp.static_graph:
        return loaded
    ddp = spec.ddp.model_copy(update={"find_unused_parameters": True})
    return replace(loaded, spec=spec.model_copy(update={"ddp": ddp}))


def takes_over(spec: LoadedSpec, finds: bool) -> bool:
    """Whether the spec's `ddp` looks for unused parameters because a strategy does."""
    return finds and spec.spec.ddp.find_unused_parameters and not spec.is_given(SETTING)


def strategy_of(spec: LoadedSpec) -> Any:
    """The strategy in the spec's `trainer`, as LightningCLI's files have one."""
    section = (spec.file.data or {}).get("trainer")
    return section.get("strategy") if isinstance(section, dict) else None


def finds_unused(strategy: Any) -> bool:
    """Whether a strategy, by its name or described, is DistributedDataParallel that looks for unused parameters."""
    if isinstance(strategy, dict):
        is_ddp = str(strategy.get("class_path")).rpartition(".")[2] == "DDPStrategy"
        given = strategy.get("init_args")
        return is_ddp and isinstance(given, dict) and given.get("find_unused_parameters") is True
    return isinstance(strategy, str) and strategy.endswith("find_unused_parameters_true")


def code_finds_unused(project: Project, strategy: cst.BaseExpression) -> bool:
    """The same of an expression, where one of its values is such a strategy: with one process it does nothing."""
    values = values_of(project.holding(strategy))
    return any(_value_finds_unused(values, each) for each in values.of(strategy))


def _value_finds_unused(values: Values, value: Value) -> bool:
    if isinstance(value, Literal):
        return finds_unused(value.value)
    if not isinstance(value, Instance) or value.lightning != MADE or not isinstance(value.node, cst.Call):
        return False
    given = values.arguments(value.node, ()).get("find_unused_parameters")
    return given is not None and any(
        isinstance(each, Literal) and each.value is True for each in given.values
    )


def check_strategy(project: Project, spec: LoadedSpec, strategy: cst.BaseExpression) -> Iterator[Diagnostic]:
    """Strategies by which training would not be what the script does, and those that are known only when it runs."""
    if spec.is_given("trainer.strategy"):
        return  # the spec wins
    whole = project.holding(strategy)
    for value in values_of(whole).of(strategy):
        at = (project.source, _place(whole, value, strategy))
        if isinstance(value, Literal):
            if not finds_unused(value.value) and value.value not in REPLICATED:
                yield messages.strategy_unsupported(at, str(value.value))
        elif not (isinstance(value, Instance) and value.lightning == MADE):
            yield messages.strategy_unknown(at)


def _place(project: Project, value: Value, strategy: cst.BaseExpression) -> cst.CSTNode:
    """The literal that a value is, where that is a part of the expression."""
    if isinstance(value, Literal) and project.index.holds(strategy, value.node):
        return value.node
    return strategy


def _is_strategy(argument: cst.Arg) -> bool:
    return argument.keyword is not None and argument.keyword.value == "strategy"
