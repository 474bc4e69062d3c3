"""What is compared. A case is a spec, `models/<model>.yaml` or `models/<model>.<variant>.yaml`, and its model.

A new case is a new file; only what is out of the ordinary is named here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

MODELS = Path(__file__).parent / "models"

# Models whose settings stand in their own entry code: they are built without a spec, or one that changes them.
ENTRY_CODE = ("entry_code", "entry_code_module", "entry_code_workers")

# Lightning's own demos, built from the installed file: (model, data) as given on the command line. Its transformer
# and LSTM download their text; demo_transformer.py and demo_lstm.py are models of the same shapes without that.
DEMOS = {
    "boring": ("BoringModel", None),
    "boring_data": ("BoringModel", "BoringDataModule"),
    "boring_no_len": ("BoringModel", "BoringDataModuleNoLen"),
    "demo_model": ("DemoModel", "BoringDataModule"),
}

# Cases that Lightning itself can't run with two processes, and why.
ONE_PROCESS_ONLY = {
    "none_steps": "Lightning raises where training_step returns None with several processes",
    "none_steps.accumulated": "as none_steps",
    "none_steps.scaled": "as none_steps",
    "none_annotated": "as none_steps",
    "no_parameters": "DistributedDataParallel refuses a module without anything to train",
    "scheduler_object.single": "the strategy is the one for one process",
    "own_loaders_positional": "Lightning raises: it can't make such a loader again with another sampler",
    "demo_lstm": "Lightning raises: a batch sampler without a `sampler` argument can't be dealt out among ranks",
}

# Cases whose class load_from_checkpoint can't rebuild, nor from Lightning's own checkpoint: one has no layers before
# setup, one saves what its constructor refuses, and the others what it was not given.
NOT_LOADABLE = (
    "layers_in_setup",
    "hparams_inherited",
    "hparams_forms.in_setup",
    "hparams_forms.in_setup_alone",
    "hparams_forms.told_below",
)

# Cases stopped after so many epochs and resumed. Their schedules don't depend on max_epochs, so that a run of
# fewer epochs is the beginning of a longer one. What no checkpoint holds does not matter to them: attributes of the
# user's that neither hooks nor buffers save, and the random states of workers that live on between epochs.
RESUMED = {
    "scheduler_object": 1,
    "scheduler_dict_step": 1,
    "scheduler_keeps_trainer": 2,
    "lists_pair": 2,
    "two_schedulers": 2,
    "plateau_epoch": 3,
    "plateau_step": 1,
    "checkpoint_hooks": 1,
    "loader_generator": 2,
    "workers_augment": 1,
    "weighted_sampler": 1,
    "iterable_no_len": 2,
    "val_check_interval.across_epochs": 1,
    "metrics_objects": 1,
    "lbfgs": 1,
    "iterable_random": 1,
    "layers_in_setup": 2,
    "mixup": 1,
    "own_samplers.generator": 1,
    "scheduler_sequential.sequential": 1,
    "scheduler_sequential.chained": 2,
    "scheduler_sequential.lambda": 1,
    "callback_metrics": 1,
    "iterable_no_len.across_epochs": 1,
    "early_epoch_end.across_epochs": 1,
    "manual_gan": 2,
    "manual_one": 1,
    "manual_wrapped": 1,
    "manual_lbfgs": 1,
    "listed_loaders": 1,
    "skipped_steps": 1,
    "types_seen.bfloat": 1,
    "limit_batches.overfit": 1,
    "trainer_counters": 1,
    "reloaded": 2,
    "reloaded.each_epoch": 2,
    "reloaded.rarely_validated": 3,
    "drawn_between": 2,
}

# Settings that a script is given as options, in place of those that it was built with, and Lightning's Trainer as
# arguments. A limit of 0 or less is none.
OPTIONS: dict[str, dict[str, int]] = {
    "demo_model.options": {"gradient_clip_val": 0, "max_epochs": 3, "limit_train_batches": 5},
    "gpt.options": {"gradient_clip_val": -1, "accumulate_grad_batches": 3, "log_every_n_steps": 2},
}


@dataclass(frozen=True)
class Case:
    """One model with one set of settings."""

    name: str
    source: Path
    spec: Path | None = None  # None: the settings stand in the model's own entry code
    model: str | None = None  # what --model and --data say
    data: str | None = None

    @property
    def has_entry_code(self) -> bool:
        return self.source.stem in ENTRY_CODE

    @property
    def worlds(self) -> tuple[int, ...]:
        return (1,) if self.name in ONE_PROCESS_ONLY else (1, 2)

    @property
    def settings(self) -> dict[str, Any] | None:
        """What Lightning is told."""
        if not self.spec:
            return None
        spec: dict[str, Any] = yaml.safe_load(self.spec.read_text())
        return spec | {"trainer": spec.get("trainer", {}) | OPTIONS.get(self.name, {})}

    @property
    def options(self) -> list[str]:
        """What the script is told on its command line."""
        options = OPTIONS.get(self.name, {})
        return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


def _case(spec: Path) -> Case:
    model = spec.name.partition(".")[0]
    if model not in DEMOS:
        return Case(spec.stem, MODELS / f"{model}.py", spec)
    demos = Path(metadata.distribution("lightning").locate_file("lightning/pytorch/demos/boring_classes.py"))
    return Case(spec.stem, demos, spec, *DEMOS[model])


def _cases() -> dict[str, Case]:
    cases = [_case(spec) for spec in sorted(MODELS.glob("*.yaml"))]
    cases += [Case(name, MODELS / f"{name}.py") for name in ENTRY_CODE]
    return {case.name: case for case in cases}


CASES = _cases()
