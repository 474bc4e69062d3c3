"""The strategy spec: from YAML, or a preset's name, to a validated `StrategySpec` that knows its places."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .. import messages
from ..diagnostics import CompileError, Diagnostic, Span
from ..source.text_file import require_regular
from .sections.comm_hook import KINDS_OF_STATES, CommHookSettings, PowerSgdSettings
from .sections.compilation import CompileSettings
from .sections.fsdp import FsdpSettings, MixedPrecisionSettings, OffloadSettings, WrapSettings
from .sections.join import JoinSettings
from .sections.layer_sync import LayerSyncSettings
from .sections.local_sgd import LocalSgdSettings
from .sections.microbatch import AUTO, MicrobatchSettings
from .sections.model_parallel import ModelParallelSettings
from .sections.parallel_plan import LayerStyle
from .sections.section import ObjectSettings, Section, requirement
from .sections.strategy_spec import (
    LEFT_OUT_OF_DDP,
    OBJECTS,
    Backend,
    CheckpointSettings,
    CheckpointState,
    ClassSettings,
    DdpSettings,
    FailureSettings,
    Launch,
    Logger,
    LossKind,
    OptimizerSettings,
    PreemptionSettings,
    ProcessGroupSettings,
    Strategy,
    StrategySpec,
    SyncMode,
    ZeroSettings,
)
from .trainer_settings import Dropped, TrainerSettings, read_trainer_arguments
from .yaml_file import MAX_BYTES, MAX_PROBLEMS, KeyPath, YamlFile, read_yaml

if TYPE_CHECKING:
    from importlib.abc import Traversable

__all__ = [
    "OBJECTS",
    "Backend",
    "CheckpointSettings",
    "ClassSettings",
    "DdpSettings",
    "LoadedSpec",
    "Logger",
    "LossKind",
    "OptimizerSettings",
    "ProcessGroupSettings",
    "Strategy",
    "StrategySpec",
    "SyncMode",
    "TrainerSettings",
    "check_combinations",
    "conflicts_of_join",
    "conflicts_of_local_sgd",
    "conflicts_of_search",
    "conflicts_of_wrapper",
    "load_spec",
    "parse_spec",
    "preset_list",
]

ANY = "*"
"""Stands for keys that the user chooses."""

_SECTIONS: Mapping[KeyPath, type[Section]] = {
    (): StrategySpec,
    ("ddp",): DdpSettings,
    ("ddp", "comm_hook"): CommHookSettings,
    ("ddp", "comm_hook", "state"): PowerSgdSettings,
    ("ddp", "join"): JoinSettings,
    ("ddp", "local_sgd"): LocalSgdSettings,
    ("microbatch",): MicrobatchSettings,
    ("fsdp",): FsdpSettings,
    ("fsdp", "wrap"): WrapSettings,
    ("fsdp", "mixed_precision"): MixedPrecisionSettings,
    ("fsdp", "cpu_offload"): OffloadSettings,
    ("model_parallel",): ModelParallelSettings,
    ("model_parallel", "plan", ANY): LayerStyle,
    ("layer_sync",): LayerSyncSettings,
    ("process_group",): ProcessGroupSettings,
    ("model",): ClassSettings,
    ("data",): ClassSettings,
    ("checkpoint",): CheckpointSettings,
    ("preemption",): PreemptionSettings,
    ("failures",): FailureSettings,
    ("optimizer",): OptimizerSettings,
    ("optimizer", "zero"): ZeroSettings,
    ("compile",): CompileSettings,
}


@dataclass(frozen=True)
class LoadedSpec:
    """A spec, where it comes from, and where each of its settings stands."""

    spec: StrategySpec
    name: str  # the preset's, or the file's without its suffix; the script is train_<name>.py
    path: str | None  # as given; None for a preset
    dropped: tuple[Dropped, ...]  # settings of `trainer` that the script does without
    file: YamlFile
    problems: tuple[
        Diagnostic, ...
    ] = ()  # with it alone; a LightningCLI in the code may know what to make of it

    def place(self, key: str) -> messages.Place:
        """Where the value of `key` ("trainer.max_epochs") stands, and its line; else the section round it."""
        return self.file.place(self.file.position(_within(self.file, key.split("."))).value)

    def key_place(self, key: str) -> messages.Place:
        """As `place`, but the place of the key."""
        return self.file.place(self.file.position(_within(self.file, key.split("."))).key)

    def span(self, key: str) -> Span:
        return self.place(key)[0]

    def is_given(self, key: str) -> bool:
        """Whether the file itself has `key`."""
        return _within(self.file, key.split(".")) in self.file.positions


# ---- presets ---------------------------------------------------------------------------------------------


def _presets() -> dict[str, Traversable]:
    folder = resources.files("ddpgen.strategies").joinpath("presets")
    files = {
        file.name.removesuffix(".yaml"): file for file in folder.iterdir() if file.name.endswith(".yaml")
    }
    return dict(sorted(files.items()))


def preset_list() -> list[tuple[str, str]]:
    """Each preset's name and its description, which is the comment in its first line."""
    texts = {name: file.read_text("utf-8") for name, file in _presets().items()}
    return [(name, text.partition("\n")[0].lstrip("# ")) for name, text in texts.items()]


# ---- loading ---------------------------------------------------------------------------------------------


def load_spec(name_or_path: str) -> LoadedSpec:
    """The preset of that name, or the YAML file at that path, with its problems.

    Raises CompileError where it cannot be read.
    """
    presets = _presets()
    if name_or_path in presets:
        shown = f"ddpgen/strategies/presets/{name_or_path}.yaml"
        return parse_spec(name_or_path, None, shown, presets[name_or_path].read_bytes())
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml") and len(path.parts) < 2 and not is_file(path):
        close = difflib.get_close_matches(name_or_path, presets, n=1)
        raise CompileError([messages.unknown_strategy(name_or_path, list(presets), close)])
    shown = path.as_posix()
    return _read_spec(path.stem, name_or_path, _file(shown, _contents(path, shown)))


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _contents(path: Path, shown: str, of_cli: bool = False) -> bytes:
    try:
        require_regular(path)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise CompileError([messages.spec_unreadable(shown, reason or str(error), of_cli)]) from None


def parse_spec(name: str, path: str | None, shown: str, data: bytes) -> LoadedSpec:
    """The spec that `data` holds; diagnostics name the file as `shown`.

    Raises CompileError with all that is wrong with it.
    """
    return checked(_read_spec(name, path, _file(shown, data)))


def checked(loaded: LoadedSpec) -> LoadedSpec:
    """The spec, where nothing is wrong with it. Raises CompileError."""
    if loaded.problems:
        raise CompileError(loaded.problems)
    return loaded


def with_layers(loaded: LoadedSpec, file: YamlFile) -> LoadedSpec:
    """The spec that its file and others make together. Raises CompileError with all that is wrong with it."""
    return checked(_read_spec(loaded.name, loaded.path, file))


def read_layer(path: Path, *, last_counts: bool) -> YamlFile:
    """A file of LightningCLI's settings, which others go with; of a key that is given twice the last one may count.

    Raises CompileError where it is none.
    """
    shown = path.as_posix()
    file = _file(shown, _contents(path, shown, of_cli=True), last_counts)
    if file.problems:
        raise CompileError(file.problems)
    return file


def read_value(path: Path, *, last_counts: bool) -> YamlFile:
    """A file of what one setting is, a list of callbacks for one. Raises CompileError where it cannot be read."""
    shown = path.as_posix()
    file = read_yaml(shown, _contents(path, shown, of_cli=True), last_counts=last_counts)
    if file.problems:
        raise CompileError(file.problems)
    return file


def _file(shown: str, data: bytes, last_counts: bool = False) -> YamlFile:
    """Raises CompileError where it holds no settings."""
    file = read_yaml(shown, data, last_counts=last_counts)
    if file.data is not None and not isinstance(file.data, dict):
        place = file.place(file.position(()).value)
        raise CompileError([*file.problems, messages.spec_not_a_mapping(place)])
    return file


def _read_spec(name: str, path: str | None, file: YamlFile) -> LoadedSpec:
    settings = dict(file.data or {})
    trainer, dropped, wrong_trainer = _trainer_section(file, settings)
    settings.update(trainer)
    spec, wrong = _validated(file, settings)
    problems = [*file.problems, *wrong_trainer, *wrong]
    loaded = LoadedSpec(spec or StrategySpec(), name, path, dropped, file)
    problems += _conflicts(loaded) if spec else ()
    return replace(loaded, problems=tuple(problems[:MAX_PROBLEMS]))


Trainer = tuple[dict[str, Any], tuple[Dropped, ...], list[Diagnostic]]


def _trainer_section(file: YamlFile, settings: Mapping[Any, Any]) -> Trainer:
    section = settings.get("trainer")
    if not isinstance(section, dict):
        return {}, (), []
    objects = {name: section[name] for name in OBJECTS if _is_described(section.get(name))}
    read = read_trainer_arguments({name: section[name] for name in section if name not in objects})
    given = {name: getattr(read.settings, name) for name in read.settings.model_fields_set}
    wrong = []
    for problem in read.problems[:MAX_PROBLEMS]:
        position = file.position(_within(file, ("trainer", problem.name)))
        span = position.value if problem.name in TrainerSettings.model_fields else position.key
        wrong.append(messages.trainer_setting(file.place(span), problem.sentence))
    return {"trainer": {**given, **objects}}, read.dropped, wrong


def _is_described(value: Any) -> bool:
    """Whether a value may describe an object, or several, or none in a list; true, false and nothing do not."""
    return value is not None and not isinstance(value, bool)


def _validated(file: YamlFile, settings: Mapping[Any, Any]) -> tuple[StrategySpec | None, list[Diagnostic]]:
    try:
        return StrategySpec.model_validate(settings), []
    except ValidationError as failure:
        errors = failure.errors(include_url=False)[:MAX_PROBLEMS]
        return None, [_diagnostic(file, error) for error in errors]


def _diagnostic(file: YamlFile, error: ErrorDetails) -> Diagnostic:
    loc = [each for each in error["loc"] if each not in KINDS_OF_STATES]
    path = _within(file, loc)
    position = file.position(path)
    is_key = loc[-1] == "[key]"
    name = str(loc[-2] if is_key else loc[-1])
    if isinstance(loc[-1], int):
        name = f"{loc[-2]}[{name}]"
    if error["type"] == "extra_forbidden":
        if path[:-1] == ("ddp",) and name in LEFT_OUT_OF_DDP:
            return messages.ddp_setting_left_out(file.place(position.key), name, LEFT_OUT_OF_DDP[name])
        known = _known_settings(path[:-1])
        close = difflib.get_close_matches(name, known, n=1)
        return messages.unknown_setting(file.place(position.key), name, close, known)
    span = position.key if is_key else position.value
    if path == ("strategy",) and (preset := _presets().get(str(error["input"]))):
        settings = preset.read_text("utf-8").partition("\n")[2].rstrip()
        return messages.strategy_by_name(file.place(span), str(error["input"]), settings)
    return messages.invalid_setting(file.place(span), name, requirement(error))


def _known_settings(path: KeyPath) -> list[str]:
    section = _SECTIONS.get(path) or _SECTIONS.get((*path[:-1], ANY), ObjectSettings)
    fields = section.model_fields.items()
    return [field.alias or name for name, field in fields if field.annotation is not type(None)]


def _within(file: YamlFile, names: Iterable[Any]) -> KeyPath:
    """The path in the file that `names` lead to; pydantic's have keys as text, and what short forms leave out."""
    path: KeyPath = ()
    for name in names:
        found = [key for key in file.keys(path) if str(key) == str(name)]
        if found:
            path = (*path, found[0])
        elif name not in ("init_args", "[key]") and not str(name).isdigit():
            return (*path, name)
    return path


# ---- combinations ----------------------------------------------------------------------------------------


def _conflicts(loaded: LoadedSpec) -> Iterator[Diagnostic]:
    """Settings of this spec that do not go together, whatever the code says."""
    spec, ddp = loaded.spec, loaded.spec.ddp
    if spec.strategy is Strategy.SINGLE:
        for name in ("sync", "ddp", "process_group", "data_parallel_group", "launch", "layer_sync"):
            if loaded.is_given(name):
                yield messages.setting_without_ddp(loaded.key_place(name), name)
        if spec.optimizer.zero:
            yield messages.setting_without_ddp(loaded.key_place("optimizer.zero"), "zero")
    if spec.strategy is not Strategy.FSDP and spec.fsdp != FsdpSettings():
        yield messages.setting_without_fsdp(loaded.key_place("fsdp"), "fsdp")
    is_whole = not spec.strategy.is_sharded
    if is_whole and spec.checkpoint and spec.checkpoint.state is CheckpointState.SHARDED:
        yield messages.setting_without_fsdp(loaded.place("checkpoint.state"), "state: sharded")
    if spec.data_parallel_group and spec.launch not in (Launch.TORCHRUN, Launch.AUTO):
        yield messages.not_in_groups(loaded.key_place("launch"), "launch")
    if spec.model_parallel != ModelParallelSettings() and spec.strategy is not Strategy.MODEL_PARALLEL:
        yield messages.setting_without_model_parallel(loaded.key_place("model_parallel"))
    for key in _conflicts_of_fsdp(loaded):
        yield messages.not_with_fsdp(loaded.key_place(key), key.rpartition(".")[2])
    for key in _conflicts_of_model_parallel(loaded):
        yield messages.not_with_model_parallel(loaded.key_place(key), key.rpartition(".")[2])
    if ddp.comm_hook and spec.sync is SyncMode.FORCED_SYNC:
        yield messages.comm_hook_never_called(loaded.key_place("sync"))
    for key in conflicts_of_local_sgd(loaded):
        yield messages.not_with_local_sgd(loaded.key_place(key), key.rpartition(".")[2])
    for key in conflicts_of_join(loaded):
        yield messages.not_with_join(loaded.key_place(key), key.rpartition(".")[2])
    for key in conflicts_of_wrapper(loaded):
        yield messages.not_with_wrapper(loaded.key_place(key), key.rpartition(".")[2])
    if ddp.static_graph and spec.sync is SyncMode.FORCED_SYNC:
        # DDP's hooks are off in every backward, not in those of accumulation alone
        yield messages.static_graph_needs_multi_auto_sync(
            loaded.key_place("ddp.static_graph"), spec.sync.value
        )
    if ddp.static_graph and spec.microbatch:
        yield messages.not_with_microbatch(loaded.key_place("ddp.static_graph"), "static_graph")
    if spec.layer_sync and spec.microbatch:
        yield messages.not_with_microbatch(loaded.key_place("layer_sync"), "layer_sync")
    for key in conflicts_of_search(spec):
        yield messages.not_with_search(loaded.key_place(key), key.rpartition(".")[2])
    if ddp.static_graph and ddp.find_unused_parameters:
        yield messages.static_graph_finds_unused_parameters(loaded.key_place("ddp.find_unused_parameters"))
    if loaded.is_given("ddp.broadcast_buffers") and ddp.forward_sync_buffers is not None:
        yield messages.buffers_set_twice(loaded.key_place("ddp.broadcast_buffers"))
    if ddp.bucket_cap_mb is not None and ddp.bucket_cap_mb_list is not None:
        yield messages.bucket_sizes_set_twice(loaded.key_place("ddp.bucket_cap_mb"))
    if conflict := spec.trainer.conflict():
        name, sentence = conflict
        yield messages.trainer_conflict(loaded.place(f"trainer.{name}"), sentence)


def _conflicts_of_fsdp(loaded: LoadedSpec) -> list[str]:
    """What needs whole parameters on each rank, or averages their gradients by itself."""
    spec = loaded.spec
    asked = {
        "ddp": loaded.is_given("ddp"),
        "sync": spec.sync is SyncMode.FORCED_SYNC,
        "optimizer.zero": spec.optimizer.zero,
        "microbatch.auto": spec.microbatch and spec.microbatch.size == AUTO,
        "microbatch.split": spec.microbatch and spec.microbatch.split,
    }
    return [key for key, is_asked in asked.items() if spec.strategy is Strategy.FSDP and is_asked]


def _conflicts_of_model_parallel(loaded: LoadedSpec) -> list[str]:
    """What the model decides by itself, or counts ranks that read the same."""
    spec = loaded.spec
    asked = {
        "ddp": loaded.is_given("ddp"),
        "sync": loaded.is_given("sync"),
        "loss": spec.loss is LossKind.SUM,
        "microbatch": spec.microbatch,
        "layer_sync": spec.layer_sync,
        "optimizer.zero": spec.optimizer.zero,
        "data_parallel_group": spec.data_parallel_group,
    }
    return [key for key, is_asked in asked.items() if spec.strategy is Strategy.MODEL_PARALLEL and is_asked]


def conflicts_of_local_sgd(loaded: LoadedSpec) -> list[str]:
    """What needs gradients that are the same on all ranks, or counts other steps than the optimizer's."""
    spec = loaded.spec
    asked = {
        "ddp.comm_hook": spec.ddp.comm_hook,
        "ddp.find_unused_parameters": spec.ddp.find_unused_parameters,
        "optimizer.zero": spec.optimizer.zero,
        "sync": spec.sync is not SyncMode.SINGLE_AUTO_SYNC,
        "loss": spec.loss is LossKind.SUM,
    }
    return [key for key, is_asked in asked.items() if spec.ddp.local_sgd and is_asked]


def conflicts_of_join(loaded: LoadedSpec) -> list[str]:
    """What has ranks meet where one that has no batches left would not come, or cannot do without its gradients."""
    spec = loaded.spec
    asked = {
        "ddp.comm_hook": spec.ddp.comm_hook,
        "ddp.local_sgd": spec.ddp.local_sgd,
        "ddp.static_graph": spec.ddp.static_graph,
        "optimizer.zero": spec.optimizer.zero,
        "sync": spec.sync is SyncMode.FORCED_SYNC,
        "microbatch": spec.microbatch,
        "layer_sync": spec.layer_sync,
    }
    return [key for key, is_asked in asked.items() if spec.ddp.join and is_asked]


def conflicts_of_wrapper(loaded: LoadedSpec) -> list[str]:
    """What DistributedDataParallel does in whose place the wrapper is, and what averages gradients by hand."""
    spec, plain = loaded.spec, DdpSettings()
    asked = {
        f"ddp.{name}": value != getattr(plain, name) or loaded.is_given(f"ddp.{name}")
        for name, value in spec.ddp
        if name != "wrapper"
    }
    asked["sync"] = spec.sync is SyncMode.FORCED_SYNC
    asked["microbatch"] = spec.microbatch is not None and spec.microbatch.size == AUTO
    return [key for key, is_asked in asked.items() if spec.ddp.wrapper and is_asked]


def conflicts_of_search(spec: StrategySpec) -> list[str]:
    """What cannot be averaged by hand, as gradients are while the size of parts is looked for."""
    if spec.microbatch is None or spec.microbatch.size != AUTO:
        return []
    asked = {"ddp.comm_hook": spec.ddp.comm_hook, "ddp.local_sgd": spec.ddp.local_sgd}
    return [key for key, is_asked in asked.items() if is_asked]


def check_combinations(loaded: LoadedSpec, accumulates: bool) -> list[Diagnostic]:
    """What does not go together with the code; the spec's own conflicts are found when it is loaded."""
    spec = loaded.spec
    if spec.ddp.comm_hook and spec.sync is SyncMode.FORCED_SYNC:
        return [messages.comm_hook_never_called(loaded.key_place("sync"))]
    if accumulates and spec.stops_accumulating:
        place = loaded.key_place("ddp.static_graph")
        return [messages.static_graph_needs_multi_auto_sync(place, spec.sync.value)]
    return []
