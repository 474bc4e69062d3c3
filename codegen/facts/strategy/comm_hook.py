"""Communication hooks of DistributedDataParallel's: what a DDPStrategy is given (15.5, 20.2), and what is saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst
from pydantic import ValidationError

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project, SpecClass
from ...spec.init_args.signature import Parameter
from ...spec.init_args.values import Wrong, typed
from ...spec.load import LoadedSpec
from ...spec.sections.comm_hook import (
    POST_LOCAL_SGD,
    POST_LOCAL_SGD_STATE,
    POWER_SGD_STATE,
    CommHookSettings,
    PowerSgdSettings,
)
from ...spec.sections.local_sgd import LocalSgdSettings
from ...spec.sections.section import ObjectSettings, requirement
from ...values import Class, External, Function, Given, Instance, Values
from ..code.parameters import parameters
from ..model.spec_objects import OWN, SpecNames

PARTS = {"ddp_comm_hook": "hook", "ddp_comm_state": "state", "ddp_comm_wrapper": "wrapper"}
"""Arguments of DDPStrategy's, and what they are in the spec's `ddp.comm_hook`."""

KEY = "ddp.comm_hook"

AVERAGING = "model_averaging_period"
"""That of DDPStrategy's arguments by which it averages models, beside a state for local SGD."""

LOCAL_SGD = "ddp.local_sgd"

OF_POST_LOCAL_SGD = ("process_group", "subgroup", "start_localSGD_iter", "post_local_gradient_allreduce")

OF_POWER_SGD = ("process_group", *PowerSgdSettings.model_fields)

OF_STATES = {POWER_SGD_STATE: OF_POWER_SGD, POST_LOCAL_SGD_STATE: OF_POST_LOCAL_SGD}
"""Arguments of torch's states."""

SAVING = frozenset({"state_dict", "load_state_dict"})
"""Methods of a state that goes into checkpoints."""


def hook_given(given: Mapping[str, Any]) -> CommHookSettings | None:
    """The hook among a DDPStrategy's arguments; None: there is none that can be read, or it is of local SGD."""
    if is_of_local_sgd(given):
        return None
    try:
        return _validated(given)
    except ValidationError:
        return None


def wrong_hook(given: Mapping[str, Any]) -> str:
    """What is wrong with it; empty: nothing."""
    try:
        if is_of_local_sgd(given):
            return _wrong_local_sgd(given)
        _validated(given)
    except ValidationError as failure:
        error = failure.errors(include_url=False)[0]
        named = [str(each) for each in error["loc"] if str(each).isidentifier()]
        return f"`{named[-1] if named else 'ddp_comm_hook'}` {requirement(error)}"
    return ""


def _validated(given: Mapping[str, Any]) -> CommHookSettings | None:
    parts = {PARTS[name]: given[name] for name in PARTS if given.get(name) is not None}
    return (
        CommHookSettings.model_validate(parts) if "hook" in parts else None
    )  # Lightning asks for that first


def is_of_local_sgd(given: Mapping[str, Any]) -> bool:
    """Whether a DDPStrategy's arguments ask for local SGD: Lightning goes by the state."""
    state = given.get("ddp_comm_state")
    is_state = isinstance(state, Mapping) and state.get("class_path") == POST_LOCAL_SGD_STATE
    return is_state or given.get("ddp_comm_hook") == POST_LOCAL_SGD


def local_sgd_given(given: Mapping[str, Any]) -> LocalSgdSettings | None:
    """Local SGD among a DDPStrategy's arguments; None: there is none that can be read."""
    is_read = isinstance(given.get("ddp_comm_state"), Mapping) and isinstance(given.get(AVERAGING), int)
    return _local_sgd(given) if is_read and is_of_local_sgd(given) and not wrong_hook(given) else None


def _local_sgd(given: Mapping[str, Any]) -> LocalSgdSettings:
    arguments = dict(given["ddp_comm_state"].get("init_args") or {})
    arguments.pop("process_group", None)
    if arguments.get("subgroup", 0) is None:
        arguments.pop("subgroup")  # the ranks of a node
    return LocalSgdSettings.model_validate({**arguments, "period": given.get(AVERAGING)})


def _wrong_local_sgd(given: Mapping[str, Any]) -> str:
    if given.get("ddp_comm_hook") != POST_LOCAL_SGD or not given.get("ddp_comm_state"):
        return "local SGD needs both `post_localSGD_hook` and a `PostLocalSGDState`"
    if given.get("ddp_comm_wrapper") is not None:
        return "local SGD has no `ddp_comm_wrapper`"
    if given.get(AVERAGING) is None:
        return f"local SGD lacks its `{AVERAGING}`"
    _local_sgd(given)
    return ""


def described(project: Project, values: Values, given: Given) -> Any:
    """A hook, its state or its wrapper as a spec has it; what is no plain value, as it is given."""
    value = given.values.only
    if literal := given.values.literal:
        return literal.value
    if isinstance(value, External):
        return value.name
    if isinstance(value, Function) and _is_global(project, value.name):
        return f"{OWN}.{value.name}"
    if isinstance(value, Instance) and isinstance(value.node, cst.Call):
        return _described_object(project, values, value.cls, value.node) or given
    return given


def _is_global(project: Project, name: str) -> bool:
    return any(name in statement.names for statement in project.statements)


def _described_object(project: Project, values: Values, cls: object, made: cst.Call) -> dict[str, Any] | None:
    """A state, made of plain values."""
    if isinstance(cls, External) and cls.name in OF_STATES:
        path, names = cls.name, OF_STATES[cls.name]
    elif isinstance(cls, Class) and (own := project.classes.get(cls.name)):
        path, names = f"{OWN}.{cls.name}", tuple(each.name for each in parameters(own))
    else:
        return None
    given = values.arguments(made, names)
    plain = {name: each.value for name in given if (each := given[name].values.literal)}
    return None if given.unknown or plain.keys() != given.keys() else {"class_path": path, "init_args": plain}


# ---- in the script ---------------------------------------------------------------------------------------


def is_saved(project: Project, settings: CommHookSettings) -> bool:
    """Whether the state goes into checkpoints."""
    if not isinstance(settings.state, ObjectSettings):
        return settings.keeps_power_sgd
    path = settings.state.class_path
    cls = project.classes.get(path.rpartition(".")[2]) if path.startswith(f"{OWN}.") else None
    methods = cls.methods.keys() if cls else project.spec_classes.get(path, SpecClass()).methods
    return methods >= SAVING


def state_code(state: ObjectSettings, names: SpecNames) -> str:
    """The code that makes a state. Raises Wrong."""
    return typed("state", state.model_dump(exclude_defaults=True), Parameter(), names)


def check_comm_hook(project: Project, loaded: LoadedSpec) -> Iterator[Diagnostic]:
    """Arguments that a state of the spec's does not take, and a state that a run which goes on would lack."""
    settings = loaded.spec.ddp.comm_hook
    if settings is None or not isinstance(settings.state, ObjectSettings):
        return
    place = loaded.place(f"{KEY}.state")
    try:
        state_code(settings.state, SpecNames(project))
    except Wrong as wrong:
        yield wrong.say(loaded.place(".".join((KEY, "state", *wrong.below))))
    if not is_saved(project, settings):
        yield messages.comm_state_not_saved(place, settings.state.class_path.rpartition(".")[2])
