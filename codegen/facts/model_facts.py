"""What follows for the model and its batches."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ..index.index import Index
from ..lightning.api import QUIET_CALLBACKS, TRANSFER_HOOKS
from ..spec.sections.strategy_spec import Strategy
from ..values import Literal, values_of
from .code.effects import sets_grad_mode
from .code.stages import PREDICT
from .data.called_hooks import inherited_hooks
from .data.changing import may_change_length
from .data.loaders import LoaderFacts
from .findings import Gathered
from .model.assigned import LOADING
from .model.copies import copies_objects, moves_objects
from .model.load_from_checkpoint import names_loading, names_loading_data, says_device
from .model.steps import hands_over_closure, takes_batch_idx
from .model.training_modes import all_train
from .used_alone import asks_without_trainer


class ModelFacts(Gathered):
    """What the model does and needs."""

    @cached_property
    def own_names(self) -> frozenset[str]:
        """Attributes that the model gives itself."""
        return frozenset(self.usage.own_names(self.model))

    @property
    def loads_in_part(self) -> bool:
        """Whether the model says itself if a checkpoint must have all weights."""
        return "strict_loading" in self.own_names

    @cached_property
    def loads_own_way(self) -> bool:
        """Whether models may have something else than torch's `load_state_dict`."""
        stores = values_of(self.project).stores()
        is_set = any(name == LOADING for _, name, _ in stores)
        return is_set or any(LOADING in cls.methods for cls in self.served.models)

    @cached_property
    def calls_log_alone(self) -> bool:
        """Whether `log` is Lightning's, and called wherever it is asked for: what is called may then change."""
        index = self.project.index
        is_own = "log" in self.own_names or "log" in self.usage.supers or "log" in self.callbacks.lent
        is_own |= any(call.is_handed_on for call in self.usage.logs) or self.works_alone
        return not is_own and all(_is_called(index, node) for node in index.attributes("log"))

    @cached_property
    def may_change_length(self) -> bool:
        """Whether the number of batches may change while the model is trained."""
        return may_change_length(self.project)

    @cached_property
    def works_alone(self) -> bool:
        """Whether it may be asked without a trainer for what that knows."""
        is_copied = copies_objects(self.project, self.model)
        may_load = self.own_main is not None and self.loads_checkpoints
        return asks_without_trainer(self.project, self.served.models, self.usage, is_copied or may_load)

    @cached_property
    def loads_checkpoints(self) -> bool:
        """Whether the code asks a class for its `load_from_checkpoint`, which may be the model's."""
        return names_loading(self.project)

    @cached_property
    def loads_elsewhere(self) -> bool:
        """Whether weights may be loaded on another device than the CPU, where the model is made."""
        return self.loads_checkpoints and says_device(self.project)

    @cached_property
    def loads_data(self) -> bool:
        """Whether the code asks a data module's class for it."""
        return self.data is not None and names_loading_data(self.project)

    @cached_property
    def calls_of_data(self) -> frozenset[str]:
        """The hooks of a data module that the code calls itself, and that the class does not define."""
        return inherited_hooks(self.project) if self.data is not None else frozenset()

    @cached_property
    def reads(self) -> frozenset[str]:
        """Attributes that the model's code, or that of others in its place, reads of itself or of its base."""
        return frozenset(name for usage in self.usages.values() for name in (*usage.reads, *usage.supers))

    @cached_property
    def sets_grad_mode(self) -> bool:
        """Whether the code may leave gradients disabled."""
        return sets_grad_mode(self.project.index)

    @cached_property
    def all_train(self) -> bool:
        """Whether all modules of the model's surely train whenever an evaluation begins."""
        quiet = self.callbacks.runtime <= QUIET_CALLBACKS and not self.project.spec_classes
        is_plain = self.loaded.spec.strategy is Strategy.DDP and self.loaded.spec.compile is None
        return quiet and is_plain and all_train(self.project, self.callbacks.mentioned)

    @property
    def tries_example(self) -> bool:
        """Whether Lightning runs the model's example before training, for its summary of the model."""
        return "example_input_array" in self.own_names and self.summarizes

    @property
    def uses_closure(self) -> bool:
        return self.form.exists and (self.has_hook("optimizer_step") or self.form.needs_closure)

    @property
    def prepares_gradients(self) -> bool:
        """Whether something comes between the last backward and the update."""
        clips = bool(self.settings.gradient_clip_val) or self.has_hook("configure_gradient_clipping")
        return self.form.exists and (clips or self.calls("on_before_optimizer_step"))

    @property
    def prepares_in_step(self) -> bool:
        """Whether that must happen in the optimizer's step, as `optimizer_step` may call its closure itself."""
        if self.precision.scales:
            return True
        parts = [part.own_methods for part in self.model.lineage]
        methods = [methods["optimizer_step"] for methods in parts if "optimizer_step" in methods]
        return self.prepares_gradients and not all(
            hands_over_closure(self.project.index, each) for each in methods
        )

    def takes_index(self, step: str) -> bool | None:
        """Whether a step is told a batch's number; None: those of some models."""
        methods = [cls.methods[step] for cls in self.served.models if step in cls.methods]
        taking = {takes_batch_idx(method) for method in methods}
        return taking.pop() if len(taking) == 1 else None if taking else False

    @property
    def may_skip(self) -> bool:
        """Whether `on_train_batch_start` may end the epoch, by returning -1."""
        method = self.model.methods.get("on_train_batch_start")
        returned = values_of(self.project).of_function(method) if method else ()
        return any(not isinstance(value, Literal) or value.value == -1 for value in returned)

    @property
    def own_code_ends_validation(self) -> bool:
        """Whether code of the user's is called when validation is over, or what may end a run there."""
        name = "on_validation_end"
        in_callbacks = {hook for hook, _ in self.callbacks.assigned} | self.callbacks.own_methods
        return self.has_hook(name) or name in in_callbacks | self.callbacks.loud_hooks

    @property
    def copies_model(self) -> bool:
        """Whether something copies the model, which then has to be without its trainer."""
        return self.callbacks.copies_model or copies_objects(self.project, self.model)

    @cached_property
    def moves_model(self) -> bool:
        """Whether code moves or converts it: `device` and `dtype` follow."""
        return moves_objects(self.project)

    @property
    def watches_metric(self) -> bool:
        schedule = self.form.schedule
        return self.form.may_be_plateau or (schedule is not None and schedule.on_plateau)

    # ---- batches -----------------------------------------------------------------------------------------

    @property
    def transfers_by_data(self) -> bool:
        return any(self.owner_of(hook) == "data" for hook in TRANSFER_HOOKS)

    @property
    def has_tensor_batches(self) -> bool:
        """Whether each batch surely is a list of tensors."""
        return not self._transfers and all(loader.has_tensor_batches for loader in self._loaders)

    @property
    def has_collated_batches(self) -> bool:
        """Whether torch's default_collate makes all batches, as it is, and nothing but batches is moved."""
        predicts = any(each.stage is PREDICT for each in self.evaluations)
        is_changed = any("collate_fn_map" in statement.code for statement in self.project.statements)
        others = self._transfers or predicts or is_changed
        return not others and all(loader.is_collated for loader in self._loaders)

    @property
    def _loaders(self) -> list[LoaderFacts]:
        training = [self.train, *([self.val] if self.val else [])] if self.trains else []
        return [*training, *(each.loader for each in self.evaluations)]

    @property
    def _transfers(self) -> bool:
        return any(self.owner_of(hook) for hook in TRANSFER_HOOKS)

    def may_order_by_epoch(self, loader: LoaderFacts) -> bool:
        """Whether a loader may have another order in every epoch that its sampler is told."""
        shuffles = self.is_distributed and loader.shuffle is not False
        return loader.may_have_index and (shuffles or not loader.is_plain)


def _is_called(index: Index, function: cst.Attribute) -> bool:
    call = index.parent(function)
    return isinstance(call, cst.Call) and call.func is function
