"""The plans of the script's parts: every decision made, as the templates print it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..source.definitions import Import

Lines = tuple[str, ...]
"""Lines of code for one place in a template; none of them, and the template's own line goes as well."""

MODEL = "__model_class__"

DATA = "__data_class__"
"""What stands for the user's classes in code of the script's, until its own names have given way to the user's."""

TRAINER = "__spec_trainer__"
"""The same for `Trainer(...)`, with the objects that the spec describes."""

LOGS = "current_logs"
"""The one attribute that the script gives the model and Lightning does not: it gives way to the user's own."""


@dataclass(frozen=True)
class ConfigField:
    """One field of `Config`, and so one option of the command line."""

    name: str
    type: str
    default: str | None  # None: it has to be given
    comment: str = ""

    @property
    def initial(self) -> str:
        return f" = {self.default}" if self.default is not None else ""


@dataclass(frozen=True)
class ConfigGroup:
    title: str
    fields: tuple[ConfigField, ...]


@dataclass(frozen=True)
class Construction:
    """How `main` makes an object of the user's."""

    class_name: str
    arguments: str
    imports: tuple[Import, ...] = ()  # of what its arguments are made of


@dataclass(frozen=True)
class OptimizerPlan:
    """How the optimizer and its schedulers are read, restored, saved and stepped."""

    read: Lines
    restore: Lines
    states: str  # the checkpoint's optimizer_states and lr_schedulers, as expressions
    scheduler_states: str
    after_epoch: Lines  # schedulers by epoch, and both kinds of those that watch a metric
    plateau_step: Lines
    plateau_epoch: Lines


@dataclass(frozen=True)
class ManualPlan:
    """What the model does with its optimizers in manual optimization."""

    wraps: bool  # the script has a class of its own for them
    toggles_model: bool  # by a method of that class
    shares: bool  # gradients, with other ranks
    has_backward_hooks: bool
    has_step_hook: bool


@dataclass(frozen=True)
class TrainerPlan:
    """What the script's Trainer holds: the fields that the user's code reads."""

    start: Lines  # of `fit`
    members: frozenset[str]
    attach_parameters: Lines = ()
    attach: Lines = ()  # a function's body, where that is called at the start of several

    @property
    def knows_epoch(self) -> bool:
        return "current_epoch" in self.members

    @property
    def knows_step(self) -> bool:
        return "global_step" in self.members


@dataclass(frozen=True)
class LoggingPlan:
    """What is logged where, and what writes it."""

    start: Lines
    in_training: bool
    in_validation: bool
    by_step: bool  # values of single steps are written
    by_validation_step: bool
    by_epoch: bool  # values of a training epoch are written
    hides: bool  # some values are not written
    shows_bar_values: bool
    begin_batch: Lines  # tells its size, by which it weighs in means
    end_batches: Lines
    writers: tuple[tuple[str, str], ...]  # variable, and how it is made
    drop_rows: Lines  # of an earlier run
    show: str  # the function that prints an epoch's values
    unused_options: Mapping[str, str]  # options of Logs.record that no call passes, with their defaults
    absent: Mapping[
        str, str
    ]  # attributes of Logs that never change, with the value that they have throughout
    absent_types: frozenset[str]  # types of which there are no values
    present: Mapping[str, str]  # attributes of Logs that are never None, with the values that they begin with


@dataclass(frozen=True)
class PassPlan:
    """One pass over the data of a stage: validation, test or predict."""

    stage: str  # as the hooks are named
    evaluated: str  # what is put into evaluation mode
    several: bool  # loaders, of which there may be but one
    begin_loader: Lines
    end_loader: Lines
    batches: str  # what is iterated
    looks_ahead: bool
    transfer: Lines
    begin_batch: Lines
    end_batches: Lines
    outputs: str | None  # the variable that keeps what a step returns
    step_call: str
    after_batch: Lines
    logs: bool
    write: Lines  # what was logged, before the last hook


@dataclass(frozen=True)
class EvaluationPlan:
    """A function of the script's that takes the place of `trainer.validate`, `test` or `predict`."""

    function: str
    parameters: Lines
    returns: str
    summary: str
    start: Lines
    setup: Lines
    load: Lines  # weights, where a checkpoint is given
    loader: Lines
    logs: Lines
    run: PassPlan
    end: Lines
    result: str


@dataclass(frozen=True)
class ValidationPlan:
    """When and how the validation data is run through the model."""

    parameters: Lines
    loader: Lines  # made, and tried out where a sanity check is wanted
    run: PassPlan
    swaps_logs: bool  # training logs too
    sets_logs: bool
    arguments: str
    before: Lines
    after: Lines
    is_due: str | None  # a condition within the batch loop; None: after it
    interval: Lines
    due_after: str | None  # a condition for validation at an epoch's end
    shows_with_training: bool  # one line on the terminal for both
    set_epoch: Lines
    log_step: str  # the step that its values are logged under
    writes_inside: bool  # its values, while it runs


@dataclass(frozen=True)
class LoopPlan:
    """The training loop."""

    epochs: str  # what the outer loop iterates
    train_loader: Lines
    loader_first: bool  # made before the optimizer, which wants to know its length
    early_iterator: Lines  # the first epoch's batches, fetched from before the hooks at its start
    later_iterator: Lines
    drop_iterator: Lines
    bar: Lines
    batches: str  # what the inner loop iterates
    batch_target: str
    accumulates: bool
    window: Lines  # how many batches make an optimizer step
    epochs_window: Lines  # the same, where that changes
    is_last: Lines
    wraps: Lines  # the model in DistributedDataParallel
    sync: str | None  # the context of a batch's forward and backward; None: none is needed
    step: Lines  # up to `loss`
    loss_may_be_none: bool
    zero_grad: Lines
    backward: Lines
    uses_closure: bool  # the optimizer calls forward and backward itself
    closure_parameters: str
    closure_result: Lines
    closure_scope: Lines
    closure_end: Lines
    before_update_in_closure: Lines
    update: Lines
    logs_now: str
    step_count: str  # the variable that counts the steps under which values are logged
    stop_inside: Lines  # what leaves the loops early
    stop: Lines
    steps_reached: str | None  # a condition; None: steps are not limited
    ends_epoch_inside: bool  # what belongs to an epoch's last batch happens within the batch loop
    set_epoch: Lines
    transfer: Lines
    batches_seen: Lines  # the number of batches over all epochs, where that is counted
    count_batch: Lines
    no_last_batch: Lines


@dataclass(frozen=True)
class CheckpointPlan:
    """What a checkpoint holds beside the common entries, and when it is written."""

    found: Lines  # the checkpoint to go on from, if any
    must_agree: bool  # several ranks read it
    is_due: str | None  # None: after every epoch
    entries: Lines
    restore: Lines
    rng_states: str
    writes_last: bool  # by the script itself
    dumps: bool  # whenever callbacks or the user's code ask for it
    state_entries: Lines  # those that a checkpoint of weights alone does without
    load_callbacks: Lines


@dataclass(frozen=True)
class FitPlan:
    """What `fit` is given, and what it does first and last."""

    is_called: bool  # a main of the user's own may but evaluate
    makes_folder: bool  # for what the script itself writes
    parameters: Lines
    start: Lines
    end: Lines


@dataclass(frozen=True)
class MainPlan:
    """The order of `main`, or of what the user's own main leaves to the script."""

    is_own: bool  # the user's
    ranks: str
    constructions: tuple[tuple[str, Construction], ...]
    required: str  # options that have to be given, with their types
    makes_trainer: bool  # with what the spec describes
    fit_arguments: str
    seeds: bool
    first: Lines  # before the user's own main
    prologue: Lines
    is_distributed: bool
    backend: str
    timeout: str
