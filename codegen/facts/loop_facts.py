"""What follows for the training loop."""

from __future__ import annotations

from functools import cached_property

from ..lightning import api
from ..values import values_of
from .code.scalars import Scalars
from .model_facts import ModelFacts
from .validation.epochs_between import EPOCHS_BETWEEN, Between, kinds_for


class LoopFacts(ModelFacts):
    """How batches follow each other, and what ends them."""

    @property
    def has_validation(self) -> bool:
        has_step = self.has_hook("validation_step") or self.validates_some_models
        return self.val is not None and has_step and self.settings.limit_val_batches != 0

    @property
    def validates_some_models(self) -> bool:
        """Whether `fit` is given validation data, which Lightning leaves alone for models without the step."""
        own, has_step = self.own_main, {"validation_step" in cls.methods for cls in self.served.models}
        return own is not None and own.gives_val and not own.has_both and len(has_step) > 1

    @property
    def may_lack_validation(self) -> bool:
        """Whether a main may give `fit` no validation data, of which the model has none itself, or none for it.

        A data module may have none, too.
        """
        own, has_own = self.own_main, "val_dataloader" in self.model.methods
        gives_none = own is not None and own.may_give_no_val and not (own.has_both or has_own)
        return gives_none or self.validates_some_models or (self.val is not None and self.val.may_lack)

    @property
    def turns_validation_off(self) -> bool:
        """Whether code may have epochs without it, as it sets `limit_val_batches`."""
        return self.has_validation and bool(self.limits_set)

    @property
    def may_validate_nothing(self) -> bool:
        """Whether it is known when the script runs if there are batches at all."""
        loader = self.val
        if loader is None or loader.together:
            return False
        return loader.dataset != "unsized" or loader.is_one_of_unknown_length

    @property
    def shows_bar(self) -> bool:
        return self.settings.enable_progress_bar

    @cached_property
    def counts_epochs(self) -> bool:
        """Whether a main's number of epochs is surely a number: None would stand for some."""
        main, values, scalars = self.own_main, values_of(self.project), Scalars(self.project)
        arguments = [each for call in (main.told if main else ()) for each in call.args]
        given = [each for each in arguments if each.keyword is None or each.keyword.value == "max_epochs"]
        found = [values.of(each.value).values for each in given]
        are_set = main is not None and bool(main.epochs_set)
        return bool(given) and not are_set and all(each and scalars.all_are(each, int) for each in found)

    @cached_property
    def _epochs_between(self) -> frozenset[Between]:
        """What `check_val_every_n_epoch` may be, where a run alone knows."""
        own = self.own_main if self.is_expression(EPOCHS_BETWEEN) else None
        return frozenset(kinds_for(self.project, own.trainers, self.loaded.spec.trainer_keys) if own else ())

    @property
    def may_be_told_none(self) -> bool:
        """Whether a run may be told None as `check_val_every_n_epoch`, for which the script is not written."""
        is_served = self.settings.validates_by_time or self.may_ignore_epochs
        return not is_served and bool(self._epochs_between - {Between.NUMBER})

    @property
    def may_ignore_epochs(self) -> bool:
        """Whether a run alone knows if epochs have a say in when validation is due."""
        interval, is_open = self.settings.val_check_interval, self.is_expression("val_check_interval")
        may_count = is_open or type(interval) is int or interval == 1.0  # and a share cannot be had of all
        is_by_time = self.settings.validates_by_time
        return Between.NONE in self._epochs_between and may_count and not is_by_time

    # ---- batches -----------------------------------------------------------------------------------------

    @property
    def limits_by_count(self) -> bool:
        return type(self.settings.limit_train_batches) is int

    @property
    def may_read_none(self) -> bool:
        """Whether a setting says, or may say, that no batch is trained on."""
        return self.is_expression("limit_train_batches") or self.settings.limit_train_batches == 0

    @property
    def is_sized(self) -> bool:
        """Whether the number of batches is known before they are read."""
        return self.train.dataset != "unsized" or self.limits_by_count

    @property
    def limits_stream(self) -> bool:
        """Whether a run alone knows if it is known how many batches are read, as a limit or a loader may say it."""
        is_open = self.train.is_one_of_unknown_length or self.train.is_together_with_stream
        return not self.is_sized and (is_open or self.is_expression("limit_train_batches"))

    @property
    def may_cut_stream(self) -> bool:
        """Whether a stream may be read up to a batch before which it ends, so that no batch is an epoch's last."""
        is_limited = self.is_expression("limit_train_batches") or self.settings.limit_train_batches != 1.0
        return self.train.dataset == "unsized" and (is_limited or self.train.together)

    @property
    def validates_over_steps(self) -> bool:
        """Whether validation goes by optimizer steps, as code has it in the place of batches over all epochs."""
        return self.settings.validates_over_epochs and any(each.by_steps for each in self.replaced_checks)

    @property
    def counts_batches(self) -> bool:
        """Whether validation goes by batches over all epochs, whose number in each epoch is not known."""
        by_count = self.settings.validates_over_epochs and not self.validates_over_steps
        by_count = by_count or (self.may_ignore_epochs and not self.settings.is_whole_epoch)
        return self.has_validation and by_count and (self.train.dataset != "map" or self.may_skip)

    @property
    def validates_inside(self) -> bool:
        """Whether validation falls within the batch loop."""
        cut = self.has_max_steps or self.may_skip or self.stops_in_batches or self.may_cut_stream
        return self.has_validation and (cut or not self.settings.validates_by_epoch)

    @property
    def validates_before_epoch_ends(self) -> bool:
        """Whether there is a validation after the batches of each epoch."""
        every_epoch = self.settings.validates_each_epoch and not self.validates_inside
        is_set = self.turns_validation_off or self.is_expression("limit_val_batches")
        may_be_off = is_set or self.may_lack_validation
        return self.has_validation and every_epoch and not may_be_off

    @property
    def ends_epoch_inside(self) -> bool:
        """Whether what belongs to an epoch's last batch must happen within the batch loop."""
        return (
            self.has_max_steps
            or self.may_skip
            or self.validates_inside
            or self.stops_in_batches
            or self.may_cut_stream
            or self.calls("on_train_batch_end")
        )

    # ---- the end -----------------------------------------------------------------------------------------

    @property
    def has_max_steps(self) -> bool:
        return self.settings.max_steps != -1

    @property
    def steps_reached(self) -> str:
        """Whether the number of steps is reached that training is limited to."""
        if self.is_expression("max_steps") or self.own_main is None:
            return "0 <= config.max_steps <= global_step"
        return "global_step >= config.max_steps"

    @property
    def limits_time(self) -> bool:
        """Whether a Timer may end the training."""
        return self.callbacks.given("Timer")

    @property
    def stops_in_batches(self) -> bool:
        """Whether something may end the training after any batch."""
        return (
            self.limits_time
            or bool(self._stopped_in)
            or (self.callbacks.given("EarlyStopping") and self.may_demand("min_steps"))
        )

    @cached_property
    def _stopped_in(self) -> frozenset[str]:
        """The methods whose code asks for the end of training, or whether it is asked for."""
        places = (usage.asked_of_trainer.get("should_stop", ()) for usage in (self.usage, self.data_usage))
        functions = (self.project.index.function_of(node) for nodes in places for node in nodes)
        return frozenset(function.name.value for function in functions if function is not None)

    def _stops_in(self, hooks: frozenset[str]) -> bool:
        """Whether code asks for the end in one of these, or in methods that anything may call."""
        known = (api.CALLBACK_HOOKS | api.ALL_HOOKS | api.STEPS) - {"forward"}
        return bool(self._stopped_in & hooks or self._stopped_in - known)

    @property
    def may_stop_before_training(self) -> bool:
        """Whether training may be asked to stop before it starts: by a Timer, too, which has no time left."""
        tries = self.has_validation and self.settings.num_sanity_val_steps != 0
        tried = api.VALIDATION_HOOKS | {"on_validation_end"}
        hooks = api.FIT_START_HOOKS | (tried if tries else frozenset())
        return self.limits_time or self._stops_in(hooks)

    @property
    def may_stop_at_start(self) -> bool:
        """Whether training may be asked to stop as it starts, before its first epoch."""
        return self._stops_in(frozenset({"on_train_start"}))

    @property
    def may_stop_at_epoch_start(self) -> bool:
        """Whether training may be asked to stop before an epoch's first batch."""
        return self._stops_in(frozenset({"on_train_epoch_start"}))

    @property
    def may_stop(self) -> bool:
        """Whether something may end the training before its last epoch."""
        return self.stops_in_batches or self.callbacks.given("EarlyStopping")

    def may_demand(self, minimum: str) -> bool:
        """Whether training that was asked to stop may go on until this is met."""
        return self.is_expression(minimum) or bool(getattr(self.settings, minimum))

    @property
    def may_outlive_stop(self) -> bool:
        """Whether there may be steps after training was asked to stop."""
        return self.may_stop and (self.may_demand("min_epochs") or self.may_demand("min_steps"))

    @property
    def stops_inside(self) -> bool:
        """Whether the batch loop may be left."""
        return self.may_stop and (self.stops_in_batches or self.validates_inside)

    @property
    def may_cut_epochs(self) -> bool:
        """Whether training may end within an epoch."""
        return self.has_max_steps or self.stops_inside

    def stop_condition(self, epochs: str) -> str:
        """Whether to stop after so many whole epochs."""
        if self.is_expression("min_epochs") or self.is_expression("min_steps"):
            minima = ", ".join(self.setting_code(name) for name in ("min_epochs", "min_steps"))
            return f"trainer.should_stop and minima_met({epochs}, global_step, {minima})"
        least, steps = self.settings.min_epochs, self.settings.min_steps
        least = 1 if least is None and steps is not None else least
        conditions = ["trainer.should_stop"]
        conditions += [f"{epochs} >= {least}"] if least else []
        conditions += [f"global_step >= {steps}"] if steps else []
        return " and ".join(conditions)
