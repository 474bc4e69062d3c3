"""Settings that a mapping holds, as those of `Trainer(**settings)`."""

from collections.abc import Mapping
from typing import Any


def settings_in(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Those of the settings that `given` has."""
    return {name: given[name] for name in names if name in given}


def checked_settings(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The same; any other setting that has an effect ends the run."""
    rest = {name: given[name] for name in given if name not in names}
    strange = [
        f"{name}={value!r}"
        for name, value in rest.items()
        if not is_without_effect(name, value)
    ]
    if strange:
        raise SystemExit(
            f"this script was not built for {', '.join(strange)}: name such settings in "
            "the spec, `trainer_keys: [...]`, or write them into the code's "
            "`Trainer(...)`, and build the script again"
        )
    return settings_in(given, *names)


def is_without_effect(name: str, value: object) -> bool:
    """Whether a setting leaves everything as it is without it; 1 batch is not 1.0 of them."""
    decided_elsewhere = {
        "accelerator",
        "devices",
        "enable_autolog_hparams",
        "enable_checkpointing",
        "enable_model_summary",
        "enable_progress_bar",
        "inference_mode",
        "num_nodes",
        "profiler",
    }
    unset: Mapping[str, tuple[object, ...]] = {
        "accumulate_grad_batches": (1,),
        "barebones": (False,),
        "benchmark": (False,),
        "callbacks": ([], ()),
        "check_val_every_n_epoch": (1,),
        "detect_anomaly": (False,),
        "deterministic": (False,),
        "fast_dev_run": (False, 0),
        "gradient_clip_algorithm": ("norm",),
        "gradient_clip_val": (0, 0.0),
        "limit_predict_batches": (1.0,),
        "limit_test_batches": (1.0,),
        "limit_train_batches": (1.0,),
        "limit_val_batches": (1.0,),
        "log_every_n_steps": (50,),
        "logger": (True,),
        "max_steps": (-1,),
        "num_sanity_val_steps": (2,),
        "overfit_batches": (0, 0.0),
        "plugins": ([], ()),
        "precision": (32, "32", "32-true"),
        "reload_dataloaders_every_n_epochs": (0,),
        "strategy": ("auto", "ddp"),
        "sync_batchnorm": (False,),
        "use_distributed_sampler": (True,),
        "val_check_interval": (1.0,),
    }
    if name in decided_elsewhere:
        return True
    if value is None:
        return name != "check_val_every_n_epoch"  # which then counts over all epochs
    known = unset.get(name, ())
    return any(type(value) is type(each) and value == each for each in known)
