"""What `training_step` takes and returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Class, Project
from ..code.result_kinds import DICT, TENSOR, kinds_returned

Output = Literal["loss", "dict", "any"]


def positional_names(method: cst.FunctionDef) -> list[str]:
    """The names of a method's positional parameters, `self` left out."""
    parameters = [*method.params.posonly_params, *method.params.params]
    return [parameter.name.value for parameter in parameters][1:]


def takes_batch_idx(method: cst.FunctionDef) -> bool:
    """Whether Lightning passes the step a `batch_idx` beside the batch."""
    star = isinstance(method.params.star_arg, cst.Param)
    return star or len(positional_names(method)) >= 2 or "batch_idx" in positional_names(method)


def hands_over_closure(index: Index, method: cst.FunctionDef) -> bool:
    """Whether `optimizer_step` surely gives its closure to every step that it takes, and calls it nowhere itself."""
    names = positional_names(method)
    if len(names) < 4:
        return False
    optimizer, closure = m.Name(names[2]), m.Name(names[3])
    steps = m.Attribute(attr=m.Name("step"))
    inherited = m.Attribute(value=m.Call(func=m.Name("super")), attr=m.Name("optimizer_step"))
    own = m.Attribute(value=optimizer, attr=m.Name("step"))
    giving = m.Call(func=own | inherited, args=[m.ZeroOrMore(), m.Arg(value=closure), m.ZeroOrMore()])
    keywords = index.matching(method.body, m.Arg(keyword=closure))
    uses = len(index.matching(method.body, closure)) - len(keywords)
    every = index.matching(method.body, m.Call(func=steps | inherited))
    return uses == len(every) == len(index.matching(method.body, giving))


def training_output(project: Project, cls: Class) -> Output:
    """What `training_step` returns: surely the loss, surely a dict with one, or anything that Lightning takes."""
    if "training_step" not in cls.methods:
        return "any"  # a model that is but evaluated
    kinds = kinds_returned(project, cls.methods["training_step"])
    return "loss" if kinds == TENSOR else "dict" if kinds == DICT else "any"


def common_output(outputs: Iterable[Output]) -> Output:
    """What the steps of several models return."""
    found = set(outputs)
    return found.pop() if len(found) == 1 else "any"
