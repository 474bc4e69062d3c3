"""The models' base class, where it but declares attributes: the one class that has it declares them itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..source.definitions import Definition, Lowered
from ..source.names import global_names
from .definitions import RuntimeDefinition
from .shake import Shaken

BASE = "TrainModule"
IMPORTED = frozenset({"Any", "nn"})
"""What the declarations, and the class in the base's place, ask the script to import."""

READS_ANNOTATIONS = frozenset(
    {"jit", "to_torchscript", "__annotations__", "get_type_hints", "get_annotations"}
)
"""What a class's annotations matter to: it keeps its own, then."""


def with_declarations(
    lowered: Lowered,
    shaken: Shaken,
    taken: Iterable[str],
    mentioned: Iterable[str],
    named: Callable[[str], str],
    quotes: bool = True,
) -> Lowered | None:
    """The code with the attributes declared by the class itself; None: it keeps the base.

    Names that are `taken` have others in the script, attributes are `mentioned` anywhere, and the script has names
    of its own in the place of some of the runtime's. It `quotes` types, unless no annotation is looked up.
    """
    base = next((each for each in shaken.definitions if each.name == BASE), None)
    users = [each for each in lowered.all_definitions if BASE in global_names(each.code)]
    if base is None or len(users) != 1 or not READS_ANNOTATIONS.isdisjoint(mentioned):
        return None
    if any(BASE in each.uses for each in shaken.definitions if each is not base):
        return None
    declared = _declarations(base, {each.name for each in shaken.definitions}, quotes)
    if not declared or not {BASE, *base.uses, *IMPORTED}.isdisjoint(taken):
        return None
    definition = _declaring(users[0], [named(line) for line in declared])
    if definition is None:
        return None
    used = IMPORTED & global_names(definition.code)
    definitions = tuple(definition if each is users[0] else each for each in lowered.definitions)
    return replace(lowered, definitions=definitions, runtime_names=lowered.runtime_names - {BASE} | used)


def _declarations(base: RuntimeDefinition, defined: Iterable[str], quotes: bool) -> list[str]:
    """Its attributes, of types that stand further down or are imported; none: the class does more."""
    (node,) = ast.parse(base.code).body
    assert isinstance(node, ast.ClassDef)
    _, *lines = node.body
    types = {*defined, *IMPORTED}
    declared = [line for line in lines if isinstance(line, ast.AnnAssign) and line.value is None]
    is_plain = len(declared) == len(lines) and all(ast.unparse(each.annotation) in types for each in declared)
    return [_declaration(each, quotes) for each in declared] if is_plain else []


def _declaration(line: ast.AnnAssign, quotes: bool) -> str:
    kind = ast.unparse(line.annotation)
    mark = '"' if quotes and kind not in IMPORTED else ""
    return f"{ast.unparse(line.target)}: {mark}{kind}{mark}\n"


def _declaring(definition: Definition, declared: list[str]) -> Definition | None:
    """The class with what it does not set behind its docstring; None: it does not derive from the base alone."""
    node = _deriving(definition.code)
    if node is None:
        return None
    set_itself = {
        ast.unparse(each) for each in ast.walk(node) if isinstance(getattr(each, "ctx", None), ast.Store)
    }
    declared = [line for line in declared if f"self.{line.partition(':')[0]}" not in set_itself]
    header, first = node.bases[0], node.body[0]
    lines = definition.code.splitlines(keepends=True)
    lines[header.lineno - 1] = re.sub(rf"\b{BASE}\b", "nn.Module", lines[header.lineno - 1], count=1)
    has_docstring = ast.get_docstring(node) is not None
    end = first.end_lineno or 0 if has_docstring else header.lineno
    indent = lines[first.lineno - 1][: first.col_offset]
    own = [*(["\n"] if has_docstring else []), *(indent + line for line in declared)]
    lines[end:end] = [*own, *([] if lines[end : end + 1] == ["\n"] else ["\n"])] if declared else []
    code = "".join(lines)
    return None if BASE in global_names(code) else replace(definition, code=code)


def _deriving(code: str) -> ast.ClassDef | None:
    """The class, if it derives from the base alone, and has each statement on lines of its own."""
    tree = ast.parse(code).body
    node = tree[-1]
    if len(tree) != 1 or not isinstance(node, ast.ClassDef) or node.decorator_list or node.keywords:
        return None
    if [ast.unparse(each) for each in node.bases] != [BASE]:
        return None
    own_lines = {node.bases[0].lineno, *(each.lineno for each in node.body)}
    return node if len(own_lines) == len(node.body) + 1 else None
