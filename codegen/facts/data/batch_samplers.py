"""Batch samplers of the user's own, and whether another one can be made of what is kept of their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ...index.search import nodes
from ...ir.project import Class, Project
from ...values import Class as UserClass
from ...values import values_of

TORCHS = ("torch.utils.data.BatchSampler", "torch.utils.data.sampler.BatchSampler")
PARAMETERS = ("sampler", "batch_size", "drop_last")
"""What torch's takes, and keeps under these names."""


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
    if not _derives_from_torchs(project, cls):
        return False
    return all(_keeps_own(part) for part in cls.lineage)


def _keeps_own(cls: Class) -> bool:
    """Whether the constructor of one class does; what takes no `sampler` cannot be made anew in any case."""
    method = cls.own_methods.get("__init__")
    if method is None:
        return True
    params = method.params
    has_rest = isinstance(params.star_arg, cst.Param) or params.star_kwarg is not None
    names = {*_named(method), *(each.name.value for each in params.kwonly_params)}
    if has_rest or "sampler" not in names:
        return not has_rest
    return names - {"sampler"} <= _kept(cls, method) - cls.methods.keys()


def _named(method: cst.FunctionDef) -> tuple[str, ...]:
    return tuple(each.name.value for each in method.params.params[1:])


def _kept(cls: Class, method: cst.FunctionDef) -> set[str]:
    """The parameters that a constructor, in any case, keeps as they are under their names."""
    statements = [each for each in method.body.body if isinstance(each, cst.SimpleStatementLine)]
    parts = [part for each in statements for part in each.body]
    plain = [name for part in parts for name in _kept_by(cls, part)]
    bound = [name for each in nodes(method.body, cst.AssignTarget) for name in _bound(each.target)]
    bound += [name for each in nodes(method.body, cst.AugAssign) for name in _bound(each.target)]
    bound += [name for each in nodes(method.body, cst.AnnAssign) for name in _bound(each.target)]
    own = [name for part in parts if isinstance(part, cst.Assign) for name in _kept_by(cls, part)]
    return {name for name in plain if bound.count(name) == own.count(name)}


def _kept_by(cls: Class, part: cst.BaseSmallStatement) -> Iterator[str]:
    """Those that a statement keeps: `self.size = size`, or a call of the base's constructor."""
    match part:
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            yield from _same(target, value)
        case cst.Expr(
            value=cst.Call(func=cst.Attribute(attr=cst.Name(value="__init__"), value=above), args=args)
        ):
            own = args if isinstance(above, cst.Call) else args[1:]
            yield from _handed_up(_parameters_above(cls), own)


def _same(target: cst.BaseExpression, value: cst.BaseExpression) -> Iterator[str]:
    """The names that attributes and what they are set to have in common."""
    match target, value:
        case cst.Tuple(), cst.Tuple():
            pairs = zip(target.elements, value.elements, strict=False)
            yield from (name for one, other in pairs for name in _same(one.value, other.value))
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)), cst.Name(value=other):
            yield from [name] if name == other else []


def _handed_up(parameters: Sequence[str], args: Sequence[cst.Arg]) -> Iterator[str]:
    """The names that a base's constructor is given for parameters of the same names, and keeps."""
    for number, arg in enumerate(args):
        place = parameters[number] if number < len(parameters) else ""
        name = arg.keyword.value if arg.keyword else place
        if isinstance(arg.value, cst.Name) and arg.value.value == name and not arg.star:
            yield name


def _parameters_above(cls: Class) -> tuple[str, ...]:
    """What the constructor of the next class above takes, and keeps."""
    above = (each.own_methods.get("__init__") for each in cls.lineage[1:])
    method = next(filter(None, above), None)
    return PARAMETERS if method is None else _named(method)


def _bound(target: cst.BaseExpression) -> Iterator[str]:
    """The variables, and the object's attributes, that are bound."""
    match target:
        case cst.Name(value=name) | cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
            yield name
        case cst.Tuple() | cst.List():
            yield from (name for each in target.elements for name in _bound(each.value))
