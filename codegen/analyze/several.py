"""How several optimizers and schedulers come out of `configure_optimizers`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ..index import patterns as m
from ..index.search import findall
from ..ir.plans import Lines
from ..ir.project import Class, Project
from .optimizers import FormReader, Unsure
from .resolve import returned_values
from .returned import makes_object

CALL = "model.configure_optimizers()"


@dataclass(frozen=True)
class Several:
    """The statements that read them into `optimizers` and `schedulers`."""

    read: Lines
    has_schedulers: bool  # there may be some
    are_torchs: bool  # all optimizers surely are


def read_several(project: Project, cls: Class) -> Several:
    """What can be read of the class's `configure_optimizers`; the rest is, when the script runs."""
    method = cls.methods.get("configure_optimizers")
    if method is None:
        return Several(("optimizers: list[Any] = []",), False, True)
    values = returned_values(method)
    reader = FormReader(project, method, [])
    is_own = not findall(method, m.Attribute(value=m.Call(func=m.Name("super"))))
    sure = is_own and all(_are_torchs(reader, reader.resolve(value)) for value in values if value)
    plain = _plainly(reader, reader.resolve(values[0])) if sure and len(values) == 1 and values[0] else None
    return plain or Several((f"optimizers, schedulers = read_several({CALL})",), True, sure)


def _plainly(reader: FormReader, value: cst.BaseExpression) -> Several | None:
    """Where one assignment is enough."""
    if isinstance(value, cst.Call):
        return Several((f"optimizers = [{CALL}]",), False, True)
    items = _items(value)
    if not items or isinstance(value, cst.Dict):
        return None
    if reader.is_optimizer(reader.resolve(items[0])):
        made = f"list({CALL})" if isinstance(value, cst.Tuple) else CALL
        return Several((f"optimizers = {made}",), False, True)
    schedulers = reader.resolve(items[-1])
    if len(items) != 2 or not _is_list(schedulers):
        return None
    each = [reader.resolve(item) for item in _items(schedulers)]
    if not all(makes_object(reader.project, item) for item in each):
        return None  # dicts with schedulers
    return Several((f"optimizers, {'schedulers' if each else '_'} = {CALL}",), bool(each), True)


def _are_torchs(reader: FormReader, value: cst.BaseExpression) -> bool:
    """Whether the value, in one of Lightning's forms, surely holds optimizers of torch's."""
    try:
        return all(reader.is_optimizer(reader.resolve(node)) for node in _optimizers(reader, value))
    except Unsure:
        return False


def _optimizers(reader: FormReader, value: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(value, cst.Dict):
        yield reader.entries(value).get("optimizer", value)
        return
    items = [reader.resolve(item) for item in _items(value)]
    if len(items) == 2 and _is_list(items[0]):
        yield from _items(items[0])
    elif items:
        for item in items:
            yield from _optimizers(reader, item) if isinstance(item, cst.Dict) else [item]
    else:
        yield value


def _is_list(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.List | cst.ListComp)


def _items(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The expressions of what a list or tuple holds."""
    if isinstance(node, cst.ListComp):
        return [node.elt]
    return [element.value for element in node.elements] if isinstance(node, cst.List | cst.Tuple) else []
