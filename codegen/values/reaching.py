"""Reaching definitions: which binding of a variable is the one that a use sees, where just one can be."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import libcst as cst

from ..index import Binding, Index
from ..index import patterns as m
from ..index.ending import ends
from ..index.scope import Scope, Variable
from ..index.targets import is_target

PLAIN = (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.FunctionDef, cst.ClassDef, cst.ImportAlias)
"""What surely binds when it is run."""

RUN_AT_ONCE = (cst.ListComp, cst.SetComp, cst.DictComp)
"""What has a scope of its own, and is run as part of the code round it."""

AFTER = (cst.Assign, cst.AnnAssign, cst.AugAssign)
"""What binds once its own expressions have been evaluated."""


NAMESPACES = ("globals", "exec", "vars", "locals")
VARS_OF_OBJECT = m.Call(m.Name("vars"), [m.Arg()])
ENTRY = m.Subscript(m.Call(m.Name("globals"), []))

OF_SELF = m.Attribute(m.Name("self"), m.Name())
SETTING = m.SimpleStatementLine([m.Assign([m.AssignTarget(OF_SELF)])])
OF_NAME = m.Attribute(m.SaveMatchedNode(m.Name(), "name"), m.Name())
SETTING_OF_NAME = m.SimpleStatementLine(
    [m.Assign([m.AssignTarget(OF_NAME)], m.SaveMatchedNode(m.DoNotCare(), "value"))]
)


@dataclass(frozen=True)
class _InOrder:
    """The bindings of a variable, in the order of the source."""

    bindings: list[Binding]
    places: list[int]
    are_own: bool  # all stand in the variable's own scope


class Reaching:
    """Tells uses of variables that are bound several times from each other."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._in_order: dict[Variable, _InOrder] = {}

    def binding(self, name: cst.Name) -> Binding | None:
        """The one binding that a use sees; None: it may see several.

        It is the last one above the use, in a block that holds the use too, and nothing between the two binds the
        variable again, be it in another turn of a loop.
        """
        found = self._own_bindings(name)
        if found is None:
            return None
        above = bisect_left(found.places, self._index.order(name))
        while above and self._is_after(found.bindings[above - 1], name):
            above -= 1
        last = found.bindings[above - 1] if above else None
        return last if last and self._is_seen(last, name) else None

    def bindings_above(self, name: cst.Name) -> list[Binding]:
        """Those that a use may see, outside of loops, as others stand below it or lead away; empty: it may see any."""
        found = None if self._is_in_loop(name) else self._own_bindings(name)
        if found is None:
            return []
        above = found.bindings[: bisect_left(found.places, self._index.order(name))]
        seen = [each for each in above if not self._is_after(each, name) and self._leads_on(each, name)]
        are_given = any(isinstance(each.by, cst.Param) for each in seen)
        return [] if are_given or len(seen) == len(found.bindings) else seen

    def just_set(self, node: cst.Attribute) -> cst.BaseExpression | None:
        """What `self.x` has been set to by the statement above the one that but returns it; None: by none."""
        above = self._above_return(node)
        if not m.matches(above, SETTING) or not m.matches(node, OF_SELF):
            return None
        assign = cst.ensure_type(cst.ensure_type(above, cst.SimpleStatementLine).body[0], cst.Assign)
        target = cst.ensure_type(assign.targets[0].target, cst.Attribute)
        return assign.value if target.attr.value == node.attr.value else None

    def set_above(self, node: cst.Attribute) -> cst.BaseExpression | None:
        """What `name.x` has been set to by a statement above it, the only one that sets an `x` of anything but `self`.

        None: by none that is surely run, or the name's object was bound anew or handed on before the use.
        """
        found = [each for each in self._index.attributes(node.attr.value) if not m.matches(each, OF_SELF)]
        targets = [each for each in found if is_target(self._index, each)]
        line = self._statement(targets[0]) if len(targets) == 1 else None
        saved = m.extract(line, SETTING_OF_NAME)
        if line is None or saved is None or not isinstance(node.value, cst.Name):
            return None
        is_kept = self._index.variable(node.value) is self._index.variable(saved["name"])
        return saved["value"] if is_kept and self._reads_alone(line, node.value) else None

    def _reads_alone(self, line: cst.CSTNode, name: cst.Name) -> bool:
        """Whether a use stands below a line, in its block, and but attributes are read of the variable in between."""
        index, variable, block = self._index, self._index.variable(name), self._index.parent(line)
        is_below = index.order(line) < index.order(name) and not index.holds(line, name)
        is_here = block is None or index.holds(block, name)
        if (
            variable is None
            or not is_below
            or not is_here
            or index.scope_of(line) is not index.scope_of(name)
        ):
            return False
        last = self._statement_in(block, name)
        named = [*variable.uses, *(each.node for each in variable.bindings)]
        below = [
            each for each in named if index.order(line) < index.order(each) and not index.holds(line, each)
        ]
        until = [each for each in below if index.order(each) < index.order(last) or index.holds(last, each)]
        return all(map(self._is_read, until))

    def _is_read(self, name: cst.Name) -> bool:
        """Whether an attribute is read of what a name stands for, and that is all."""
        above = self._index.parent(name)
        return isinstance(above, cst.Attribute) and above.value is name and not is_target(self._index, above)

    def _above_return(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The statement in front of the one that but returns what an expression gives."""
        returned = self._index.parent(node)
        line = self._index.parent(returned) if isinstance(returned, cst.Return) else None
        block = self._index.parent(line) if line is not None else None
        pairs = pairwise(block.body) if isinstance(block, cst.IndentedBlock) else ()
        return next((above for above, below in pairs if below is line), None)

    def _own_bindings(self, name: cst.Name) -> _InOrder | None:
        """Those of a variable, where several stand in its own scope, as the use does, and nothing else binds it."""
        variable = self._index.variable(name)
        if variable is None or len(variable.bindings) < 2 or self._scope_run(name) is not variable.scope:
            return None
        if variable.scope.kind == "class" or (variable.scope.parent is None and self._has_open_globals):
            return None
        found = self._bindings(variable)
        return found if found.are_own else None  # else it is bound from other functions, too

    def _scope_run(self, name: cst.Name) -> Scope:
        """The scope whose code runs a use: comprehensions are run where they stand, but generators are not."""
        scope = self._index.scope_of(name)
        while isinstance(scope.node, RUN_AT_ONCE) and scope.parent:
            scope = scope.parent
        return scope

    def is_above(self, variable: Variable, name: cst.Name) -> bool:
        """Whether a use is surely evaluated before the variable is bound: it stands above, and in no loop."""
        if self._index.scope_of(name) is not variable.scope:
            return False
        found, place = self._bindings(variable), self._index.order(name)
        above = bisect_left(found.places, place)
        is_unbound = all(self._is_after(each, name) for each in found.bindings[:above])
        return is_unbound and found.are_own and not self._is_in_loop(name)

    def _is_in_loop(self, node: cst.CSTNode) -> bool:
        while (parent := self._index.parent(node)) is not None:
            if isinstance(parent, cst.For | cst.While):
                return True
            node = parent
        return False

    def _bindings(self, variable: Variable) -> _InOrder:
        if variable not in self._in_order:
            bindings = sorted(variable.bindings, key=lambda each: self._index.order(each.node))
            places = [self._index.order(each.node) for each in bindings]
            own = all(self._index.scope_of(each.node) is variable.scope for each in bindings)
            self._in_order[variable] = _InOrder(bindings, places, own)
        return self._in_order[variable]

    def _within(self, node: cst.CSTNode, variable: Variable) -> list[Binding]:
        """The bindings of a variable that stand in a node."""
        found = self._bindings(variable)
        first = bisect_left(found.places, self._index.order(node))
        inside = []
        for binding in found.bindings[first:]:
            if not self._index.holds(node, binding.node):
                break
            inside.append(binding)
        return inside

    @cached_property
    def _has_open_globals(self) -> bool:
        """Whether code may bind global variables in ways that are not plain to see."""
        names = self._index.module.variables
        used = [use for each in NAMESPACES if each in names for use in names[each].uses]
        return not all(self._reads(each) for each in used)

    def _reads(self, namespace: cst.Name) -> bool:
        """Whether it is `vars` of an object, or a variable by its name, which binds none."""
        call = self._index.parent(namespace)
        above = self._index.parent(call) if call else None
        reads_entry = isinstance(above, cst.Subscript) and not is_target(self._index, above)
        return m.matches(call, VARS_OF_OBJECT) or (reads_entry and m.matches(above, ENTRY))

    def _is_after(self, binding: Binding, name: cst.Name) -> bool:
        """Whether it binds once the expression has been evaluated that the name stands in."""
        return isinstance(binding.by, AFTER) and self._index.holds(binding.by, name)

    def _leads_on(self, binding: Binding, name: cst.Name) -> bool:
        """Whether code may get to a use from a binding, outside of loops.

        It stands in no branch that surely ends before that, nor is the use in the other branch.
        """
        if self._is_at_end_of_try(binding, name):
            return False
        node: cst.CSTNode = binding.node
        leaves = False
        while (parent := self._index.parent(node)) is not None and not self._index.holds(parent, name):
            if isinstance(parent, cst.IndentedBlock | cst.SimpleStatementSuite):
                is_branch = self._is_branch(parent)  # else exceptions may be caught, for one
                leaves = is_branch and (leaves or self._ends_below(parent, node))
            node = parent
        is_other_branch = isinstance(parent, cst.If) and node is parent.body
        return not (leaves or is_other_branch)

    def _ends_below(self, block: cst.IndentedBlock | cst.SimpleStatementSuite, node: cst.CSTNode) -> bool:
        """Whether a block is surely left by one of its statements, or by one below it."""
        return any(map(ends, block.body[list(block.body).index(node) :]))

    def _is_at_end_of_try(self, binding: Binding, name: cst.Name) -> bool:
        """Whether it is the last that is done of what a handler, in which the use stands, handles exceptions of."""
        line = self._statement(binding.node)
        block = self._index.parent(line)
        tried = self._index.parent(block) if isinstance(block, cst.IndentedBlock) else None
        if not isinstance(tried, cst.Try) or tried.body is not block or block.body[-1] is not line:
            return False
        is_last = m.matches(line, m.SimpleStatementLine([m.Assign([m.AssignTarget(m.Name())])]))
        return is_last and any(self._index.holds(each, name) for each in tried.handlers)

    def _is_branch(self, block: cst.BaseSuite) -> bool:
        """Whether it is run or not, by a condition."""
        parent = self._index.parent(block)
        owner = self._index.parent(parent) if isinstance(parent, cst.Else) else parent
        return isinstance(owner, cst.If | cst.MatchCase)

    def _is_seen(self, binding: Binding, name: cst.Name) -> bool:
        if not isinstance(binding.by, PLAIN) or getattr(binding.by, "value", True) is None:
            return False
        block = self._index.parent(self._statement(binding.by))
        if block is not None and not self._index.holds(block, name):
            return False
        statement = self._statement_in(block, name)
        is_simple = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
        inside = self._within(statement, binding.variable)
        if is_simple:
            return not any(isinstance(each.by, cst.NamedExpr) for each in inside)
        return all(each is binding for each in inside) and not self._index.holds(statement, binding.node)

    def _statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """The statement that a node is part of, in the nearest block."""
        while (parent := self._index.parent(node)) and not isinstance(parent, cst.BaseSuite):
            node = parent
        return node

    def _statement_in(self, block: cst.CSTNode | None, node: cst.CSTNode) -> cst.CSTNode:
        """The statement of a block that a node is part of; the module's, where that is None."""
        while (parent := self._index.parent(node)) is not block and parent is not None:
            node = parent
        return node
