"""What Lightning 1 had and Lightning 2 has not, and what to write in its place."""

from __future__ import annotations

from .api import PACKAGES

_KEEPS = "and have `{}` keep what it reads of `outputs` in a list of the class's own"

HOOKS = {
    "training_epoch_end": f"Move its code to `on_train_epoch_end`, {_KEEPS.format('training_step')}.",
    "validation_epoch_end": f"Move its code to `on_validation_epoch_end`, {_KEEPS.format('validation_step')}.",
    "test_epoch_end": f"Move its code to `on_test_epoch_end`, {_KEEPS.format('test_step')}.",
    "training_step_end": "Move its code to the end of `training_step`.",
    "validation_step_end": "Move its code to the end of `validation_step`.",
    "test_step_end": "Move its code to the end of `test_step`.",
    "training_end": "Move its code to the end of `training_step`.",
    "validation_end": f"Move its code to `on_validation_epoch_end`, {_KEEPS.format('validation_step')}.",
    "test_end": f"Move its code to `on_test_epoch_end`, {_KEEPS.format('test_step')}.",
    "on_epoch_start": "Move its code to `on_train_epoch_start`.",
    "on_epoch_end": "Move its code to `on_train_epoch_end`.",
    "on_batch_start": "Move its code to `on_train_batch_start`.",
    "on_batch_end": "Move its code to `on_train_batch_end`.",
    "on_pretrain_routine_start": "Move its code to `on_fit_start`.",
    "on_pretrain_routine_end": "Move its code to `on_fit_start`.",
    "on_train_dataloader": "Move its code to `train_dataloader`.",
    "on_val_dataloader": "Move its code to `val_dataloader`.",
    "on_test_dataloader": "Move its code to `test_dataloader`.",
    "tng_dataloader": "Rename it to `train_dataloader`.",
    "tbptt_split_batch": "Split the batch in `training_step`, and step the optimizer there by hand.",
    "get_progress_bar_dict": "Show values with `self.log(name, value, prog_bar=True)`.",
    "on_hpc_save": "Move its code to `on_save_checkpoint`.",
    "on_hpc_load": "Move its code to `on_load_checkpoint`.",
    "on_post_move_to_device": "Tie parameters in `__init__`.",
    "configure_ddp": (
        "The script wraps the model itself: write DDP's arguments into the spec's `ddp` section, or a class of your "
        "own in its place, `ddp: {wrapper: my_project.Wrapper}`."
    ),
    "init_ddp_connection": "torchrun and the script connect the processes: remove it.",
    "configure_apex": "Give the Trainer a `precision` in its place.",
    "amp_scale_loss": "Give the Trainer a `precision` in its place.",
}
"""Methods of models that Lightning 1 called."""

SHOWING = frozenset({"get_progress_bar_dict"})
"""Those that but showed something: without them training is the same."""

STOPPING_TESTS = frozenset({"test_epoch_end"})
STOPPING = frozenset({"training_epoch_end", "validation_epoch_end", *STOPPING_TESTS})
"""Those at which Lightning 2 stops, whoever calls them: the first as soon as it tests, else as soon as it trains."""

CALLBACK_HOOKS = {
    "on_epoch_start": HOOKS["on_epoch_start"],
    "on_epoch_end": HOOKS["on_epoch_end"],
    "on_batch_start": HOOKS["on_batch_start"],
    "on_batch_end": HOOKS["on_batch_end"],
    "on_init_start": "Move its code to `setup`.",
    "on_init_end": "Move its code to `setup`.",
    "on_configure_sharded_model": "Move its code to `setup`.",
    "on_before_accelerator_backend_setup": "Move its code to `setup`.",
    "on_pretrain_routine_start": HOOKS["on_pretrain_routine_start"],
    "on_pretrain_routine_end": HOOKS["on_pretrain_routine_end"],
    "on_keyboard_interrupt": "Move its code to `on_exception`.",
}
"""The same of callbacks."""

HOOK_ARGUMENTS = {
    "dataloader_idx": "Where there is one loader, there is none: remove it, or write `dataloader_idx=0`.",
    "hiddens": "Keep hidden states in an attribute, and remove it.",
    "on_tpu": "Remove it.",
    "optimizer_idx": (
        "A step is called once, for all optimizers: with several, write `self.automatic_optimization = False` in "
        "`__init__`, and step each in `training_step`. Remove it."
    ),
    "opt_idx": "A step is called once, for all optimizers: remove it.",
    "outputs": "Keep what is needed of them in a list of the class's own, in the step, and remove it.",
    "unused": "Remove it.",
    "using_lbfgs": "Remove it.",
    "using_native_amp": "Remove it.",
}
"""Arguments that it gave to hooks."""

_TORCHRUN = "Leave it out: torchrun decides how many processes train."
_SHOWS = "Leave it out: it has no effect on training."

TRAINER_ARGUMENTS = {
    "add_row_log_interval": "It is `log_every_n_steps` now.",
    "amp_backend": "Leave it out: `precision` says all.",
    "amp_level": "Leave it out: `precision` says all.",
    "auto_lr_find": "Set the learning rate yourself.",
    "auto_scale_batch_size": "Set the batch size yourself.",
    "auto_select_gpus": "Leave it out: torchrun gives each process a GPU of its own.",
    "checkpoint_callback": "It is `enable_checkpointing` now; a ModelCheckpoint belongs into `callbacks`.",
    "default_save_path": "It is `default_root_dir` now.",
    "distributed_backend": "It is `strategy` now.",
    "early_stop_callback": "Give `callbacks` an `EarlyStopping(...)`.",
    "flush_logs_every_n_steps": "It is an argument of CSVLogger now.",
    "gpus": _TORCHRUN,
    "gradient_clip": "It is `gradient_clip_val` now.",
    "ipus": _TORCHRUN,
    "log_gpu_memory": _SHOWS,
    "log_save_interval": "It is an argument of CSVLogger now, `flush_logs_every_n_steps`.",
    "max_nb_epochs": "It is `max_epochs` now.",
    "min_nb_epochs": "It is `min_epochs` now.",
    "move_metrics_to_cpu": "Leave it out: log with `.cpu()` what should not stay on the device.",
    "multiple_trainloader_mode": "Return a `CombinedLoader(loaders, mode)` from `train_dataloader`.",
    "nb_gpu_nodes": _TORCHRUN,
    "nb_sanity_val_steps": "It is `num_sanity_val_steps` now.",
    "num_processes": _TORCHRUN,
    "overfit_pct": "It is `overfit_batches` now.",
    "prepare_data_per_node": "It is an attribute of the data module or the model now.",
    "print_nan_grads": "It is `detect_anomaly` now.",
    "process_position": _SHOWS,
    "progress_bar_refresh_rate": "It is `enable_progress_bar` now, for a rate of 0; leave out any other.",
    "reload_dataloaders_every_epoch": "It is `reload_dataloaders_every_n_epochs=1` now.",
    "replace_sampler_ddp": "It is `use_distributed_sampler` now.",
    "resume_from_checkpoint": "It is `ckpt_path` of `fit` now; a script goes on from its own with `--resume`.",
    "row_log_interval": "It is `log_every_n_steps` now.",
    "show_progress_bar": "It is `enable_progress_bar` now.",
    "stochastic_weight_avg": "Give `callbacks` a `StochasticWeightAveraging(...)`.",
    "terminate_on_nan": "It is `detect_anomaly` now.",
    "test_percent_check": "It is `limit_test_batches` now.",
    "tpu_cores": _TORCHRUN,
    "track_grad_norm": "Log the norm of the gradients in `on_before_optimizer_step`.",
    "train_percent_check": "It is `limit_train_batches` now.",
    "truncated_bptt_steps": "Split the batch in `training_step`, and step the optimizer there by hand.",
    "use_amp": "It is `precision` now, such as `16-mixed`.",
    "val_percent_check": "It is `limit_val_batches` now.",
    "weights_save_path": "It is `default_root_dir` now.",
    "weights_summary": "It is `enable_model_summary` now.",
}
"""Arguments of the Trainer's."""


_SAVES = (
    "Leave it out, as the script saves no file of its settings; Lightning 2 takes it in `save_config_kwargs`."
)
_PARSES = "Lightning 2 takes it in `parser_kwargs`."

CLI_ARGUMENTS = {
    "save_config_filename": _SAVES,
    "save_config_overwrite": _SAVES,
    "save_config_multifile": _SAVES,
    "description": _PARSES,
    "env_prefix": _PARSES,
    "env_parse": _PARSES,
}
"""Arguments of LightningCLI's."""


def removed_argument(name: str) -> str | None:
    """What to write in the place of an argument of the Trainer's, if only Lightning 1 has it."""
    known = TRAINER_ARGUMENTS.get(name)
    return f"Lightning 2 has no `{name}` any more. {known}" if known else None


FIT_ARGUMENTS = {
    "train_dataloader": "It is `train_dataloaders` now.",
    "test_dataloader": "It is `dataloaders` now.",
    "test_dataloaders": "It is `dataloaders` now.",
    "val_dataloaders": "It is `dataloaders` now.",
}
"""Arguments of `fit`, `validate`, `test` and `predict`."""

TRAINER_MEMBERS = {
    "callback_connector": "Ask for `callbacks`",
    "checkpoint_connector": "Ask for `ckpt_path`",
    "data_parallel_device_ids": "Ask for `local_rank`",
    "evaluating": "Ask for `validating` or `testing`",
    "get_model": "Ask for `lightning_module`",
    "gpus": "Ask for `world_size`",
    "logger_connector": "Ask for `callback_metrics`",
    "lr_find": "Set the learning rate yourself",
    "lr_schedulers": "Ask for `lr_scheduler_configs`",
    "num_gpus": "Ask for `world_size`",
    "num_processes": "Ask for `world_size`",
    "proc_rank": "Ask for `global_rank`",
    "progress_bar_dict": "Ask for `callback_metrics`",
    "reset_train_dataloader": "Call `fit_loop.setup_data()`",
    "resume_from_checkpoint": "Ask for `ckpt_path`",
    "root_gpu": "Ask for `strategy.root_device`",
    "running_sanity_check": "Ask for `sanity_checking`",
    "total_batch_idx": "Ask for `global_step`",
    "train_loop": "Ask for `current_epoch` or `global_step`",
    "training_type_plugin": "Ask for `strategy`",
    "tune": "Set the batch size and the learning rate yourself",
    "tuner": "Set the batch size and the learning rate yourself",
    "use_amp": "Ask for `precision`",
    "use_ddp": "Ask whether `world_size` is more than 1",
    "weights_save_path": "Ask for `default_root_dir`",
}
"""What code asked of a Trainer."""

MEMBERS = {
    "datamodule": "Ask `self.trainer.datamodule` instead",
    "get_progress_bar_dict": "Show values with `self.log(name, value, prog_bar=True)` instead",
    "get_tqdm_dict": "Show values with `self.log(name, value, prog_bar=True)` instead",
    "model_size": "Do without it",
    "on_tpu": "Ask `self.device.type` instead",
    "summarize": "Do without it",
    "truncated_bptt_steps": "Split the batch in `training_step` instead",
    "use_amp": "Ask `self.trainer.precision` instead",
    "use_ddp": "Ask whether `self.trainer.world_size` is more than 1 instead",
}
"""What models asked of themselves."""

_METRICS = "They are a package of their own now: `from torchmetrics import ...`."
_STRATEGY = "Give the Trainer a `strategy`, such as `DDPStrategy(...)`."
_RESULT = "Return the loss, or a dict with `loss`, and log with `self.log`."
_REGISTRY = "Remove it: LightningCLI finds a class by its `class_path`."

MODULES = {
    "metrics": _METRICS,
    "core.decorators": "Remove the decorator; move what a method is given to `self.device` in it.",
    "core.step_result": _RESULT,
    "lite": "It is Fabric now.",
    "logging": "It is `lightning.pytorch.loggers` now.",
    "root_module": "Import `LightningModule` from `lightning`.",
}
"""Modules of its, as seen from the package."""

NAMES = {
    "AMPType": "Ask `self.trainer.precision`.",
    "ApexMixedPrecisionPlugin": "Give the Trainer a `precision` in its place.",
    "BaseProfiler": "It is `Profiler` now.",
    "CALLBACK_REGISTRY": _REGISTRY,
    "DATAMODULE_REGISTRY": _REGISTRY,
    "DDP2Plugin": _STRATEGY,
    "DDPPlugin": _STRATEGY,
    "DDPShardedPlugin": _STRATEGY,
    "DDPSpawnPlugin": _STRATEGY,
    "DataParallelPlugin": _STRATEGY,
    "DeepSpeedPlugin": _STRATEGY,
    "EvalResult": _RESULT,
    "GPUStatsMonitor": "It is `DeviceStatsMonitor` now.",
    "LearningRateLogger": "It is `LearningRateMonitor` now.",
    "LightningDistributedDataParallel": _STRATEGY,
    "LightningLite": "It is Fabric now.",
    "LightningLoggerBase": "It is `Logger` now.",
    "LoggerCollection": "A Trainer's `loggers` are a list now.",
    "MODEL_REGISTRY": _REGISTRY,
    "NativeMixedPrecisionPlugin": "It is `MixedPrecision` now.",
    "ProgressBarBase": "It is `ProgressBar` now.",
    "QuantizationAwareTraining": "Prepare the model with `torch.ao.quantization` in `__init__`.",
    "Result": _RESULT,
    "TestTubeLogger": "Log with a `TensorBoardLogger`.",
    "TrainResult": _RESULT,
    "XLAStatsMonitor": "It is `DeviceStatsMonitor` now.",
    "add_argparse_args": (
        'Add the options that you use by yourself: `parser.add_argument("--max_epochs", type=int, default=10)`.'
    ),
    "data_loader": "Remove the decorator.",
    "from_argparse_args": "Write out what the options say, as in `Trainer(max_epochs=args.max_epochs)`.",
    "parse_argparser": "Take what `parser.parse_args()` gives.",
}
"""What it had under other names, wherever that is imported from."""


def instead_of(dotted: str) -> str | None:
    """What to write in the place of a name of Lightning's, if only Lightning 1 has it."""
    parts = dotted.split(".")
    while parts and parts[0] in (*PACKAGES, "pytorch"):
        parts = parts[1:]
    inner = ".".join(parts)
    module = next((each for each in MODULES if inner == each or inner.startswith(f"{each}.")), None)
    return MODULES[module] if module else NAMES.get(parts[-1]) if parts else None
