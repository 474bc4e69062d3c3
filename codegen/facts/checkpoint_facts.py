"""What follows for checkpoints, and for runs that fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from ..ir.project import Class
from ..spec.sections.strategy_spec import CheckpointState, Resume
from .hyperparameters.save_hyperparameters import (
    are_namespaces,
    logs_hyperparameters,
    saves_hyperparameters,
)
from .loop_facts import LoopFacts
from .optimizers.objects import is_shared_out, optimizers_made

SAVING = frozenset({"ModelCheckpoint", "OnExceptionCheckpoint"})
"""Callbacks that may be told a folder."""

Call = tuple[tuple[str, ...], Mapping[str, str]]
"""The code of what is passed by place, and by name."""


class CheckpointFacts(LoopFacts):
    """When checkpoints are written, and by whom."""

    @property
    def writes_last(self) -> bool:
        """Whether the script keeps a checkpoint of its own: beside a main's ModelCheckpoint, if the spec asks."""
        spec = self.loaded.spec
        leaves_it = self.own_main is not None and (self.callbacks.saves or self.has_checkpoint_io)
        given = "checkpoint" in spec.model_fields_set
        asks = given and spec.checkpoint is not None and spec.checkpoint.model_fields_set != {"resume"}
        asks = asks or self.may_leave
        return spec.checkpoint is not None and (asks or not leaves_it)

    @cached_property
    def shares_out(self) -> bool:
        """Whether code makes optimizers of which each rank keeps a share of the states."""
        return any(map(is_shared_out, optimizers_made(self.project, self.model)))

    @property
    def has_checkpoint_io(self) -> bool:
        """Whether checkpoints are written and read by objects that Trainers are given."""
        return self.checkpoint_io is not None

    @property
    def writes_last_within(self) -> bool:
        """Whether that is written within epochs too, with what a run needs to go on from there."""
        options = self.loaded.spec.checkpoint
        is_asked = options is not None and (options.every_n_steps or options.every)
        return self.writes_last and (bool(is_asked) or self.may_leave)

    @property
    def writes_last_by_steps(self) -> bool:
        """Whether that is after so many of the optimizer's, before an epoch's last batch."""
        options = self.loaded.spec.checkpoint
        return self.writes_last_within and options is not None and options.every_n_steps is not None

    @property
    def writes_last_by_time(self) -> bool:
        """Whether that may be after an epoch's last batch."""
        options = self.loaded.spec.checkpoint
        return self.may_leave or (options is not None and options.every is not None)

    @property
    def may_leave(self) -> bool:
        """Whether the script leaves when it is told to."""
        return self.loaded.spec.preemption is not None

    @property
    def may_resume(self) -> bool:
        """Whether a run goes on from its last checkpoint."""
        options = self.loaded.spec.checkpoint
        return options is not None and options.resume is Resume.AUTO and self.writes_last

    @property
    def may_go_on(self) -> bool:
        """Whether a run may go on from some checkpoint."""
        given = self.own_main is not None and self.own_main.gives_checkpoint
        return self.may_resume or self.notes_newest or given

    @property
    def folder(self) -> str:
        """Where the run's files are to lie; empty: nothing says."""
        options = self.loaded.spec.checkpoint
        return (options.dir if options else None) or self.settings.default_root_dir or ""

    @property
    def is_remote(self) -> bool:
        """Whether they, or what a callback saves, may lie where fsspec alone reaches them."""
        given = ((*by_place, *by_name.values()) for by_place, by_name in self._saving_calls)
        return "://" in self.folder or any("://" in code for codes in given for code in codes)

    @property
    def _saving_calls(self) -> Iterator[Call]:
        """How callbacks that save are made, as far as it can be told."""
        return (call for made in self.callbacks.made if made.name in SAVING for call in made.calls)

    @cached_property
    def has_namespaces(self) -> bool:
        """Whether hyperparameters may be objects whose attributes are all that is asked of them."""
        kinds = (self.served.models, self.served.data)
        saving = [{self._saves_and_logs(cls) for cls in kind} for kind in kinds]
        has_both = self.own_main is not None and self.own_main.has_both
        return not has_both and all(len(each) < 2 for each in saving) and are_namespaces(self.project)

    def _saves_and_logs(self, cls: Class) -> tuple[bool, bool]:
        return saves_hyperparameters(self.project, cls), logs_hyperparameters(self.project, cls)

    @property
    def saves_shares(self) -> bool:
        """Whether each rank writes its share of a checkpoint."""
        options = self.loaded.spec.checkpoint
        return options is not None and options.state is CheckpointState.SHARDED

    @property
    def may_hold_objects(self) -> bool:
        """Whether the user's code adds to checkpoints, which are read without running code in them."""
        of_data = self.data.methods.keys() if self.data else set()
        adding = {*self.hooks, *of_data, *self.callbacks.own_methods}
        return not adding.isdisjoint({"on_save_checkpoint", "state_dict"})

    @property
    def takes_weights_only(self) -> bool:
        """Whether code says itself that what is in checkpoints is run, where more may be in them than tensors."""
        says = self.own_main is not None and bool(self.own_main.weights_only)
        by_others = self.saves_shares or self.has_checkpoint_io or self.is_remote
        return says and self.may_hold_objects and not by_others

    @property
    def resumes_as_told(self) -> bool:
        """Whether code says so where it has a run go on from a checkpoint."""
        return self.takes_weights_only and self.own_main is not None and self.own_main.gives_weights_only

    @property
    def resumes_when_told(self) -> bool:
        """Whether the script has an option for that."""
        return self.may_resume and self.own_main is None

    @property
    def goes_on_in_folder(self) -> bool:
        """Whether the run goes on from whatever last checkpoint there is in the folder that it has claimed."""
        own = self.own_main
        return self.may_resume and (own is None or (own.trains_once and not own.gives_checkpoint))

    @property
    def trains_again(self) -> bool:
        """Whether one process may train several times, into the same folder."""
        return self.own_main is not None and not self.own_main.trains_once

    @property
    def last_path(self) -> str:
        """Where the script's own last checkpoint is, as code."""
        return self.of_fit('config.out / "last.ckpt"')

    def of_fit(self, path: str) -> str:
        """A file of which each training has one, as code."""
        return f"of_fit({path})" if self.trains_again else path

    @property
    def notes_newest(self) -> bool:
        """Whether a run that torchrun restarts goes on from what a main's ModelCheckpoint has saved."""
        options = self.loaded.spec.checkpoint
        resumes = options is not None and options.resume is Resume.AUTO
        return self.own_main is not None and self.callbacks.saves and resumes and not self.writes_last

    @property
    def repeats_steps(self) -> bool:
        """Whether a run that was stopped trains steps again after which a ModelCheckpoint has saved already."""
        saves = self.callbacks.saves and not self.callbacks.saves_one_file
        return saves and (self.resumes_when_told or self.notes_newest)

    @property
    def asks_callbacks(self) -> bool:
        """Whether checkpoints are asked for by name that callbacks keep."""
        given = self.own_main is not None and self.own_main.gives_checkpoint
        return self.callbacks.saves and (given or any(each.gives_checkpoint for each in self.evaluations))

    @property
    def may_save_inside(self) -> bool:
        callbacks = self.callbacks
        inside = callbacks.uses_steps or callbacks.saves_failures or self.validates_inside
        by_callbacks = (callbacks.saves and inside) or callbacks.given("OnExceptionCheckpoint")
        return by_callbacks or "save_checkpoint" in self.usage.asked_of_trainer

    # ---- within epochs -----------------------------------------------------------------------------------

    @property
    def waits_to_save(self) -> bool:
        """Whether a ModelCheckpoint saves by steps or by time, with what a run needs to go on from there."""
        saves = self.trains and self.callbacks.saves and self.callbacks.waits
        return saves and self.may_go_on and not any(self.in_the_way_within_epochs.values())

    @property
    def saves_within(self) -> bool:
        """Whether checkpoints have what a run needs to go on from within an epoch."""
        return self.writes_last_within or self.waits_to_save

    @property
    def may_end_epoch_alone(self) -> bool:
        """Whether a run may go on where no more steps are to be trained, and only an epoch's end is left."""
        return self.has_max_steps and self.waits_to_save

    @property
    def may_save_after_last(self) -> bool:
        """Whether they may be written after an epoch's last batch, before its end."""
        return self.writes_last_by_time or self.waits_to_save

    @property
    def in_the_way_within_epochs(self) -> dict[str, object]:
        """Settings with which no run goes on there, and whether they are asked for."""
        reload = "reload_dataloaders_every_n_epochs"
        return {
            "automatic_optimization": self.manual,
            "join": self.joins,
            "setup_optimizers": self.form.is_renewed,
            reload: getattr(self.settings, reload) or self.is_expression(reload),
        }

    # ---- failures ----------------------------------------------------------------------------------------

    @property
    def reports_to_code(self) -> bool:
        """Whether callbacks or the data are told when a run fails."""
        return self.tells_data or "on_exception" in self.callbacks.hooks

    @property
    def tells_data(self) -> bool:
        return self.data is not None and "on_exception" in self.data.methods

    @property
    def reports(self) -> bool:
        """Whether something is told when a run fails."""
        return self.reports_to_code or self.callbacks.has_open_logs
