"""Why the script has what it has: what the features say, and what is said of the functions that they are put into.

What asks is written as `method training_step`, `setting max_epochs` (of the Trainer), `spec checkpoint`, `log`,
`loader` with a loader's hook, `trainer` with what the code reads of it, and the like; see `Asked`.
"""

from __future__ import annotations

from ..features import FEATURES
from ..features.feature import Reason

_EVALUATES: Reason = ("Your main evaluates beside training.", "evaluation")
_RANKS: Reason = ("This process's place among the ranks.", "spec strategy")
_ASKS: Reason = ("Your code reads values of its trainer.", "trainer")

FRAME: dict[str, Reason] = {
    # fit
    "fit": ("What is trained, with what settings.", "method training_step"),
    "fit.is_own": _RANKS,
    "fit.by_data": ("The data module reads values of its trainer.", "trainer"),
    "fit.creation": ("Layers that your model makes late.", "method configure_model"),
    "fit.makes_folder": ("The script writes metrics, or checkpoints.", "spec checkpoint.dir"),
    "fit.tells_device": ("Your model reads self.device.", "read device"),
    "fit.tells_parts": ("A part of your model reads self.device.", "read device"),
    # main
    "main": ("What starts the training.", "fit"),
    "main.backend": ("What carries gradients between ranks.", "spec process_group.backend"),
    "main.constructions": ("Your classes, with the options of the command line.", "construction"),
    "main.fit_arguments": ("Your model is trained.", "construction"),
    "main.is_distributed": ("Several processes train together.", "spec strategy"),
    "main.makes_trainer": ("The spec describes what the Trainer is given.", "objects"),
    "main.ranks": _RANKS,
    "main.seeds": ("Random numbers are the same in every run.", "seed"),
    "main.first_seed": ("Random numbers are the same in every run.", "seed"),
    "main.timeout": ("How long ranks wait for each other.", "spec process_group.timeout"),
    "construction": ("Your classes, with the options of the command line.", "construction"),
    "docstring": ("The script's options.", ""),
    "script.config": ("The script's options.", ""),
    "script.options": ("The script's options.", ""),
    # the trainer
    "trainer": _ASKS,
    # one pass over data, and evaluations in a main of the user's own
    "run": ("One pass over data, without gradients.", "method validation_step"),
    "run.context": ("What the model computes in.", "setting precision"),
    "run.several": ("There may be several loaders.", "loader val_dataloader"),
    "run.stage": ("The hooks of this stage.", ""),
    "run.told": ("Means over batches weigh each by its size.", "log"),
    "evaluation": _EVALUATES,
}
"""Of what is no feature."""

REASONS: dict[str, Reason] = {
    **FRAME,
    **{each.name: each.reason for each in FEATURES},
    **{f"{each.name}.{field}": reason for each in FEATURES for field, reason in each.reasons.items()},
}

TEMPLATES: dict[str, Reason] = {
    "attach": _ASKS,
    "new_trainer": _ASKS,
    "backward": ("Forward and backward of one batch.", "method training_step"),
    "batch": ("What happens with each batch.", "method training_step"),
    "batches": ("The batches of an evaluation.", "method validation_step"),
    "closure_function": ("The optimizer runs forward and backward itself.", "method optimizer_step"),
    "config": ("Settings of the training, as options of the command line.", ""),
    "end_epoch": ("What happens at an epoch's end.", ""),
    "evaluation": _EVALUATES,
    "fit": ("The training loop, in the order of Lightning's.", "fit"),
    "log_step": ("Values of single steps are written.", "log"),
    "main": ("What starts the training.", "fit"),
    "optimizer_step": ("The optimizer changes the weights.", "method configure_optimizers"),
    "pass": ("One pass over data, without gradients.", "method validation_step"),
    "report": ("What is told when a run fails.", "method on_exception"),
    "resume": ("A run goes on from its last checkpoint.", "spec checkpoint"),
    "run_validation": ("The validation data is run through the model.", "method validation_step"),
    "save": ("last.ckpt holds what a resumed run needs.", "spec checkpoint"),
    "start": ("This process's place, for the main that stays yours.", "spec strategy"),
    "validate": ("The model has a validation_step.", "method validation_step"),
}
"""Of lines that stand in a template without any condition; others have the reason of the template that puts them in."""
