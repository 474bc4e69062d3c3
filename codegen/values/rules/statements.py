"""Statements: what they bind, return and define."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import libcst as cst

from ...index import patterns as m
from ...index.ending import ends
from ..abstract import Class, Descriptor, Dict, External, Function, Instance, Member, Option, Unknown, Value
from ..abstract import Sequence as Elements
from ..flow import OTHER, Argument, Arguments
from ..imports import KEEPING_PACKAGES
from ..solver import Cell
from .calls import COMMAND_LINE
from .expressions import OPERATORS, truth_of
from .passing import Passing

EXITS = m.SimpleStatementLine(body=[m.Expr(m.Call(m.Attribute(m.Name("sys"), m.Name("exit"))))])
NEVER = m.Name("False") | m.Integer("0")
"""Conditions of what is kept but never run."""

Rule = Callable[["Statements", cst.CSTNode], None]

FROM_COMMAND_LINE = frozenset("click hydra typer absl cyclopts".split())
"""Packages whose decorators call functions with what the command line or a configuration says."""

DECORATING = frozenset({"functools.wraps", "hydra.main"})

OF_ONE_RANK = "rank_zero_only"

PROPERTIES = ("property", "cached_property", "lazy_property", "cachedproperty")

COMMANDS = frozenset("command callback group option argument main cli register route".split())


class Statements(Passing):
    """The effect of statements."""

    def run(self, trees: Sequence[cst.CSTNode]) -> None:
        """The module's code, and that of all functions that it calls, to a fixed point."""
        for tree in trees:
            self.execute(tree)
        self.settle()

    def settle(self) -> None:
        """On to the next fixed point, with the code of functions that are called for the first time."""
        self.solver.solve()
        while self.to_enter or self.postponed:
            waiting, self.to_enter = self.to_enter, []
            for function in waiting:
                self._enter_code(function)
            self.solver.solve()
            postponed, self.postponed = ([], self.postponed) if self.to_enter else (self.postponed, [])
            for ask in postponed:
                ask()
            self.solver.solve()

    def _enter_code(self, function: Function) -> None:
        node, params = function.node, function.node.params
        result = self.of_function(function)
        if isinstance(params.star_arg, cst.Param):
            self.add(self.of_parameter(params.star_arg), Elements("tuple", params.star_arg))
        if params.star_kwarg:
            self.add(self.of_parameter(params.star_kwarg), Dict(params.star_kwarg))
        if isinstance(node, cst.Lambda):
            self.returns(function, self.evaluate(node.body), node.body)
            return
        self.execute(node.body)
        is_async = node.asynchronous is not None
        if self.index.own(node, cst.Yield):
            self.add(result, Elements("iterator", node))
        elif not ends(node.body):
            self.add(result, self.none(node))
        if is_async:
            self.add(result, Unknown("it is a coroutine", node))

    def execute(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite | cst.IndentedBlock):
            for part in node.body:
                self.execute(part)
                if ends(part) or self._exits(part):
                    break  # the rest is never run
        elif rule := RULES.get(type(node)):
            rule(self, node)

    def _exits(self, node: cst.CSTNode) -> bool:
        """Whether a statement is a call of `sys.exit`."""
        if not m.matches(node, EXITS):
            return False
        name = self.index.matching(node, m.Name("sys"))[0]
        found = self.index.bindings(cst.ensure_type(name, cst.Name))
        return bool(found) and all(m.matches(each.by, m.ImportAlias(m.Name("sys"))) for each in found)

    # ---- binding -----------------------------------------------------------------------------------------

    def bind(self, target: cst.CSTNode, cell: Cell, by: cst.CSTNode) -> None:
        """A target takes a value."""
        if isinstance(target, cst.Name):
            binding = self.index.binding(target)
            if binding:
                self.flow(cell, self.of_binding(binding))
            self.expressions.setdefault(target, cell)
        elif isinstance(target, cst.Attribute):
            name = self.index.scope_of(target).mangled(target.attr.value)
            self.watch(
                self.evaluate(target.value),
                lambda owner: self.write(owner, name, cell, target),
            )
        elif isinstance(target, cst.Subscript):
            self._bind_item(target, cell, by)
        elif isinstance(target, cst.Tuple | cst.List):
            self._unpack(target, cell, by)
        elif isinstance(target, cst.StarredElement):
            self.bind(target.value, cell, by)

    def _bind_item(self, target: cst.Subscript, cell: Cell, by: cst.CSTNode) -> None:
        written = by.value if isinstance(by, cst.Assign) else None
        keys = self.keys_of(target)

        def into(owner: Value) -> None:
            if len(target.slice) == 1 and isinstance(target.slice[0].slice, cst.Slice):
                elements = self.elements_of(cell, target)
                unknown = Unknown("it is a slice", target)
                is_user = isinstance(owner, Instance)
                self.set_item(owner, unknown, cell if is_user else elements, target, None)
                if isinstance(owner, Elements):  # others stand at other places now
                    self.flow(self.any_element(owner), self.element(owner, OTHER))
            else:
                self.watch(keys, lambda key: self.set_item(owner, key, cell, target, written))

        self.watch(self.evaluate(target.value), into)

    def _unpack(self, target: cst.Tuple | cst.List, cell: Cell, by: cst.CSTNode) -> None:
        """Each part of a target takes the element at its place; one with a star all that are left."""
        stars = [i for i, each in enumerate(target.elements) if isinstance(each, cst.StarredElement)]
        for place, element in enumerate(target.elements):
            if stars and place == stars[0]:
                rest = self.collected("list", element, self.elements_of(cell, target))
                self.bind(element.value, self.holding(rest), by)
            elif stars and place > stars[0]:
                self.bind(element.value, self.elements_of(cell, target), by)
            else:
                self.bind(element.value, self._part(cell, place, target), by)

    def _part(self, cell: Cell, place: int, target: cst.CSTNode) -> Cell:
        return self.each(cell, lambda value, result: self.take_place(value, place, result, target))

    # ---- assignments -------------------------------------------------------------------------------------

    def _assign(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Assign)
        cell = self.evaluate(node.value)
        for target in node.targets:
            self.bind(target.target, cell, node)

    def _annotated(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.AnnAssign)
        if node.value:
            cell = self.evaluate(node.value)
            is_field = self.index.scope_of(node).kind == "class"
            self.bind(
                node.target,
                self.each(cell, self.default_of) if is_field else cell,
                node,
            )

    def _augmented(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.AugAssign)
        before, value, result = (
            self._before(node.target),
            self.evaluate(node.value),
            Cell(node),
        )
        operator = type(node.operator).__name__.removesuffix("Assign")
        name = OPERATORS[getattr(cst, operator)]
        self.operate(before, value, name, result, node)
        self._in_own_way(before, value, f"__i{name}__", result, node)
        self.watch(before, lambda each: self._in_place(each, value, result, node))
        self.bind(node.target, result, node)

    def _in_own_way(self, before: Cell, added: Cell, method: str, result: Cell, node: cst.CSTNode) -> None:
        """`__iadd__` and the like of the user's objects."""

        def operate(value: Value) -> None:
            if (
                isinstance(value, Instance)
                and isinstance(value.cls, Class)
                and self._defines(value.cls, method)
            ):
                self.flow(self.method(value, method, node, added), result)

        self.watch(before, operate)

    def _before(self, target: cst.BaseExpression) -> Cell:
        """What a target holds that is added to."""
        if isinstance(target, cst.Name):
            binding = self.index.binding(target)
            return self.of_variable(binding.variable) if binding else Cell()
        cell = Cell()
        if isinstance(target, cst.Attribute):
            self._attribute(target, cell)
        else:
            self._subscript(target, cell)
        return cell

    def _in_place(self, value: Value, added: Cell, result: Cell, node: cst.CSTNode) -> None:
        """Lists, sets and dicts stay the same object."""
        if isinstance(value, Elements) and value.kind in ("list", "set"):
            self.flow(self.elements_of(added, node), self.element(value, OTHER))
            self.add(result, value)
        elif isinstance(value, Dict):
            self.watch(added, lambda each: self._fill_from(value, each, node))
            self.add(result, value)

    def _delete(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Del)
        for target in self.index.within(node, cst.Subscript):
            self.watch(self.evaluate(target.value), partial(self.take_out, keys=self.keys_of(target)))

    # ---- control flow ------------------------------------------------------------------------------------

    def _if(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.If | cst.While)
        test = self.evaluate(node.test)
        if self.kind_asked(node.test):
            self.watch(test, lambda each: self._choose(node, truth_of(each)))
            return
        if not m.matches(node.test, NEVER):
            self.execute(node.body)
        if node.orelse:
            self.execute(node.orelse)

    def _choose(self, node: cst.If | cst.While, holds: bool | None) -> None:
        """What is done where a condition holds, or where it does not."""
        chosen = node.body if holds else node.orelse
        if chosen is not None:
            self.execute(chosen)

    def _else(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Else | cst.Finally)
        self.execute(node.body)

    def _for(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.For)
        self.bind(node.target, self.elements_of(self.evaluate(node.iter), node), node)
        self.execute(node.body)
        if node.orelse:
            self.execute(node.orelse)

    def _with(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.With)
        for item in node.items:
            entered = self._entered(self.evaluate(item.item), item)
            if item.asname:
                self.bind(item.asname.name, entered, item)
        self.execute(node.body)

    def _entered(self, cell: Cell, node: cst.CSTNode) -> Cell:
        def enter(value: Value, result: Cell) -> None:
            if isinstance(value, Instance) and isinstance(value.cls, Class):
                self.flow(self.method(value, "__enter__", node), result)
                self.method(
                    value,
                    "__exit__",
                    node,
                    *(self.unknown("an exception", node) for _ in range(3)),
                )
            elif isinstance(value, Elements):
                self.flow(self.any_element(value), result)
            elif isinstance(value, Option | Unknown) or _is_file(value):
                self.add(result, value)
            else:
                self.add(result, Unknown("it is what a library's context gives", node))

        return self.each(cell, enter)

    def _try(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Try | cst.TryStar)
        self.execute(node.body)
        for handler in node.handlers:
            if handler.type:
                self.evaluate(handler.type)
            if handler.name:
                self.bind(
                    handler.name.name,
                    self.unknown("it is an exception", handler),
                    handler,
                )
            self.execute(handler.body)
        for part in filter(None, (node.orelse, node.finalbody)):
            self.execute(part)

    def _match(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Match)
        subject = self.evaluate(node.subject)
        for case in node.cases:
            self._pattern(case.pattern, subject)
            if case.guard:
                self.evaluate(case.guard)
            self.execute(case.body)

    def _pattern(self, pattern: cst.MatchPattern, subject: Cell) -> None:
        """Names that stand for the whole subject are followed; those of its parts are not."""
        if isinstance(pattern, cst.MatchAs) and pattern.pattern is None:
            if pattern.name:
                self.bind(pattern.name, subject, pattern)
            return
        for value in self.index.within(pattern, cst.MatchValue):
            self.evaluate(value.value)
        for each in self.index.within(pattern, cst.MatchClass):
            self.evaluate(each.cls)
        for name in self.index.within(pattern, cst.Name):
            if self.index.binding(name):
                self.bind(name, self.unknown("it is a part of what is matched", name), pattern)
        self.watch(subject, lambda value: self.escape(value, "`match`"))

    def _return(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Return)
        cell = self.evaluate(node.value) if node.value else self.holding(self.none(node))
        if function := self.index.function_of(node):
            self.returns(Function(function), cell, node.value)

    def _expression(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Expr)
        self.evaluate(node.value)

    def _raise(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Raise)
        if node.exc:
            raised = self.evaluate(node.exc)
            self.watch(raised, lambda value: self._make_exception(value, node))

    def _make_exception(self, value: Value, node: cst.CSTNode) -> None:
        if isinstance(value, Class):
            self.construct(value, Arguments(node), Cell())

    def _assert(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Assert)
        self.evaluate(node.test)
        if node.msg:
            self.evaluate(node.msg)

    # ---- definitions -------------------------------------------------------------------------------------

    def _import(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.Import | cst.ImportFrom)
        if isinstance(node.names, cst.ImportStar):
            return
        for alias in node.names:
            name: cst.BaseExpression = alias.asname.name if alias.asname else alias.name
            while isinstance(name, cst.Attribute):
                name = name.value
            self.bind(name, self.holding(self._imported(alias)), alias)

    def _imported(self, alias: cst.ImportAlias) -> Value:
        found = self.names.imported(alias)
        return Option(found.name, alias) if found.name in ("sys.argv", "os.environ") else found

    def _function(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.FunctionDef)
        self.evaluate_defaults(node.params)
        cell = self.holding(Function(node))
        for decorator in reversed(node.decorators):
            cell = self._decorated(decorator.decorator, cell, node)
        self.bind(node.name, cell, node)

    def _class(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.ClassDef)
        for argument in (*node.bases, *node.keywords):
            self.evaluate(argument.value)
        self.execute(node.body)
        self._tell_bases(node)
        cell = made = self.holding(Class(node))
        self.make_class(node, cell)
        for decorator in reversed(node.decorators):
            made = self._decorated(decorator.decorator, made, node)
        self.bind(node.name, cell if self.names.keeps_class(node) else made, node)

    def _tell_bases(self, node: cst.ClassDef) -> None:
        """`__init_subclass__` of the bases is called."""
        found = Cell()
        if self.lookup(
            Class(node),
            "__init_subclass__",
            lambda value: self.add(found, value),
            Class(node),
        ):
            given = tuple(
                Argument(
                    self.evaluate(each.value),
                    each.keyword.value if each.keyword else None,
                )
                for each in node.keywords
            )
            first = Argument(self.holding(Class(node)))
            self.called(found, Arguments(node, (first, *given)))

    def _decorated(self, decorator: cst.BaseExpression, cell: Cell, node: cst.CSTNode) -> Cell:
        """What a decorator makes of a function or a class."""
        result, arguments = Cell(), Arguments(decorator, (Argument(cell),))
        if isinstance(decorator, cst.Attribute) and decorator.attr.value in (
            "setter",
            "deleter",
            "getter",
        ):
            kind = "property" if decorator.attr.value == "getter" else "setter"
            self.evaluate(decorator.value)
            self.watch(cell, lambda value: self._describe(kind, value, result))
            return result
        self.watch(
            self.evaluate(decorator),
            lambda value: self._decorate(value, cell, arguments, result, node),
        )
        return result

    def _describe(self, kind: str, value: Value, result: Cell) -> None:
        if isinstance(value, Function):
            self.add(result, Descriptor(kind, value))  # type: ignore[arg-type]  # one of its kinds

    def _decorate(
        self,
        decorator: Value,
        cell: Cell,
        arguments: Arguments,
        result: Cell,
        node: cst.CSTNode,
    ) -> None:
        root = library_root(decorator)
        if root is None or root.name in CALLED_AS_THEY_ARE or isinstance(decorator, Unknown | Option):
            if isinstance(decorator, Unknown | Option):
                self.flow(cell, result)
            self.decorate(decorator, arguments, cell, result)
        elif root.name.rpartition(".")[2] in PROPERTIES and isinstance(decorator, External):
            self.watch(cell, lambda value: self._describe("property", value, result))
        else:
            self._keep_decorated(decorator, root, cell, arguments, result, node)

    def _keep_decorated(
        self,
        decorator: Value,
        root: External,
        cell: Cell,
        arguments: Arguments,
        result: Cell,
        node: cst.CSTNode,
    ) -> None:
        """A library's decorator: the function as it is, and what may call it."""
        self.flow(cell, result)
        if root.name in DISPATCHING:
            self.add(result, Unknown(f"`{root.name}` may call another function", node))
        if root.lightning == OF_ONE_RANK:
            self.watch(cell, lambda value: self._gives_none(value, node))
        if root.package == "hydra" and self.configured.main is not None:
            given = Argument(self.evaluate(self.configured.main))
            self.watch(cell, lambda value: self._called_by_command(value, given))
        elif root.package in FROM_COMMAND_LINE or (
            isinstance(decorator, Instance) and _is_command(decorator)
        ):
            self.watch(cell, lambda value: self._called_by_command(value))
        elif root.package not in KEEPING_PACKAGES:
            self.hand_over(arguments, f"the decorator `{root.name}`")
            self.add(
                result,
                Unknown(f"it is decorated with `{root.name}`, which is not read", node),
            )

    def _gives_none(self, value: Value, node: cst.CSTNode) -> None:
        """On other ranks the function is not called, and gives None."""
        if isinstance(value, Function):
            self.returns(value, self.holding(self.none(node)), None)

    def _call_librarys(self, callee: Instance, arguments: Arguments, result: Cell) -> None:
        """What `hydra.main(...)` and `wraps(...)` give is a decorator, where code calls it too."""
        root = library_root(callee)
        if root is not None and root.name in DECORATING and arguments.given:
            self._keep_decorated(callee, root, arguments.given[0].cell, arguments, result, arguments.node)
        else:
            super()._call_librarys(callee, arguments, result)

    def _called_by_command(self, value: Value, *given: Argument) -> None:
        if isinstance(value, Instance) and not isinstance(value.cls, Class):
            return
        if isinstance(value, Function | Instance) and self.once("command", value):
            self.call(value, Arguments(value.node, given, "" if given else COMMAND_LINE), Cell())


def _is_file(value: Value) -> bool:
    """Whether it is what `open` gives, which is its own context."""
    made = value.cls if isinstance(value, Instance) else None
    return made == External("builtins.open") or (isinstance(made, Member) and made.name == "open")


DISPATCHING = frozenset({"functools.singledispatch", "functools.singledispatchmethod"})
CALLED_AS_THEY_ARE = frozenset("builtins.staticmethod builtins.classmethod builtins.property".split())


def library_root(value: Value) -> External | None:
    """The library's thing that a value comes from; None: it is the user's."""
    while not isinstance(value, External):
        if isinstance(value, Instance) and not isinstance(value.cls, Class):
            value = value.cls
        elif isinstance(value, Member):
            value = value.receiver
        else:
            return None
    return value


def _is_command(value: Instance) -> bool:
    return isinstance(value.cls, Member) and value.cls.name in COMMANDS


RULES: dict[type[cst.CSTNode], Rule] = {
    cst.AnnAssign: Statements._annotated,
    cst.Assert: Statements._assert,
    cst.Assign: Statements._assign,
    cst.AugAssign: Statements._augmented,
    cst.ClassDef: Statements._class,
    cst.Del: Statements._delete,
    cst.Else: Statements._else,
    cst.Expr: Statements._expression,
    cst.Finally: Statements._else,
    cst.For: Statements._for,
    cst.FunctionDef: Statements._function,
    cst.If: Statements._if,
    cst.Import: Statements._import,
    cst.ImportFrom: Statements._import,
    cst.Match: Statements._match,
    cst.Raise: Statements._raise,
    cst.Return: Statements._return,
    cst.Try: Statements._try,
    cst.TryStar: Statements._try,
    cst.While: Statements._if,
    cst.With: Statements._with,
}
