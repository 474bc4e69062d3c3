"""Everything found out about the code and the spec, from which the script's plans are decided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ..ir.plans import LOGS
from ..lightning import api
from ..runtime.constructed import module_reads, trainer_members
from ..source.names import free_name
from ..spec.trainer_settings import TrainerSettings
from ..values import values_of
from .conditional_names import holding
from .hyperparameters.save_hyperparameters import (
    asks_initial_hyperparameters,
    changes_hyperparameters,
    saves_objects,
)
from .lightning.idle import Idle
from .lightning.trainer_parts import COUNTERPARTS, LOADING
from .logging.fresh_values import all_are_fresh
from .main.own_main import OF_RANKS
from .main.refits import Refits
from .writing_facts import WritingFacts


@dataclass(frozen=True)
class Facts(WritingFacts):
    """What is known before anything is decided."""

    company: tuple[Facts, ...] = ()  # the same of models that the main trains in loops of their own

    @property
    def everyone(self) -> tuple[Facts, ...]:
        """With the others."""
        return (self, *self.company)

    @property
    def trained(self) -> tuple[Facts, ...]:
        """Those of all that are trained; all, where the main but evaluates."""
        return tuple(each for each in self.everyone if each.trains) or self.everyone

    @cached_property
    def trainer_fields(self) -> frozenset[str]:
        """What the user's code reads of the trainer, directly or through properties of the module."""
        fields = self.fields_read | self._fields_of_optimizers | self._fields_of_evaluations
        fields |= self._fields_of_checkpoints | self.callbacks.trainer_fields
        if "save_checkpoint" in fields and self.reports_to_code and self.may_save_inside:
            fields |= {"failed"}
        fields |= {each for name in fields for each in self._needed(name)}
        fields |= {"loggers"} if self.given_loggers.are_objects else set()
        fields |= {"current_epoch", "global_step"} if self.own_main and self.own_main.goes_on else set()
        fields |= {"current_epoch"} if self.lends_writers else set()
        fields |= self._fields_asked_later
        fields |= {"logs", "has_no_model"} if self.keeps_logs_apart else set()
        fields |= {"logger", "loggers"} & (self.reads - self.own_names)
        return fields - {"is_global_zero"} | {"global_rank"} if "is_global_zero" in fields else fields

    @property
    def _fields_asked_later(self) -> frozenset[str]:
        """What others ask a trainer for that are but evaluated, once it has trained this model."""
        found = frozenset[str]()
        for each in self.company if self.trains else ():
            if not each.trains and self.may_train_before(each):
                found |= each.trainer_fields | holding({self.logged_step: each.writes_evaluations})
        return found

    def may_train_before(self, other: Facts) -> bool:
        """Whether one trainer may train this model, and evaluate another."""
        fits = self.own_main.fits if self.own_main else ()
        refits, calls = Refits(self.project, fits), [
            call for each in other.evaluations for call in each.calls
        ]
        return any(refits.may_share(fit.node, call.node) for fit in fits for call in calls)

    def _needed(self, name: str) -> tuple[str, ...]:
        """What a member of the trainer's is made of."""
        if name == "is_last_batch" and not self.is_sized:
            return ("ends_stream",)
        return api.TRAINER_NEEDS.get(name, ())

    @property
    def trainer_members(self) -> frozenset[str]:
        """The same, with what is made of other fields."""
        read = self._asked_of_trainer & trainer_members()
        return self.trainer_fields | read | self.callbacks.trainer_fields

    @property
    def fields_read(self) -> frozenset[str]:
        """Those that code names itself."""
        fields = {*self._asked_of_trainer}
        fields |= self.own_main.attributes.keys() - set(OF_RANKS) if self.own_main else set()
        fields &= trainer_members() | COUNTERPARTS
        fields |= {"current_epoch", "global_step"} & (self.reads - self.own_names)
        settings = {name for member in self._inherited for name in module_reads(member)}
        return frozenset(fields | settings & TrainerSettings.model_fields.keys())

    @cached_property
    def _asked_of_trainer(self) -> frozenset[str]:
        """What the model, the data and callbacks ask of it, but for what is rewritten as a main's questions are."""
        main = self.own_main.attributes if self.own_main else {}
        rewritten = {node for name in OF_RANKS for node in main.get(name, ())}
        usages = (*self.usages.values(), self.data_usage)
        asked = [each for usage in usages for each in usage.trainer.items()]
        got = {name for usage in usages for name in usage.trainer_got}
        return frozenset(name for name, nodes in asked if not (nodes and rewritten.issuperset(nodes))) | got

    @property
    def idle(self) -> tuple[Idle, ...]:
        """What asks a trainer for something to no effect, which the script leaves out."""
        usages = (*self.usages.values(), self.data_usage)
        found = [usage.idle for usage in usages] + ([self.own_main.idle] if self.own_main else [])
        return tuple(dict.fromkeys(each for idle in found for each in idle.values()))

    @property
    def _inherited(self) -> frozenset[str]:
        """What the model's code asks of Lightning's class."""
        return frozenset(self.usage.reads.keys() - self.own_names | self.usage.supers.keys())

    @property
    def _fields_of_optimizers(self) -> frozenset[str]:
        """What optimizers the code asks for, and what it does with them."""
        wraps, toggles_model = False, False
        if self.manual:
            wraps, toggles_model = self.manual.wraps, self.manual.toggles_model
        toggles = toggles_model or bool(self._inherited & api.TOGGLING)
        clips = "clip_gradients" in self._inherited or "configure_gradient_clipping" in self.usage.supers
        backward = toggles_model or "manual_backward" in self._inherited
        return holding(
            {
                "optimizers": wraps or toggles or self.form.is_swapped or "optimizers" in self._inherited,
                "counted_optimizers": wraps or (self._wraps_others and "optimizers" in self._inherited),
                "schedulers": "lr_schedulers" in self._inherited,
                "toggled": toggles,
                "shared": backward and self.is_ddp,
                "loss_scaler": self.precision.scales and (backward or wraps or clips),
            }
        )

    @property
    def trains_apart(self) -> bool:
        """Whether nothing averages gradients over the ranks, as the model calls `backward` itself (14.1)."""
        is_manual = self.trains and self.manual is not None
        return self.is_ddp and is_manual and "shared" not in self.trainer_fields

    @property
    def _wraps_others(self) -> bool:
        """Whether other models step theirs as optimizers of the script's own kind."""
        return any(each.manual is not None and each.manual.wraps for each in self.company)

    @property
    def _fields_of_evaluations(self) -> frozenset[str]:
        """What evaluations ask of the trainer."""
        orders = any(self.may_order_by_epoch(each.loader) for each in self.evaluations)
        return holding(
            {
                "model": any(each.lacks_model for each in self.evaluations),
                "datamodule": any(each.keeps_data for each in self.evaluations),
                "current_epoch": self.writes_evaluations or orders,
                self.logged_step: self.writes_evaluations,
            }
        )

    @property
    def _fields_of_checkpoints(self) -> frozenset[str]:
        return holding(
            {
                "checkpoint_io": self.has_checkpoint_io,
                "save_checkpoint": self.has_checkpoint_io and self.trains,
                "note": self.notes_newest,
                "run": self.repeats_steps,
                "first_step": self.repeats_steps,
                "at_batch_end": self.waits_to_save,
                "datamodule": self.tells_data,
            }
        )

    @property
    def lends_trainer(self) -> bool:
        """Whether the modules that the model holds have its trainer, too."""
        return bool(self.usage.parts.keys() & api.OF_TRAINER)

    @property
    def has_trainer(self) -> bool:
        asks = self.usage.asks_for_trainer or self.data_usage.asks_for_trainer
        asks |= api.TRAINER_OR_NONE in self.reads - self.own_names
        return bool(self.trainer_fields) or asks or any(each.has_trainer for each in self.company)

    @property
    def logs_by_attribute(self) -> bool:
        """Whether `log` is what keeps the values, and no method, in the classes of all models."""
        return all(each.calls_log_alone for each in self.everyone)

    @property
    def logs_attribute(self) -> str:
        """What models keep them in."""
        taken = frozenset[str]().union(*(each.own_names for each in self.everyone))
        return "log" if self.logs_by_attribute else free_name(LOGS, taken)

    @property
    def logged_step(self) -> str:
        """The trainer's field under which callbacks write values: in manual optimization, Lightning counts batches."""
        found = {each.logged_step for each in self.company if each.trains and not self.trains}
        if found:
            return found.pop() if len(found) == 1 else "logged_step"
        return "batches_done" if self.manual else "global_step"

    # ---- hyperparameters ---------------------------------------------------------------------------------

    @property
    def keeps_namespaces(self) -> bool:
        """Whether they are objects whose attributes are all that is asked of them, those of all models."""
        return all(each.has_namespaces for each in self.everyone)

    @property
    def keeps_initial_hparams(self) -> bool:
        """Whether it is kept what they are when they are saved, as they may change before it is asked for."""
        told = any(each.given_loggers.are_objects for each in self.everyone) and not self.keeps_namespaces
        may_change = changes_hyperparameters(self.project) or saves_objects(self.project)
        return (told and may_change) or asks_initial_hyperparameters(self.project)

    def hyperparameters_of(self, owner: str) -> str:
        """A mapping of them, as code."""
        return f"vars({owner}.hparams)" if self.keeps_namespaces else f"{owner}.hparams"

    # ---- what it decides ---------------------------------------------------------------------------------

    @property
    def loader_first(self) -> bool:
        """Whether the loader is made before the optimizer, which wants to know its length."""
        return bool(self.trainer_fields & LOADING)

    @property
    def starts_early(self) -> bool:
        """Whether something may come between the making of the first epoch's iterator and its first batch."""
        goes_on = self.own_main is not None and self.own_main.goes_on
        called = self.may_draw("on_train_start") or self.may_draw("on_train_epoch_start")
        called = called or self._draws_for_validation
        return goes_on or self.loader_first or called or self.may_end_epoch_alone

    @property
    def _draws_for_validation(self) -> bool:
        """Whether making validation's loader may draw random numbers, once there is the one for training."""
        is_tried = self.settings.num_sanity_val_steps != 0 and not self.is_expression("num_sanity_val_steps")
        return self.has_validation and self.val is not None and self.val.computes and not is_tried

    @property
    def dumps(self) -> bool:
        """Whether checkpoints are written when callbacks or the user's code say so."""
        return "save_checkpoint" in self.trainer_fields

    @property
    def saves_in_background(self) -> bool:
        """Whether checkpoints are written while training goes on."""
        options = self.loaded.spec.checkpoint
        return options is not None and options.in_background and (self.writes_last or self.dumps)

    @property
    def saves_inside(self) -> bool:
        """Whether they may be written before an epoch's last batch."""
        return self.dumps and self.may_save_inside

    @cached_property
    def logged_may_change(self) -> bool:
        """Whether a value may change in place between a step that logs it and the end of its batch."""
        logged, reached = self.logging, {each.call for each in self.logging.logged}
        of_steps = {each.call for each in logged.logged if each.on_step is not False}
        calls = [each for each in logged.calls if each in of_steps or each not in reached]
        handed = {"backward", "on_before_backward", "on_train_batch_end"}
        is_handed_on = any(map(self.calls, handed)) or "backward" in self.model.methods
        if is_handed_on or self.reads_callback_metrics or self.callbacks.own or logged.has_metric_objects:
            return True
        defined = frozenset(each.name.value for each in self.project.index.of_kind(cst.FunctionDef))
        return not all_are_fresh(values_of(self.project), calls, defined)

    @property
    def reads_callback_metrics(self) -> bool:
        return self._asks_any("callback_metrics")

    @property
    def asks_after_runs(self) -> bool:
        """Whether it is asked what was logged, of a trainer that runs no more."""
        return self.own_main is not None and bool(api.METRICS & self.own_main.attributes.keys())

    @property
    def keeps_logs_apart(self) -> bool:
        """Whether that may be asked of a trainer whose model another one has since."""
        return self.asks_after_runs and self.own_main is not None and not self.own_main.pairs_models

    @property
    def keeps_logged(self) -> bool:
        """Whether the latest values are asked for as loggers are told them."""
        return self._asks_any("logged_metrics")

    @property
    def keeps_shown(self) -> bool:
        """Whether they are, as a progress bar is."""
        return self._asks_any("progress_bar_metrics")

    def _asks_any(self, field: str) -> bool:
        """Whether a trainer is asked for a field, whichever model it trains."""
        return any(field in each.trainer_fields for each in self.everyone)

    @property
    def keeps_latest(self) -> bool:
        return any(each.watches_metric for each in self.everyone) or self.reads_callback_metrics

    @property
    def tells_batches(self) -> bool:
        """Whether what is logged depends on the batch, or on whether there is one at the time."""
        logged = self.logging
        return logged.weighs or logged.between_batches or logged.replaces or self.reads_callback_metrics

    @property
    def logged_batch(self) -> tuple[str, str] | None:
        """The attribute of Logs that tells a batch, and its value; None: nothing depends on it."""
        if not self.tells_batches:
            return None
        return ("batch_size", "len(batch[0])") if self.has_tensor_batches else ("batch", "batch")
