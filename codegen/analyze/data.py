"""Where the data comes from, and what can be read of its loaders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import libcst as cst
import libcst.matchers as m

from .. import messages
from ..diagnostics import Diagnostic
from ..project import Class, Project
from .bindings import bindings
from .kinds import returned_values
from .stages import STAGE_OF_LOADER, takes_dataloader_idx

Dataset = Literal["map", "sized", "unsized"]
LOADER = "torch.utils.data.DataLoader"
CHAIN = "torch.utils.data.ChainDataset"


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
    several: bool = False  # it may be several, one after the other
    together: bool = False  # it is several, read together

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
    calls = list(_loader_calls(project, owner, hook))
    seen = calls and all(project.qualified(call.func) == LOADER for call in calls)
    keywords = {arg.keyword.value: arg.value for call in calls for arg in call.args if arg.keyword}
    unpacks = any(arg.star for call in calls for arg in call.args)
    datasets = {_dataset(project, owner, hook, call) for call in calls} or {_unknown_dataset(project)}
    dataset: Dataset = "unsized" if "unsized" in datasets else "sized" if "sized" in datasets else "map"
    plain = (
        bool(seen) and not unpacks and dataset == "map" and not keywords.keys() & {"sampler", "batch_sampler"}
    )
    positional = max((sum(not arg.keyword for arg in call.args) for call in calls), default=0)
    batches_itself = m.matches(keywords.get("batch_size", cst.Integer("1")), m.Name("None"))
    plain = plain and positional <= 2 and not batches_itself
    open_ended = not seen or unpacks
    several = hook in STAGE_OF_LOADER and may_be_several(project, owner, model, hook)
    together = hook not in STAGE_OF_LOADER and are_together(project, owner, hook)
    tensors = plain and not together and "collate_fn" not in keywords
    workers = (arg.value for call in calls for arg in call.args if _is_named(arg, "num_workers"))
    return LoaderFacts(
        owner="data" if owner is data else "model",
        hook=hook,
        dataset=dataset,
        is_plain=plain,
        shuffle=None if open_ended or (several and "shuffle" in keywords) else _flag(keywords.get("shuffle")),
        has_workers=open_ended or any(map(_may_be_positive, workers)),
        has_generator=open_ended or "generator=" in _text(owner).replace(" ", ""),
        has_tensor_batches=tensors and _all_tensors(project, owner, calls),
        several=several,
        together=together,
    )


def are_together(project: Project, owner: Class, hook: str) -> bool:
    """Whether a hook returns several loaders that are read together."""
    method = owner.methods[hook]
    held = (value for returned in returned_values(method) for value in _held(owner, method, returned))
    return any(isinstance(value, COLLECTIONS) or is_combined(project, value) for value in held)


def is_combined(project: Project, value: cst.BaseExpression) -> bool:
    """Whether an expression makes a CombinedLoader."""
    return isinstance(value, cst.Call) and project.lightning_name(value.func) == "CombinedLoader"


def _held(
    owner: Class, method: cst.FunctionDef, value: cst.BaseExpression | None
) -> Iterator[cst.BaseExpression]:
    """The expression, and what the variable or attribute that it is may hold."""
    if value is None:
        return
    yield value
    if isinstance(value, cst.Name):
        yield from (each.value for each in bindings(method, value) if each.value and each.index is None)
    elif m.matches(value, m.Attribute(value=m.Name("self"))):
        yield from _assigned(owner, value)


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


def given_loader(project: Project, variable: str, together: bool = False) -> LoaderFacts:
    """A loader that the user's own main hands to `fit`."""
    dataset = _unknown_dataset(project)
    return LoaderFacts("", variable, dataset, False, None, True, True, False, together=together)


def given_together(project: Project, value: cst.BaseExpression) -> bool:
    """Whether what is handed to `fit` is several loaders, as far as that can be read."""
    held = [value]
    if isinstance(value, cst.Name):
        bound = (each for statement in project.statements for each in bindings(statement.node, value))
        held += [each.value for each in bound if each.value and each.index is None]
    return any(isinstance(each, COLLECTIONS) or is_combined(project, each) for each in held)


def check_loaders(
    project: Project, hook: str, model: Class, data: Class | None, train: LoaderFacts | None
) -> Iterator[Diagnostic]:
    """Several loaders for training, of which one may be without end; combined ones elsewhere."""
    owner = data if data is not None and hook in data.methods else model
    method = owner.methods.get(hook)
    for returned in returned_values(method) if method else ():
        for value in _held(owner, method, returned) if method else ():
            if hook in STAGE_OF_LOADER and is_combined(project, value):
                yield messages.combined_loader((project.source, value))
            elif hook not in STAGE_OF_LOADER and train and train.together and train.dataset == "unsized":
                yield messages.several_loaders((project.source, value))
                return


def _text(cls: Class) -> str:
    return cst.Module([]).code_for_node(cls.node)


def _loader_calls(project: Project, owner: Class, hook: str) -> Iterator[cst.Call]:
    """Calls that make loaders, in the hook and in the methods of its class that it calls."""
    waiting, seen = [hook], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in owner.methods:
            continue
        seen.add(name)
        for call in m.findall(owner.methods[name], m.Call()):
            assert isinstance(call, cst.Call)
            if (project.qualified(call.func) or "").endswith("DataLoader"):
                yield call
            elif m.matches(call.func, m.Attribute(value=m.Name("self"))):
                assert isinstance(call.func, cst.Attribute)
                waiting.append(call.func.attr.value)


def _flag(value: cst.BaseExpression | None) -> bool | None:
    if value is None or m.matches(value, m.Name("False")):
        return False
    return True if m.matches(value, m.Name("True")) else None


def _may_be_positive(value: cst.BaseExpression | None) -> bool:
    return value is not None and not m.matches(value, m.Integer("0"))


# ---- datasets --------------------------------------------------------------------------------------------


def _iterable_classes(project: Project) -> dict[str, Dataset]:
    """The file's own iterable datasets, and whether they know their length."""
    found: dict[str, Dataset] = {}
    for cls in project.classes.values():
        bases = [project.qualified(base.value) or "" for part in cls.lineage for base in part.node.bases]
        if any(base.rpartition(".")[2] == "IterableDataset" for base in bases):
            found[cls.name] = "sized" if "__len__" in cls.methods else "unsized"
    return found


def _unknown_dataset(project: Project) -> Dataset:
    kinds = set(_iterable_classes(project).values())
    return "unsized" if "unsized" in kinds else "sized" if kinds else "map"


def _dataset(project: Project, owner: Class, hook: str, call: cst.Call) -> Dataset:
    """What kind of dataset a loader is given."""
    named = [arg.value for arg in call.args if arg.keyword and arg.keyword.value == "dataset"]
    first = [arg.value for arg in call.args[:1] if not arg.keyword and not arg.star]
    values = named or first
    iterable = _iterable_classes(project)
    kinds = {_kind(project, owner, value, iterable) for value in values}
    return kinds.pop() if len(kinds) == 1 else _unknown_dataset(project)


def _kind(project: Project, owner: Class, value: cst.BaseExpression, iterable: dict[str, Dataset]) -> Dataset:
    if isinstance(value, cst.Call) and project.qualified(value.func) == CHAIN:
        return _chained(project, owner, _elements(value), iterable)
    if isinstance(value, cst.BinaryOperation):
        first = _kind(project, owner, value.left, iterable)
        return first if first == "map" else _chained(project, owner, [value.left, value.right], iterable)
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
        if value.func.value in iterable:
            return iterable[value.func.value]
        if value.func.value in project.classes or (project.qualified(value.func) or "").startswith("torch."):
            return "map"
    if isinstance(value, cst.Call) and (project.qualified(value.func) or "").startswith("torch.utils.data."):
        return "map"
    target = m.matches(value, m.Name() | m.Attribute(value=m.Name("self")))
    assigned = _assigned(owner, value) if target else []
    kinds = {_kind(project, owner, found, iterable) for found in assigned}
    return kinds.pop() if len(kinds) == 1 else _unknown_dataset(project)


def _elements(call: cst.Call) -> list[cst.BaseExpression]:
    """The elements of a list that a call is given; none where they stand elsewhere."""
    given = call.args[0].value if call.args else None
    return [element.value for element in given.elements] if isinstance(given, cst.List | cst.Tuple) else []


def _chained(
    project: Project, owner: Class, parts: list[cst.BaseExpression], iterable: dict[str, Dataset]
) -> Dataset:
    """A chain of iterable datasets knows its length if each of them does."""
    kinds = {_kind(project, owner, part, iterable) for part in parts}
    return "sized" if kinds == {"sized"} else "unsized"


def _assigned(owner: Class, target: cst.BaseExpression, unpacked: bool = False) -> list[cst.BaseExpression]:
    """What the class assigns to a target, alone or, where `unpacked` says so, among others."""
    found = []
    for part in owner.lineage:
        for node in m.findall(part.node, m.Assign()):
            assert isinstance(node, cst.Assign)
            targets: list[cst.CSTNode] = [each.target for each in node.targets]
            if unpacked:
                tuples = [each for each in targets if isinstance(each, cst.Tuple)]
                targets += [element.value for each in tuples for element in each.elements]
            if any(each.deep_equals(target) for each in targets):
                found.append(node.value)
    return found


def _all_tensors(project: Project, owner: Class, calls: list[cst.Call]) -> bool:
    """Whether every loader surely reads a TensorDataset, or a part of one."""
    first = [call.args[0].value for call in calls if call.args and not call.args[0].keyword]
    return len(first) == len(calls) and all(_is_tensor_dataset(project, owner, value, 8) for value in first)


def _is_tensor_dataset(project: Project, owner: Class, value: cst.BaseExpression, depth: int) -> bool:
    if not depth:
        return False
    if isinstance(value, cst.Call):
        name = (project.qualified(value.func) or "").removeprefix("torch.utils.data.")
        if name in ("random_split", "Subset") and value.args and not value.args[0].keyword:
            return _is_tensor_dataset(project, owner, value.args[0].value, depth - 1)
        return name == "TensorDataset"
    if not m.matches(value, m.Name() | m.Attribute(value=m.Name("self"))):
        return False
    assigned = _assigned(owner, value, unpacked=True)
    return bool(assigned) and all(_is_tensor_dataset(project, owner, found, depth - 1) for found in assigned)
