"""What the user's own main runs beside training, and on what data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Class, Project
from ...values import Dict
from ..code.stages import STAGES, VALIDATE, Stage, takes_dataloader_idx
from ..data.loader_collections import may_be_collection
from ..data.loaders import LoaderFacts, given_loader, loader_facts, returned_loaders, surely_several
from ..model.logging import LoggingFacts
from ..model.unsupported import check_signatures
from .own_main import OwnMain
from .trainer_calls import FitCall


@dataclass(frozen=True)
class Evaluation:
    """The calls of `trainer.validate`, `test` or `predict`, which are all given the same."""

    stage: Stage
    calls: tuple[FitCall, ...]
    loader: LoaderFacts

    def gives(self, argument: str) -> bool:
        return any(call.expression(argument) is not None for call in self.calls)

    @property
    def gives_checkpoint(self) -> bool:
        return self.gives("ckpt_path") or self.lacks_model

    @property
    def lacks_model(self) -> bool:
        """Whether a call leaves the model to the trainer, which has it from the run before."""
        return any(call.expression("model") is None for call in self.calls)


def evaluations(
    project: Project, main: OwnMain, model: Class, source: Class | None, problems: list[Diagnostic]
) -> tuple[Evaluation, ...]:
    """What is run beside training; what cannot be is among the problems."""
    found = []
    if source is not None and main.evaluations:
        bare = (call for call in (*main.fits, *main.evaluations) if call.expression("datamodule") is None)
        problems += [
            messages.evaluation_without_data((project.source, call.node), call.method) for call in bare
        ]
    for stage in STAGES.values():
        calls = tuple(call for call in main.evaluations if call.method == stage.method)
        if calls:
            problems += _check_calls(project, stage, calls, model, source)
            if loader := _loader(project, stage, calls, model, source):
                found.append(Evaluation(stage, calls, loader))
    return tuple(found)


def _loader(
    project: Project, stage: Stage, calls: tuple[FitCall, ...], model: Class, source: Class | None
) -> LoaderFacts | None:
    given = [value for call in calls if (value := call.expression("dataloaders"))]
    if not given:
        return loader_facts(project, stage.loader, model, source)
    several = given_several(project, stage, model, given)
    return replace(given_loader(project, "loaders" if several else "loader", given), several=several)


def given_several(project: Project, stage: Stage, model: Class, given: Iterable[cst.BaseExpression]) -> bool:
    """Whether what is given in a loader's place may be several."""
    is_told = takes_dataloader_idx(model.methods.get(stage.step))
    return is_told or any(may_be_collection(project, value) for value in given)


def validation_loader(
    project: Project, main: OwnMain | None, model: Class, source: Class | None
) -> LoaderFacts | None:
    """The loader that `fit` validates on."""
    given = [value for call in main.fits if (value := call.expression("val_dataloaders"))] if main else []
    if not given:
        return loader_facts(project, VALIDATE.loader, model, source)
    several = given_several(project, VALIDATE, model, given)
    return replace(given_loader(project, "val_loader", given), several=several)


def _check_calls(
    project: Project, stage: Stage, calls: tuple[FitCall, ...], model: Class, source: Class | None
) -> Iterator[Diagnostic]:
    at = (project.source, calls[0].node)
    if stage.step not in model.methods and stage.method != "predict":
        yield messages.no_step_to_evaluate(at, stage.method, model.name, stage.step)
    shapes = [{name for name in ("dataloaders", "datamodule") if call.expression(name)} for call in calls]
    shape = shapes[0]
    if any(other != shape for other in shapes):
        yield messages.fit_shapes_differ((project.source, calls[-1].node), stage.method)
    owners = [model, *([source] if source and "datamodule" in shape else [])]
    if "dataloaders" not in shape and not any(stage.loader in owner.methods for owner in owners):
        yield messages.no_data_to_evaluate(at, stage.method, stage.loader)


def check_several(
    project: Project,
    model: Class,
    source: Class | None,
    val: LoaderFacts | None,
    evaluations: tuple[Evaluation, ...],
    logged: LoggingFacts,
) -> Iterator[Diagnostic]:
    """Steps and hooks that are told too much, or too little, of which loader a batch comes from."""
    loaders = [(VALIDATE, val), *((each.stage, each.loader) for each in evaluations)]
    several = {stage for stage, loader in loaders if loader and loader.several}
    indexed = frozenset(hook for stage in several for hook in stage.with_index)
    called = frozenset(hook for stage, _ in loaders for hook in stage.called)
    yield from check_signatures(project, model, indexed, called)
    for stage, loader in loaders:
        if loader is not None and loader.owner:
            yield from _check_indexes(project, stage, model, source)


def check_loaders_asked(
    project: Project, model: Class, source: Class | None, asked: Mapping[str, list[cst.Attribute]]
) -> Iterator[Diagnostic]:
    """Loaders that are asked of the trainer, where a dict would be expected of several."""
    for stage in STAGES.values():
        owner = source if source is not None and stage.loader in source.methods else model
        method = owner.methods.get(stage.loader)
        if method and any(isinstance(each, Dict) for each in returned_loaders(project, owner, stage.loader)):
            for node in asked.get(f"{stage.loader}s", ()):
                yield messages.unsupported_trainer_member((project.source, node.attr), node.attr.value, ())


def _check_indexes(
    project: Project, stage: Stage, model: Class, source: Class | None
) -> Iterator[Diagnostic]:
    owner = source if source is not None and stage.loader in source.methods else model
    if not surely_several(project, owner, stage.loader):
        return
    for hook in stage.with_index:
        if hook in model.methods and not takes_dataloader_idx(model.methods[hook]):
            yield messages.lacks_dataloader_idx((project.source, model.methods[hook].name), hook)
