"""The spec's JSON Schema, by which editors complete and check it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel

from .sections.microbatch import AUTO
from .sections.section import JsonSchema, Section
from .sections.strategy_spec import OBJECTS, DdpSettings, StrategySpec, TrainerSection
from .trainer_settings import CONFLICT, DROPPED_ARGUMENTS, SWITCHES, TRAINER_ARGUMENTS

HARMLESS: JsonSchema = {"enum": [None, False, 0, "", [], {}]}
"""What Lightning's arguments that no script supports may be set to: it leaves them off."""

ZERO: JsonSchema = {"anyOf": [{"const": True}, {"type": "object"}]}
"""What shares out the states of an optimizer."""


def spec_schema() -> JsonSchema:
    """What a spec may hold, as JSON Schema; of what goes together, as much as that can say."""
    schema = StrategySpec.model_json_schema()
    sections = {"StrategySpec": schema, **schema["$defs"]}
    for name, cls in _sections().items():
        if name in sections:  # what stands for itself is written out where it is used
            _complete(_fields_of(sections[name]), cls)
    trainer = sections["TrainerSection"]
    others = sorted(TRAINER_ARGUMENTS - TrainerSection.model_fields.keys())
    trainer["properties"] |= {name: _untaken(name) for name in others}
    for name in OBJECTS:
        trainer["properties"][name]["anyOf"] += _off(name)
    trainer["not"] = CONFLICT
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ddpgen's strategy spec"}
    return {**head, **schema, "allOf": [{"not": each} for each in _conflicts()]}


def _complete(schema: JsonSchema, cls: type[BaseModel]) -> None:
    """Each setting's sentence; and null, which stands for the default."""
    sentences = {cls.model_fields[name].alias or name: each for name, each in descriptions(cls).items()}
    for name, setting in schema["properties"].items():
        setting.pop("title", None)
        kinds = setting.pop("anyOf", None) or [_requirement(setting)]
        setting["anyOf"] = [*(each for each in kinds if each != {"type": "null"}), {"type": "null"}]
        if name in sentences:
            setting["description"] = sentences[name]


def _requirement(setting: JsonSchema) -> JsonSchema:
    """What a setting must be, taken out of what is said about it."""
    return {key: setting.pop(key) for key in setting.keys() - {"default", "description"}}


def _fields_of(schema: JsonSchema) -> JsonSchema:
    """The mapping's schema, where there are short forms too."""
    forms: list[JsonSchema] = [schema, *schema.get("anyOf", ())]
    return next(form for form in forms if "properties" in form)


def _untaken(name: str) -> JsonSchema:
    if name in DROPPED_ARGUMENTS:
        return {"description": f"Not needed: {DROPPED_ARGUMENTS[name]}."}
    if name in SWITCHES:
        return {"description": f"Not needed: {SWITCHES[name]}.", "anyOf": _off(name)}
    return {"description": "Not supported yet.", **HARMLESS}


def _off(name: str) -> list[JsonSchema]:
    """What leaves an argument as it is without it."""
    return [{"type": "boolean"}, HARMLESS] if name in SWITCHES else [HARMLESS]


# ---- what goes together ----------------------------------------------------------------------------------


SHARED_OUT: JsonSchema = {"type": "object", "properties": {"zero": ZERO}, "required": ["zero"]}
SIZE: JsonSchema = {"size": {"const": AUTO}}
SIZED: JsonSchema = {"type": "object", "properties": SIZE, "required": ["size"]}
SEARCHED: JsonSchema = {"anyOf": [{"const": AUTO}, SIZED]}
IN_PARTS: JsonSchema = {"type": ["integer", "string", "object"]}
COMM_HOOK: JsonSchema = {"comm_hook": {"type": ["string", "object"]}}
FORCED: JsonSchema = {"const": "forced_sync"}
IS_SET: JsonSchema = {"not": {"type": "null"}}
IS_ON: JsonSchema = {"const": True}


def _conflicts() -> Iterator[JsonSchema]:
    """Settings that do not go together, as `spec` has them."""
    yield from _of_single()
    yield from _of_fsdp()
    yield from _of_model_parallel()
    yield from _of_ddp()
    yield from _of_local_sgd()
    yield from _of_join()
    yield from _of_microbatches()


def _of_single() -> Iterator[JsonSchema]:
    """What has no meaning in one process, and what ranks have in two ways."""
    for name in ("sync", "ddp", "process_group", "data_parallel_group", "launch", "layer_sync"):
        yield {"properties": {"strategy": {"const": "single"}}, "required": ["strategy", name]}
    alone = {"strategy": {"const": "single"}, "optimizer": SHARED_OUT}
    yield {"properties": alone, "required": [*alone]}
    other_launchers = {"enum": ["slurm", "lsf", "mpi", "kubeflow"]}
    yield {"allOf": [_within("data_parallel_group", {"type": "integer"}), _within("launch", other_launchers)]}


def _of_fsdp() -> Iterator[JsonSchema]:
    """What FSDP2 alone has, and what it does without."""
    fsdp = _of_strategy("fsdp")
    shares = [
        _within("replicate", {"type": "integer"}),
        _within("activation_checkpointing", {"type": "array", "minItems": 1}),
        _within("forward_methods", {"type": "array", "minItems": 1}),
        _within("wrap", {"type": ["object", "array"]}),
        _within("reshard_after_forward", {"not": {"enum": [True, None]}}),
        _within("mixed_precision", {"not": {"enum": [False, None]}}),
        _within("cpu_offload", {"not": {"enum": [False, None]}}),
        _within("empty_init", IS_ON),
    ]
    yield {**_within("fsdp", {"anyOf": shares}), "not": fsdp}
    split = _within("split", {"type": "string"})
    others = {
        "ddp": True,
        "sync": FORCED,
        "optimizer": SHARED_OUT,
        "microbatch": {"anyOf": [SEARCHED, split]},
    }
    yield from ({"allOf": [fsdp, _within(name, value)]} for name, value in others.items())


def _of_model_parallel() -> Iterator[JsonSchema]:
    """What tensor parallelism alone has, and what it does without."""
    parts = _of_strategy("model_parallel")
    yield {**_within("model_parallel", _own_sizes()), "not": parts}
    others: JsonSchema = {
        "ddp": True,
        "sync": True,
        "loss": {"const": "sum"},
        "microbatch": IS_SET,
        "layer_sync": IS_SET,
        "data_parallel_group": {"type": "integer"},
        "optimizer": SHARED_OUT,
    }
    yield from ({"allOf": [parts, _within(name, value)]} for name, value in others.items())


def _of_ddp() -> Iterator[JsonSchema]:
    """Arguments of DistributedDataParallel, and a wrapper in its place."""
    static: JsonSchema = {"static_graph": IS_ON}
    yield _within_ddp(static, sync=FORCED)
    yield _within_ddp({**static, "find_unused_parameters": IS_ON})
    yield _within_ddp(static, microbatch=IN_PARTS)
    yield _within_ddp(COMM_HOOK, sync=FORCED)
    wrapper: JsonSchema = {"wrapper": {"type": ["string", "object"]}}
    others = [{"required": [name]} for name in DdpSettings.model_fields if name != "wrapper"]
    yield {"allOf": [_within_ddp(wrapper), _within("ddp", {"anyOf": others})]}
    yield _within_ddp(wrapper, sync=FORCED)
    yield _within_ddp(wrapper, microbatch=SEARCHED)
    yield _within_ddp({"forward_sync_buffers": {"type": "boolean"}, "broadcast_buffers": True})
    yield _within_ddp({"bucket_cap_mb": {"type": "number"}, "bucket_cap_mb_list": {"type": "array"}})


def _of_local_sgd() -> Iterator[JsonSchema]:
    """Models that are averaged every few steps, and not their gradients."""
    local_sgd: JsonSchema = {"local_sgd": {"type": "object"}}
    yield _within_ddp({**local_sgd, **COMM_HOOK})
    yield _within_ddp({**local_sgd, "find_unused_parameters": IS_ON})
    yield _within_ddp(local_sgd, optimizer=SHARED_OUT)
    yield _within_ddp(local_sgd, loss={"const": "sum"})
    yield _within_ddp(local_sgd, sync={"enum": ["multi_auto_sync", "forced_sync"]})
    yield _within_ddp(local_sgd, microbatch=SEARCHED)


def _of_join() -> Iterator[JsonSchema]:
    """What torch's Join does not follow."""
    joins: JsonSchema = {"join": {"anyOf": [IS_ON, {"type": "object"}]}}
    for beside in (COMM_HOOK, {"local_sgd": {"type": "object"}}, {"static_graph": IS_ON}):
        yield _within_ddp({**joins, **beside})
    yield _within_ddp(joins, optimizer=SHARED_OUT)
    yield _within_ddp(joins, sync=FORCED)
    yield _within_ddp(joins, microbatch=IN_PARTS)
    yield _within_ddp(joins, layer_sync={"type": ["string", "object"]})


def _of_microbatches() -> Iterator[JsonSchema]:
    """Parts of batches, whose size may be looked for."""
    yield {
        "properties": {"microbatch": IS_SET, "layer_sync": IS_SET},
        "required": ["microbatch", "layer_sync"],
    }
    yield _within_ddp(COMM_HOOK, microbatch=SEARCHED)
    split = {**SIZED, "properties": {**SIZE, "split": {"type": "string"}}, "required": ["size", "split"]}
    yield {"properties": {"microbatch": split}, "required": ["microbatch"]}


def _of_strategy(name: str) -> JsonSchema:
    return {"properties": {"strategy": {"const": name}}, "required": ["strategy"]}


def _own_sizes() -> JsonSchema:
    names = ("data_parallel_size", "tensor_parallel_size")
    plan = _within("plan", {"type": "object", "minProperties": 1})
    return {"anyOf": [*(_within(name, {"type": "integer"}) for name in names), plan]}


def _within(name: str, value: Any) -> JsonSchema:
    """A setting that is given, and what it is."""
    return {"properties": {name: value}, "required": [name]}


def _within_ddp(settings: JsonSchema, **others: Any) -> JsonSchema:
    ddp = {"type": "object", "properties": settings, "required": list(settings)}
    return {"properties": {"ddp": ddp, **others}, "required": ["ddp", *others]}


# ---- what is said of each setting ------------------------------------------------------------------------


@cache
def _sections() -> dict[str, type[Section]]:
    """Every kind of section, by its name."""
    return {each.__name__: each for each in _sections_of(StrategySpec)}


def _sections_of(kind: Any) -> Iterator[type[Section]]:
    """Those among the types that a type is made of, and below them."""
    if isinstance(kind, type) and issubclass(kind, Section):
        yield kind
        for field in kind.model_fields.values():
            yield from _sections_of(field.annotation)
    for part in getattr(kind, "__args__", ()):
        yield from _sections_of(part)


@cache
def descriptions(cls: type[BaseModel]) -> dict[str, str]:
    """The sentence below each field of `cls`, which says when to change it."""
    bases = [base for base in cls.__bases__ if issubclass(base, Section) and base is not Section]
    inherited = {name: each for base in bases for name, each in descriptions(base).items()}
    return inherited | _own_descriptions(cls)


def _own_descriptions(cls: type[BaseModel]) -> dict[str, str]:
    tree = ast.parse(inspect.getsource(cls)).body[0]
    assert isinstance(tree, ast.ClassDef)
    pairs = zip(tree.body, tree.body[1:], strict=False)
    return {
        field.target.id: str(sentence.value.value)
        for field, sentence in pairs
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(sentence, ast.Expr)
        and isinstance(sentence.value, ast.Constant)
    }
