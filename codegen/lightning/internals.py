"""Names in which Lightning's callbacks and loggers differ from the script's, for classes that derive from them."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


THEIRS = {
    "BackboneFinetuning": _names("_apply_mapping_to_param_groups _store"),
    "BaseFinetuning": _names("_apply_mapping_to_param_groups _store"),
    "CSVLogger": _names("""
        LOGGER_JOIN_CHAR _experiment _flush_logs_every_n_steps _fs _get_next_version _name
        _root_dir _save_dir _version group_separator
        """),
    "CometLogger": _names("""
        _api_key _comet_config _create_experiment _experiment _experiment_key _kwargs _mode _online
        _project_name _workspace group_separator
        """),
    "EMAWeightAveraging": _names("_copy_average_to_current _kwargs _use_buffers"),
    "EarlyStopping": _names("_improvement_message"),
    "GradientAccumulationScheduler": _names("epochs going_to_accumulate_grad_batches"),
    "LearningRateMonitor": _names("""
        _add_prefix _add_suffix _check_duplicates_and_update_name _duplicate_param_group_names
        _extract_stats _find_names_from_optimizers _find_names_from_schedulers _remap_keys
        """),
    "MLFlowLogger": _names("""
        LOGGER_JOIN_CHAR _checkpoint_callback _experiment_id _initialized _log_batch_kwargs
        _log_model _logged_model_time _mlflow_client _run_name _scan_and_log_checkpoints
        group_separator
        """),
    "ModelCheckpoint": _names("_find_last_checkpoints _format_checkpoint_name to_yaml"),
    "StochasticWeightAveraging": _names("_clear_schedulers _load_average_model_state"),
    "TensorBoardLogger": _names("""
        LOGGER_JOIN_CHAR NAME_HPARAMS_FILE _fs _get_next_version
        _kwargs _name _root_dir _sanitize_params _sub_dir _version
        group_separator
        """),
    "Timer": _names("_check_time_remaining _duration _end_time _interval _offset _start_time _verbose"),
    "WandbLogger": _names("""
        LOGGER_JOIN_CHAR _checkpoint_callbacks _checkpoint_name _experiment _log_model
        _logged_model_time _offline _scan_and_log_checkpoints group_separator
        """),
    "WeightAveraging": _names("_copy_average_to_current _kwargs _use_buffers"),
}
"""Methods and attributes that Lightning's classes work with, and the script's do not have."""

OURS = {
    "CSVLogger": _names("file flush_logs_every_n_steps is_main"),
    "CometLogger": _names("comet config is_main start_options started"),
    "EMAWeightAveraging": _names("_options _pairs"),
    "EarlyStopping": _names("""
        _begin_by_comparison _checks_on_train_epoch_end _is_better _message _miss_metric _reason_to_stop
        _say _stopping_reason check_on_train_epoch_end decides_in_setup has_own_criteria has_own_modes
        has_own_skips says_why turns_delta
        """),
    "LearningRateMonitor": _names("""
        follow group_stats has_one_group has_one_optimizer keeps_values log_values
        """),
    "MLFlowLogger": _names("""
        artifact_location client experiment_name given_run_id info is_main kept_checkpoints
        log_batch log_checkpoints log_model logged_at start_run synchronous tracking_uri
        """),
    "ModelCheckpoint": _names("""
        _awaits_validation _check_arguments _decide_epochs _default_folder _saved
        _has_validated _is_alone _is_epoch_due _is_newer _is_step_due _is_time_due _miss_score _new_path
        _remove_replaced _save_after_epoch _save_after_step _save_now _say
        _take_folder enable_version_counter every_n_train_steps fills_names
        is_given_folders is_in_claimed_folder keeps_one_file last_checkpoints may_lack_scores
        needs_counts repeats_steps save_on_train_epoch_end tells_epochs tells_last_saved
        tells_loggers tells_time train_time_interval
        """),
    "StochasticWeightAveraging": _names("_begin _have_only_statistics_taken"),
    "TensorBoardLogger": _names("""
        is_main lends_experiment takes_anything takes_objects
        writer_options
        """),
    "Timer": _names("duration ended interval offset seconds started stop_in_time verbose"),
    "WandbLogger": _names("""
        checkpoint_name is_main kept_checkpoints log_checkpoints log_model logged_at run
        start_run
        """),
    "WeightAveraging": _names("_options _pairs"),
}
"""Those that the script's classes work with, and Lightning's do not have."""

SETTINGS = {
    "EarlyStopping": _names("_check_on_train_epoch_end"),
    "ModelCheckpoint": _names("""
        _enable_version_counter _every_n_epochs _every_n_train_steps _save_on_train_epoch_end
        _train_time_interval
        """),
}
"""Attributes of Lightning's that the script's classes have where code asks for them, and that change what these do."""

RENEWED = {"TensorBoardLogger": _names("_experiment")}
"""Attributes of both that are made when they are first asked for, and anew where code sets them to None."""

ANSWERS = {
    "EarlyStopping": _names("""
        _log_info _validate_condition_metric monitor_op
        """),
    "LearningRateMonitor": _names("_extract_momentum _extract_weight_decay"),
    "MLFlowLogger": _names("_artifact_location _experiment_name _run_id _tracking_uri"),
    "ModelCheckpoint": _names("""
        _fs _get_metric_interpolated_filepath_name _should_remove_checkpoint
        _should_save_on_exception _should_skip_saving_checkpoint
        """),
    "WandbLogger": _names("_id _name _project"),
}
"""Members that they have there too, and do not ask themselves: others in their place would change nothing."""


def lent_by(base: str) -> frozenset[str]:
    """The members of one of the script's classes that it has only where code asks for them."""
    return SETTINGS.get(base, frozenset()) | ANSWERS.get(base, frozenset())
