"""The precisions that Lightning's Trainer can be told, by their names and by plugins (19.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FULL = "32-true"

DTYPES = {
    "16-mixed": "float16",
    "bf16-mixed": "bfloat16",
    "16-true": "float16",
    "bf16-true": "bfloat16",
    FULL: "float32",
    "64-true": "float64",
}
"""The precisions, with torch's name of the type that each computes in."""

SHORT = {"16": "16-mixed", "bf16": "bf16-mixed", "32": FULL, "64": "64-true"}
"""Their short forms, some of which may be numbers."""


def precision_named(value: object) -> str | None:
    """The precision that an argument of the Trainer's names; None: it names none."""
    if value is None:
        return FULL
    name = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    name = SHORT.get(name, name)
    return name if name in DTYPES else None


def is_mixed(name: str) -> bool:
    """Whether parameters stay as they are, and the operations of steps choose their types."""
    return name.endswith("-mixed")


# ---- plugins ---------------------------------------------------------------------------------------------

MIXED, HALF = ("16-mixed", "bf16-mixed"), ("16-true", "bf16-true")

PLUGINS: Mapping[str, tuple[str, ...]] = {
    "MixedPrecision": ("precision", "device", "scaler"),
    "HalfPrecision": ("precision",),
    "DoublePrecision": (),
    "Precision": (),
}
"""Lightning's plugins that stand for a precision, with their constructors' parameters."""

OLD_NAMES = {f"{name}Plugin": name for name in PLUGINS}
"""What Lightning called them before, and still takes."""


@dataclass(frozen=True)
class Plugin:
    """What such a plugin says."""

    precision: str
    device: str | None = None  # whose operations choose their types, by its kind; None: that which trains


def plugins_read(value: object) -> tuple[Plugin, ...]:
    """The precision plugin, if there is one, among objects that are described by `class_path` and `init_args`.

    Raises ValueError where there are others that a script would miss.
    """
    listed = value if isinstance(value, list | tuple) else [] if value is None else [value]
    found = [_plugin(each) for each in listed if not (_is_environment(each) or _saves(each))]
    if len(found) > 1:
        raise ValueError("must hold one precision plugin at most")
    if OWN_SAVING in listed and sum(map(_saves, listed)) > 1:
        raise ValueError("must hold one CheckpointIO at most")
    return tuple(found)


LAYER_SYNC = "TorchSyncBatchNorm"
"""The plugin that does what `sync_batchnorm` says."""


def with_layer_sync(arguments: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The Trainer's arguments, with `sync_batchnorm` in the place of that plugin."""
    value = arguments.get("plugins")
    listed = value if isinstance(value, list | tuple) else [value]
    rest = [each for each in listed if _name(each) != LAYER_SYNC]
    return arguments if len(rest) == len(listed) else {**arguments, "plugins": rest, "sync_batchnorm": True}


ENVIRONMENTS = (
    *("KubeflowEnvironment", "LightningEnvironment", "LSFEnvironment", "MPIEnvironment", "SLURMEnvironment"),
    "TorchElasticEnvironment",
)
"""Plugins that say but where the other processes are."""


def holds_own(value: object) -> bool:
    """Whether among such objects there may be one of the user's that writes checkpoints."""
    return value is OWN_SAVING or (isinstance(value, list | tuple) and OWN_SAVING in value)


def are_environments(value: object) -> bool:
    """Whether such objects say but where the other processes are, which torchrun says."""
    return _are_all(value, _is_environment)


def may_requeue(value: object) -> bool:
    """Whether such objects have Slurm start a job again that it is about to end, as Lightning does by default."""
    listed = value if isinstance(value, list | tuple) else [value]
    slurm = [each for each in listed if _name(each) == "SLURMEnvironment"]
    given = [each.get("init_args") or {} if isinstance(each, Mapping) else {} for each in slurm]
    return any(each.get("auto_requeue") is not False for each in given)


SAVING = ("AsyncCheckpointIO", "TorchCheckpointIO")
"""Plugins that write the same files, be it in the background."""


class OwnSaving:
    """Stands for an object of a class of the user's that writes checkpoints, as only code can make one."""


OWN_SAVING = OwnSaving()


def only_save(value: object) -> bool:
    """Whether such objects write checkpoints as the script does, or later."""
    return _are_all(value, lambda each: _is_environment(each) or _saves(each))


def _are_all(value: object, is_one: Callable[[object], bool]) -> bool:
    listed = value if isinstance(value, list | tuple) else [value]
    return bool(listed) and all(map(is_one, listed))


def _saves(value: object) -> bool:
    """Whether it is one of those, which no other plugin writes for, or the user's own."""
    if value is OWN_SAVING:
        return True
    given = value.get("init_args") if isinstance(value, Mapping) else None
    return _name(value) in SAVING and not given


def _is_environment(value: object) -> bool:
    return _name(value).endswith("Environment")


def _name(value: object) -> str:
    path = value.get("class_path") if isinstance(value, Mapping) else value
    return path.rpartition(".")[2] if isinstance(path, str) else ""


def _plugin(value: object) -> Plugin:
    if isinstance(value, Plugin):  # it is read already
        return value
    name = _name(value)
    if not name:
        raise ValueError(
            "must hold objects of Lightning's classes, or of yours that derive from its CheckpointIO or "
            "ClusterEnvironment, known when the script is built"
        )
    if name not in PLUGINS:
        raise ValueError(
            "must hold precision plugins, cluster environments and `AsyncCheckpointIO` alone: the script does "
            f"nothing of what `{name}` does{' with what it is given' if name in SAVING else ''}"
        )
    given = value.get("init_args") if isinstance(value, Mapping) else None
    return _made(name, given if isinstance(given, Mapping) else {})


def _made(name: str, given: Mapping[str, object]) -> Plugin:
    if given.keys() - set(PLUGINS[name]):
        raise ValueError(f"must give `{name}` no other arguments than Lightning's has")
    if given.get("scaler") is not None:
        raise ValueError(
            "must give `MixedPrecision` no scaler of its own settings: the script makes one with torch's defaults"
        )
    if name == "MixedPrecision":
        device = given.get("device")
        if given.get("precision") not in MIXED or not isinstance(device, str):
            raise ValueError(
                "must give `MixedPrecision` `16-mixed` or `bf16-mixed`, and a device, as literals"
            )
        return Plugin(str(given["precision"]), device)
    if name == "HalfPrecision":
        if (precision := given.get("precision", HALF[0])) not in HALF:
            raise ValueError("must give `HalfPrecision` `16-true` or `bf16-true`, as a literal")
        return Plugin(str(precision))
    return Plugin("64-true" if name == "DoublePrecision" else FULL)
