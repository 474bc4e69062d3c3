"""What the model logs, from where, and so what the script keeps of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...lightning import api
from ..code.stages import PREDICT, STAGES, TEST, Stage
from ..code.usage import LogCall, Usage
from ..lightning.removed_hooks import is_called
from .callers import is_left_out
from .names import may_log_same

Flag = bool | None
"""Whether an option is set; None: known only when the script runs."""


@dataclass(frozen=True)
class Logged:
    """One call, for one of the hooks that reach it."""

    call: LogCall
    hook: str
    model: str  # the class of the model that logs

    def flag(self, name: str, default: bool) -> Flag:
        value = self.call.keywords.get(name)
        if self.call.is_open:
            return None
        if value is None or m.matches(value, m.Name("None")):
            return default
        return (
            True if m.matches(value, m.Name("True")) else False if m.matches(value, m.Name("False")) else None
        )

    def may_be(self, other: Logged) -> bool:
        """Whether both may be one name of one model's."""
        return self.model == other.model and may_log_same(self.call, other.call)

    @property
    def is_in_batch(self) -> bool:
        return self.hook in IN_BATCHES

    @property
    def on_step(self) -> Flag:
        return self.flag("on_step", self.hook in api.STEP_HOOKS)

    @property
    def on_epoch(self) -> Flag:
        return self.flag("on_epoch", self.hook not in api.STEP_HOOKS)


OF_STAGES = (api.STEP_HOOKS | api.BETWEEN_HOOKS, api.VALIDATION_HOOKS, TEST.logging_hooks)
"""The hooks that log in training, in validation and in tests."""

IN_BATCHES = api.STEP_HOOKS.union(*(stage.with_index for stage in STAGES.values()))


@dataclass(frozen=True)
class LoggingFacts:
    """All that is logged."""

    calls: tuple[LogCall, ...]
    logged: tuple[Logged, ...]
    has_metric_objects: bool

    def among(self, hooks: frozenset[str]) -> list[Logged]:
        return [logged for logged in self.logged if logged.hook in hooks]

    def with_others(self, others: Iterable[LoggingFacts]) -> LoggingFacts:
        """All that is logged by any of several models that one script is for."""
        all_facts = (self, *others)
        return LoggingFacts(
            tuple(dict.fromkeys(call for each in all_facts for call in each.calls)),
            tuple(logged for each in all_facts for logged in each.logged),
            any(each.has_metric_objects for each in all_facts),
        )

    @cached_property
    def logged_again(self) -> tuple[tuple[str, Logged, Logged], ...]:
        """Names that two hooks of one stage log for the epoch."""
        return tuple(again for hooks in OF_STAGES for again in _again(self.among(hooks)))

    @property
    def replaces(self) -> bool:
        """Whether what is logged between batches takes the place of what steps have logged, or the other way."""
        return any(_may_replace(self.among(hooks)) for hooks in OF_STAGES)

    def differs(self, option: str, default: bool) -> bool:
        """Whether hooks of one stage may log a name with an option and without it."""
        return any(_differ(self.among(hooks), option, default) for hooks in OF_STAGES)

    @property
    def in_training(self) -> bool:
        return bool(self.among(api.STEP_HOOKS | api.BETWEEN_HOOKS))

    @property
    def in_validation(self) -> bool:
        return bool(self.among(api.VALIDATION_HOOKS))

    @property
    def by_step(self) -> bool:
        return any(logged.on_step is not False for logged in self.among(api.STEP_HOOKS))

    @property
    def by_epoch(self) -> bool:
        return any(logged.on_epoch is not False for logged in self.among(api.STEP_HOOKS | api.BETWEEN_HOOKS))

    @property
    def keeps_steps(self) -> bool:
        """Whether a value of a single step may be kept, in training or elsewhere."""
        return any(logged.on_step is not False for logged in self.logged)

    @property
    def keeps_epochs(self) -> bool:
        """Whether a reduction over an epoch may be."""
        return any(logged.on_epoch is not False for logged in self.logged)

    @property
    def by_validation_step(self) -> bool:
        return any(logged.on_step is not False for logged in self.among(api.VALIDATION_HOOKS))

    @property
    def between_batches(self) -> bool:
        return bool(self.among(api.BETWEEN_HOOKS))

    def around(self, stage: Stage) -> bool:
        """Whether values are logged before or after a stage's batches."""
        parts = ("start", "epoch_start", "epoch_end")
        return bool(self.among(frozenset(f"on_{stage.name}_{part}" for part in parts)))

    def during(self, stage: Stage) -> bool:
        """Whether values are logged in a stage."""
        return bool(self.among(stage.logging_hooks))

    def by_step_of(self, stage: Stage) -> bool:
        """Whether values of single batches of a stage are logged."""
        return any(logged.on_step is not False for logged in self.among(stage.logging_hooks))

    @property
    def weighs(self) -> bool:
        """Whether a mean over an epoch takes its weights from the batches."""
        evaluated = (stage.logging_hooks for stage in STAGES.values())
        in_batches = self.among(api.STEP_HOOKS.union(*evaluated))
        return any(logged.on_epoch is not False and not self._has_weight(logged) for logged in in_batches)

    def _has_weight(self, logged: Logged) -> bool:
        return "batch_size" in logged.call.keywords and not logged.call.is_open

    @property
    def twofold(self) -> bool:
        return any(logged.on_step is not False and logged.on_epoch is not False for logged in self.logged)

    @property
    def syncs_steps(self) -> bool:
        """Whether values of single steps may be reduced over the ranks."""
        return any(
            item.on_step is not False and item.flag("sync_dist", False) is not False for item in self.logged
        )

    @property
    def unused_options(self) -> dict[str, str]:
        """Options that no call passes, with their defaults."""
        if any(call.is_open for call in self.calls):
            return {}
        used = {name for call in self.calls for name in call.keywords}
        return {name: default for name, default in api.LOG_DEFAULTS.items() if name not in used}

    @property
    def shows_in_bar(self) -> bool:
        return any(logged.flag("prog_bar", False) is not False for logged in self.among(api.STEP_HOOKS))


def logging_facts(project: Project, cls: Class, usage: Usage, stages: Iterable[Stage] = ()) -> LoggingFacts:
    """The calls of `log` and `log_dict`, under each hook that reaches them; `stages` are run beside training."""
    hooks = api.STEP_HOOKS | api.BETWEEN_HOOKS | api.VALIDATION_HOOKS | api.SILENT_HOOKS
    hooks = hooks.union(*(stage.logging_hooks for stage in stages if stage is not PREDICT))
    reached = {hook: usage.reached_from(hook) for hook in hooks if hook in cls.methods or hook in usage.calls}
    logged = []
    for call in usage.logs:
        callers = sorted(hook for hook, methods in reached.items() if call.method in methods)
        if call.is_handed_on:
            callers = sorted(hooks)
        # called in a way that cannot be read: it may log anywhere
        logged += [Logged(call, hook, cls.name) for hook in callers or ("training_step", "validation_step")]
    metrics = any((bound.module or "").partition(".")[0] == "torchmetrics" for bound in project.imports)
    loud = tuple(item for item in logged if item.hook not in api.SILENT_HOOKS)
    return LoggingFacts(tuple(usage.logs), loud, metrics)


def check_logging(
    project: Project, cls: Class, usage: Usage, facts: LoggingFacts, called: Set[str]
) -> Iterator[Diagnostic]:
    """Calls that Lightning refuses, or that would get mixed up; `called` are hooks of evaluations."""
    uncalled = {hook for hook in api.UNCALLED - called if not is_called(project, hook)}
    for hook in sorted((api.SILENT_HOOKS - uncalled) & (cls.methods.keys() | usage.calls.keys())):
        for call in usage.logs:
            is_plain = call.is_sure and not call.is_handed_on and call.method in usage.reached_from(hook)
            if is_plain and not is_left_out(project, usage, call, hook):
                yield messages.forbidden_log((project.source, call.node), call.function, hook)
    of_no_call = _reached(usage, uncalled) - _reached(usage, (api.ALL_HOOKS | api.STEPS) - uncalled)
    for logged in (each for each in facts.logged if each.call.method not in of_no_call):
        if logged.call.is_sure and logged.on_step is False and logged.on_epoch is False:
            yield messages.log_without_target((project.source, logged.call.node))
    yield from _logged_twice(project, facts)


def _reached(usage: Usage, hooks: Iterable[str]) -> set[str]:
    """The methods that hooks call, and the hooks."""
    return {method for hook in hooks for method in usage.reached_from(hook)}


def _differ(logged: Iterable[Logged], option: str, default: bool) -> bool:
    """Whether two hooks may log a name with other options."""
    flags = {each: each.flag(option, default) for each in logged}
    return any(
        one.hook != other.hook and flags[one] is not flags[other] and one.may_be(other)
        for one, other in combinations(flags, 2)
    )


def _may_replace(logged: Iterable[Logged]) -> bool:
    """Whether a name may be logged both for a batch and between batches, and for the epoch."""
    kept = [each for each in logged if each.call.is_sure and each.on_epoch is not False]
    return any(
        one.is_in_batch is not other.is_in_batch and one.may_be(other) for one, other in combinations(kept, 2)
    )


def _again(logged: Iterable[Logged]) -> Iterator[tuple[str, Logged, Logged]]:
    first: dict[tuple[str, str], Logged] = {}
    for each in logged:
        key = each.call.key
        if key is not None and each.on_epoch is not False and each.call.is_sure:
            other = first.setdefault((each.model, key), each)
            if other.hook != each.hook:
                yield key, other, each


def _logged_twice(project: Project, facts: LoggingFacts) -> Iterator[Diagnostic]:
    for key, first, second in facts.logged_again:
        if first.call is not second.call and not _later_counts(first, second):
            at = (project.source, second.call.node)
            yield messages.logged_twice(at, key, first.hook, second.hook)


def _later_counts(first: Logged, second: Logged) -> bool:
    """Whether the one logs for a batch, the other between batches, and both for the same readers."""
    flags = {logged.flag("logger", True) for logged in (first, second)}
    return first.is_in_batch is not second.is_in_batch and len(flags) == 1 and None not in flags
