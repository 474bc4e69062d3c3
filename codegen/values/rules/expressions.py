"""Expressions: what each form of Python's gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import libcst as cst

from ...index import Binding, Index, Variable
from ...index.entries import entries_of
from ..abstract import (
    BoundMethod,
    Class,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Option,
    Sequence,
    Unknown,
    Value,
)
from ..flow import MAX_PLACES, OTHER, Argument, Arguments
from ..imports import ImportedNames
from ..solver import Cell
from .guards import Answer, Guards
from .library import COMPUTED, PUT_TOGETHER
from .parsers import Parsers

CONSTANTS = {"None": None, "True": True, "False": False}

OPERATORS: dict[type[cst.CSTNode], str] = {
    cst.Add: "add",
    cst.BitAnd: "and",
    cst.BitOr: "or",
    cst.BitXor: "xor",
    cst.Divide: "truediv",
    cst.FloorDivide: "floordiv",
    cst.LeftShift: "lshift",
    cst.MatrixMultiply: "matmul",
    cst.Modulo: "mod",
    cst.Multiply: "mul",
    cst.Power: "pow",
    cst.RightShift: "rshift",
    cst.Subtract: "sub",
    cst.Equal: "eq",
    cst.NotEqual: "ne",
    cst.LessThan: "lt",
    cst.LessThanEqual: "le",
    cst.GreaterThan: "gt",
    cst.GreaterThanEqual: "ge",
    cst.In: "contains",
    cst.NotIn: "contains",
    cst.Plus: "pos",
    cst.Minus: "neg",
    cst.BitInvert: "invert",
}
"""Operators, by the methods that they call."""

COMBINING = frozenset("add mul or and sub xor".split())
"""Operators that containers have."""

SURE = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
"""Comparisons that give True or False."""

ESCAPED = ("\\", "{{", "}}")
"""What stands in an f-string for something else."""

MAX_TEXT = 200
"""Texts that are longer than so many letters are not put together."""

Rule = Callable[["Expressions", cst.CSTNode, Cell], None]


class Expressions(Parsers):
    """The cells of expressions."""

    def __init__(self, index: Index, names: ImportedNames) -> None:
        super().__init__(index, names)
        self.guards = Guards(index, names)

    def evaluate(self, node: cst.BaseExpression) -> Cell:
        if node in self.expressions:
            return self.expressions[node]
        if isinstance(node, cst.Name):
            cell = self.guarded(node, self._name_read(node))
        elif isinstance(node, cst.NamedExpr):
            cell = self.evaluate(node.value)
            self.bind(node.target, cell, node)
        elif isinstance(node, cst.Await):
            cell = self.evaluate(node.expression)
        else:
            cell = self.expressions[node] = Cell(node)
            self._form(node, cell)
        self.expressions[node] = cell
        return cell

    def bind(self, target: cst.CSTNode, cell: Cell, by: cst.CSTNode) -> None:
        raise NotImplementedError

    def _form(self, node: cst.BaseExpression, cell: Cell) -> None:
        rule = RULES.get(type(node))
        if rule:
            rule(self, node, cell)
        else:
            for call in self.index.within(node, cst.Call) if node in self.index else ():
                self.evaluate(call)
            self.add(cell, Unknown(COMPUTED, node))

    # ---- names -------------------------------------------------------------------------------------------

    def guarded(self, node: cst.Name, cell: Cell) -> Cell:
        """What a name stands for, without the values of which something has been asked there that is not so."""
        for answer in self.guards.answers(node) if node in self.index else ():
            cell = self._answered(cell, answer)
        return cell

    def _answered(self, cell: Cell, answer: Answer) -> Cell:
        asked = answer.question
        if asked.key is None:
            return self.kept(cell, partial(self.may_be_of_kind, asked.kinds, answer.holds))
        return self.each(cell, partial(self._if_it_has, asked.key)) if answer.holds else cell

    def _if_it_has(self, key: str, value: Value, result: Cell) -> None:
        is_written = isinstance(value, Dict) and isinstance(value.node, cst.Dict)
        if not isinstance(value, Dict) or not is_written or key in self.open.get(value, {key}):
            self.add(result, value)
            return
        for each in (key, OTHER):  # where code puts it there
            self.watch(self.element(value, each), lambda _: self.add(result, value))

    def _name_read(self, node: cst.Name) -> Cell:
        if node.value in CONSTANTS:
            return self.holding(Literal(CONSTANTS[node.value], node))
        if node not in self.index:
            return self.unknown(f"`{node.value}` is not defined", node)
        variable = self.index.variable(node)
        if variable is None:
            return self.unknown(f"`{node.value}` is no variable", node)
        if not variable.bindings:
            return self._unbound(variable, node)
        if binding := self.reaching.binding(node):
            return self.of_binding(binding)
        if above := self.reaching.bindings_above(node):
            return self._of_any(above, node)
        if any(self.guards.made_anew(node)):
            return self._of_any(variable.bindings, node)
        if (builtin := self.names.builtin(variable)) and self.reaching.is_above(variable, node):
            return self.holding(builtin)  # print = partial(print, flush=True)
        if variable.scope.kind != "class":
            return self.of_variable(variable)
        return self._read_in_class(variable, node)

    def seen(self, name: cst.Name, binding: Binding, cell: Cell) -> Cell:
        """What a use may see of a binding's values, where a branch between them makes something else of others."""
        for answer, branching in self.guards.made_anew(name):
            if self.index.order(binding.node) < self.index.order(branching):
                cell = self._answered(cell, answer)
        return cell

    def _of_any(self, bindings: Iterable[Binding], name: cst.Name) -> Cell:
        cell = Cell()
        for each in bindings:
            self.flow(self.seen(name, each, self.of_binding(each)), cell)
        return cell

    def _read_in_class(self, variable: Variable, node: cst.Name) -> Cell:
        """In a class's own code, a name that it has not bound yet is one outside."""
        cell = Cell()
        self.flow(self.of_variable(variable), cell)
        outer = variable.scope.module.variables.get(variable.name)
        if outer and outer.bindings:
            self.flow(self.of_variable(outer), cell)
        return cell

    def _unbound(self, variable: Variable, node: cst.Name) -> Cell:
        if builtin := self.names.builtin(variable):
            return self.holding(builtin)
        if found := self.names.from_star(variable):
            return self.holding(found)
        cell = self.of_variable(variable)  # `globals()` may set it
        if node.value in ("__name__", "__file__", "__doc__", "__class__"):
            self.add(cell, Unknown(f"it is `{node.value}`", node))
        else:
            self.add(
                cell,
                Unknown(f"`{node.value}` is not defined in the code that is read", node),
            )
        return cell

    # ---- literals and containers -------------------------------------------------------------------------

    def _constant(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Integer | cst.Float | cst.Imaginary | cst.SimpleString)
        self.add(cell, self.spelled_out(node.evaluated_value, node))

    def _ellipsis(self, node: cst.CSTNode, cell: Cell) -> None:
        self.add(cell, Literal(..., node))

    def _joined(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.ConcatenatedString)
        value = node.evaluated_value
        if value is None:
            self._formatted(node, cell)
        else:
            self.add(cell, self.spelled_out(value, node))

    def _formatted(self, node: cst.CSTNode, cell: Cell) -> None:
        parts = [*self.index.within(node, cst.FormattedStringExpression)]
        for part in parts:
            value = self.evaluate(part.expression)
            self.watch(value, lambda each: self._special(each, "__str__", Arguments(node)))
        if isinstance(node, cst.FormattedString) and not any(map(_is_changed, parts)):
            self._put_together(node, "", [*node.parts], cell)
        else:
            self.add(cell, Unknown(PUT_TOGETHER, node))

    def _put_together(
        self, node: cst.FormattedString, before: str, parts: list[cst.BaseFormattedStringContent], cell: Cell
    ) -> None:
        """The text of an f-string, as far as what stands in its braces is known."""
        if not parts:
            self.add(cell, Literal(before, node))
            return
        first, *rest = parts
        if isinstance(first, cst.FormattedStringText):
            if any(each in first.value for each in ESCAPED):
                self.add(cell, Unknown(PUT_TOGETHER, node))
            else:
                self._put_together(node, before + first.value, rest, cell)
            return

        def put(value: Value) -> None:
            if isinstance(value, Literal) and len(before) < MAX_TEXT:
                self._put_together(node, f"{before}{value.value}", rest, cell)
            else:
                self.add(cell, Unknown(PUT_TOGETHER, node))

        assert isinstance(first, cst.FormattedStringExpression)
        self.watch(self.evaluate(first.expression), put)

    def _elements(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Tuple | cst.List | cst.Set)
        kinds = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}
        made = Sequence(kinds[type(node)], node)  # type: ignore[arg-type]  # one of its kinds
        self.add(cell, made)
        is_placed = not isinstance(node, cst.Set)
        for place, element in enumerate(node.elements):
            value = self.evaluate(element.value)
            if isinstance(element, cst.StarredElement):
                self._unpack_into(made, value, place, is_placed, node)
                is_placed = False
            else:
                self.put(made, place if is_placed else OTHER, value, element.value)

    def _unpack_into(
        self,
        made: Sequence,
        value: Cell,
        place: int,
        is_placed: bool,
        node: cst.CSTNode,
    ) -> None:
        """`[*first, ...]` has the elements of what it begins with at their places."""

        def unpack(each: Value) -> None:
            if is_placed and not place and isinstance(each, Sequence) and each.kind in ("tuple", "list"):
                self.copy(each, made)
            else:
                self.iterate(each, self.element(made, OTHER), node)

        self.watch(value, unpack)

    def _dict_display(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Dict)
        made = Dict(node)
        self.open_if_configured(made, node)
        self.add(cell, made)
        unpacked = list[Cell]()
        for element in node.elements:
            value = self.evaluate(element.value)
            if isinstance(element, cst.DictElement):
                self._entry(made, self.evaluate(element.key), value, element)
            else:
                unpacked.append(value)
        for place, value in enumerate(unpacked, 1):
            self.unpack(made, value, unpacked[place:], node)

    def _entry(self, made: Dict, keys: Cell, value: Cell, element: cst.DictElement) -> None:
        self.watch(keys, lambda key: self.set_item(made, key, value, element, element.value))

    def _comprehension(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp)
        kinds = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "iterator"}
        made = Sequence(kinds[type(node)], node)  # type: ignore[arg-type]  # one of its kinds
        self._loops(node.for_in)
        self.put(made, OTHER, self.evaluate(node.elt), node.elt)
        self.add(cell, made)

    def _dict_comprehension(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.DictComp)
        made = Dict(node)
        self._loops(node.for_in)
        self.add(cell, made)
        fill = partial(self._fill_in_turns, made, node, self.evaluate(node.key), self.evaluate(node.value))
        if entries := entries_of(node):
            self.take_entries(made, entries, fill)
        else:
            fill()

    def _fill_in_turns(self, made: Dict, node: cst.DictComp, keys: Cell, values: Cell) -> None:
        self.watch(keys, lambda key: self.set_item(made, key, values, node, node.value))

    def _loops(self, loop: cst.CompFor | None) -> None:
        while loop:
            self.bind(loop.target, self.elements_of(self.evaluate(loop.iter), loop), loop)
            for test in loop.ifs:
                self.evaluate(test.test)
            loop = loop.inner_for_in

    # ---- access ------------------------------------------------------------------------------------------

    def _attribute(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Attribute)
        owners, given = self.evaluate(node.value), self.reaching.just_set(node)
        if given is not None and self.keeps_as_set(node):
            self.flow(self.evaluate(given), cell)
        else:
            self.read_attribute(node, owners, cell)

    def read_attribute(self, node: cst.Attribute, owners: Cell, cell: Cell) -> None:
        name = self.index.scope_of(node).mangled(node.attr.value)
        self.watch(owners, lambda value: self.read(value, name, cell, node))

    def _subscript(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Subscript)
        owners, first = self.evaluate(node.value), node.slice[0].slice
        if len(node.slice) == 1 and isinstance(first, cst.Slice):
            self._evaluate_slices(node)
            self.watch(owners, lambda owner: self._sliced(owner, cell, node))
            return
        keys = self.keys_of(node)
        self.watch(owners, lambda owner: self.item(owner, keys, cell, node))

    def item(self, owner: Value, keys: Cell, cell: Cell, node: cst.Subscript) -> None:
        self.watch(keys, lambda key: self.get_item(owner, key, cell, node))

    def keys_of(self, node: cst.Subscript) -> Cell:
        """What an element is asked for by."""
        self._evaluate_slices(node)
        first = node.slice[0].slice
        if len(node.slice) == 1 and isinstance(first, cst.Index) and not first.star:
            return self.evaluate(first.value)
        return self.unknown("it is a tuple or a slice", node)

    def _evaluate_slices(self, node: cst.Subscript) -> None:
        for each in node.slice:
            if isinstance(each.slice, cst.Index):
                self.evaluate(each.slice.value)
            elif isinstance(each.slice, cst.Slice):
                for part in filter(None, (each.slice.lower, each.slice.upper, each.slice.step)):
                    self.evaluate(part)

    def _sliced(self, owner: Value, cell: Cell, node: cst.Subscript) -> None:
        if isinstance(owner, Sequence):
            made = Sequence("list" if owner.kind == "iterator" else owner.kind, node)
            self._fill_slice(owner, made, node)
            self.add(cell, made)
        elif isinstance(owner, Instance) and isinstance(owner.cls, Class):
            self.flow(
                self.method(owner, "__getitem__", node, self.unknown("it is a slice", node)),
                cell,
            )
        else:
            self.get_item(owner, Unknown("it is a slice", node), cell, node)

    def _fill_slice(self, owner: Sequence, made: Sequence, node: cst.Subscript) -> None:
        part = node.slice[0].slice
        assert isinstance(part, cst.Slice)
        lower = 0 if part.lower is None else _place(part.lower)
        upper = MAX_PLACES if part.upper is None else _place(part.upper)
        if part.step or lower is None or upper is None or owner.kind == "iterator":
            self.flow(self.any_element(owner), self.element(made, OTHER))
            return
        for place in range(lower, min(upper, MAX_PLACES)):
            self.flow(self.element(owner, place), self.element(made, place - lower))
        self.flow(self.element(owner, OTHER), self.element(made, OTHER))

    # ---- calls -------------------------------------------------------------------------------------------

    def _call(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Call)
        self.flow(self.called(self.evaluate(node.func), self.arguments_of(node)), cell)

    def arguments_of(self, node: cst.Call) -> Arguments:
        """The arguments of a call as they stand there."""
        given = (
            Argument(
                self.evaluate(each.value),
                each.keyword.value if each.keyword else None,
                each.star,
                each.value,
            )
            for each in node.args
        )
        return Arguments(node, tuple(given))

    def _lambda(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Lambda)
        self.evaluate_defaults(node.params)
        self.add(cell, Function(node))

    def evaluate_defaults(self, params: cst.Parameters) -> None:
        for each in (*params.posonly_params, *params.params, *params.kwonly_params):
            if each.default:
                self.evaluate(each.default)

    def _yield(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Yield)
        function = self._function_round(node)
        made = Sequence("iterator", function or node)
        self.add(cell, Unknown("it is what the generator is sent", node))
        if isinstance(node.value, cst.From):
            self.flow(
                self.elements_of(self.evaluate(node.value.item), node),
                self.element(made, OTHER),
            )
        elif node.value:
            self.put(made, OTHER, self.evaluate(node.value), node.value)
        else:
            self.add(self.element(made, OTHER), self.none(node))

    def _function_round(self, node: cst.CSTNode) -> cst.CSTNode | None:
        scope = self.index.scope_of(node)
        while scope.parent and scope.kind not in ("function", "lambda"):
            scope = scope.parent
        return scope.node

    # ---- operators ---------------------------------------------------------------------------------------

    def _conditional(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.IfExp)
        self.choose(node, self.evaluate(node.body), self.evaluate(node.orelse), cell)

    def choose(self, node: cst.IfExp, body: Cell, orelse: Cell, cell: Cell) -> None:
        """One of two, as far as the condition says which."""

        def choose(value: Value) -> None:
            truth = truth_of(value)
            if truth is not False:
                self.flow(body, cell)
            if truth is not True:
                self.flow(orelse, cell)

        self.watch(self.evaluate(node.test), choose)

    def _boolean(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.BooleanOperation)
        is_or = isinstance(node.operator, cst.Or)

        def passes(value: Value) -> None:
            truth = truth_of(value)
            if truth is None or truth == is_or:
                self.add(cell, value)

        self.watch(self.evaluate(node.left), passes)
        self.flow(self.evaluate(node.right), cell)

    def _unary(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.UnaryOperation)
        value = self.evaluate(node.expression)
        if self.kind_asked(node):
            self.watch(value, lambda each: self.add(cell, Literal(not truth_of(each), node)))
        elif isinstance(node.operator, cst.Not):
            self.add(cell, Literal(True, node))
            self.add(cell, Literal(False, node))
        elif (number := constant(node)) is not None:
            self.add(cell, Literal(number, node))
        else:
            self._operated(value, None, f"__{OPERATORS[type(node.operator)]}__", cell, node)

    def _binary(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.BinaryOperation)
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if (number := constant(node)) is not None:
            self.add(cell, Literal(number, node))
            return
        self.operate(left, right, OPERATORS[type(node.operator)], cell, node)

    def operate(self, left: Cell, right: Cell, operator: str, cell: Cell, node: cst.CSTNode) -> None:
        """What an operator gives for two operands."""
        for operand, other, method in (
            (left, right, f"__{operator}__"),
            (right, left, f"__r{operator}__"),
        ):
            if operator in COMBINING:
                self._combine(operand, other, method, cell, node)
            else:
                self._operated(operand, other, method, cell, node)

    def _combine(self, operands: Cell, other: Cell, method: str, cell: Cell, node: cst.CSTNode) -> None:
        """Lists that are added, dicts and sets that are united; all else is computed."""

        def combine(value: Value) -> None:
            if isinstance(value, Sequence):
                made = Sequence(value.kind, node)
                self.flow(self.any_element(value), self.element(made, OTHER))
                self.add(cell, made)
            elif isinstance(value, Dict) and not value.is_alias:
                self.copy(value, Dict(node))
                self.add(cell, Dict(node))
            elif isinstance(value, Unknown):
                self.add(cell, value)
            elif isinstance(value, Literal):
                self.watch(other, lambda each: self._compute(value, each, cell, node))
            else:
                self._operated(self.holding(value), other, method, cell, node)

        self.watch(operands, combine)

    def _compute(self, value: Literal, other: Value, cell: Cell, node: cst.CSTNode) -> None:
        """What a literal and an operand give: `2 * [x]` is a list, which the other operand says.

        None and another literal give nothing: the run ends there.
        """
        ends = isinstance(other, Literal) and None in (value.value, other.value)
        if not ends and not isinstance(other, Sequence | Dict):
            self.add(cell, Unknown(COMPUTED, node))

    def _operated(
        self,
        operands: Cell,
        other: Cell | None,
        method: str,
        cell: Cell,
        node: cst.CSTNode,
    ) -> None:
        """The user's objects have operators of their own; what all others give is computed."""

        def operate(value: Value) -> None:
            if (
                isinstance(value, Instance)
                and isinstance(value.cls, Class)
                and self._defines(value.cls, method)
            ):
                self.flow(self.method(value, method, node, *([other] if other else [])), cell)
            elif isinstance(value, Option):
                self.add(cell, value)

        self.watch(operands, operate)
        self.add(cell, Unknown(COMPUTED, node))

    def _comparison(self, node: cst.CSTNode, cell: Cell) -> None:
        assert isinstance(node, cst.Comparison)
        is_sure = all(isinstance(each.operator, SURE) for each in node.comparisons)
        left, given = self.evaluate(node.left), Cell() if is_sure else cell
        for each in node.comparisons:
            right = self.evaluate(each.comparator)
            if name := OPERATORS.get(type(each.operator)):
                first, second = (right, left) if name == "contains" else (left, right)
                self._operated(first, second, f"__{name}__", given, node)
            left = right
        if is_sure:
            self.add(cell, Literal(True, node))
            self.add(cell, Literal(False, node))


def truth_of(value: Value) -> bool | None:
    """Whether a value counts as true; None: that depends."""
    if isinstance(value, Literal):
        return bool(value.value)
    return True if isinstance(value, Function | Class | BoundMethod | External) else None


def constant(node: cst.CSTNode) -> int | float | complex | None:
    """A number that is written with operators."""
    if isinstance(node, cst.Integer | cst.Float):
        return node.evaluated_value
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus | cst.Plus):
        inner = constant(node.expression)
        return None if inner is None else -inner if isinstance(node.operator, cst.Minus) else inner
    if isinstance(node, cst.BinaryOperation):
        return _computed(node)
    return None


def _is_changed(part: cst.FormattedStringExpression) -> bool:
    """Whether it is said how a value is shown."""
    return part.conversion is not None or part.format_spec is not None or part.equal is not None


def _place(node: cst.BaseExpression) -> int | None:
    """The place that a number stands for, from the front."""
    number = constant(node)
    return number if isinstance(number, int) and number >= 0 else None


def _computed(node: cst.BinaryOperation) -> int | float | None:
    left, right = constant(node.left), constant(node.right)
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    try:
        if isinstance(node.operator, cst.Add):
            return left + right
        if isinstance(node.operator, cst.Subtract):
            return left - right
        if isinstance(node.operator, cst.Multiply):
            return left * right
        if isinstance(node.operator, cst.Divide):
            return left / right
        if isinstance(node.operator, cst.FloorDivide):
            return left // right
        if isinstance(node.operator, cst.Power) and abs(right) < 64 and abs(left) < 1e6:
            return left**right
    except ArithmeticError:
        pass
    return None


RULES: dict[type[cst.CSTNode], Rule] = {
    cst.Attribute: Expressions._attribute,
    cst.BinaryOperation: Expressions._binary,
    cst.BooleanOperation: Expressions._boolean,
    cst.Call: Expressions._call,
    cst.Comparison: Expressions._comparison,
    cst.ConcatenatedString: Expressions._joined,
    cst.Dict: Expressions._dict_display,
    cst.DictComp: Expressions._dict_comprehension,
    cst.Ellipsis: Expressions._ellipsis,
    cst.Float: Expressions._constant,
    cst.FormattedString: Expressions._formatted,
    cst.GeneratorExp: Expressions._comprehension,
    cst.IfExp: Expressions._conditional,
    cst.Imaginary: Expressions._constant,
    cst.Integer: Expressions._constant,
    cst.Lambda: Expressions._lambda,
    cst.List: Expressions._elements,
    cst.ListComp: Expressions._comprehension,
    cst.Set: Expressions._elements,
    cst.SetComp: Expressions._comprehension,
    cst.SimpleString: Expressions._constant,
    cst.Subscript: Expressions._subscript,
    cst.Tuple: Expressions._elements,
    cst.UnaryOperation: Expressions._unary,
    cst.Yield: Expressions._yield,
}
