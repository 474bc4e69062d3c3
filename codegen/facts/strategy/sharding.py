"""Strategies of Lightning's that shard a model: what their arguments are in the spec (20.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import libcst as cst
from pydantic import ValidationError

from ...ir.project import Project
from ...spec.sections.fsdp import DType, FsdpSettings, MixedPrecisionSettings, OffloadSettings, WrapSettings
from ...spec.sections.model_parallel import ModelParallelSettings
from ...spec.sections.strategy_spec import Strategy
from ...values import Class, External, Given, Instance, Member, Partial, Sequence, Value, Values

FSDP, MODEL_PARALLEL = "FSDPStrategy", "ModelParallelStrategy"

NAMES = frozenset({"fsdp", "fsdp_cpu_offload", FSDP, MODEL_PARALLEL})
"""Those that shard the model: names and classes."""

ARE = {
    Strategy.FSDP: frozenset({"fsdp", "fsdp_cpu_offload", FSDP}),
    Strategy.MODEL_PARALLEL: frozenset({MODEL_PARALLEL}),
}
"""Those that a strategy of the spec is."""

SHARDING = frozenset({"DeepSpeedStrategy", FSDP, MODEL_PARALLEL})
"""Classes of those that shard it."""

PARAMETERS = {
    FSDP: (
        "accelerator",
        "parallel_devices",
        "cluster_environment",
        "checkpoint_io",
        "precision_plugin",
        "process_group_backend",
        "timeout",
        "cpu_offload",
        "mixed_precision",
        "auto_wrap_policy",
        "activation_checkpointing",
        "activation_checkpointing_policy",
        "sharding_strategy",
        "state_dict_type",
        "device_mesh",
    ),
    MODEL_PARALLEL: (
        "data_parallel_size",
        "tensor_parallel_size",
        "save_distributed_checkpoint",
        "process_group_backend",
        "timeout",
    ),
}
"""Of their constructors."""

SIZES = frozenset(ModelParallelSettings.model_fields) - {"plan"}

BY_ITSELF = frozenset(
    "use_orig_params sync_module_states limit_all_gathers forward_prefetch backward_prefetch".split()
)
"""Arguments of torch's first FSDP that say when something is sent, or what the second does anyway."""

RESHARDS = {"FULL_SHARD": {}, "SHARD_GRAD_OP": {"fsdp.reshard_after_forward": False}}

OFFLOAD = {True: OffloadSettings(), False: None, None: None}

INSTEAD = {
    "NO_SHARD": "`strategy: ddp`",
    "HYBRID_SHARD": "`fsdp: {replicate: 2}`, for two nodes,",
    "sharded": "`checkpoint: {state: sharded}`",
}
"""What in the spec says what such values do."""

KEYS = {
    "auto_wrap_policy": "fsdp.wrap",
    "activation_checkpointing": "fsdp.activation_checkpointing",
    "activation_checkpointing_policy": "fsdp.activation_checkpointing",
    "sharding_strategy": "fsdp.replicate",
    "device_mesh": "fsdp.replicate",
    "cpu_offload": "fsdp.cpu_offload",
    "mixed_precision": "fsdp.mixed_precision",
    "save_distributed_checkpoint": "checkpoint.state",
    "state_dict_type": "checkpoint.state",
} | {size: f"model_parallel.{size}" for size in SIZES}
"""The settings of the spec's that arguments of such strategies are."""


def not_built_for(strategy: Strategy) -> frozenset[str]:
    """Classes that shard the model, but for those that the spec's strategy is."""
    return SHARDING - ARE.get(strategy, frozenset())


def settings_of(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What such a strategy asks for, by keys of the spec's, as far as it can be read."""
    found: dict[str, Any] = {}
    if name in ARE[Strategy.FSDP]:
        # Lightning gathers in what the precision mixes in
        found["fsdp.mixed_precision"] = MixedPrecisionSettings()
    if name == "fsdp_cpu_offload":
        found["fsdp.cpu_offload"] = OffloadSettings()
    for argument, value in given.items():
        found |= read_argument(argument, value, given) or {}
    return found


def read_argument(name: str, value: Any, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an argument is in the spec; None: that cannot be told."""
    if name in BY_ITSELF or value is None or (name == "state_dict_type" and value == "full"):
        return {}
    if name == "save_distributed_checkpoint" and isinstance(value, bool):
        return {}
    try:
        if name in SIZES:
            settings = ModelParallelSettings.model_validate({name: value})
            return {f"model_parallel.{name}": getattr(settings, name)}
        return _of_fsdp(name, value, given)
    except ValidationError:
        return None


def _of_fsdp(name: str, value: Any, given: Mapping[str, Any]) -> dict[str, Any] | None:
    if name == "sharding_strategy" and value == "HYBRID_SHARD":
        return {} if given.get("device_mesh") else None  # how many ranks a node has is not known
    if name == "sharding_strategy":
        return RESHARDS.get(value) if isinstance(value, str) else None
    if name == "device_mesh" and isinstance(value, list) and len(value) == 2:
        return {"fsdp.replicate": value[0]} if value[0] > 1 else {}
    if name == "cpu_offload" and isinstance(value, bool):
        return {"fsdp.cpu_offload": OFFLOAD[value]}
    if name == "auto_wrap_policy" and isinstance(value, list | dict):
        return {"fsdp.wrap": WrapSettings.model_validate(value)}
    if name == "mixed_precision" and isinstance(value, dict):
        return {"fsdp.mixed_precision": MixedPrecisionSettings.model_validate(value)}
    if name.startswith("activation_checkpointing") and isinstance(value, list):
        settings = FsdpSettings.model_validate({"activation_checkpointing": value})
        return {"fsdp.activation_checkpointing": settings.activation_checkpointing}
    return None


# ---- in the code -----------------------------------------------------------------------------------------


def plain_argument(project: Project, values: Values, name: str, given: Given) -> Any:
    """An argument as a spec could have it; else as it is given."""
    if literal := given.values.literal:
        return literal.value
    value = given.values.only
    if name == "sharding_strategy":
        return _last_name(value) or given
    if name == "device_mesh" and isinstance(value, Sequence):
        sizes = [each.literal for each in (values.parts(value) or {}).values()]
        return [each.value for each in sizes if each] if all(sizes) else given
    if name == "cpu_offload" and _is_made(value, "CPUOffload"):
        return _plain_arguments(values, value, ("offload_params",)).get("offload_params", False)
    if name == "mixed_precision" and _is_made(value, "MixedPrecision"):
        return _types(values, value) or given
    found = _policy(values, value) if value is not None else None
    return given if found is None else found


def _last_name(value: Value | None) -> str:
    """Of something of a library's."""
    name = value.name if isinstance(value, External | Member) else ""
    return name.rpartition(".")[2]


def _is_made(value: Value | None, name: str) -> bool:
    made = isinstance(value, Instance) and isinstance(value.node, cst.Call)
    return made and isinstance(value, Instance) and _last_name_of(value) == name


def _last_name_of(value: Instance) -> str:
    return _last_name(value.cls) if isinstance(value.cls, External | Member) else ""


def _types(values: Values, value: Value | None) -> dict[str, Any] | None:
    """Those of the first FSDP that the second has too; buffers stay as they are."""
    assert isinstance(value, Instance)
    assert isinstance(value.node, cst.Call)
    given = values.arguments(value.node, ("param_dtype", "reduce_dtype", "buffer_dtype"))
    known = {dtype.value for dtype in DType}
    names = {name: _last_name(given[name].values.only) for name in given if name != "buffer_dtype"}
    are_known = given.unknown is None and names.keys() <= {"param_dtype", "reduce_dtype"}
    return names if are_known and set(names.values()) <= known else None


def _plain_arguments(values: Values, value: Value | None, names: tuple[str, ...]) -> dict[str, Any]:
    assert isinstance(value, Instance)
    assert isinstance(value.node, cst.Call)
    given = values.arguments(value.node, names)
    return {name: each.value for name in given if (each := given[name].values.literal)}


def _policy(values: Values, value: Value) -> list[str] | dict[str, Any] | None:
    """The names of classes, or a number of parameters; None: another policy."""
    if isinstance(value, Class | External):
        return [_name(value)]
    if isinstance(value, Sequence):
        return _names(values.elements(value))
    if isinstance(value, Instance) and _is_made(value, "ModuleWrapPolicy"):
        return _inner(values, value.node, "module_classes")
    if isinstance(value, Partial) and value.node.args:
        made = _last_name(values.of(value.node.args[0].value).only)
        if made == "transformer_auto_wrap_policy":
            return _inner(values, value.node, "transformer_layer_cls")
        if made == "size_based_auto_wrap_policy":
            least = values.arguments(value.node, ("function",)).get("min_num_params")
            literal = least.values.literal if least else None
            return {"min_params": literal.value} if literal else None
    return None


def _inner(values: Values, made: cst.CSTNode, name: str) -> list[str] | None:
    """The names of the classes that such a policy is made with."""
    assert isinstance(made, cst.Call)
    first = name if name == "module_classes" else "function"
    given = values.arguments(made, (first,)).get(name)
    only = given.values.only if given else None
    return _names(values.elements(only)) if isinstance(only, Sequence) else None


def _names(found: Iterable[Value]) -> list[str] | None:
    listed = list(found)
    are_classes = listed and all(isinstance(each, Class | External) for each in listed)
    return [_name(each) for each in listed if isinstance(each, Class | External)] if are_classes else None


def _name(value: Class | External) -> str:
    return value.name.rpartition(".")[2]
