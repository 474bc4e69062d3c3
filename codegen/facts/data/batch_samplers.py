"""Batch samplers of the user's own, and whether another one can be made of what is kept of their arguments."""

from __future__ import annotations

import ast

import libcst as cst

from ...index.search import ast_nodes
from ...ir.project import Class, Project
from ...lightning.kept_arguments import OF_BATCH_SAMPLER, constructor_of, keeps_arguments, parameters_of
from ...values import Class as UserClass
from ...values import values_of

TORCHS = ("torch.utils.data.BatchSampler", "torch.utils.data.sampler.BatchSampler")


def keeping_classes(project: Project) -> frozenset[cst.ClassDef]:
    """The classes whose objects have to keep what they are made with; none where attributes tell all of it."""
    found = [cls for cls in project.classes.values() if _is_batch_sampler(project, cls)]
    if all(_keeps_all(project, cls) for cls in found):
        return frozenset()
    return frozenset(cls.node for cls in found if _makes_itself(project, cls))


def _is_batch_sampler(project: Project, cls: Class) -> bool:
    """Whether it derives from torch's BatchSampler, or a library's."""
    return any(each.endswith("BatchSampler") for each in _library_bases(project, cls))


def _library_bases(project: Project, cls: Class) -> list[str]:
    return [each.name for each in values_of(project).library_bases(UserClass(cls.node))]


def _makes_itself(project: Project, cls: Class) -> bool:
    """Whether it has a constructor of its own, or a library's that may be any."""
    return "__init__" in cls.own_methods or not _derives_from_torchs(project, cls)


def _derives_from_torchs(project: Project, cls: Class) -> bool:
    own = (name for name in _library_bases(project, cls) if name.endswith("BatchSampler"))
    return all(name in TORCHS for name in own)


def _keeps_all(project: Project, cls: Class) -> bool:
    """Whether each argument is an attribute of its name, as it was given."""
    return _derives_from_torchs(project, cls) and all(map(_keeps_own, cls.lineage))


def _keeps_own(cls: Class) -> bool:
    """Whether that is so of its own constructor's."""
    above = (constructor_of(_parsed(each)) for each in cls.lineage[1:])
    method = next(filter(None, above), None)
    return keeps_arguments(_parsed(cls), parameters_of(method) if method else OF_BATCH_SAMPLER)


def _parsed(cls: Class) -> ast.ClassDef:
    return next(each for each in ast_nodes(cls.node) if isinstance(each, ast.ClassDef))
