"""Where the data comes from, and what can be read of its loaders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..index.search import code_for
from ..ir.project import Class, Project
from .datasets import Dataset, all_tensors, dataset_of, least, unknown_dataset
from .loader_calls import LOADER, given_calls, loader_calls
from .resolve import Scope, returned_values, values_held
from .stages import STAGE_OF_LOADER, takes_dataloader_idx


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
    is_unknown: bool = False  # its dataset is taken for a stream, as it cannot be told what it is

    @property
    def may_have_index(self) -> bool:
        return self.dataset == "map" or self.is_unknown

    @property
    def stops_exactly(self) -> bool:
        """Whether asking for a batch after the last one would change what is drawn later."""
        return self.dataset != "unsized" and (self.has_generator or not self.is_plain)

    @property
    def call(self) -> str:
        return f"{self.owner}.{self.hook}()" if self.owner else self.hook


def loader_facts(project: Project, hook: str, model: Class, data: Class | None) -> LoaderFacts | None:
    """The loader hook of the data module, else of the model; None: there is none."""
    owner = data if data is not None and hook in data.methods else model
    if hook not in owner.methods:
        return None
    calls = loader_calls(project, owner, hook)
    made = _LoaderCalls(project, tuple(calls), owner)
    several = hook in STAGE_OF_LOADER and may_be_several(project, owner, model, hook)
    together = hook not in STAGE_OF_LOADER and are_together(project, owner, hook)
    return replace(
        _facts_of(made, "data" if owner is data else "model", hook),
        shuffle=None if several and "shuffle" in made.keywords else made.shuffle,
        has_generator=made.are_open or "generator=" in _text(owner).replace(" ", ""),
        has_tensor_batches=not together and made.give_tensors,
        several=several,
        together=together,
    )


def _facts_of(made: _LoaderCalls, owner: str, hook: str) -> LoaderFacts:
    return LoaderFacts(
        owner=owner,
        hook=hook,
        dataset=made.dataset,
        is_plain=made.are_plain,
        shuffle=made.shuffle,
        has_workers=made.have_workers,
        has_generator=made.are_open or "generator" in made.keywords,
        has_tensor_batches=made.give_tensors,
        is_collated=made.are_collated,
        is_unknown=made.dataset == "unsized" and (None in made.kinds or not made.kinds),
    )


@dataclass(frozen=True)
class _LoaderCalls:
    """The calls that make some loaders."""

    project: Project
    calls: tuple[cst.Call, ...]
    owner: Class | None  # whose hook makes them; None: a main does

    @cached_property
    def keywords(self) -> dict[str, cst.BaseExpression]:
        return {arg.keyword.value: arg.value for call in self.calls for arg in call.args if arg.keyword}

    @cached_property
    def are_open(self) -> bool:
        """Whether there may be loaders other than torch's, or arguments that cannot be read."""
        are_torchs = self.calls and all(self.project.qualified(call.func) == LOADER for call in self.calls)
        return not are_torchs or any(arg.star for call in self.calls for arg in call.args)

    @cached_property
    def kinds(self) -> list[Dataset | None]:
        return [dataset_of(self.project, call, self.owner) for call in self.calls]

    @cached_property
    def dataset(self) -> Dataset:
        """The kind that promises least."""
        unknown = unknown_dataset(self.project, self.owner)
        return least([kind or unknown for kind in self.kinds or [None]])

    @cached_property
    def are_plain(self) -> bool:
        """Whether all are torch's own, without a sampler, over a dataset with an index."""
        positional = max((sum(not arg.keyword for arg in call.args) for call in self.calls), default=0)
        batches_itself = m.matches(self.keywords.get("batch_size", cst.Integer("1")), m.Name("None"))
        samples = positional > 2 or batches_itself or self.keywords.keys() & {"sampler", "batch_sampler"}
        return not self.are_open and self.dataset == "map" and not samples

    @property
    def shuffle(self) -> bool | None:
        return None if self.are_open else _flag(self.keywords.get("shuffle"))

    @property
    def have_workers(self) -> bool:
        workers = (arg.value for call in self.calls for arg in call.args if _is_named(arg, "num_workers"))
        return self.are_open or any(map(_may_be_positive, workers))

    @property
    def are_collated(self) -> bool:
        """Whether torch's default_collate makes the batches."""
        return self.are_plain and "collate_fn" not in self.keywords

    @property
    def give_tensors(self) -> bool:
        """Whether batches surely are lists of tensors."""
        return self.are_collated and all_tensors(self.project, self.calls, self.owner)


def are_together(project: Project, owner: Class, hook: str) -> bool:
    """Whether a hook returns several loaders that are read together."""
    method = owner.methods[hook]
    held = (
        value for returned in returned_values(method) for value in _held(project, owner, method, returned)
    )
    return any(isinstance(value, COLLECTIONS) or is_combined(project, value) for value in held)


def is_combined(project: Project, value: cst.BaseExpression) -> bool:
    """Whether an expression makes a CombinedLoader."""
    return isinstance(value, cst.Call) and project.lightning_name(value.func) == "CombinedLoader"


def _held(
    project: Project, owner: Class, method: cst.FunctionDef, value: cst.BaseExpression | None
) -> Iterator[cst.BaseExpression]:
    """The expression, and what the variable or attribute that it is may hold."""
    if value is not None:
        yield value
        yield from (held for _, held in values_held(Scope(project, method, owner), value) if held)


def _is_named(argument: cst.Arg, name: str) -> bool:
    return argument.keyword is not None and argument.keyword.value == name


def may_be_several(project: Project, owner: Class, model: Class, hook: str) -> bool:
    """Whether a hook may return several loaders: only a step that can be told which it is makes that known."""
    values = returned_values(owner.methods[hook])
    if any(isinstance(value, COLLECTIONS) for value in values):
        return True
    is_told = takes_dataloader_idx(model.methods.get(STAGE_OF_LOADER[hook].step))
    return is_told and not all(_is_one(project, owner, value, 8) for value in values)


def surely_several(owner: Class, hook: str) -> bool:
    """Whether a hook returns more than one loader, as far as that can be read."""
    values = [value for value in returned_values(owner.methods[hook]) if isinstance(value, COLLECTIONS)]
    counts = (len(value.elements) for value in values if isinstance(value, cst.List | cst.Tuple | cst.Dict))
    return any(count > 1 for count in counts)


def _is_one(project: Project, owner: Class, value: cst.BaseExpression | None, depth: int) -> bool:
    """Whether an expression surely is a single loader of torch's."""
    if not isinstance(value, cst.Call) or not depth:
        return False
    if m.matches(value.func, m.Attribute(value=m.Name("self"))):
        method = owner.methods.get(cst.ensure_type(value.func, cst.Attribute).attr.value)
        returned = returned_values(method) if method else [None]
        return all(_is_one(project, owner, each, depth - 1) for each in returned)
    return project.qualified(value.func) == LOADER


COLLECTIONS = (cst.List, cst.Tuple, cst.Dict, cst.ListComp, cst.DictComp)


def given_loader(
    project: Project, variable: str, given: Iterable[cst.BaseExpression] = (), together: bool = False
) -> LoaderFacts:
    """A loader that the user's own main hands to `fit`: what is `given`, in all calls."""
    made = _LoaderCalls(project, tuple(() if together else given_calls(project, given)), None)
    if None in made.kinds:
        made = _LoaderCalls(project, (), None)
    return replace(_facts_of(made, "", variable), together=together)


def check_loaders(
    project: Project, hook: str, model: Class, data: Class | None, train: LoaderFacts | None
) -> Iterator[Diagnostic]:
    """Several loaders for training, of which one may be without end; combined ones elsewhere."""
    owner = data if data is not None and hook in data.methods else model
    method = owner.methods.get(hook)
    for returned in returned_values(method) if method else ():
        for value in _held(project, owner, method, returned) if method else ():
            if hook in STAGE_OF_LOADER and is_combined(project, value):
                yield messages.combined_loader((project.source, value))
            elif hook not in STAGE_OF_LOADER and train and train.together and train.dataset == "unsized":
                yield messages.several_loaders((project.source, value))
                return


def _text(cls: Class) -> str:
    return code_for(cls.node)


def _flag(value: cst.BaseExpression | None) -> bool | None:
    if value is None or m.matches(value, m.Name("False")):
        return False
    return True if m.matches(value, m.Name("True")) else None


def _may_be_positive(value: cst.BaseExpression | None) -> bool:
    return value is not None and not m.matches(value, m.Integer("0"))
