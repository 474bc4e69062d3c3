"""`strategy: fsdp` of the spec: each rank keeps its share of parameters, gradients and optimizer states (20.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.trainer.precision import SCALED
from ...spec.precision import DTYPES, is_mixed
from ...spec.sections.fsdp import FsdpSettings, MixedPrecisionSettings, OffloadSettings, WrapSettings
from ...spec.sections.strategy_spec import SyncMode
from ..feature import Feature


class Fsdp(NamedTuple):
    """How the model is sharded."""

    is_own: bool  # the model's: it has shared itself out
    function: str  # that shares it out: as a whole, or the parts that its own steps call
    blocks: str  # modules that are gathered and freed by themselves
    options: str  # the ranks, and what `fully_shard` is told for these modules
    is_alone_too: bool  # sharded; else one process trains the model as it is
    casts: bool  # parameters
    is_empty: bool  # until layers begin, as they are shared out
    recomputed: str  # classes of modules that the backward computes anew, as code
    methods: str  # of what is gathered, that do so beside `forward`, as code
    syncs: str  # a condition: gradients are shared out in this backward; empty: in each


def fsdp(facts: Facts) -> Fsdp | None:
    """None: each rank has the whole model."""
    if not facts.is_sharded:
        return None
    if facts.shares_itself:
        return Fsdp(
            is_own=not facts.is_planned,
            function="",
            blocks="",
            options="",
            is_alone_too=False,
            casts=False,
            is_empty=False,
            recomputed="",
            methods="",
            syncs="",
        )
    settings = facts.loaded.spec.fsdp
    once = facts.sync is SyncMode.SINGLE_AUTO_SYNC
    recomputed = ", ".join(map(repr, settings.activation_checkpointing))
    return Fsdp(
        is_own=False,
        function="shard_parts" if facts.manual else "shard_model",
        blocks=_modules(facts),
        options=", ".join([*_options(settings), *_policies(facts)]),
        is_alone_too=settings.empty_init or any(_policies(facts)),
        casts=bool(_param_dtype(facts)),
        is_empty=settings.empty_init,
        recomputed=recomputed,
        methods=", ".join(map(repr, settings.forward_methods)),
        syncs=" and ".join(_syncs(facts)) if once else "",
    )


def _syncs(facts: Facts) -> Iterator[str]:
    """Where gradients wait for the last of several backwards."""
    if facts.accumulates:
        yield "is_last"
    if facts.microbatch:
        yield "is_last_part"


def _modules(facts: Facts) -> str:
    """What is gathered by itself, in the order in which it is shared out."""
    code = _blocks(facts.loaded.spec.fsdp.wrap)
    code = f"with_norms(model, {code})" if _param_dtype(facts) else code
    code = f"with_parts(model, {code})" if facts.manual else code
    return f"begun(untied(model), {code}, device)" if facts.begins_empty else code


def _blocks(wrap: WrapSettings | None) -> str:
    if wrap is None:
        return "[]"
    if wrap.min_params is not None:
        return f"modules_from(model, min_params={wrap.min_params:_})"
    function, names = ("modules_of", wrap.classes) if wrap.classes else ("modules_at", wrap.modules)
    return f"{function}(model, {', '.join(map(repr, names or ()))})"


def _options(settings: FsdpSettings) -> Iterator[str]:
    yield f"mesh_of_several(device, {settings.replicate})" if settings.replicate else "mesh_of_one(device)"
    if settings.reshard_after_forward is not True and settings.wrap is not None:
        yield f"reshard_after_forward={settings.reshard_after_forward}"


def _policies(facts: Facts) -> Iterator[str]:
    """What holds for the model as a whole too."""
    settings = facts.loaded.spec.fsdp
    if settings.mixed_precision and (dtypes := ", ".join(_dtypes(facts, settings.mixed_precision))):
        yield f"mp_policy=MixedPrecisionPolicy({dtypes})"
    if dtype := _param_dtype(facts):
        yield f"norm_policy=MixedPrecisionPolicy(param_dtype=torch.float32, output_dtype={dtype})"
    if settings.cpu_offload:
        yield f"offload_policy={_offloading(settings.cpu_offload)}"


def _dtypes(facts: Facts, settings: MixedPrecisionSettings) -> Iterator[str]:
    if dtype := _param_dtype(facts):
        yield f"param_dtype={dtype}"
    for name in ("reduce_dtype", "output_dtype"):
        if given := getattr(settings, name):
            yield f"{name}=torch.{given.value}"
    if not settings.cast_forward_inputs:
        yield "cast_forward_inputs=False"


def _param_dtype(facts: Facts) -> str:
    """What parameters are gathered as; empty: as they are."""
    settings, known = facts.loaded.spec.fsdp.mixed_precision, facts.precision
    if settings and settings.param_dtype:
        return f"torch.{settings.param_dtype.value}"
    if settings is None or known.only is None or not is_mixed(known.only):
        return ""
    dtype = f"torch.{DTYPES[known.only]}"
    if known.only == SCALED and known.device is None:  # which is bf16-mixed there
        return f'torch.bfloat16 if device.type == "cpu" else {dtype}'
    return dtype


def _offloading(settings: OffloadSettings) -> str:
    pins = 'device.type != "cpu"' if settings.pin_memory else "False"
    return f"CPUOffloadPolicy(pin_memory={pins})"


FSDP = Feature(
    "fsdp",
    fsdp,
    ("Each rank keeps its share of the model.", "spec strategy"),
    {
        "function": (
            "What a step of the model's own calls is shared out by itself.",
            "write automatic_optimization",
        ),
        "is_own": ("The model shares itself out.", "spec strategy"),
        "options": ("What is gathered for the forward is kept, or freed.", "spec fsdp.reshard_after_forward"),
        "is_alone_too": ("Types, offloading and beginning are FSDP's.", "spec fsdp"),
        "is_empty": ("Layers begin as they are shared out.", "spec fsdp.empty_init"),
        "recomputed": ("What is computed anew in the backward.", "spec fsdp.activation_checkpointing"),
        "methods": ("Methods that gather what they compute with.", "spec fsdp.forward_methods"),
        "syncs": ("When gradients are averaged over the ranks.", "spec sync"),
    },
)
