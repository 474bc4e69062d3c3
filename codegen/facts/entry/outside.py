"""What running statements does to what is not the project's, such as the environment, or a library's settings."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import cached_property

from ...ir.project import Project, Statement
from ...source.definitions import Run
from ...source.loaded import is_standard
from ...source.pure_calls import RANDOM, gives_a_value
from .executed import ASKING, CONSTRUCTORS, Definition, Function, Held, executed, head_of
from .own_state import OwnState

READS = re.compile(r"(os\.(environ|getenv)|sys\.(argv|path|modules))(\.|$)")
"""What statements may have changed."""

WRITING = frozenset("mkdir rename rmdir symlink_to touch unlink write_bytes write_text".split())
"""Methods of paths that change files."""


def runs(project: Project) -> dict[Statement, Run]:
    """When each statement runs, and what it then has to do with what is not the project's."""
    state = OwnState(project)
    outside = _Outside(project, state)
    found = {each: outside.run(each, place) for place, each in enumerate(project.statements)}
    finds = {each: state.found_by(each) for each in found if _is_definition(each)}
    changeable = frozenset[str]().union(*finds.values())
    for each in found if changeable else ():
        changes = frozenset() if each in finds else state.changed_by(each) & changeable
        is_tied = found[each].is_tied or bool(changes)
        found[each] = replace(
            found[each], finds=finds.get(each, frozenset()), changes=changes, is_tied=is_tied
        )
    return found


def _is_definition(statement: Statement) -> bool:
    return all(isinstance(node, Definition) for node in ast.parse(statement.code).body)


@dataclass(frozen=True)
class _Outside:
    project: Project
    state: OwnState
    counts_random: bool = True  # to draw random numbers is an act, too

    def run(self, statement: Statement, place: int) -> Run:
        nodes = ast.parse(statement.code).body
        local = _Locals({name: each for node in nodes for name, each in _targets(node).items()})
        parts = [part for node in nodes for part in executed(node)]
        is_definition = all(isinstance(node, Definition) for node in nodes)
        called = self.state.called(parts) if is_definition else ()
        named = [self._dotted(each) for each in (*parts, *(part for body in called for part in body))]
        acts = not is_definition and self._acts(parts, local, set())
        uses = not is_definition and any(self._is_imported(each) or _imports(each) for each in parts)
        sets = acts and replace(self, counts_random=False)._acts(parts, local, set())
        draws = acts or any(map(RANDOM.match, named))
        reads = sets or any(map(READS.match, named))
        return Run(place, statement.loaded, acts, sets, draws, reads, draws or reads or uses)

    @cached_property
    def _imports(self) -> dict[str, str]:
        return {bound.name: bound.target for bound in self.project.imports}

    def _dotted(self, node: ast.AST) -> str:
        """The name of something imported; empty: it is no such thing."""
        if isinstance(node, ast.Attribute):
            owner = self._dotted(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        return self._imports.get(node.id, "") if isinstance(node, ast.Name) else ""

    def _is_imported(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self._imports

    # ---- what acts ---------------------------------------------------------------------------------------

    def _acts(self, parts: list[ast.AST], local: _Locals, seen: set[Function]) -> bool:
        """Whether nodes that are run do something to what is not the project's."""
        return any(
            (isinstance(node, ast.Call) and self._call_acts(node, local, seen))
            or (
                isinstance(node, Held)
                and not isinstance(node.ctx, ast.Load)
                and not self._is_own(node, local)
            )
            for node in parts
        )

    def _call_acts(self, call: ast.Call, local: _Locals, seen: set[Function]) -> bool:
        head = head_of(call.func)
        if isinstance(call.func, ast.Attribute) and call.func.attr in WRITING:
            return True
        if isinstance(call.func, ast.Attribute) and call.func.attr in ASKING and not self._is_imported(head):
            return False
        if not isinstance(head, ast.Name):
            return not isinstance(head, ast.Constant | ast.JoinedStr)
        if head.id in local.values:
            return head is call.func or not self._is_own(call.func, local)
        if head.id in self._imports:
            dotted = self._dotted(_innermost(call))
            return not gives_a_value(dotted) and (self.counts_random or not RANDOM.match(dotted))
        if head.id in self.state.binding:
            return self._own_acts(call, head.id, seen)
        is_error = head.id.endswith(("Error", "Exception", "Warning", "Interrupt", "Exit"))
        return not (is_error or gives_a_value(head.id))

    def _own_acts(self, call: ast.Call, name: str, seen: set[Function]) -> bool:
        """Whether calling something of the project's, or a method of it, acts."""
        made = isinstance(call.func, ast.Attribute)
        for node in self.state.binding[name]:
            if isinstance(node, Function):
                acts = made or self._body_acts(node, seen)
            elif isinstance(node, ast.ClassDef):
                named = call.func.attr if isinstance(call.func, ast.Attribute) else None
                acts = self._methods_act(node, [named] if named else CONSTRUCTORS, seen)
            else:
                acts = not made or not self._gives_own(call.func, node, seen)
            if acts:
                return True
        return False

    def _gives_own(self, method: ast.expr, node: ast.stmt, seen: set[Function]) -> bool:
        """Whether a method is a plain value's, or one of an object of the project's that changes no more than that."""
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is None or not isinstance(method, ast.Attribute) or not isinstance(method.value, ast.Name):
            return False
        if self._is_plain(value):
            return True
        made = self._class_of(value)
        return made is not None and not self._methods_act(made, [method.attr], seen)

    def _methods_act(
        self, cls: ast.ClassDef, names: list[str] | tuple[str, ...], seen: set[Function]
    ) -> bool:
        """Whether methods act; of a constructor those of the bases count, too, and one that nobody has read acts."""
        own = {each.name: each for each in cls.body if isinstance(each, Function)}
        found = [own[name] for name in names if name in own]
        if any(self._body_acts(each, seen) for each in found):
            return True
        bases = [self._class_named(base) for base in cls.bases]
        if names == CONSTRUCTORS:
            others = [self._dotted(base) for base, each in zip(cls.bases, bases, strict=True) if each is None]
            if any(each and not gives_a_value(each) for each in others):
                return True
            return any(self._methods_act(each, names, seen) for each in bases if each)
        if found:
            return False
        inherited = [each for each in bases if each]
        return not inherited or any(self._methods_act(each, names, seen) for each in inherited)

    def _body_acts(self, function: Function, seen: set[Function]) -> bool:
        """The same of a function's body, which is looked at once: had it acted, that had ended the search."""
        if function in seen:
            return False
        seen.add(function)
        parts = [part for node in function.body for part in executed(node, within=True)]
        return self._acts(parts, _locals(function), seen)

    # ---- whose an object is ------------------------------------------------------------------------------

    def _is_own(self, node: ast.expr, local: _Locals) -> bool:
        """Whether what an attribute, or an entry, belongs to is an object of the project's."""
        head = head_of(node)
        if not isinstance(head, ast.Name) or head.id in self._imports.keys() - local.values.keys():
            return False
        if head.id in local.values:
            values = local.values[head.id]
            return head.id == local.own or (bool(values) and all(map(self._is_plain, values)))
        return all(self._binds_own(each) for each in self.state.binding.get(head.id, ()))

    def _binds_own(self, node: ast.stmt) -> bool:
        if isinstance(node, Definition):
            return True
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        return value is not None and (self._is_plain(value) or self._class_of(value) is not None)

    def _is_plain(self, value: ast.expr) -> bool:
        """Whether it is a value that no other code has."""
        if isinstance(value, ast.Call):
            name = self._dotted(value.func) or (value.func.id if isinstance(value.func, ast.Name) else "")
            return gives_a_value(name) and name != "getattr"
        return isinstance(
            value,
            ast.Constant
            | ast.JoinedStr
            | ast.List
            | ast.Dict
            | ast.Set
            | ast.Tuple
            | ast.ListComp
            | ast.DictComp,
        )

    def _class_of(self, value: ast.expr) -> ast.ClassDef | None:
        return self._class_named(value.func) if isinstance(value, ast.Call) else None

    def _class_named(self, node: ast.expr) -> ast.ClassDef | None:
        found = self.state.binding.get(node.id, []) if isinstance(node, ast.Name) else []
        return next((each for each in found if isinstance(each, ast.ClassDef)), None)


@dataclass(frozen=True)
class _Locals:
    """A function's own names, with the values that they are given; and that of the object whose method it is."""

    values: dict[str, list[ast.expr]]
    own: str = ""


def _locals(function: Function) -> _Locals:
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            values.setdefault(node.arg, [])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            values.setdefault(node.id, [])
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id].append(node.value)
    return _Locals(values, "self" if [each.arg for each in function.args.args[:1]] == ["self"] else "")


def _targets(node: ast.AST) -> dict[str, list[ast.expr]]:
    """The names that comprehensions bind for themselves."""
    targets = [each.target for each in ast.walk(node) if isinstance(each, ast.comprehension)]
    return {each.id: [] for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def _imports(node: ast.AST) -> bool:
    """Whether it imports what is not the standard library's."""
    if isinstance(node, ast.ImportFrom):
        return not is_standard(node.module or ".")
    return isinstance(node, ast.Import) and not all(is_standard(each.name) for each in node.names)


def _innermost(call: ast.Call) -> ast.expr:
    """What the first call of a chain calls: `Path` of `Path(__file__).resolve()`."""
    node, inner = call.func, call.func
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Call):
            inner = node.func
        node = node.func if isinstance(node, ast.Call) else node.value
    return inner
