"""The Trainer's `strategy`: which ones come down to DistributedDataParallel, and what they ask of it (20.1, 20.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import libcst as cst
from pydantic import ValidationError

from ... import messages
from ...diagnostics import Diagnostic
from ...index.choices import is_choice
from ...ir.project import Project
from ...spec.load import LoadedSpec, Strategy
from ...spec.sections.strategy_spec import BESIDE_DDP, LEFT_OUT_OF_DDP, DdpSettings, ProcessGroupSettings
from ...values import (
    Class,
    Dict,
    External,
    Given,
    Instance,
    Literal,
    Option,
    Unknown,
    Value,
    Values,
    ValueSet,
    values_of,
)
from ..main.told.configured import configured_literal
from ..optimizers.objects import mentions
from .comm_hook import (
    AVERAGING,
    KEY,
    LOCAL_SGD,
    PARTS,
    described,
    hook_given,
    is_of_local_sgd,
    local_sgd_given,
    wrong_hook,
)
from .sharding import (
    ARE,
    INSTEAD,
    KEYS,
    NAMES,
    PARAMETERS,
    not_built_for,
    plain_argument,
    read_argument,
    settings_of,
)
from .together import Settings, differing, together, unlike, value_in

FINDS_UNUSED = "find_unused_parameters"

REPLICATED = frozenset("""
    auto ddp ddp_spawn ddp_fork ddp_notebook single_device
    ddp_find_unused_parameters_false ddp_spawn_find_unused_parameters_false ddp_fork_find_unused_parameters_false
    ddp_notebook_find_unused_parameters_false
    """.split())
"""Those by which each process has the whole model, and that ask for nothing else."""

ONE_PROCESS = ("auto", "single_device")
"""Those that ask for nothing, as they are chosen for one process, or for evaluations."""

OTHER_NAMES = re.compile(r"deepspeed(_stage_\w+)?|(single_|fsdp_)?(xla|tpu)(_debug|_fsdp)?")
"""Those that scripts have nothing for."""

REGISTRY = "StrategyRegistry"
"""By which code may give other names."""

MADE = "DDPStrategy"
WHOLE_MODEL = {MADE, "SingleDeviceStrategy"}
"""Classes of theirs."""

SECTIONS = ("ddp", "fsdp", "model_parallel", "process_group")
"""Those of the spec's that a strategy may be asked for in code."""

OF_TORCHRUN = frozenset("accelerator parallel_devices cluster_environment start_method".split())
"""Their arguments that torchrun decides."""

OF_GROUP = {"process_group_backend": "backend", "timeout": "timeout"}
"""Those that are of the spec's `process_group`, and what they are there."""

OF_HOOK = (*PARTS, AVERAGING)
"""Those that say how gradients, or models, are averaged."""

INSTEAD_OF_UNKNOWN = {
    FINDS_UNUSED: "looks for them in each step, as with `True`, which costs some time",
    "static_graph": "takes nothing for granted of later steps, as with `False`",
    "gradient_as_bucket_view": "keeps gradients in the buckets, as with `True`",
    "process_group_backend": "takes the one that torch has for the device",
    "timeout": "waits ten minutes",
}
"""What the script does where such an argument is known only when it runs: none of them changes what is trained."""

DONE_ANYWAY = {FINDS_UNUSED: True, "static_graph": False, "gradient_as_bucket_view": True}
"""What that is the same as."""

OF_DDP = DdpSettings.model_fields.keys() - BESIDE_DDP
"""Those that are DistributedDataParallel's."""

TIME = External("datetime.timedelta")


def with_ddp_of_trainer(project: Project, loaded: LoadedSpec, trainers: Iterable[cst.Call]) -> LoadedSpec:
    """The spec with what a Trainer's strategy asks for, where the spec is silent."""
    if loaded.spec.strategy is Strategy.SINGLE:
        return loaded
    if loaded.is_given("trainer.strategy"):
        asked = asked_by(strategy_of(loaded))
    else:
        given = [each.value for call in trainers for each in call.args if _is_strategy(each)]
        asked = together([settings for each in given for settings in _each_asked(project, each)])
    held = (loaded.spec.strategy.value, "process_group")
    changed = {key: value for key, value in _new(loaded, asked).items() if key.partition(".")[0] in held}
    if changed.get("ddp.static_graph") or loaded.spec.ddp.static_graph:
        changed.pop(f"ddp.{FINDS_UNUSED}", None)  # the graph tells
    sections = {
        name: getattr(loaded.spec, name).model_copy(update=_section(changed, name)) for name in SECTIONS
    }
    return replace(loaded, spec=loaded.spec.model_copy(update=sections)) if changed else loaded


def _section(settings: Settings, name: str) -> dict[str, Any]:
    return {key.partition(".")[2]: settings[key] for key in settings if key.startswith(f"{name}.")}


def _new(loaded: LoadedSpec, asked: Settings) -> dict[str, Any]:
    return {key: value for key, value in asked.items() if not loaded.is_given(key)}


def taken_over(loaded: LoadedSpec, asked: Settings) -> list[str]:
    """The settings of the spec's that are what a strategy asks for."""
    return [key for key, value in _new(loaded, asked).items() if value_in(loaded, key) == value]


# ---- in the spec -----------------------------------------------------------------------------------------


def strategy_of(spec: LoadedSpec) -> Any:
    """The strategy in the spec's `trainer`, as LightningCLI's files have one."""
    section = (spec.file.data or {}).get("trainer")
    return section.get("strategy") if isinstance(section, dict) else None


def asked_by(strategy: Any) -> dict[str, Any]:
    """What a strategy asks of DistributedDataParallel, by its name or described."""
    if isinstance(strategy, dict):
        name, given = str(strategy.get("class_path")).rpartition(".")[2], strategy.get("init_args") or {}
        return _settings_of(name, given) if isinstance(given, dict) else {}
    if strategy in NAMES:
        return settings_of(strategy, {})
    finds = isinstance(strategy, str) and strategy.endswith(f"{FINDS_UNUSED}_true")
    return {f"ddp.{FINDS_UNUSED}": True} if finds else {}


def _settings_of(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a strategy's that the spec has too, as it has them."""
    if name == MADE:
        return _settings(given)
    return (settings_of(name, given) | _of_group(given)) if name in NAMES else {}


def _of_group(given: Mapping[str, Any]) -> dict[str, Any]:
    found = {f"process_group.{OF_GROUP[name]}": (name, given[name]) for name in OF_GROUP.keys() & given}
    return {
        key: getattr(ProcessGroupSettings(**{OF_GROUP[name]: value}), OF_GROUP[name])
        for key, (name, value) in found.items()
        if is_ddp_setting(name, value)
    }


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of DDPStrategy's that the spec has too, as it has them."""
    valid = {name: value for name, value in given.items() if is_ddp_setting(name, value)}
    of_ddp = {f"ddp.{name}": value for name, value in valid.items() if name in OF_DDP}
    hook = hook_given(given)
    of_ddp |= {KEY: hook} if hook else {}
    averaging = local_sgd_given(given)
    of_ddp |= {LOCAL_SGD: averaging} if averaging else {}
    return of_ddp | _of_group(given)


def is_ddp_setting(name: str, value: Any) -> bool:
    """Whether an argument is one of the spec's, with a value that may stand there."""
    try:
        if name in OF_GROUP:
            ProcessGroupSettings.model_validate({OF_GROUP[name]: value})
        DdpSettings.model_validate({name: value} if name in OF_DDP else {})
    except ValidationError:
        return False
    return name in OF_GROUP or name in OF_DDP


# ---- in the code -----------------------------------------------------------------------------------------


def asked_by_code(project: Project, strategy: cst.BaseExpression) -> dict[str, Any]:
    """The same of an expression, whichever of its values it has."""
    return together([*_each_asked(project, strategy)])


def check_differing(
    project: Project, loaded: LoadedSpec, strategy: cst.BaseExpression
) -> Iterator[Diagnostic]:
    """What one of its values asks for that another strategy of the code, for which the script is built, does not."""
    if loaded.spec.strategy is Strategy.SINGLE or loaded.is_given("trainer.strategy"):
        return
    at, asked = (project.source, strategy), [*_each_asked(project, strategy)]
    if loaded.spec.strategy is Strategy.DDP:
        for key in dict.fromkeys(key for each in asked for key in differing(loaded, each)):
            yield messages.strategies_differ(at, key)
    for key in dict.fromkeys(key for each in asked for key in unlike(loaded, each)):
        yield messages.strategies_share(at, key, value_in(loaded, key))


def _each_asked(project: Project, strategy: cst.BaseExpression) -> Iterator[dict[str, Any]]:
    """What each value asks for that is for several processes."""
    values = values_of(project.holding(strategy))
    for value in values.of(strategy):
        if isinstance(value, Literal) and value.value in ONE_PROCESS:
            continue
        if isinstance(value, Literal) and (is_of_ddp(value.value) or value.value in NAMES):
            yield asked_by(value.value)
        elif made := _made(value):
            given = values.arguments(made, ())
            plain = {name: _plain(project, values, name, given[name]) for name in given}
            is_open = isinstance(plain.get(FINDS_UNUSED), Given)
            yield _settings(plain) | ({f"ddp.{FINDS_UNUSED}": True} if is_open else {})
        elif (name := _sharding(value)) and isinstance(value, Instance):
            yield _settings_of(name, _plain_of_sharding(project, values, value))


def _sharding(value: Value) -> str:
    """The class of a strategy that shards the model; empty: it is none."""
    is_made = isinstance(value, Instance) and isinstance(value.node, cst.Call)
    name = value.lightning if is_made and isinstance(value, Instance) else None
    return name if name in NAMES else ""


def _plain_of_sharding(project: Project, values: Values, made: Instance) -> dict[str, Any]:
    """Its arguments, as a spec could have them."""
    assert isinstance(made.node, cst.Call)
    given = values.arguments(made.node, PARAMETERS.get(_sharding(made), ()))
    return {
        name: (
            _plain(project, values, name, given[name])
            if name in OF_GROUP
            else plain_argument(project, values, name, given[name])
        )
        for name in given
    }


def _made(value: Value) -> cst.Call | None:
    """The call that makes a DDPStrategy."""
    if isinstance(value, Instance) and value.lightning == MADE and isinstance(value.node, cst.Call):
        return value.node
    return None


def _plain(project: Project, values: Values, name: str, given: Given) -> Any:
    """The value of an argument, where a spec can have it; else something that is no setting's."""
    if name in PARTS:
        return described(project, values, given)
    if literal := given.values.literal:
        return literal.value
    made = given.values.only
    if not (isinstance(made, Instance) and made.cls == TIME and isinstance(made.node, cst.Call)):
        return given
    parts = values.arguments(made.node, ["days", "seconds", "microseconds"])
    plain = {name: each.value for name in parts if (each := parts[name].values.literal)}
    is_known = parts.unknown is None and plain.keys() == parts.keys()
    return timedelta(**plain) if is_known else given  # type: ignore[arg-type]  # numbers


def check_strategy(project: Project, spec: LoadedSpec, strategy: cst.BaseExpression) -> Iterator[Diagnostic]:
    """Strategies by which training would not be what the script does, and those that are known only when it runs."""
    if spec.is_given("trainer.strategy"):
        return  # the spec wins
    found = values_of(project.holding(strategy)).of(strategy)
    others = _others(project, spec, strategy, found)
    rest = [each for each in _that_name_one(project, found) if each not in others]
    for each in others if rest else ():
        yield messages.strategy_stops((project.source, each.node), _name(each))
    is_checked = configured_literal(project, strategy) is not None  # by the script, as it starts
    rest = [each for each in rest if not (is_checked and isinstance(each, Option))]
    values = rest or [*found]
    is_sure = len(values) == 1
    said = [each for value in values for each in _check_value(project, spec, strategy, value, is_sure)]
    is_refused = any(each.severity == "error" for each in said)  # whatever else it may be
    yield from (each for each in said if not (is_refused and each.code == "strategy-unknown"))


def _others(
    project: Project, spec: LoadedSpec, strategy: cst.BaseExpression, found: Iterable[Value]
) -> list[Instance | Literal]:
    """The values that are choices made elsewhere, of strategies that the script is not built for."""
    whole = project.holding(strategy)
    made = [each for each in found if isinstance(each, Instance) and isinstance(each.node, cst.Call)]
    others: list[Instance | Literal] = [each for each in made if _is_other(whole, spec, strategy, each)]
    named = [each for each in found if isinstance(each, Literal) and isinstance(each.node, cst.SimpleString)]
    other_names = [each for each in named if _is_other_name(whole, spec, strategy, each)]
    may_train = any(each not in others for each in made) or any(is_of_ddp(each.value) for each in named)
    return [*others, *(other_names if may_train else ())]


def _name(strategy: Instance | Literal) -> str:
    return str(strategy.value) if isinstance(strategy, Literal) else strategy.lightning or ""


def names_that_stop(
    project: Project, spec: LoadedSpec, trainers: Iterable[cst.Call]
) -> Iterator[tuple[cst.BaseExpression, str]]:
    """Names of strategies that the script does not train by, where another may be chosen, with what ends the run."""
    if spec.is_given("trainer.strategy"):
        return
    for each in (each.value for call in trainers for each in call.args if _is_strategy(each)):
        found = values_of(project).of(each)
        others = _others(project, spec, each, found)
        names = [value for value in others if isinstance(value, Literal)] if len(others) < len(found) else []
        for value in names:
            yield cst.ensure_type(value.node, cst.SimpleString), f'other_strategy("{value.value}")'


def _that_name_one(project: Project, found: ValueSet) -> list[Value]:
    """Without literals that name no strategy: code that sets many settings may seem to set them here too."""
    names = [each for each in found if not isinstance(each, Literal) or isinstance(each.value, str | None)]
    if any(map(_is_lightnings, names)) and not mentions(project, REGISTRY):
        return [each for each in names if not isinstance(each, Literal) or _is_lightnings(each)]
    return names


def _is_lightnings(value: Value) -> bool:
    """Whether it is a name that Lightning has."""
    if not isinstance(value, Literal) or not isinstance(value.value, str):
        return False
    is_known = value.value in REPLICATED | NAMES or bool(asked_by(value.value))
    return is_known or bool(OTHER_NAMES.fullmatch(value.value))


def unchosen_strategies(
    project: Project, spec: LoadedSpec, nodes: Iterable[cst.CSTNode], trainers: Iterable[cst.Call]
) -> list[cst.Call]:
    """Calls that make strategies by which the script does not train, and which surely no Trainer is given.

    None has a say where the spec names one.
    """
    arguments = [each for call in trainers for each in call.args]
    values = values_of(project)
    chosen = [value for each in arguments if _is_strategy(each) for value in values.of(each.value)]
    is_named = spec.is_given("trainer.strategy")
    is_open = any(each.star for each in arguments) or any(isinstance(each, Unknown) for each in chosen)
    if is_open and not is_named:
        return []
    made = {each.node for each in chosen if isinstance(each, Instance) and not is_named}
    calls = (each for node in nodes for each in project.index.within(node, cst.Call) if each not in made)
    return [each for each in calls if project.lightning_name(each.func) in not_built_for(spec.spec.strategy)]


def _check_value(
    project: Project, spec: LoadedSpec, strategy: cst.BaseExpression, value: Value, is_sure: bool
) -> Iterator[Diagnostic]:
    whole = project.holding(strategy)
    values = values_of(whole)
    at = (project.source, _place(whole, value, strategy))
    if isinstance(value, Literal):
        if value.value is not None and not is_of_ddp(value.value):
            yield from _check_name(spec, at, str(value.value), is_sure)
    elif isinstance(value, Dict) and values.is_open(value):
        return  # of which code makes a strategy, as no Trainer takes it
    elif name := _class_name(values, value):
        if name not in WHOLE_MODEL:
            yield from _check_name(spec, at, name, is_sure)
            yield from _check_sharding(project, spec, values, value)
        if made := _made(value):
            if values.arguments(made, ()).unknown:
                yield messages.strategy_arguments_unknown((project.source, strategy))
            yield from _check_arguments(project, spec, values, made)
    else:
        finds_unused = asked_by_code(project, strategy).get(f"ddp.{FINDS_UNUSED}") is True
        yield messages.strategy_unknown(at, finds_unused or bool(spec.spec.ddp.find_unused_parameters))


def _is_other(project: Project, spec: LoadedSpec, strategy: cst.BaseExpression, made: Instance) -> bool:
    """Whether an object, made elsewhere as one choice, is of a strategy that the script is not built for."""
    index = project.index
    may_be_left = is_choice(index, made.node) or index.function_of(made.node) is not index.function_of(
        strategy
    )
    return (
        made.lightning in not_built_for(spec.spec.strategy)
        and may_be_left
        and not index.holds(strategy, made.node)
    )


def _is_other_name(project: Project, spec: LoadedSpec, strategy: cst.BaseExpression, named: Literal) -> bool:
    """The same of a name, which an assignment or a conditional expression chooses."""
    is_chosen = isinstance(project.index.parent(named.node), cst.Assign | cst.IfExp)
    return (
        not is_of_ddp(named.value)
        and named.value not in ARE.get(spec.spec.strategy, ())
        and is_chosen
        and is_choice(project.index, named.node)
        and not project.index.holds(strategy, named.node)
    )


def is_of_ddp(name: object) -> bool:
    """Whether it is a name of those that come down to DistributedDataParallel."""
    return name in REPLICATED or (name not in NAMES and bool(asked_by(name)))


def _check_name(spec: LoadedSpec, at: messages.At, name: str, is_sure: bool) -> Iterator[Diagnostic]:
    """A strategy by which no process has the whole model, or one that there is not."""
    if name not in ARE.get(spec.spec.strategy, ()):
        strategy = next((each.value for each in ARE if name in ARE[each]), "")
        yield (
            messages.strategy_shards(at, name, strategy, is_sure)
            if strategy
            else messages.strategy_unsupported(at, name)
        )


def _check_sharding(
    project: Project, spec: LoadedSpec, values: Values, strategy: Value
) -> Iterator[Diagnostic]:
    """What a strategy is given that shards the model, and what the spec has not."""
    name = _sharding(strategy)
    if not name or name not in ARE.get(spec.spec.strategy, ()) or not isinstance(strategy, Instance):
        return
    made = strategy.node
    assert isinstance(made, cst.Call)
    given, plain = values.arguments(made, PARAMETERS.get(name, ())), _plain_of_sharding(
        project, values, strategy
    )
    if given.unknown:
        yield messages.strategy_arguments_unknown((project.source, made))
    for argument in sorted(given.keys() - OF_TORCHRUN):
        key = (
            f"process_group.{OF_GROUP[argument]}"
            if argument in OF_GROUP
            else KEYS.get(argument, spec.spec.strategy.value)
        )
        value = plain[argument]
        is_group = argument in OF_GROUP
        is_read = (
            is_ddp_setting(argument, value) if is_group else read_argument(argument, value, plain) is not None
        )
        if not is_read and not spec.is_given(key):
            at = (project.source, given[argument].expression or made)
            yield messages.sharding_argument(at, argument, INSTEAD.get(str(value), f"`{key}`"))


def _class_name(values: Values, value: Value) -> str:
    """The class of a strategy's that is an object of Lightning's, or of a class derived from one."""
    if not isinstance(value, Instance) or not values.lightning_names(value.cls):
        return ""
    return value.cls.name if isinstance(value.cls, Class) else value.lightning or ""


def _check_arguments(
    project: Project, spec: LoadedSpec, values: Values, made: cst.Call
) -> Iterator[Diagnostic]:
    """Arguments of a DDPStrategy that the script would miss."""
    given = values.arguments(made, ())
    hook = {name: _plain(project, values, name, given[name]) for name in OF_HOOK if name in given}
    of_hook = LOCAL_SGD if is_of_local_sgd(hook) else KEY
    for name in given.keys() - OF_TORCHRUN:
        plain = _plain(project, values, name, given[name])
        at = (project.source, given[name].expression or made)
        is_setting = name in OF_GROUP or name in OF_DDP or name in OF_HOOK
        key = f"process_group.{OF_GROUP[name]}" if name in OF_GROUP else f"ddp.{name}"
        key = LOCAL_SGD if name == AVERAGING else of_hook if name in PARTS else key
        is_valid = not isinstance(plain, Given) if name in OF_HOOK else is_ddp_setting(name, plain)
        if plain is None or is_valid or spec.is_given(key):
            continue
        if isinstance(plain, Given) and name in INSTEAD_OF_UNKNOWN:
            said = configured_literal(project, plain.expression) if plain.expression else None
            if said is None or said.value is not DONE_ANYWAY.get(name):
                instead, is_in_file = INSTEAD_OF_UNKNOWN[name], said is not None
                yield messages.strategy_argument_unknown(at, name, instead, key, is_in_file)
        elif name in LEFT_OUT_OF_DDP:
            yield messages.ddp_argument_left_out(at, name, LEFT_OUT_OF_DDP[name])
        else:
            yield messages.strategy_argument(at, name, key if is_setting else "")
    if not spec.is_given(of_hook):
        yield from _check_hook(project, given, hook, made)


def _check_hook(
    project: Project, given: Mapping[str, Given], hook: Mapping[str, Any], made: cst.Call
) -> Iterator[Diagnostic]:
    """What is wrong with a hook and what belongs to it, where all of it can be read."""
    parts = OF_HOOK if is_of_local_sgd(hook) else PARTS
    is_read = not any(isinstance(hook.get(name), Given) for name in parts)
    if is_read and (sentence := wrong_hook(hook)):
        at = (project.source, _first(given, "ddp_comm_hook", "ddp_comm_state") or made)
        yield messages.comm_hook_argument(at, sentence)


def _first(given: Mapping[str, Given], *names: str) -> cst.BaseExpression | None:
    """The expression of the first of these arguments that is given."""
    return next((given[name].expression for name in names if name in given), None)


def _place(project: Project, value: Value, strategy: cst.BaseExpression) -> cst.CSTNode:
    """The literal that a value is, where that is a part of the expression."""
    if isinstance(value, Literal) and project.index.holds(strategy, value.node):
        return value.node
    return strategy


def _is_strategy(argument: cst.Arg) -> bool:
    return argument.keyword is not None and argument.keyword.value == "strategy"
