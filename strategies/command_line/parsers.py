"""Parsers of jsonargparse's for the arguments of classes."""

from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from jsonargparse import ArgumentParser


class TrainerArguments:
    """What a parser takes for the trainer: whatever the script was not built for stops the run."""

    def __init__(
        self,
        *,
        accelerator: Any = "auto",
        strategy: Any = "auto",
        devices: list[int] | str | int = "auto",
        num_nodes: int = 1,
        precision: Any = None,
        logger: Any = None,
        callbacks: Any = None,
        fast_dev_run: int | bool = False,
        max_epochs: int | None = None,
        min_epochs: int | None = None,
        max_steps: int = -1,
        min_steps: int | None = None,
        max_time: str | timedelta | dict[str, int] | None = None,
        limit_train_batches: Any = 1.0,
        limit_val_batches: Any = 1.0,
        limit_test_batches: Any = 1.0,
        limit_predict_batches: Any = 1.0,
        overfit_batches: Any = 0.0,
        val_check_interval: Any = 1.0,
        check_val_every_n_epoch: int | None = 1,
        num_sanity_val_steps: int = 2,
        log_every_n_steps: int = 50,
        enable_checkpointing: bool | None = None,
        enable_progress_bar: bool | None = None,
        enable_model_summary: bool | None = None,
        accumulate_grad_batches: int = 1,
        gradient_clip_val: Any = None,
        gradient_clip_algorithm: str | None = None,
        deterministic: bool | Literal["warn"] | None = None,
        benchmark: bool | None = None,
        inference_mode: bool = True,
        use_distributed_sampler: bool = True,
        profiler: Any = None,
        detect_anomaly: bool = False,
        barebones: bool = False,
        plugins: Any = None,
        sync_batchnorm: bool = False,
        reload_dataloaders_every_n_epochs: int = 0,
        default_root_dir: str | Path | None = None,
        enable_autolog_hparams: bool = True,
        model_registry: str | None = None,
    ) -> None: ...


class ClassArgumentParser(ArgumentParser):
    """A parser that asks the environment for variables in PL_."""

    def __init__(
        self,
        *args: Any,
        env_prefix: str = "PL",
        default_env: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            *args, env_prefix=env_prefix, default_env=default_env, **kwargs
        )

    def add_lightning_class_args(
        self, lightning_class: Any, nested_key: str, required: bool = True
    ) -> list[str]:
        """Take the arguments of a class under a key; of a trainer they are only read."""
        added: list[str] = self.add_class_arguments(
            lightning_class,
            nested_key,
            fail_untyped=False,
            instantiate=lightning_class is not TrainerArguments,
            sub_configs=True,
        )
        return added
