"""Where the data comes from, and what can be read of its loaders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index.search import code_for, is_docstring
from ...ir.project import Class, Project
from ...values import Dict, Instance, Sequence, Value, ValueSet, values_of
from ..code.stages import STAGE_OF_LOADER, takes_dataloader_idx
from ..model.assigned import replacing, returned_by
from .datasets import Dataset, Datasets, is_iterable_alone, least
from .loader_calls import LoaderCall, LoaderCalls, is_iterator, is_loader, loader_calls
from .loader_collections import is_collection, is_combined, misread, reading_of
from .samplers import may_draw
from .unread import may_be_stream


@dataclass(frozen=True)
class LoaderFacts:
    """One of the loader hooks, or a loader that `fit` is given."""

    owner: str  # the variable that has the hook; empty: the hook's name is the loader's own
    hook: str
    dataset: Dataset
    is_plain: bool  # torch's own loader, without a sampler, over a dataset with an index
    shuffle: bool | None  # None: known only when the script runs
    has_workers: bool
    has_generator: bool
    has_tensor_batches: bool  # surely lists of tensors
    is_collated: bool  # by torch's default_collate
    several: bool = False  # it may be several, one after the other
    together: bool = False  # it is several, read together
    in_turn: bool = False  # it is a CombinedLoader, which reads several one after the other
    is_unknown: bool = False  # its dataset is taken for a stream, but may be none
    may_be_spent: bool = False  # it is an iterator, which gives nothing more once it has ended
    may_lack: bool = False  # it is known when the script runs whether there is such a hook
    computes: bool = False  # the hook may do more than make a loader of what there is
    keeps_workers: bool = False  # it may outlive a run, and its processes with it

    @property
    def may_have_index(self) -> bool:
        return self.dataset == "map" or self.is_unknown

    @property
    def is_one_of_unknown_length(self) -> bool:
        """Whether a run alone knows if it has a length."""
        return self.is_unknown and not self.several and not self.together

    @property
    def is_together_with_stream(self) -> bool:
        """Whether it is several, of which one may be a stream; the others' lengths may say where they end."""
        return self.together and self.dataset == "unsized"

    @property
    def stops_exactly(self) -> bool:
        """Whether asking for a batch after the last one would change what is drawn later."""
        return self.dataset != "unsized" and (self.has_generator or not self.is_plain or self.together)

    @property
    def call(self) -> str:
        call = f"{self.owner}.{self.hook}()" if self.owner else self.hook
        return f"{call}.iterables" if self.in_turn else call


def loader_facts(project: Project, hook: str, model: Class, data: Class | None) -> LoaderFacts | None:
    """The loader hook of the data module, or of the model where there is no such module; None: there is none."""
    owner = data or model
    if hook not in owner.methods:
        return None
    calls = loader_calls(project, returned_by(project, owner, hook), owner.methods[hook])
    made = _Loaders(Datasets(project, owner), calls)
    reading = reading_of(project, returned_by(project, owner, hook), _only_method(project, owner, hook))
    several = together = False
    if hook not in STAGE_OF_LOADER:
        together = are_together(project, owner, hook)
    elif reading:
        several, together = reading == "in turn", reading == "together"
    else:
        several = may_be_several(project, owner, model, hook)
    return replace(
        _facts_of(made, "data" if owner is data else "model", hook),
        shuffle=None if several and made.given("shuffle") else made.shuffle,
        has_tensor_batches=not together and made.give_tensors,
        several=several,
        together=together,
        in_turn=several and reading == "in turn",
        may_lack=owner.may_lack(hook),
        computes=not _makes_alone(owner, hook, calls),
        keeps_workers=_may_keep_workers(calls, owner.methods[hook]),
    )


def _makes_alone(owner: Class, hook: str, loaders: LoaderCalls) -> bool:
    """Whether a hook does nothing but make torch's loader, of plain values and attributes."""
    *before, last = owner.methods[hook].body.body
    returned = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    made = returned.value if isinstance(returned, cst.Return) else None
    return (
        isinstance(made, cst.Call)
        and all(map(is_docstring, before))
        and any(made is call.node and call.is_torchs for call in loaders.calls)
        and all(_is_at_hand(each.value, owner) for each in made.args)
    )


def _is_at_hand(node: cst.BaseExpression, owner: Class) -> bool:
    """Whether to evaluate an expression does nothing else: names, attributes, and what arithmetic makes of them."""
    match node:
        case cst.Attribute(value=cst.Name(), attr=cst.Name(value=name)):
            return name not in owner.methods or not owner.methods[name].decorators
        case cst.Attribute(value=cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value="hparams"))):
            return "hparams" not in owner.methods
        case cst.BinaryOperation(left=left, right=right) | cst.BooleanOperation(left=left, right=right):
            return _is_at_hand(left, owner) and _is_at_hand(right, owner)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=right)]):
            return _is_at_hand(left, owner) and _is_at_hand(right, owner)
    return isinstance(node, cst.Name | cst.BaseNumber | cst.SimpleString)


def _only_method(project: Project, owner: Class, hook: str) -> cst.FunctionDef | None:
    """The method that a hook surely is; None: another may be set in its place."""
    is_assigned = any(name == hook for name, _ in replacing(project, owner))
    return None if is_assigned else owner.methods.get(hook)


def _facts_of(made: _Loaders, owner: str, hook: str) -> LoaderFacts:
    return LoaderFacts(
        owner=owner,
        hook=hook,
        dataset=made.dataset,
        is_plain=made.are_plain,
        shuffle=made.shuffle,
        has_workers=made.have_workers,
        has_generator=made.have_generators,
        has_tensor_batches=made.give_tensors,
        is_collated=made.are_collated,
        is_unknown=made.dataset == "unsized" and {*made.kinds} != {"unsized"},
        may_be_spent=any(map(is_iterator, made.made.others)),
    )


@dataclass(frozen=True)
class _Loaders:
    """What can be read of some loaders together."""

    datasets: Datasets
    made: LoaderCalls
    reads_streams: bool = False  # whatever else is known of them

    @cached_property
    def are_open(self) -> bool:
        """Whether there may be loaders other than torch's, or arguments that cannot be read."""
        return not self.made.are_all or any(call.is_open or not call.is_torchs for call in self.made.calls)

    @cached_property
    def kinds(self) -> list[Dataset | None]:
        kinds = [self.datasets.kind(call.given("dataset")) for call in self.made.calls]
        return kinds if self.made.are_all else [*kinds, None]

    @cached_property
    def dataset(self) -> Dataset:
        """The kind that promises least."""
        kinds = [kind or self.datasets.unknown for kind in self.kinds]
        return "unsized" if None in self.kinds and self.may_stream else least(kinds)

    @cached_property
    def may_stream(self) -> bool:
        """Whether one may be a stream that a package makes which is not read, a loader of such a one, or the like."""
        given = [found for call in self.made.calls if (found := call.given("dataset"))]
        unread = (each for found in given if not self.datasets.kind(found) for each in found)
        values = self.datasets.values
        streams = (may_be_stream(values, each) for each in (*unread, *self.made.others))
        alone = (is_iterable_alone(values, each) for each in self.made.others)
        return self.reads_streams or any(streams) or any(alone)

    def given(self, name: str) -> list[ValueSet]:
        """What a parameter may be given other than None, in the calls that give it something."""
        found = [values for call in self.made.calls if (values := call.given(name)) is not None]
        return [values for values in found if len(values.without_none)]

    @cached_property
    def are_plain(self) -> bool:
        """Whether all are torch's own, without a sampler, over a dataset with an index."""
        sizes = (call.given("batch_size") for call in self.made.calls)
        batches_itself = any(size is not None and size.may_be_none for size in sizes)
        samples = batches_itself or self.given("sampler") or self.given("batch_sampler")
        return not self.are_open and self.dataset == "map" and not samples

    @property
    def shuffle(self) -> bool | None:
        flags = {_flag(call.given("shuffle")) for call in self.made.calls}
        return flags.pop() if len(flags) == 1 and not self.are_open else None

    @property
    def have_workers(self) -> bool:
        counts = (found.literal for found in self.given("num_workers"))
        return self.are_open or not all(count and count.value == 0 for count in counts)

    @property
    def have_generators(self) -> bool:
        """Whether a loader or its sampler may draw from a generator of its own."""
        values = self.datasets.values
        samplers = [*self.given("sampler"), *self.given("batch_sampler")]
        drawing = (may_draw(values, each) for found in samplers for each in found.without_none)
        return self.are_open or bool(self.given("generator")) or any(drawing)

    @property
    def are_collated(self) -> bool:
        """Whether torch's default_collate makes the batches."""
        return self.are_plain and not self.given("collate_fn")

    @property
    def give_tensors(self) -> bool:
        """Whether batches surely are lists of tensors."""
        return self.are_collated and all(
            self.datasets.is_of_tensors(call.given("dataset")) for call in self.made.calls
        )


def _flag(found: ValueSet | None) -> bool | None:
    if found is None:
        return False
    return bool(found.literal.value) if found.literal else None


# ---- several loaders ---------------------------------------------------------------------------------------


def are_together(project: Project, owner: Class, hook: str) -> bool:
    """Whether a hook returns several loaders that are read together."""
    returned = returned_by(project, owner, hook)
    return any(is_collection(value) or is_combined(value) for value in returned)


def may_be_several(project: Project, owner: Class, model: Class, hook: str) -> bool:
    """Whether a hook may return several loaders: only a step that can be told which it is makes that known."""
    returned = returned_by(project, owner, hook)
    if any(map(is_collection, returned)):
        return True
    is_told = takes_dataloader_idx(model.methods.get(STAGE_OF_LOADER[hook].step))
    return is_told and not all(isinstance(value, Instance) and is_loader(value) for value in returned)


def any_several(project: Project, owner: Class, hook: str) -> bool:
    """Whether there is more than one loader in some of what a hook may return, as far as that can be read."""
    return any(_is_several(project, each) for each in returned_by(project, owner, hook))


def surely_several(project: Project, owner: Class, hook: str) -> bool:
    """Whether there is in all that it may return, but None."""
    return all(_is_several(project, each) for each in returned_by(project, owner, hook).without_none)


def _is_several(project: Project, returned: Value) -> bool:
    known = values_of(project).exact_parts(returned) if isinstance(returned, Sequence | Dict) else None
    return len(known or ()) > 1


def given_loader(
    project: Project, variable: str, given: Iterable[cst.BaseExpression] = (), together: bool = False
) -> LoaderFacts:
    """A loader that the user's own main hands to `fit`: what is `given`, in all calls."""
    values, datasets = values_of(project), Datasets(project, None)
    returned = (each for node in given for each in values.of(node).without_none)
    made = _Loaders(datasets, loader_calls(project, returned))
    keeps_workers = _may_keep_workers(made.made, None)
    if together or None in made.kinds:
        made = _Loaders(datasets, LoaderCalls(project, (), False, made.made.others), made.may_stream)
    return replace(_facts_of(made, "", variable), together=together, keeps_workers=keeps_workers)


# ---- workers that are kept ---------------------------------------------------------------------------------


PERSISTENT = "persistent_workers"


def _may_keep_workers(loaders: LoaderCalls, hook: cst.FunctionDef | None) -> bool:
    """Whether one that is not made anew for each run may have `persistent_workers`."""
    project = loaders.project
    if not loaders.are_all:
        return _is_mentioned(project) or (hook is None and project.imports_own)
    is_asked = (each for each in loaders.calls if hook is None or _outlives(each, hook))
    return any(map(_has_persistent, is_asked))


def _outlives(call: LoaderCall, hook: cst.FunctionDef) -> bool:
    """Whether a loader that a hook returns is made elsewhere than by the hook."""
    return not call.path and call.project.index.function_of(call.node) is not hook


def _has_persistent(call: LoaderCall) -> bool:
    given = call.given(PERSISTENT)
    if given is None:
        return call.is_open and _is_mentioned(call.project)
    return not given.literal or bool(given.literal.value)


def _is_mentioned(project: Project) -> bool:
    configured = project.configuration
    return PERSISTENT in project.source.text or (
        configured is not None and PERSISTENT in code_for(configured.statement.node)
    )


def check_loaders(project: Project, hook: str, model: Class, data: Class | None) -> Iterator[Diagnostic]:
    """Several loaders, for all but training, that are read in a way that is not known."""
    owner = data or model
    returned = returned_by(project, owner, hook) if hook in owner.methods else ()
    nodes = misread(project, returned, STAGE_OF_LOADER[hook], _only_method(project, owner, hook))
    yield from (messages.combined_loader((project.source, each)) for each in nodes)
