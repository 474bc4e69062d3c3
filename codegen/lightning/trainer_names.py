"""The names that Lightning's Trainer has, and what it is told by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .api import is_lightnings

TRAINER_NAMES = frozenset("""
    accelerator accumulate_grad_batches barebones callback_metrics callbacks check_val_every_n_epoch checkpoint_callback
    checkpoint_callbacks ckpt_path current_epoch datamodule default_root_dir device_ids distributed_sampler_kwargs
    early_stopping_callback early_stopping_callbacks enable_autolog_hparams enable_validation
    estimated_stepping_batches evaluating fast_dev_run fit fit_loop global_rank global_step gradient_clip_algorithm
    gradient_clip_val init_module interrupted is_global_zero is_last_batch lightning_module limit_predict_batches
    limit_test_batches limit_train_batches limit_val_batches local_rank log_dir log_every_n_steps logged_metrics logger
    loggers lr_scheduler_configs max_epochs max_steps min_epochs min_steps model node_rank num_devices num_nodes
    num_predict_batches num_sanity_val_batches num_sanity_val_steps num_test_batches num_training_batches
    num_val_batches optimizers overfit_batches precision precision_plugin predict predict_dataloaders predict_loop
    predicting print profiler progress_bar_callback progress_bar_metrics received_sigterm
    reload_dataloaders_every_n_epochs sanity_checking save_checkpoint scaler should_stop state strategy test
    test_dataloaders test_loop testing train_dataloader training val_check_batch val_check_interval val_dataloaders
    validate validate_loop validating world_size
    """.split())
"""Those without an underscore in front."""

WITHOUT_SETTER = frozenset("""
    accelerator callback_metrics checkpoint_callback checkpoint_callbacks current_epoch default_root_dir device_ids
    distributed_sampler_kwargs early_stopping_callback early_stopping_callbacks enable_validation
    estimated_stepping_batches evaluating global_rank global_step interrupted is_global_zero is_last_batch
    lightning_module local_rank log_dir logged_metrics lr_scheduler_configs max_epochs max_steps min_epochs
    min_steps model node_rank num_devices num_nodes num_predict_batches num_sanity_val_batches num_test_batches
    num_training_batches num_val_batches precision precision_plugin predict_dataloaders progress_bar_callback
    progress_bar_metrics received_sigterm scaler strategy test_dataloaders train_dataloader val_dataloaders
    world_size
    """.split())
"""Of those, what cannot be set: where code does, it is an error."""

INNER = frozenset("""
    _accelerator_connector _active_loop _callback_connector _checkpoint_connector _data_connector _default_root_dir
    _detect_anomaly _evaluation_loop _fit_impl _logger_connector _loggers _model_registry _predict_impl _results _run
    _run_sanity_check _run_stage _signal_connector _teardown _test_impl _val_check_time_interval _validate_impl
    """.split())
"""Those of its inner life, which methods of a derived class would hide."""

INNER_METHODS = frozenset(
    "_fit_impl _predict_impl _run _run_sanity_check _run_stage _teardown _test_impl _validate_impl".split()
)
"""Methods among these, each of which is true where code but asks whether it is."""

TRAINER_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys("accelerator strategy devices".split(), "auto"),
    **dict.fromkeys("num_nodes accumulate_grad_batches check_val_every_n_epoch".split(), 1),
    **dict.fromkeys("inference_mode use_distributed_sampler".split(), True),
    **dict.fromkeys("fast_dev_run detect_anomaly barebones sync_batchnorm".split(), False),
    **dict.fromkeys("logger callbacks profiler plugins default_root_dir precision".split()),
    **dict.fromkeys("max_epochs min_epochs min_steps max_time log_every_n_steps deterministic".split()),
    **dict.fromkeys("limit_train_batches limit_val_batches limit_test_batches benchmark".split()),
    **dict.fromkeys("limit_predict_batches val_check_interval num_sanity_val_steps".split()),
    **dict.fromkeys("enable_checkpointing enable_progress_bar enable_model_summary".split()),
    **dict.fromkeys("gradient_clip_val gradient_clip_algorithm model_registry".split()),
    **{"max_steps": -1, "overfit_batches": 0.0, "reload_dataloaders_every_n_epochs": 0},
}
"""What the Trainer's settings are where none are given."""


def is_trainer(path: str) -> bool:
    """Whether a dotted name is that of the Trainer."""
    return is_lightnings(path) and path.endswith(".Trainer")
