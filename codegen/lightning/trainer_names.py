"""What Lightning's Trainer has, but for what begins with an underscore."""

from __future__ import annotations

TRAINER_NAMES = frozenset("""
    accelerator accumulate_grad_batches barebones callback_metrics callbacks check_val_every_n_epoch
    checkpoint_callback checkpoint_callbacks ckpt_path current_epoch datamodule default_root_dir device_ids
    distributed_sampler_kwargs early_stopping_callback early_stopping_callbacks enable_autolog_hparams
    enable_validation estimated_stepping_batches evaluating fast_dev_run fit fit_loop global_rank global_step
    gradient_clip_algorithm gradient_clip_val init_module interrupted is_global_zero is_last_batch
    lightning_module limit_predict_batches limit_test_batches limit_train_batches limit_val_batches local_rank
    log_dir log_every_n_steps logged_metrics logger loggers lr_scheduler_configs max_epochs max_steps
    min_epochs min_steps model node_rank num_devices num_nodes num_predict_batches num_sanity_val_batches
    num_sanity_val_steps num_test_batches num_training_batches num_val_batches optimizers overfit_batches
    precision precision_plugin predict predict_dataloaders predict_loop predicting print profiler
    progress_bar_callback progress_bar_metrics received_sigterm reload_dataloaders_every_n_epochs
    sanity_checking save_checkpoint scaler should_stop state strategy test test_dataloaders test_loop testing
    train_dataloader training val_check_batch val_check_interval val_dataloaders validate validate_loop
    validating world_size
    """.split())
