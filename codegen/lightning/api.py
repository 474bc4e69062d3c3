"""What Lightning offers, by name, and what a script does with it."""

from __future__ import annotations

PACKAGES = ("lightning", "pytorch_lightning", "lightning_fabric")

PARTS = frozenset("""
    accelerators app callbacks cli core data demos fabric loggers loops metrics overrides plugins profilers pytorch
    pytorch_lightning store strategies trainer tuner utilities
    """.split())
"""What is imported from them."""

OF_OTHERS = {
    f"{module}.PyTorchLightningPruningCallback": "lightning.pytorch.callbacks.PyTorchLightningPruningCallback"
    for package in ("optuna.integration", "optuna_integration")
    for module in (package, f"{package}.pytorch_lightning")
} | {
    f"lightning_utilities.core.rank_zero.{name}": f"lightning.pytorch.utilities.rank_zero.{name}"
    for name in "rank_zero_only rank_zero_info rank_zero_warn rank_zero_debug rank_prefixed_message".split()
}
"""What other packages have for Lightning, and the script has too, as if it were Lightning's own."""


SHIPPED = ("lightning.pytorch.demos", "pytorch_lightning.demos")
"""Modules of Lightning's that are models, data and callbacks such as anybody's, and are read like those."""


def is_shipped(module: str) -> bool:
    """Whether a module of Lightning's is read like a project's own."""
    return any(module == name or module.startswith(f"{name}.") for name in SHIPPED)


def is_lightnings(dotted: str) -> bool:
    """Whether a dotted name leads to something of Lightning's."""
    return dotted.partition(".")[0] in PACKAGES or dotted in OF_OTHERS


STARRED = {
    "": "LightningModule LightningDataModule Trainer Callback seed_everything",
    "cli": "LightningArgumentParser LightningCLI SaveConfigCallback",
    "core": "LightningDataModule LightningModule",
    "trainer": "Trainer",
    "callbacks": """
        BackboneFinetuning BaseFinetuning BasePredictionWriter BatchSizeFinder Callback Checkpoint DeviceStatsMonitor
        EMAWeightAveraging EarlyStopping GradientAccumulationScheduler LambdaCallback LearningRateFinder
        LearningRateMonitor ModelCheckpoint ModelPruning ModelSummary OnExceptionCheckpoint ProgressBar
        RichModelSummary RichProgressBar SpikeDetection StochasticWeightAveraging TQDMProgressBar ThroughputMonitor
        Timer WeightAveraging
        """,
    "loggers": "CSVLogger CometLogger LitLogger Logger MLFlowLogger TensorBoardLogger WandbLogger",
    "profilers": """
        AdvancedProfiler PassThroughProfiler Profiler PyTorchProfiler SimpleProfiler XLAProfiler
        """,
    "strategies": """
        DDPStrategy DeepSpeedStrategy FSDPStrategy ModelParallelStrategy ParallelStrategy SingleDeviceStrategy Strategy
        """,
    "utilities": """
        AttributeDict CombinedLoader GradClipAlgorithmType LightningEnum disable_possible_user_warnings
        find_shared_parameters grad_norm is_picklable is_shared_filesystem measure_flops move_data_to_device
        rank_zero_deprecation rank_zero_info rank_zero_only rank_zero_warn set_shared_parameters
        suggested_max_num_workers
        """,
}
"""What a star import of Lightning's modules brings in."""


def starred(module: str) -> list[str]:
    """What a star import of a module of Lightning's brings in."""
    _, *path = (part for part in module.split(".") if part != "pytorch")
    return STARRED.get(".".join(path), "").split()


def api_name(dotted: str) -> str:
    """The name in Lightning's API that a dotted one ends in; what summarizes a model is no callback."""
    name = dotted.rpartition(".")[2]
    return "summarize" if name == "ModelSummary" and ".utilities." in dotted else name


HOOKS = frozenset("""
    setup prepare_data teardown on_fit_start on_fit_end on_train_start on_train_end on_train_epoch_start
    on_train_epoch_end on_validation_start on_validation_end on_validation_epoch_start on_validation_epoch_end
    on_train_batch_start on_train_batch_end on_validation_batch_start on_validation_batch_end on_before_zero_grad
    on_before_backward on_after_backward on_before_optimizer_step configure_gradient_clipping optimizer_step
    optimizer_zero_grad lr_scheduler_step on_save_checkpoint on_load_checkpoint transfer_batch_to_device
    on_before_batch_transfer on_after_batch_transfer configure_callbacks configure_model backward
    on_validation_model_eval on_validation_model_train on_validation_model_zero_grad
    """.split())
"""Hooks that the script calls, when and in the order in which Lightning does."""

TRANSFER_HOOKS = ("on_before_batch_transfer", "transfer_batch_to_device", "on_after_batch_transfer")
"""Those that prepare a batch, the data module's or else the model's."""

MODE_HOOKS = frozenset("on_test_model_eval on_test_model_train on_predict_model_eval".split())
"""Those of models that decide in which mode they are evaluated."""

EVALUATION_HOOKS = MODE_HOOKS | frozenset("""
    predict_step on_test_start on_test_end on_test_epoch_start on_test_epoch_end on_test_batch_start
    on_test_batch_end on_predict_start on_predict_end on_predict_epoch_start on_predict_epoch_end
    on_predict_batch_start on_predict_batch_end
    """.split())
"""Hooks that are called where the user's own main tests or predicts."""

ALL_HOOKS = HOOKS | EVALUATION_HOOKS

IDLE_HOOKS = frozenset({"setup", "teardown"}) | frozenset(
    hook
    for hook in ALL_HOOKS
    if hook.startswith("on_") and "_model_" not in hook and not hook.endswith("_batch_transfer")
)
"""Those that do nothing where a model does not have them."""

STEPS = frozenset(
    "forward training_step validation_step configure_optimizers train_dataloader val_dataloader".split()
)

IDLE_STEPS = frozenset("training_step validation_step test_step configure_optimizers".split())
"""Those that do nothing in Lightning's own class."""

ARGUMENTS = {
    "training_step": 2,
    "validation_step": 2,
    "setup": 1,
    "teardown": 1,
    "prepare_data": 0,
    "configure_callbacks": 0,
    "configure_model": 0,
    "configure_optimizers": 0,
    "train_dataloader": 0,
    "val_dataloader": 0,
    "on_train_start": 0,
    "on_train_end": 0,
    "on_fit_start": 0,
    "on_fit_end": 0,
    "on_train_epoch_start": 0,
    "on_train_epoch_end": 0,
    "on_validation_start": 0,
    "on_validation_end": 0,
    "on_validation_epoch_start": 0,
    "on_validation_epoch_end": 0,
    "on_train_batch_start": 2,
    "on_train_batch_end": 3,
    "on_validation_batch_start": 2,
    "on_validation_batch_end": 3,
    "on_before_zero_grad": 1,
    "on_before_backward": 1,
    "backward": 1,
    "on_after_backward": 0,
    "on_before_optimizer_step": 1,
    "configure_gradient_clipping": 3,
    "optimizer_step": 4,
    "optimizer_zero_grad": 3,
    "lr_scheduler_step": 2,
    "on_validation_model_eval": 0,
    "on_validation_model_train": 0,
    "on_validation_model_zero_grad": 0,
}
"""How many arguments Lightning 2 gives each hook, `self` left out."""

EVALUATION_ARGUMENTS = {
    "test_step": 2,
    "predict_step": 2,
    "test_dataloader": 0,
    "predict_dataloader": 0,
    "on_test_start": 0,
    "on_test_end": 0,
    "on_test_epoch_start": 0,
    "on_test_epoch_end": 0,
    "on_test_batch_start": 2,
    "on_test_batch_end": 3,
    "on_predict_start": 0,
    "on_predict_end": 0,
    "on_predict_epoch_start": 0,
    "on_predict_epoch_end": 0,
    "on_predict_batch_start": 2,
    "on_predict_batch_end": 3,
    "on_test_model_eval": 0,
    "on_test_model_train": 0,
    "on_predict_model_eval": 0,
}
"""The same for hooks of tests and predictions."""

CALLBACK_ARGUMENTS = {
    "on_exception": 1,
    "on_load_checkpoint": 1,
    "on_save_checkpoint": 1,
    "on_sanity_check_start": 0,
    "on_sanity_check_end": 0,
}
"""The same for those that callbacks have otherwise; before all of theirs come the trainer and the model."""

UNCALLED = frozenset("""
    test_step predict_step test_dataloader predict_dataloader on_test_start on_test_end on_test_epoch_start
    on_test_epoch_end on_test_batch_start on_test_batch_end on_test_model_eval on_test_model_train
    on_predict_start on_predict_end on_predict_epoch_start on_predict_epoch_end on_predict_batch_start
    on_predict_batch_end on_predict_model_eval
    """.split())
"""Hooks of testing and prediction, which `fit` never calls: they stay in the class."""

OF_OTHERS_ALONE = frozenset({"on_exception"})
"""Hooks of callbacks and data modules that Lightning does not call of a LightningModule."""

UNSUPPORTED_HOOKS = {
    "configure_sharded_model": "Move its code to `configure_model`",
    "_apply_batch_transfer_handler": "Move it to `on_after_batch_transfer`",
    "_on_before_batch_transfer": "Name it `on_before_batch_transfer`",
    "_call_batch_hook": "Move it to the hooks that it calls",
    "_set_hparams": "Give `save_hyperparameters` what is to be saved",
    "_to_hparams_dict": "Give `save_hyperparameters` what is to be saved",
}
"""Hooks that the script does not call, and what to write in their place."""

MEMBERS = frozenset("""
    log log_dict print device dtype hparams trainer _trainer current_epoch global_step global_rank local_rank
    automatic_optimization save_hyperparameters clip_gradients load_from_checkpoint optimizers lr_schedulers
    logger loggers all_gather example_input_array strict_loading hparams_initial
    freeze unfreeze to_onnx to_torchscript on_gpu
    manual_backward toggle_optimizer untoggle_optimizer toggled_optimizer
    """.split())
"""Attributes of LightningModule, hooks aside, that the script's own class has."""

WITHOUT_TRAINER = frozenset("""
    print device hparams hparams_initial global_rank local_rank automatic_optimization save_hyperparameters
    load_from_checkpoint all_gather example_input_array strict_loading freeze unfreeze to_onnx to_torchscript on_gpu
    """.split())
"""Those that need no trainer, so that a module has them too that is a part of the model."""

OF_TRAINER = frozenset("trainer _trainer current_epoch global_step logger loggers".split())
"""Those that need it alone, which Lightning gives to the modules that the model holds, too."""

TRAINER_OR_NONE = "_trainer"
"""The one of these that is there before, too."""

ON_DEVICE = frozenset("all_gather to_onnx to_torchscript on_gpu".split())
"""Those that ask for the model's device."""

TOGGLING = frozenset("toggle_optimizer untoggle_optimizer toggled_optimizer".split())
"""Those that have the parameters of one optimizer alone need gradients."""

MANUAL_MEMBERS = TOGGLING | {"manual_backward"}
"""Those that are for manual optimization alone."""

OF_MESH = "device_mesh"
"""The member that one strategy alone gives a value to."""

UNSUPPORTED_MEMBERS = {
    OF_MESH: "It is None but with `strategy: model_parallel` of the spec: write that, or do without it",
    "fabric": "Fabric is not supported: do without it",
    "to_tensorrt": "Remove it",
    "remove_ignored_hparams": "Pop the entries of `self.hparams` instead",
    "CHECKPOINT_HYPER_PARAMS_KEY": 'Write what it is, "hyper_parameters"',
    "CHECKPOINT_HYPER_PARAMS_NAME": 'Write what it is, "hparams_name"',
    "CHECKPOINT_HYPER_PARAMS_TYPE": 'Write what it is, "hparams_type"',
}

UNSUPPORTED_DATA_MEMBERS = {
    "from_datasets": "Make the loaders, and give them to `fit`",
    "remove_ignored_hparams": "Pop the entries of `self.hparams` instead",
    "CHECKPOINT_HYPER_PARAMS_KEY": 'Write what it is, "datamodule_hyper_parameters"',
    "CHECKPOINT_HYPER_PARAMS_NAME": 'Write what it is, "datamodule_hparams_name"',
    "CHECKPOINT_HYPER_PARAMS_TYPE": 'Write what it is, "datamodule_hparams_type"',
}
"""Attributes of LightningDataModule that the script's own class has not, and what to do instead."""

INSTEAD_OF_PARTS = {
    "_batches_that_stepped": "Ask for `global_step`, which counts steps of optimizers: in `on_train_batch_end` the one "
    "that this batch has made, too",
}
"""What to ask the trainer for in the place of what its parts have."""

INSTEAD_OF_TRAINER_MEMBERS = {
    "_teardown": "Leave it out: Lightning does that itself where training ends, or fails",
    "fit_loop": "Ask for `train_dataloader`, `current_epoch`, `global_step` or `num_training_batches`",
    "precision_plugin": "Read `precision`, or `scaler`",
    "progress_bar_callback": "The script has a bar of its own: do without it",
    "state": "Ask for its `status`, or whether it is `finished`",
    **dict.fromkeys(
        ("fit", "validate", "test", "predict"),
        "Call it outside of the class that is trained, in a function or the main",
    ),
}
"""What there is in the place of attributes that the script's trainer has not."""

OF_STATE = frozenset({"fn", "stage", "status", "finished", "stopped"})
"""What the trainer's `state` tells."""

OF_PROFILER = frozenset("profile start stop describe".split())
"""What code tells a trainer's profiler, and gets nothing for."""

OF_ACCELERATOR = frozenset("name is_available auto_device_count __class__".split())
"""What the script's classes of accelerators have, and their objects."""

TRAINER_WRITABLE = frozenset({"should_stop"})
"""Those of which it makes a difference that the code sets them."""

HOOKS_OF = {
    "module": ALL_HOOKS | STEPS | ARGUMENTS.keys() | EVALUATION_ARGUMENTS.keys(),
    "data": frozenset(
        {
            *("setup", "teardown", "prepare_data", *TRANSFER_HOOKS),
            *("train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader"),
        }
    ),
}
"""The hooks that Lightning's bases have, by the kinds of their classes: an object always has them."""

CALLBACK_HOOKS = frozenset("""
    setup teardown on_fit_start on_fit_end on_sanity_check_start on_sanity_check_end on_train_start on_train_end
    on_train_epoch_start on_train_epoch_end on_train_batch_start on_train_batch_end on_validation_start
    on_validation_end on_validation_epoch_start on_validation_epoch_end on_validation_batch_start
    on_validation_batch_end on_before_zero_grad on_before_backward on_after_backward on_before_optimizer_step
    on_save_checkpoint on_load_checkpoint on_exception
    """.split()) | (EVALUATION_HOOKS - MODE_HOOKS - {"predict_step"})
"""Hooks of callbacks that the script calls."""

CALLBACK_STATES = frozenset("state_key state_dict load_state_dict".split())
"""What a checkpoint asks of callbacks."""

LENT = frozenset({"log", "log_dict"})
"""What callbacks have of the model's while a Trainer has them."""

OF_CALLBACKS = CALLBACK_HOOKS | CALLBACK_STATES | LENT | {"_generate_state_key", "_legacy_state_key"}
"""All that the base of all callbacks has, but for what every object has."""

_AVERAGING_HOOKS = frozenset("""
    setup on_train_batch_end on_train_epoch_end on_train_end on_validation_epoch_start on_validation_epoch_end
    on_save_checkpoint on_load_checkpoint
    """.split())

CALLBACKS: dict[str, frozenset[str]] = {
    "Callback": frozenset(),
    "Checkpoint": frozenset(),
    "ModelCheckpoint": frozenset("""
        setup on_train_start on_train_batch_end on_train_epoch_end on_validation_end on_train_end on_exception
        """.split()),
    "EarlyStopping": frozenset("setup on_train_epoch_end on_validation_end".split()),
    "LearningRateMonitor": frozenset("on_train_start on_train_epoch_start on_train_batch_start".split()),
    "GradientAccumulationScheduler": frozenset("on_train_start on_train_epoch_start".split()),
    "StochasticWeightAveraging": frozenset("""
        setup on_fit_start on_train_epoch_start on_train_epoch_end on_train_end
        """.split()),
    "LambdaCallback": CALLBACK_HOOKS,
    "WeightAveraging": _AVERAGING_HOOKS,
    "EMAWeightAveraging": _AVERAGING_HOOKS,
    "OnExceptionCheckpoint": frozenset("on_exception teardown".split()),
    "BasePredictionWriter": frozenset("on_predict_batch_end on_predict_epoch_end".split()),
    "BaseFinetuning": frozenset("setup on_fit_start on_train_epoch_start".split()),
    "BackboneFinetuning": frozenset("setup on_fit_start on_train_epoch_start".split()),
    "PyTorchLightningPruningCallback": frozenset("on_fit_start on_validation_end".split()),
    "Timer": frozenset("""
        on_fit_start on_train_start on_train_batch_end on_train_epoch_end on_train_end on_validation_start
        on_validation_end on_test_start on_test_end
        """.split()),
}
"""Lightning's callbacks that the script has too, each with its hooks."""

SET_BY_CALLBACKS = frozenset("""
    _accumulate_grad_batches _annealing_epochs _annealing_strategy _average_model _avg_fn
    _check_on_train_epoch_end _defer_save_until_validation _device _duration _enable_version_counter
    _end_time _every_n_epochs _every_n_train_steps _fs _init_n_averaged _initialized
    _internal_optimizer_metadata _interval _kwargs _last_checkpoint_saved _last_global_step_saved
    _last_time_checked _latest_update_epoch _latest_update_step _max_epochs _model_contains_batch_norm
    _offset _restarting _save_on_train_epoch_end _scheduler_state _start_time _swa_epoch_start _swa_lrs
    _swa_scheduler _train_time_interval _unfreeze_at_epoch _use_buffers _verbose auto_insert_metric_name
    backbone backbone_initial_lr backbone_initial_ratio_lr best_k_models best_model_path best_model_score
    best_score check_finite current_score dirpath divergence_threshold epochs filename head initial_denom_lr
    interval kth_best_model_path kth_value lambda_func last_model_path last_momentum_values
    last_weight_decay_values log_momentum log_rank_zero_only log_weight_decay logging_interval lrs min_delta
    mode momenta monitor n_averaged output_dir patience previous_backbone_lr rounding save_last
    save_on_exception save_top_k save_weights_only saved_models scheduling should_align stopped_epoch
    stopping_reason stopping_reason_message stopping_threshold strict train_bn training_step_outputs
    unfreeze_backbone_at_epoch update_every_n_steps update_starting_at_epoch update_starting_at_step verbose
    wait_count
    """.split())
"""Attributes that these set on themselves, be it that classes derived from them set them too."""

CALLBACK_PARTS = {
    "freeze_before_training": ("setup", ("model",)),
    "finetune_function": ("on_train_epoch_start", ("model",)),
    "should_update": ("on_train_batch_end", ()),
    "write_on_batch_end": ("on_predict_batch_end", ("trainer", "model")),
    "write_on_epoch_end": ("on_predict_epoch_end", ("trainer", "model")),
    "_evaluate_stopping_criteria": ("", ("score",)),
    "_link_checkpoint": ("", ("trainer",)),
    "_monitor_candidates": ("", ("trainer",)),
    "_remove_checkpoint": ("", ("trainer",)),
    "_run_early_stopping_check": ("", ("trainer",)),
    "_save_checkpoint": ("", ("trainer",)),
    "_save_last_checkpoint": ("", ("trainer",)),
    "_save_monitor_checkpoint": ("", ("trainer",)),
    "_save_none_monitor_checkpoint": ("", ("trainer",)),
    "_save_topk_checkpoint": ("", ("trainer",)),
    "_should_save_on_train_epoch_end": ("", ("trainer",)),
    "_should_skip_check": ("", ("trainer",)),
    "_swap_models": ("", ("model",)),
    "_update_best_and_save": ("", ("score", "trainer")),
    "check_monitor_top_k": ("", ("trainer",)),
    "file_exists": ("", ("path", "trainer")),
    "pl_module_contains_batch_norm": ("", ("model",)),
    "reset_batch_norm_and_save_state": ("", ("model",)),
}
"""Methods that hooks of these call, which derived classes override: the hook, if it is one, and what it hands them."""

MONITORING_CALLBACKS = frozenset("Checkpoint ModelCheckpoint EarlyStopping".split())
"""Those whose `on_train_epoch_end` comes after the model's."""

ACCUMULATING_CALLBACKS = frozenset("GradientAccumulationScheduler StochasticWeightAveraging".split())
"""Those that change how many batches make an optimizer step."""

COPYING_CALLBACKS = frozenset("StochasticWeightAveraging WeightAveraging EMAWeightAveraging".split())
"""Those that keep a copy of the model."""

QUIET_CALLBACKS = frozenset("""
    Callback Checkpoint EarlyStopping GradientAccumulationScheduler LearningRateMonitor ModelCheckpoint
    OnExceptionCheckpoint Timer
    """.split())
"""Those that draw no random numbers, leave data alone, and call nothing of the user's."""

TUNING_CALLBACKS = {
    "LearningRateFinder": "Lightning would try learning rates before training, and train with the one that it finds",
    "BatchSizeFinder": "Lightning would try batch sizes before training, and train with the largest that fits",
}
"""Lightning's callbacks that change what the model is trained with, and what each does: a script does without."""

HOOKS_SET = ("ray.tune.integration.pytorch_lightning.",)
"""Modules of others whose callbacks have hooks that do not stand in their code: `setattr` sets all that there are."""

GROUPING_CALLBACKS = frozenset("BaseFinetuning BackboneFinetuning".split())
"""Those that give optimizers more groups of parameters."""

IDLE_CALLBACKS = frozenset("""
    ModelSummary RichModelSummary ProgressBar TQDMProgressBar RichProgressBar RichProgressBarTheme DeviceStatsMonitor
    """.split())
"""Lightning's callbacks that show something: a script does without."""

DISPLAY_BASES = {
    "ModelSummary": "Callback",
    "RichModelSummary": "ModelSummary",
    "ProgressBar": "Callback",
    "TQDMProgressBar": "ProgressBar",
    "RichProgressBar": "ProgressBar",
    "DeviceStatsMonitor": "Callback",
}
"""What they derive from: of these, code may ask which of its callbacks are."""

STAND_INS = {name: name for name in DISPLAY_BASES} | {"ModelSummary": "SummaryCallback"}
"""The script's classes for such questions; a `ModelSummary` is what it has of a model."""

AVERAGING = "Average the weights in a callback of your own, with `torch.optim.swa_utils.AveragedModel`"

_LOGGING = (
    "Give the Trainer a TensorBoardLogger, CSVLogger, WandbLogger, MLFlowLogger or CometLogger, or a class of your own "
    "derived from `lightning.pytorch.loggers.logger.Logger` that calls the service's package"
)

OF_DEEPSPEED = frozenset({"convert_zero_checkpoint_to_fp32_state_dict"})
"""What code calls with a checkpoint of DeepSpeed's alone."""

INSTEAD = {
    "NeptuneLogger": f"Neptune has ended: under Lightning, making one is an error, too. {_LOGGING}",
    "ModelPruning": "Prune in a callback of your own, with `torch.nn.utils.prune`",
    **dict.fromkeys(sorted(OF_DEEPSPEED), "It writes no checkpoints of DeepSpeed's"),
}
"""What to do in the place of what a script does not have."""

INSTEAD_OF_NAMES = {
    "LightningModule": "Name `torch.nn.Module` here, or a class of your own",
    "LightningDataModule": "Name a class of your own here",
    "Callback": "Name a class of your own here",
    "Trainer": "Name a class of your own here, or nothing",
    **dict.fromkeys(
        sorted(IDLE_CALLBACKS),
        "The script shows what it does in its own way: take the name out, or its callback. `isinstance` may ask for it "
        "in a list that the code makes itself, until a Trainer has that",
    ),
    "_SubprocessScriptLauncher": "Leave out what is done with one: torchrun starts the processes, and ends them",
    "_get_sigkill_signal": "Write `signal.SIGKILL`",
    "MisconfigurationException": (
        "The script's own errors are of other classes: let a handler be for `Exception`, or ask before what it is for"
    ),
    "PassThroughProfiler": (
        "Leave out what is done with a profiler; where no Trainer is given one, it may stand under `if not "
        "isinstance(trainer.profiler, PassThroughProfiler):`, without `else`"
    ),
    "callbacks": 'Name the classes themselves: choose among them by `{"EarlyStopping": EarlyStopping}[name]`',
    "loggers": 'Name the classes themselves: choose among them by `{"CSVLogger": CSVLogger}[name]`',
    "LightningArgumentParser": "Make one where the program starts, and add to it with `add_lightning_class_args`",
    "rank_zero_only": "Decorate a function with it, or ask whether `self.trainer.is_global_zero`",
    "seed_everything": "Call it once, where the training starts; here, call `torch.manual_seed`",
}
"""The same, where what a script has stands for something else."""

LOGGERS = frozenset("TensorBoardLogger CSVLogger WandbLogger MLFlowLogger CometLogger DummyLogger".split())
"""Lightning's loggers that the script has too."""

SAVING_BASES = frozenset({"CheckpointIO", "TorchCheckpointIO"})
"""What the user's classes derive from that write checkpoints."""

ENVIRONMENT = "ClusterEnvironment"
"""What those derive from that say where the other processes are."""

PROFILERS = frozenset("AdvancedProfiler PassThroughProfiler PyTorchProfiler SimpleProfiler".split())

IDLE_PROFILERS = PROFILERS - {"PyTorchProfiler"}
"""Those that but measure what Lightning's own loop does."""

ALWAYS_THERE = frozenset({*CALLBACKS, *IDLE_CALLBACKS, *LOGGERS, *PROFILERS, *INSTEAD})
"""What importing from Lightning never fails for."""

METRICS = frozenset({"callback_metrics", "logged_metrics", "progress_bar_metrics"})
"""What the trainer asks of what is logged."""

OF_STAGES = frozenset("training validating testing predicting evaluating".split())
"""Those that tell what is being done."""

BEFORE_DATA = ("prepare_data", "setup", "configure_model")
"""Hooks that are called before the script makes the training data's loader."""

TRAINER_NEEDS = {
    "completed_epochs": ("current_epoch",),
    "logged_step": ("batches_done", "global_step"),
    "load_precision_state": ("loss_scaler", "scaler"),
    "precision_state": ("loss_scaler", "scaler"),
    "scaler": ("loss_scaler",),
    "logged_metrics": ("callback_metrics",),
    "progress_bar_metrics": ("callback_metrics",),
    **dict.fromkeys(OF_STAGES, ("stage",)),
    "log_dir": ("default_root_dir", "loggers"),
    "logger": ("loggers",),
    "save_checkpoint": ("global_rank", "current_epoch"),
    "checkpoint_callback": ("callbacks",),
    "checkpoint_callbacks": ("callbacks",),
    "is_last_batch": ("batch_idx", "num_training_batches"),
    "lightning_module": ("model",),
    "accelerator": ("root_device",),
    "device_ids": ("num_devices",),
    "made_train_dataloader": ("datamodule", "model"),
    "state": ("state_fn", "stage"),
    **dict.fromkeys(("finished", "interrupted", "stopped"), ("status",)),
    "early_stopping_callback": ("callbacks",),
    "early_stopping_callbacks": ("callbacks",),
}
"""What some of its attributes are made of."""

TYPED_DICTS = frozenset("OptimizerConfig OptimizerLRSchedulerConfig LRSchedulerConfigType".split())
"""Types of dicts, which make plain ones where they are called."""

LOG_DEFAULTS = {
    "prog_bar": "False",
    "logger": "None",
    "on_step": "None",
    "on_epoch": "None",
    "reduce_fx": '"mean"',
    "enable_graph": "False",
    "sync_dist": "False",
    "sync_dist_group": "None",
    "add_dataloader_idx": "True",
    "batch_size": "None",
    "metric_attribute": "None",
    "rank_zero_only": "False",
}
"""The options of `log`, in order, with their defaults."""

STEP_HOOKS = frozenset("""
    training_step on_train_batch_start on_train_batch_end on_before_backward on_after_backward on_before_zero_grad
    on_before_optimizer_step optimizer_step optimizer_zero_grad configure_gradient_clipping backward
    """.split())
"""Hooks that belong to a training batch; there `log` takes the step's value by default."""

FIT_START_HOOKS = frozenset("""
    setup configure_model configure_optimizers on_fit_start on_sanity_check_start on_sanity_check_end
    train_dataloader val_dataloader on_load_checkpoint
    """.split())
"""Hooks that `fit` calls before training starts."""

BETWEEN_HOOKS = frozenset("on_train_start on_train_epoch_start on_train_epoch_end".split())
VALIDATION_HOOKS = frozenset("""
    validation_step on_validation_start on_validation_epoch_start on_validation_epoch_end on_validation_batch_start
    on_validation_batch_end
    """.split())
SILENT_HOOKS = frozenset("""
    setup prepare_data teardown on_fit_start on_fit_end on_train_end on_validation_end on_test_end
    on_sanity_check_start on_sanity_check_end on_predict_start on_predict_end on_predict_epoch_start
    on_predict_epoch_end on_predict_batch_start on_predict_batch_end configure_optimizers lr_scheduler_step
    on_before_batch_transfer transfer_batch_to_device on_after_batch_transfer on_save_checkpoint on_load_checkpoint
    on_exception configure_model train_dataloader val_dataloader on_validation_model_eval on_validation_model_train
    on_validation_model_zero_grad
    """.split()) | MODE_HOOKS
"""Hooks in which Lightning forbids `log`."""

DECISIVE = {
    "ModelCheckpoint": (("every_n_train_steps", "train_time_interval"), ("save_on_exception",)),
    "TensorBoardLogger": (("log_graph",),),
}
"""Options that decide how a script is written, in groups of which one is as good as another."""
