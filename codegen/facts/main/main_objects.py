"""The objects that a main of the script's own makes, as far as the spec or defaults say of which classes they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...ir.project import Class, Project
from ...spec.init_args.values import described_class
from ...spec.load import LoadedSpec
from ..code.parameters import parameters
from ..model.spec_objects import SpecNames


def with_main_objects(project: Project, loaded: LoadedSpec, model: Class, source: Class | None) -> Project:
    """The project, with the classes of which a main of the script's own makes objects."""
    known = dict(_optimizer_classes(project, model, loaded)) if project.entry.model is None else {}
    made: dict[str, Mapping[str, str]] = {source.name: {}} if source else {}
    return replace(project, made_by_main=made | {model.name: known})


def _optimizer_classes(project: Project, cls: Class, loaded: LoadedSpec) -> Iterator[tuple[str, str]]:
    """Arguments that make objects of a class of torch's, with its path."""
    given, names = loaded.spec.model.init_args, SpecNames(project)
    for name in (each.name for each in parameters(cls)):
        parameter = names.parameter(cls, name)
        by_default = parameter.described.path if parameter.described else ""
        path = described_class(given[name]) if name in given else by_default
        if path.startswith("torch.optim.") and "Callable" in parameter.written:
            yield name, path
