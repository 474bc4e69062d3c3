"""What a script asks of the runtime's classes, and what it knows of the values that they work with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import reduce

from ..ir.script import Script
from ..lightning.api import CALLBACKS, LOGGERS, METRICS, OF_ACCELERATOR, OF_PROFILER
from ..lightning.internals import SETTINGS, lent_by
from ..source.names import attributes_in
from .constructed import (
    FOR_OTHERS,
    all_members,
    flags_of_class,
    known_of,
    members_of,
    unasked_flags,
    unasked_members,
    unasked_parameters,
)
from .definitions import load_runtime
from .folding.known import Known
from .loggers import known_of_logger

UNCALLED = frozenset({"log_graph"})
"""Methods of loggers that the user's code alone may call, but where graphs are drawn."""

WITHOUT_FOLDER = frozenset({"root_dir", "log_dir"})
"""What it alone may ask of loggers that have no folder of their own."""

OF_WANDB = WITHOUT_FOLDER | frozenset(
    "watch log_image log_audio log_video log_text log_table use_artifact download_artifact".split()
)
"""The same of Weights & Biases."""

LOGGING = ("LearningRateMonitor",)
"""Callbacks that write values."""

OF_OPTIMIZERS = frozenset("optimizers manual_backward clip_gradients configure_gradient_clipping".split())
"""Methods of the module's that depend on how its optimizers are stepped."""

ABSENT_FROM_TRAINER = {"note": "None", "failed": "False", "logs": "None"}
"""Attributes that only some scripts ask of the trainer, with the value that they have in others."""

OF_PLACES = ("ranks_from_env", "env_rank", "Trainer", "TrainModule", "local_gradients")
"""What reads a process's place, which its launcher says."""

SAVING = (
    "ModelCheckpoint",
    "OnExceptionCheckpoint",
    "TrainModule",
    "Trainer",
    "claim_folder",
    "damage_of",
    "is_saved_again",
    "load_saved",
    "move_aside",
    "write_checkpoint",
    "write_in_background",
    "write_kept_in_background",
    "write_remote",
)
"""What reads, writes or removes checkpoints."""

OF_PATHS = frozenset({"__str__", "__eq__", "__hash__", "__truediv__"})
"""Methods of theirs that are called by other means than their names."""

MOVING = ("to_device", "parts_of")
"""The functions that go through batches."""


def members(script: Script, code: str, user_attributes: frozenset[str]) -> dict[str, frozenset[str]]:
    """The members of each class that the script's code asks for."""
    found = [_members(each, code, user_attributes) for each in (script, *script.kinds)]
    return {name: frozenset[str]().union(*(each[name] for each in found)) for name in found[0]}


def known(script: Script) -> dict[str, Known]:
    """What is known of the values that the classes work with, whichever kind of model is trained."""
    kinds = script.kinds or (script,)
    found = [_known(each) for each in kinds]
    common = {name: _common(name, (each.get(name, Known()) for each in found)) for name in found[0]}
    by_hand = [_known_of_steps(each) for each in kinds if each.features["manual"]]
    stepping = [_known_of_optimizers(each) for each in kinds if each.module_members & OF_OPTIMIZERS]
    common["TrainModule"] = common["TrainModule"].beside(_common("TrainModule", stepping))
    return common | {"ManualOptimizer": _common("ManualOptimizer", by_hand)}


def known_of_batches(names: Set[str]) -> dict[str, Known]:
    """How batch samplers are made anew, by what the script's own code refers to."""
    shares = {} if "unrepeated" in names else {"shares": "True"}
    return {"with_sampler": Known({"keeps": str("keeping_arguments" in names), **shares})}


def known_of_targets(names: Set[str]) -> dict[str, Known]:
    """Whether classes that a configuration names may be callbacks of Lightning's, which are dataclasses in a script."""
    found = load_runtime().definitions
    are_there = any("@dataclass" in found[each].code for each in CALLBACKS.keys() & names & found.keys())
    return {"own_target": Known(results={} if are_there else {"is_dataclass": "False"})}


def _common(name: str, found: Iterable[Known]) -> Known:
    """What is known of a class in the scripts of all kinds."""
    first, *others = (*found,) or (Known(),)
    flags = flags_of_class(name) if others and name in load_runtime().definitions else {}
    return reduce(lambda one, other: one.common(other, flags), others, first)


def _members(script: Script, code: str, user_attributes: frozenset[str]) -> dict[str, frozenset[str]]:
    trainer = script.asked
    attributes = attributes_in(code)
    calls = {"__call__"} if script.features["logging"].is_called else set()
    drawn = UNCALLED if script.features["graphs"] else frozenset[str]()
    return {
        "TrainModule": script.module_members,
        "DataModule": script.data_members,
        "GivenLoaders": script.data_hooks,
        "Trainer": trainer,
        "Precision": attributes,
        "Logs": attributes | calls | METRICS & trainer,
        "MicrobatchLogs": attributes | calls,
        "HParams": script.hparams_members,
        "Strategy": user_attributes,
        "CheckpointIO": user_attributes,
        "ClusterEnvironment": user_attributes,
        "TorchCheckpointIO": all_members("TorchCheckpointIO"),
        "Accelerator": _accelerator_members(user_attributes),
        "PassThroughProfiler": user_attributes & OF_PROFILER | {"profile"},
        "Ranks": attributes | {"rank", "local_rank", "world_size"},
        "Schedule": attributes | ({"__post_init__"} if "read_optimizers(" in code else set()),
        "JsonlLogger": attributes,
        "RemoteJsonlLogger": attributes,
        "RemotePath": attributes | OF_PATHS,
        "EpochReduction": frozenset({"update", "compute"}) | _beginnings(script),
        "LoggerObjects": attributes,
        "ManualOptimizer": _optimizer_members(script),
        "HookedOptimizer": frozenset({"step", "reset_hooks"}),
        "Callback": script.callback_members,
        **{name: _members_of_callback(name, script.mentioned) for name in SETTINGS},
        **{kept.name: kept.members for kept in script.callbacks},
        **{name: members_of(name) - (UNCALLED - user_attributes) for name in LOGGERS},
        "TensorBoardLogger": members_of("TensorBoardLogger") - (UNCALLED - user_attributes - drawn),
        "WandbLogger": members_of("WandbLogger") - ((UNCALLED | OF_WANDB) - user_attributes),
        "MLFlowLogger": members_of("MLFlowLogger") - ((UNCALLED | WITHOUT_FOLDER) - user_attributes),
        "CometLogger": members_of("CometLogger") - (WITHOUT_FOLDER - user_attributes),
    }


def _known(script: Script) -> dict[str, Known]:
    logging, manual = script.features["logging"], script.features["manual"]
    unused = dict(logging.unused_options)
    told = {"trainer.logged_step": f"trainer.{'batches_done' if manual else 'global_step'}"}
    found = {
        "Trainer": _known_of_trainer(script),
        **({} if _syncs(script) else {"EpochReduction": Known(attributes={"sync": "False"})}),
        **({} if _reduces(script) else MEANS_ALONE),
        **dict.fromkeys(("shard_model", "shard_parts", "share_out"), _known_of_sharding(script)),
        "CombinedLoader": Known(results={"may_have_streams": str(script.features["train_data"].has_streams)}),
        "own_buffers": _known_of_buffers(script),
        "claim_folder": _known_of_claim(script),
        "stored_states": Known({} if manual else {"number": "0"}),
        "grad_norm": Known({"are_shares": str(script.features["fsdp"] is not None)}),
        "LoggerObjects": Known(inlines=True),
        "local_device": _known_of_device(script),
        "Precision": _known_of_precision(script),
        "read_several": Known({} if "lr_scheduler_configs" in script.asked else {"read": "bare_scheduler"}),
        "Logs": Known(
            unused
            | {f"{name}=": value for name, value in unused.items()}
            | ({} if _syncs(script) else {"sync": "False", "sync=": "False"})
            | ({} if logging.tells_training else {"training": "True"}),
            logging.absent
            | ({} if logging.tells_training else {"training": "True"})
            | {"may_be_double": str(_may_be_double(script))},
            types=logging.absent_types | (frozenset() if script.features["fsdp"] else {"DTensor"}),
            present=logging.present,
        ),
        "MicrobatchLogs": Known(
            attributes={
                "is_told_sizes": str("batch_size" not in unused),
                "is_told_reductions": str("reduce_fx" not in unused),
            },
            types=logging.absent_types,
        ),
        "TrainModule": _known_of_module(script, unused),
        **{name: _known_of_callback(name, script.mentioned) for name in CALLBACKS.keys() - {*LOGGING}},
        **{name: Known(attributes=flags_of_class(name), told=told) for name in LOGGING},
        **_known_of_loaded_data(script),
        **_known_of_hyperparameters(script),
        **{kept.name: known_of(kept) for kept in script.callbacks},
        **{
            made.name: known_of_logger(made, script.mentioned, not script.features["loggers"].are_scalars)
            for made in script.loggers
        },
        # default_collate refuses dataclasses that are neither mappings nor sequences
        **({name: Known(results={"is_dataclass": "False"}) for name in MOVING} if script.collates else {}),
        "unrepeated": Known({} if _tells_who_reads(script) else {"splits": "True"}),
        "Draws": Known(
            attributes={} if script.features["randomness"].generators else {"has_generators": "False"}
        ),
        "KeptOrder": Known(attributes={} if _may_have_workers(script) else {"idle": "0"}),
        "seed_everything": _known_of_seeding(script),
        "Appointments": Known({} if _requeues(script) else {"requeues": "False"}),
        "open_experiments": Known({"shares_versions": str(not script.features["loggers"].are_numbered)}),
        "save_hyperparameters": _known_of_saving(script),
        "parse_config": Known({} if script.features["main"].required else {"required": "None"}),
    }
    found |= _known_of_checkpoints(script, found)
    return found | _known_of_places(script, found)


def _known_of_saving(script: Script) -> Known:
    """What a main leaves out of the hyperparameters that it saves, and who asks what they are by then."""
    ignored = {} if script.ignores_hparams else {"ignore": "None"}
    return Known({**ignored, "keeps_initial": str(script.keeps_initial_hparams)})


def _members_of_callback(name: str, mentioned: frozenset[str]) -> frozenset[str]:
    """The members of one that other classes derive from, or that is made in ways that are not known."""
    others = FOR_OTHERS.get(name, frozenset())
    return (all_members(name) | lent_by(name) | others) - unasked_members(name, mentioned)


def _known_of_callback(name: str, mentioned: frozenset[str]) -> Known:
    """The flags of such a one."""
    unasked = dict.fromkeys(unasked_flags(name, mentioned) - {"says_why"}, "False")
    return Known(attributes={**flags_of_class(name), **unasked}, methods=unasked_parameters(mentioned))


def _known_of_checkpoints(script: Script, known: Mapping[str, Known]) -> dict[str, Known]:
    """What each checkpoint is."""
    background = script.features["background"] is not None
    keeps = {
        "keeps_folders": str(script.features["saved_state"].is_shared),
        "may_hold_objects": str(script.features["saved_state"].may_hold_objects),
        "has_checkpoint_io": str(script.features["saved_state"].by_objects),
        "saves_in_background": str(background),
        "saves_at_batch_ends": str(script.features["waiting_saves"] is not None),
        "saves_remotely": str(script.is_remote),
    }
    saving = {name: known.get(name, Known()) for name in SAVING}
    ungrouped = {} if background else dict.fromkeys(("group", "group=", "process_group="), "None")
    fit = script.features["fit"]
    told = {} if fit and fit.takes_weights_only else {"safely": "True"}
    return {
        "read_checkpoint": Known(told),
        **{name: replace(each, results={**each.results, **keeps}) for name, each in saving.items()},
        **dict.fromkeys(
            ("write_shares", "write_kept_shares", "await_ranks"), Known(ungrouped, results=keeps)
        ),
    }


def _known_of_places(script: Script, known: Mapping[str, Known]) -> dict[str, Known]:
    """Whose variables say what place a process has."""
    launch = script.features["launch"]
    if launch is None:
        says = {"launch_variables": "os.environ"}
        read = {name: known.get(name, Known()) for name in OF_PLACES}
        return {name: replace(each, results={**each.results, **says}) for name, each in read.items()}
    says = {} if launch.launcher == "auto" else {"launcher_says": f"{launch.launcher}_variables()"}
    return {"launch_variables": Known(results=says)}


def _may_have_workers(script: Script) -> bool:
    """Whether processes may read an epoch's batches in which a run goes on."""
    train = script.features["train_data"]
    return train is None or train.kept != "SampledBatches"


def _tells_who_reads(script: Script) -> bool:
    """Whether predictions may be made by all ranks alike."""
    loaders = (each.loader for each in script.evaluations)
    return any("splits=" in code for each in loaders for code in (each.first, each.each))


def _known_of_seeding(script: Script) -> Known:
    """Whether packages are imported behind it."""
    return Known(results={"imports_later": str(script.features["randomness"].imports_later)})


def _known_of_device(script: Script) -> Known:
    """The kind of device, where that is known when building."""
    accelerator = script.features["accelerator"]
    return Known({} if accelerator.is_open else {"kind": repr(accelerator.kind).replace("'", '"')})


def _known_of_precision(script: Script) -> Known:
    precision = script.features["precision"]
    converts = precision is not None and bool(precision.conversion)
    return Known(attributes={} if converts else {"converts": "False"}, inlines=True)


def _requeues(script: Script) -> bool:
    preemption = script.features["preemption"]
    return preemption is not None and bool(preemption.requeues)


SETTING_TYPES = frozenset({"set_default_dtype", "set_default_tensor_type"})
"""Functions of torch's that say of which type new tensors are."""

MEANS_ALONE = {
    "told_value": Known(types=frozenset({"EpochReduction"})),
    "kept_value": Known({"reduces": "False"}),
}
"""What is known where values are reduced to means alone."""


def _reduces(script: Script) -> bool:
    """Whether something may be logged for another value than the mean."""
    return "reduce_fx" not in script.features["logging"].unused_options


def _beginnings(script: Script) -> frozenset[str]:
    """What says in which type an epoch's values are reduced."""
    return frozenset({"begin"}) if _may_be_double(script) else frozenset()


def _may_be_double(script: Script) -> bool:
    """Whether new tensors may be of double precision, by the precision or by what the code says of them."""
    precision = script.features["precision"]
    by_precision = precision is not None and bool(precision.may_be_double)
    return by_precision or bool(SETTING_TYPES & script.mentioned)


def _known_of_trainer(script: Script) -> Known:
    """What it is not asked for, and how often its model is another's."""
    absent = {name: value for name, value in ABSENT_FROM_TRAINER.items() if name not in script.asked}
    if "has_no_model" not in script.asked:
        absent["has_no_model"] = (
            "self.model is None" if script.features["logging"].asks_after_runs else "False"
        )
    kinds = {
        "IS_TOLD_KIND": str(script.features["accelerator"].is_open),
        "SHARES_MODEL": str(script.features["fsdp"] is not None),
        "READS_STREAM": str("ends_stream" in script.asked),
    }
    unasked = {
        **({} if script.saves_weights_alone else {"weights_only": "False"}),
        **({} if script.features["saved_state"].by_objects else {"storage_options": "None"}),
    }
    return Known({"kind=": "None"} | unasked, absent | kinds)


def _known_of_claim(script: Script) -> Known:
    """Whether a run may be told to go on in its folder."""
    claim = script.features["claim"]
    return Known({} if claim is None or claim.keep else {"keep": "False"})


def _known_of_buffers(script: Script) -> Known:
    """Whether ranks may have parts of them."""
    return Known(types=frozenset[str]() if script.features["model_parallel"] else frozenset({"DTensor"}))


def _known_of_sharding(script: Script) -> Known:
    """What a sharded model is told beside what is gathered at a time."""
    fsdp = script.features["fsdp"]
    is_asked = {
        "policies": fsdp is not None and fsdp.is_alone_too,
        "norm_policy": fsdp is not None and fsdp.casts,
    }
    absent = {"norm_policy": "None", "**policies": "{}", "policies": "{}"}
    return Known({name: code for name, code in absent.items() if not is_asked[name.strip("*")]})


def _syncs(script: Script) -> bool:
    """Whether something may be logged with `sync_dist`."""
    return "sync_dist" not in script.features["logging"].unused_options


def _accelerator_members(user_attributes: frozenset[str]) -> frozenset[str]:
    counts = "auto_device_count" in user_attributes
    return user_attributes & OF_ACCELERATOR | {"kind"} | ({"is_available"} if counts else set())


def _known_of_loaded_data(script: Script) -> dict[str, Known]:
    """What data modules that are loaded from checkpoints keep there."""
    found = script.features["data_hyperparameters"]
    told = {
        "cls.saves_arguments": str(found is not None and found.saves_any),
        "data.has_state": str(found is not None and found.restores_any),
    }
    return dict.fromkeys(("DataModule", "of_data"), Known(told=told))


def _known_of_hyperparameters(script: Script) -> dict[str, Known]:
    """Whether checkpoints may hold configurations of OmegaConf's, as dicts and lists."""
    parts = (script.features["hyperparameters"], script.features["data_hyperparameters"])
    holds = any(part is not None and part.holds_configurations for part in parts)
    known = Known(results={"may_hold_configurations": str(holds)})
    return dict.fromkeys(("plain_entries", "left_out", "saved_arguments"), known)


def _optimizer_members(script: Script) -> frozenset[str]:
    manual = script.features["manual"]
    toggles = manual is not None and manual.toggles_model
    return frozenset({"step", "__getattr__", *(["toggle_model"] if toggles else [])})


def _known_of_module(script: Script, unused_options: Mapping[str, str]) -> Known:
    parameters = {"*positional": "()"} if unused_options else {}
    known = {"strict_loading": "True", "follows_loaded": "False"}
    told = {f"model.{name}": known[name] for name in known.keys() - script.module_members}
    return Known(
        parameters,
        attributes={"works_alone": str("works_alone" in script.module_members)},
        types=script.features["logging"].absent_collections,
        told=told,
    )


def _known_of_steps(script: Script) -> Known:
    """What optimizers do that the model itself steps."""
    manual = script.features["manual"]
    return Known(
        attributes={
            "calls_hook": str(manual.has_step_hook),
            "calls_callbacks": str("on_before_optimizer_step" in manual.of_callbacks),
            "shares_gradients": str(manual.shares),
            "scales_losses": str(manual.scales),
        }
    )


def _known_of_optimizers(script: Script) -> Known:
    """What models do with theirs."""
    manual = script.features["manual"]
    wraps = manual is not None and manual.wraps
    of_callbacks = manual.of_callbacks if manual else frozenset()
    attributes = {
        "wraps_optimizers": str(wraps),
        "has_backward_hooks": str(manual is not None and manual.has_backward_hooks),
        "calls_before_backward": str("on_before_backward" in of_callbacks),
        "calls_after_backward": str("on_after_backward" in of_callbacks),
        "has_own_backward": str(manual is not None and manual.has_own_backward),
        "shares_gradients": str(manual is not None and manual.shares),
        "scales_losses": str("loss_scaler" in script.asked),
    }
    is_given = wraps or script.chooses_optimizers
    return Known({} if is_given else {"use_pl_optimizer": "True"}, attributes)
