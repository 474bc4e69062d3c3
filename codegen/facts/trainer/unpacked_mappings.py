"""What mappings that are read when the script runs may hold for a Trainer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...spec.trainer_settings import EXPRESSIBLE
from ..code.parsers import default_settings
from ..code.scalars import option_name


def with_expected_settings(project: Project, loaded: LoadedSpec) -> LoadedSpec:
    """The spec, with options and fields of such names among the keys that it expects, where it does not name any."""
    if loaded.is_given("trainer_keys"):
        return loaded
    names = {*loaded.spec.trainer_keys, *_options(project), *default_settings(project), *_fields(project)}
    expected = tuple(name for name in EXPRESSIBLE if name in names)
    return replace(loaded, spec=loaded.spec.model_copy(update={"trainer_keys": expected}))


def _fields(project: Project) -> Iterator[str]:
    """The names of the fields that classes declare, as dataclasses do, and models of pydantic's."""
    yield from project.kept_fields
    for node in project.index.of_kind(cst.AnnAssign):
        scope = project.index.scope_of(node)
        if isinstance(node.target, cst.Name) and not scope.is_function and project.index.class_of(node):
            yield node.target.value


def _options(project: Project) -> Iterator[str]:
    """The names of argparse's options."""
    for attribute in project.index.attributes("add_argument"):
        call = project.index.parent(attribute)
        if isinstance(call, cst.Call) and (name := option_name(call)):
            yield name
