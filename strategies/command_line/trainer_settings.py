"""Settings that a mapping holds, as those of `Trainer(**settings)`."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn


def settings_in(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Those of the settings that `given` has."""
    return {name: given[name] for name in names if name in given}


def checked_settings(
    given: Mapping[str, Any], *names: str, ignored: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The same; any other setting that has an effect, and is not `ignored`, ends the run."""
    strange = [
        f"{name}={value!r}"
        for name, value in given.items()
        if name not in (*names, *ignored) and not is_without_effect(name, value)
    ]
    if strange:
        raise SystemExit(
            f"this script was not built for {', '.join(strange)}: name numbers and "
            "switches in the spec, `trainer_keys: [...]`, write what else there is into "
            "the code's `Trainer(...)`, and build the script again"
        )
    return settings_in(given, *names)


def configured_settings(
    given: Mapping[str, Any],
    *names: str,
    ignored: tuple[str, ...] = (),
    **built_for: Any,
) -> dict[str, Any]:
    """The same, of a configuration; what the script was built for is no other one."""
    strange = [
        f"{name}={value!r}"
        for name, value in {**dict.fromkeys(built_for), **given}.items()
        if name not in (*names, *ignored) and not is_same(name, value, built_for)
    ]
    if strange:
        raise not_built_for(", ".join(strange))
    return settings_in(given, *names)


def is_same(name: str, value: object, built_for: Mapping[str, Any]) -> bool:
    """Whether a setting has the effect that it had when the script was built."""
    either = value, built_for.get(name)
    are_idle = all(is_without_effect(name, each) for each in either)
    return are_idle or built_for.get(name, ...) == value


def not_built_for(what: str) -> SystemExit:
    """What ends a run whose configuration asks for another script."""
    return SystemExit(
        f"this script was not built for {what}: build it again, with the same "
        f"arguments, `ddpgen build ... -- {' '.join(sys.argv[1:])}`"
    )


def other_strategy(name: str) -> NoReturn:
    """In the place of a strategy that this script does not train by: the run ends."""
    raise SystemExit(f"this script was not built for {name}: choose another strategy")


def missing_here(name: str) -> Callable[..., NoReturn]:
    """In the place of a class or a function that this script does without: calling it ends the run."""

    def refuse(*args: object, **options: object) -> NoReturn:
        raise SystemExit(f"this script has no {name}: choose something else")

    return refuse


def as_built(given: Mapping[str, Any], **built_for: Any) -> None:
    """What a configuration says of an object that the script is written for is no other than then."""
    configured_settings(given, **built_for)


def without_options(given: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The same; one of the options `names`, which the script is not written for, ends the run."""
    if told := [f"{name}={given[name]!r}" for name in names if given.get(name)]:
        raise not_built_for(", ".join(told))
    return given


def is_without_effect(name: str, value: object) -> bool:
    """Whether a setting leaves everything as it is without it."""
    if value is None:
        return name != "check_val_every_n_epoch"  # which then counts over all epochs
    if is_switch(name):
        return not value
    known = unset_settings().get(name, ())
    # 1 batch is not 1.0 of them
    is_unset = any(type(value) is type(each) and value == each for each in known)
    return is_unset or is_decided_elsewhere(name)


def is_decided_elsewhere(name: str) -> bool:
    """Whether torchrun or the script decides it, or it only shows something."""
    return name in {
        "devices",
        "enable_autolog_hparams",
        "enable_checkpointing",
        "enable_model_summary",
        "enable_progress_bar",
        "inference_mode",
        "num_nodes",
        "profiler",
    }


def is_switch(name: str) -> bool:
    """Whether a setting does nothing where it is false, 0 or empty."""
    return name in {
        "barebones",
        "benchmark",
        "callbacks",
        "detect_anomaly",
        "deterministic",
        "fast_dev_run",
        "gradient_clip_val",
        "overfit_batches",
        "plugins",
        "reload_dataloaders_every_n_epochs",
        "sync_batchnorm",
    }


def unset_settings() -> dict[str, tuple[object, ...]]:
    """The values by which the other settings are left as they are."""
    return {
        "accelerator": ("auto", "gpu"),
        "accumulate_grad_batches": (1,),
        "check_val_every_n_epoch": (1,),
        "gradient_clip_algorithm": ("norm",),
        "limit_predict_batches": (1.0,),
        "limit_test_batches": (1.0,),
        "limit_train_batches": (1.0,),
        "limit_val_batches": (1.0,),
        "log_every_n_steps": (50,),
        "logger": (True,),
        "max_steps": (-1,),
        "num_sanity_val_steps": (2,),
        "precision": (32, "32", "32-true"),
        "strategy": ("auto", "ddp"),
        "use_distributed_sampler": (True,),
        "val_check_interval": (1.0,),
    }
