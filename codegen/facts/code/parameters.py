"""What a constructor takes."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ...ir.project import Class
from .literals import code_of


@dataclass(frozen=True)
class Parameter:
    """One parameter of a constructor."""

    name: str
    node: cst.Param
    positional_only: bool

    @property
    def default(self) -> str | None:
        return code_of(self.node.default) if self.node.default else None

    @property
    def annotation(self) -> str:
        return code_of(self.node.annotation.annotation) if self.node.annotation else ""


def parameters(cls: Class) -> list[Parameter]:
    """The constructor's parameters, `self` and stars left out."""
    method = cls.methods.get("__init__")
    if method is None:
        return []
    first = [Parameter(node.name.value, node, True) for node in method.params.posonly_params]
    rest = [Parameter(node.name.value, node, False) for node in method.params.params]
    by_name = [Parameter(node.name.value, node, False) for node in method.params.kwonly_params]
    return [*[*first, *rest][1:], *by_name]
