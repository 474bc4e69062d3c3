"""The strategies that are tried, from the one with the least to send to the one with the least to keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from ..spec.load import LoadedSpec, parse_spec

Settings = Mapping[str, Any]

NOT_COUNTED_OF_DDP = ("comm_hook", "local_sgd", "join", "wrapper")
UNCOUNTED = ("compile", *(f"ddp.{name}" for name in NOT_COUNTED_OF_DDP), "data_parallel_group")
"""What bytes are counted without: kernels that are still to be made, gradients that are still to be cut."""

OF_RANKS = ("sync", "ddp", "process_group", "data_parallel_group", "launch", "layer_sync")
OF_WHOLE_MODELS = ("ddp",)


@dataclass(frozen=True)
class Candidate:
    """A strategy, and the settings that it is."""

    name: str
    strategy: str
    without: tuple[str, ...] = ()  # what does not go with it
    zero: bool = False
    fsdp: Settings = field(default_factory=dict)

    def settings(self, given: Settings) -> dict[str, Any]:
        """The spec for it, with what else a spec says."""
        kept = {
            name: value for name, value in given.items() if name not in (*self.without, "strategy", "fsdp")
        }
        checkpoint = kept.get("checkpoint")
        if self.strategy != "fsdp" and isinstance(checkpoint, dict):
            kept["checkpoint"] = {name: value for name, value in checkpoint.items() if name != "state"}
        optimizer = kept.pop("optimizer", None)
        optimizer = {"class_path": optimizer} if isinstance(optimizer, str) else dict(optimizer or {})
        optimizer.pop("zero", None)
        optimizer |= {"zero": True} if self.zero else {}
        sections = {"optimizer": optimizer, "fsdp": dict(self.fsdp)}
        return {"strategy": self.strategy, **{name: each for name, each in sections.items() if each}, **kept}


def whole_models(devices: int) -> list[Candidate]:
    """Those in which each rank has the whole model."""
    alone = Candidate("single", "single", OF_RANKS)
    return (
        [alone, Candidate("ddp", "ddp"), Candidate("ddp-zero", "ddp", zero=True)] if devices > 1 else [alone]
    )


def shared_models(given: Settings, block: str | None) -> list[Candidate]:
    """Those in which the ranks share it out; blocks are of this class where the spec does not say."""
    fsdp = {**(given.get("fsdp") or {})}
    fsdp.pop("reshard_after_forward", None)
    recomputed = fsdp.pop("activation_checkpointing", None) or ([block] if block else None)
    if not fsdp.get("wrap") and block:
        fsdp["wrap"] = [block]

    def candidate(name: str, **more: Any) -> Candidate:
        return Candidate(name, "fsdp", OF_WHOLE_MODELS, fsdp={**fsdp, **more})

    found = [candidate("fsdp")]
    if fsdp.get("wrap"):
        found.insert(0, candidate("fsdp (no resharding)", reshard_after_forward=False))
    if recomputed:
        found.append(candidate("fsdp (activation checkpointing)", activation_checkpointing=recomputed))
    return found


def spec_of(loaded: LoadedSpec, candidate: Candidate) -> LoadedSpec:
    """The spec by which a candidate is tried. Raises CompileError where it does not go with the rest."""
    settings = candidate.settings(loaded.file.data or {})
    _as_spec(loaded, candidate, settings)  # what is not counted has to go with it, too
    settings.pop("compile", None)
    settings.pop("data_parallel_group", None)
    if "ddp" in settings:
        of_ddp = settings["ddp"].items()
        settings["ddp"] = {name: each for name, each in of_ddp if name not in NOT_COUNTED_OF_DDP}
    quiet = {"num_sanity_val_steps": 0, "enable_progress_bar": False}
    settings["trainer"] = {**(settings.get("trainer") or {}), **quiet}
    return _as_spec(loaded, candidate, settings)


def unscaled(loaded: LoadedSpec) -> LoadedSpec:
    """Half precision without a loss scaler, which looks at values: of the same size."""
    settings = dict(loaded.file.data or {})
    trainer = {**settings["trainer"], "precision": "bf16-mixed"}
    trainer.pop("plugins", None)
    return parse_spec(loaded.name, loaded.path, loaded.name, _text({**settings, "trainer": trainer}).encode())


def _as_spec(loaded: LoadedSpec, candidate: Candidate, settings: Settings) -> LoadedSpec:
    return parse_spec(loaded.name, loaded.path, f"the spec for {candidate.name}", _text(settings).encode())


def _text(settings: Settings) -> str:
    return yaml.safe_dump(dict(settings), sort_keys=False)


def written(loaded: LoadedSpec, candidate: Candidate) -> str:
    """The spec to paste, a line for each section."""
    settings = candidate.settings(loaded.file.data or {})
    return "".join(f"{name}: {_in_line(value)}\n" for name, value in settings.items())


def _in_line(value: Any) -> str:
    text = yaml.safe_dump(value, sort_keys=False, default_flow_style=True, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")
