"""The function that trains: what it is given, and what it does first and last (2)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.code.stages import VALIDATE
from ...facts.facts import Facts
from ...facts.members import module_members
from ...lightning import api
from ..data.loaders import ending_workers, names_of
from ..numerics.precision import creation_context
from ..optimization.manual import tells_batches
from .trainer import data_parameter, is_read_by_data, makes_trainer

META = 'torch.device("meta")'


class Fit(NamedTuple):
    """What `fit` is given, and what it does first and last."""

    is_called: bool  # a main of the user's own may but evaluate
    is_own: bool  # that main
    takes_data: bool
    takes_loaders: bool  # in the place of a data module
    trainer: str  # the parameter that tells the settings
    takes_train_loader: bool
    takes_val_loader: bool
    takes_checkpoint: bool
    takes_weights_only: bool
    makes_folder: bool  # for what the script itself writes
    reads_trainer: bool
    may_refit: bool  # a main may give one trainer twice
    goes_on: bool  # from the epoch that the trainer has reached
    may_stop: bool
    by_data: bool  # the trainer is read
    checks: tuple[
        tuple[str, tuple[str, ...]], ...
    ]  # variables, and the classes that their objects have to be of
    creation: str  # the context in which `configure_model` makes layers; empty: none is needed
    moves: bool  # the model to the device, as a whole
    moves_back: bool  # for the main, or a hook, which goes on with it
    ends_workers: str  # of these loaders; empty: there are none
    begins_empty: bool  # the model, until it is shared out
    shares_states: bool  # the first rank's, where nothing trains
    tells_device: bool
    tells_parts: bool  # the device
    tells_early: bool  # before it moves the model: what sets it up may ask for it
    tells_batches: bool  # their number, at the end
    waits: bool  # for other ranks, so that a main may read what one has written

    @property
    def tells_moved(self) -> bool:
        """Whether the device is told once the model has moved: to parts made since, or because it was not before."""
        return self.tells_parts or not self.tells_early

    @property
    def data_parameter(self) -> str:
        return data_parameter(self.takes_data, self.takes_loaders)

    @property
    def trainer_name(self) -> str:
        """What the parameter that tells the settings is called."""
        return self.trainer.partition(":")[0]


def fit(facts: Facts) -> Fit:
    """What `fit` is given, and what it does first and last."""
    own = facts.own_main
    # an option that names a folder makes it, as does a run that claims it
    makes_folder = own is None and not facts.files_of_run
    takes_trainer = facts.has_trainer if own else makes_trainer(facts)
    return Fit(
        is_called=own is None or facts.trains,
        is_own=own is not None,
        takes_data=facts.data is not None,
        takes_loaders=own is not None and own.has_both,
        trainer="trainer: Trainer" if takes_trainer else "config: Config" if own else "",
        takes_train_loader=own is not None and own.gives_train,
        takes_val_loader=own is not None and own.gives_val and not own.has_both,
        takes_checkpoint=own is not None and own.gives_checkpoint,
        takes_weights_only=facts.resumes_as_told,
        makes_folder=makes_folder,
        reads_trainer=own is not None and facts.has_trainer,
        may_refit=own is not None and own.may_refit,
        goes_on=own is not None and own.goes_on,
        may_stop=own is not None and facts.may_stop,
        by_data=is_read_by_data(facts),
        checks=checks(facts, "model", "data") if own else (),
        creation=", ".join(filter(None, (_place(facts), creation_context(facts)))),
        moves=not facts.is_sharded or facts.shares_itself,
        moves_back=_moves_back(facts),
        ends_workers=_ends_workers(facts),
        begins_empty=facts.begins_empty,
        shares_states=facts.is_distributed and not facts.is_sharded,
        tells_device="device" in module_members(facts),
        tells_parts=bool((api.ON_DEVICE | {"device"}) & facts.usage.parts.keys()),
        tells_early=is_read_by_data(facts) or any(map(facts.calls, ("setup", "configure_model"))),
        tells_batches=own is not None and _counts_batches(facts) and not tells_batches(facts),
        waits=own is not None and facts.is_distributed,
    )


def _counts_batches(facts: Facts) -> bool:
    """Whether a trainer is asked for their number, which a model's loop has that steps its optimizers itself."""
    return facts.manual is not None and "batches_done" in facts.trainer_fields


def _moves_back(facts: Facts) -> bool:
    """Whether something finds the model where Lightning leaves it."""
    own, is_whole = facts.own_main, not facts.is_sharded or facts.shares_itself
    has_hooks = facts.calls("on_fit_end") or facts.calls("teardown")
    return is_whole and (has_hooks or (own is not None and own.goes_on_with_models))


def _ends_workers(facts: Facts) -> str:
    """The loaders that a main may use again, which finds them without the processes that they keep."""
    if facts.own_main is None:
        return ""
    val = facts.val if facts.has_validation else None
    return ending_workers(**{"train_loader": facts.train, names_of(facts, VALIDATE, "val_loader")[0]: val})


def _place(facts: Facts) -> str:
    """Where `configure_model` makes layers; empty: where it wants to."""
    if facts.begins_empty:
        return META
    return "" if facts.shares_itself else "device"


def checks(facts: Facts, *variables: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The classes that a run has to be given objects of: the script calls their hooks."""
    found = ((variable, facts.uncertain.get(variable, ())) for variable in variables)
    return tuple((variable, names) for variable, names in found if names)
