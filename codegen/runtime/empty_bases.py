"""Base classes that have come to say nothing: their one subclass stands for them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import rewritten, with_fields
from .definitions import RuntimeDefinition
from .folding.fold import DOCSTRING

EMPTY = m.ClassDef(bases=[m.Arg(m.Name())], body=m.IndentedBlock(body=[DOCSTRING]), decorators=[])


def without_empty_bases(
    found: Mapping[str, RuntimeDefinition], kept: Container[str]
) -> dict[str, RuntimeDefinition]:
    """The definitions without classes that hold nothing, have one subclass, and are not `kept` for others."""
    definitions = dict(found)
    for name in [each for each in found if found[each].code.startswith("class ") and each not in kept]:
        (node,) = cst.parse_module(found[name].code).body
        subclasses = [each for each in found if f"class {each}({name})" in found[each].code]
        if m.matches(node, EMPTY) and len(subclasses) == 1:
            base = cst.ensure_type(cst.ensure_type(node, cst.ClassDef).bases[0].value, cst.Name).value
            del definitions[name]
            definitions = {
                each: _renamed(definition, name, base if each == subclasses[0] else subclasses[0])
                for each, definition in definitions.items()
            }
    return definitions


def _renamed(definition: RuntimeDefinition, name: str, new: str) -> RuntimeDefinition:
    if name not in definition.uses:
        return definition
    module = rewritten(cst.parse_module(definition.code), _Renamer(name, new))
    return replace(definition, code=module.code)


class _Renamer(cst.CSTTransformer):
    def __init__(self, name: str, new: str) -> None:
        self.name, self.new = name, new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.new) if updated_node.value == self.name else updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return with_fields(updated_node, attr=original_node.attr)
