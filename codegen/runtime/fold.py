"""Partial evaluation of the runtime's code: what is known when building is decided, and the rest of it goes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

import libcst as cst

from ..index import patterns as m
from ..index.children import children
from ..index.rewriting import rewritten, with_fields
from ..index.search import ast_nodes, code_for
from .tidy import ASSIGN, flags_of, tidied

NONE, TRUE, FALSE = m.Name("None"), m.Name("True"), m.Name("False")
TEXT = m.SimpleString()
DOCSTRING = m.SimpleStatementLine(body=[m.Expr(TEXT)])
OPTIONAL = m.SimpleStatementLine(body=[m.AnnAssign(target=m.Name(), value=NONE)])
CONSTANT_RESULT = m.SimpleStatementLine(body=[m.Return(m.SaveMatchedNode(TRUE | FALSE | NONE, "value"))])
WITH_A_CONSTANT = m.FunctionDef(
    name=m.Name(value=m.MatchRegex("_[^_].*")),
    decorators=[],
    body=m.IndentedBlock(body=[m.ZeroOrOne(DOCSTRING), CONSTANT_RESULT]),
)
TRUTH_OF_CONSTANT = m.Call(m.Name("bool"), args=[m.Arg(TRUE | FALSE)])
SHOWN_CONSTANT = TEXT | m.Integer() | NONE
TWO_TEXTS = m.BinaryOperation(TEXT, m.Add(), TEXT)
SPREAD = m.StarredDictElement(m.Dict())

Display = TypeVar("Display", cst.Set, cst.Dict)
E = TypeVar("E", bound=cst.CSTNode)


@dataclass(frozen=True)
class Known:
    """What is known of a class."""

    # never passed; name → code of the value; `*name`, `**name`: what is left over; `name=`: of what it calls
    parameters: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)  # never changed; name → code of the value
    methods: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # as `parameters`, of one method each
    types: frozenset[str] = frozenset()  # without values
    present: Mapping[str, str] = field(default_factory=dict)  # never None; name → code of the first value
    flags: frozenset[str] = frozenset()  # attributes that are True or False
    told: Mapping[str, str] = field(default_factory=dict)  # other attributes; code → code of the value
    inlines: bool = False  # methods of which nothing else knows
    inherited: frozenset[str] = frozenset()  # methods that the base has too, and that do nothing there
    results: Mapping[str, str] = field(
        default_factory=dict
    )  # own methods, functions; name → code of what they return

    def __hash__(self) -> int:
        facts = (self.parameters, self.attributes, self.results, *self.methods.values())
        return hash((*(frozenset(each.items()) for each in facts), self.types))

    def __bool__(self) -> bool:
        named = self.parameters, self.attributes, self.present, self.told, self.results
        return any(named) or bool(self.types or self.methods or self.flags)

    @property
    def words(self) -> set[str]:
        """Of which code that is decided has at least one."""
        names = (
            *self.parameters,
            *(name for each in self.methods.values() for name in each),
            *self.attributes,
            *self.types,
            *self.present,
            *self.flags,
            *self.told,
            *self.results,
        )
        return set(map(_word, names))

    def about(self, words: Set[str]) -> Known:
        """What of it can matter to code that has these words."""

        def part(of: Mapping[str, str]) -> dict[str, str]:
            return {name: value for name, value in of.items() if _word(name) in words}

        return Known(
            parameters=part(self.parameters),
            attributes=part(self.attributes),
            types=self.types & words,
            present=part(self.present),
            flags=self.flags & words,
            told=part(self.told),
            results=part(self.results),
        )

    def of_method(self, name: str) -> Known:
        """What of it is known within a method."""
        parameters = {**self.parameters, **self.methods.get(name, {})}
        return replace(self, parameters=parameters, methods={})

    @property
    def values(self) -> Iterator[str]:
        """The code that deciding puts in the place of names."""
        for each in (self.parameters, self.attributes, self.present, self.told, self.results):
            yield from each.values()


def _word(name: str) -> str:
    return name.strip("*=").rpartition(".")[2]


def _words(code: str) -> set[str]:
    return set(re.findall(r"\w+", code))


def fold(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    """The class with everything decided that `known` decides."""
    while True:
        node = _decided_once(node, known)
        results = _results(node)
        if results == known.results:
            return _narrowed(_without_flags(_without_idle(node, known.inherited), known), known)
        known = replace(known, results=results)


def _without_idle(node: cst.ClassDef, names: frozenset[str]) -> cst.ClassDef:
    """The class without those methods that have nothing left to do."""
    idle = m.FunctionDef(
        name=m.Name(value=m.MatchIfTrue({"__post_init__", *names}.__contains__)),
        body=m.IndentedBlock(body=[m.ZeroOrOne(DOCSTRING)]),
    )
    body = [member for member in node.body.body if not m.matches(member, idle)]
    return node.with_changes(body=node.body.with_changes(body=body))


def _without_flags(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    """The class without what was there to be decided."""
    target = m.AssignTarget(m.Name(value=m.MatchIfTrue(known.attributes.__contains__)))
    flag = m.SimpleStatementLine(body=[m.Assign(targets=[target], value=TRUE | FALSE)])
    body = [member for member in node.body.body if not m.matches(member, flag)]
    return node.with_changes(body=node.body.with_changes(body=body))


def _narrowed(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    """The class with the types of its fields as they are: `x: str | None = None  # a name; None for any`."""
    body = [_narrowed_field(member, known) for member in node.body.body]
    return node.with_changes(body=node.body.with_changes(body=body))


def _narrowed_field(member: E, known: Known) -> E | cst.SimpleStatementLine:
    if not m.matches(member, OPTIONAL):
        return member
    line = cst.ensure_type(member, cst.SimpleStatementLine)
    part = cst.ensure_type(line.body[0], cst.AnnAssign)
    name, types = cst.ensure_type(part.target, cst.Name).value, code_for(part.annotation.annotation)
    if name not in known.flags | known.present.keys():
        return member
    types, value = ("bool", "False") if name in known.flags else (types.removesuffix(" | None"), '""')
    changed = cst.ensure_type(cst.parse_statement(f"{name}: {types} = {value}"), cst.SimpleStatementLine)
    trailing = line.trailing_whitespace
    if comment := trailing.comment:
        first = comment.with_changes(value=comment.value.partition(";")[0])
        trailing = trailing.with_changes(comment=first)
    return changed.with_changes(trailing_whitespace=trailing, leading_lines=line.leading_lines)


def _results(node: cst.ClassDef) -> dict[str, str]:
    """What the class's own methods return that do nothing else, where that is a constant."""
    found: dict[str, str] = {}
    for method in node.body.body:
        if values := m.extract(method, WITH_A_CONSTANT):
            value = cst.ensure_type(values["value"], cst.Name).value
            found[cst.ensure_type(method, cst.FunctionDef).name.value] = value
    return found


def _decided_once(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    names = known.words
    lasting = _lasting(node)
    flags = flags_of(node) & lasting
    body = [
        (
            _folded(member, known.of_method(member.name.value), lasting, flags)
            if isinstance(member, cst.FunctionDef) and names & _words(code_for(member))
            else member
        )
        for member in node.body.body
    ]
    return node.with_changes(body=node.body.with_changes(body=body))


def fold_function(node: cst.FunctionDef, known: Known) -> cst.FunctionDef:
    """The function with everything decided that `known` decides."""
    return _folded(node, known, set(), set())


def _folded(method: cst.FunctionDef, known: Known, lasting: set[str], flags: set[str]) -> cst.FunctionDef:
    words = _words(code_for(method))
    while not words >= (more := {word for code in known.about(words).values for word in _words(code)}):
        words |= more
    return _folded_method(method, known.about(words), frozenset(lasting & words), frozenset(flags & words))


@lru_cache(maxsize=4_096)
def _folded_method(
    method: cst.FunctionDef, known: Known, lasting: frozenset[str], flags: frozenset[str]
) -> cst.FunctionDef:
    """Kept, because a process that builds several scripts decides the same of most methods."""
    folded = rewritten(method, _Folder(known))
    folded = rewritten(folded, _LocalConstants(lasting))
    if folded.deep_equals(method):
        return method
    while not (tidy := tidied(folded, flags)).deep_equals(folded):
        folded = tidy
    return _folded_method(folded, known, lasting, flags)


EQUALS_TEXT = m.ComparisonTarget(m.Equal() | m.NotEqual(), m.SimpleString())


class _Unknown(Exception):
    """The value of an expression is not known."""


def _operand_of(whole: cst.BooleanOperation, part: cst.BaseExpression) -> cst.BaseExpression:
    """The operand, in parentheses where it is such an operation itself, which without may be another one."""
    return _in_place_of(whole, part) if isinstance(part, cst.BooleanOperation) else part


def _in_place_of(whole: cst.BaseExpression, part: cst.BaseExpression) -> cst.BaseExpression:
    """The part, in the parentheses of what it replaces: it may go over lines."""
    return part.with_changes(lpar=whole.lpar, rpar=whole.rpar) if whole.lpar and not part.lpar else part


def _value(node: cst.BaseExpression) -> object:
    """The value of a constant expression. Raises _Unknown."""
    is_negative = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
    bare = cst.ensure_type(node, cst.UnaryOperation).expression if is_negative else node
    if isinstance(bare, cst.Name | cst.SimpleString | cst.Integer | cst.Float | cst.Tuple | cst.Dict):
        try:
            return cast(object, ast.literal_eval(code_for(node)))
        except (ValueError, SyntaxError):
            raise _Unknown from None
    raise _Unknown


def _constant(value: bool) -> cst.BaseExpression:
    return cst.Name(str(value))


def _is_own(node: cst.CSTNode, names: Container[str]) -> bool:
    """Whether the node is an attribute of `self` with one of the names."""
    is_selfs = (
        isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self"
    )
    return is_selfs and cst.ensure_type(node, cst.Attribute).attr.value in names


class _Folder(cst.CSTTransformer):
    def __init__(self, known: Known) -> None:
        self.known = known
        self.changing: list[set[str]] = []  # names that the functions round a node assign
        self.elifs: set[cst.CSTNode] = set()

    # ---- what is known -----------------------------------------------------------------------------------

    def _is_known(self, name: str) -> bool:
        return name in self.known.parameters and not any(name in names for names in self.changing)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.changing.append(set(_stores(node).names))

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.changing.pop()
        return with_fields(updated_node, name=original_node.name)  # a member may be called as a parameter is

    def leave_Parameters(self, original_node: cst.Parameters, updated_node: cst.Parameters) -> cst.Parameters:
        params = [param for param in updated_node.params if not self._is_known(param.name.value)]
        by_name = [param for param in updated_node.kwonly_params if not self._is_known(param.name.value)]
        star = updated_node.star_arg
        if isinstance(star, cst.Param) and f"*{star.name.value}" in self.known.parameters:
            updated_node = updated_node.with_changes(star_arg=cst.MaybeSentinel.DEFAULT)
        options = updated_node.star_kwarg
        if options and f"**{options.name.value}" in self.known.parameters:
            updated_node = updated_node.with_changes(star_kwarg=None)
        if len(params) < len(updated_node.params) and params:
            # without a comma at the end, black puts the signature on one line where it fits
            params[-1] = params[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        are_fewer = len(params) < len(updated_node.params) or len(by_name) < len(updated_node.kwonly_params)
        return updated_node.with_changes(params=params, kwonly_params=by_name) if are_fewer else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if not self._is_known(updated_node.value):
            return updated_node
        return cst.parse_expression(self.known.parameters[updated_node.value])

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return with_fields(updated_node, name=original_node.name)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg | cst.RemovalSentinel:
        value = original_node.value
        if (
            original_node.star == "*"
            and isinstance(value, cst.Name)
            and f"*{value.value}" in self.known.parameters
        ):
            return cst.RemoveFromParent()
        if original_node.star == "**" and m.matches(updated_node.value, m.Dict(elements=[])):
            return cst.RemoveFromParent()
        if original_node.keyword and self._is_default(original_node.keyword.value, updated_node.value):
            return cst.RemoveFromParent()
        return with_fields(updated_node, keyword=original_node.keyword)

    def _is_default(self, keyword: str, value: cst.BaseExpression) -> bool:
        """Whether an argument has become the only value that its parameter is ever given."""
        return self.known.parameters.get(f"{keyword}=") == code_for(value)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        name = original_node.attr.value
        if _is_own(original_node, self.known.attributes):
            return cst.parse_expression(self.known.attributes[name])
        owner = original_node.value
        told = self.known.told.get(f"{owner.value}.{name}") if isinstance(owner, cst.Name) else None
        if told is not None:
            return cst.parse_expression(told)
        return with_fields(updated_node, attr=original_node.attr)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return not self._changes_known(node)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        if self._changes_known(original_node):
            return cst.RemoveFromParent()
        part = updated_node.body[0]
        if isinstance(part, cst.AnnAssign) and _is_own(part.target, self.known.present):
            return self._with_first_value(cst.ensure_type(part.target, cst.Attribute).attr.value)
        return updated_node

    def _with_first_value(self, name: str) -> cst.SimpleStatementLine:
        """In place of an attribute's declaration as None."""
        statement = cst.parse_statement(f"self.{name} = {self.known.present[name]}")
        return cst.ensure_type(statement, cst.SimpleStatementLine)

    def _changes_known(self, node: cst.SimpleStatementLine) -> bool:
        """Whether the statement sets an attribute that is known, or calls a method of it."""
        part = node.body[0]
        changed: cst.CSTNode = part
        if isinstance(part, cst.Assign) and len(part.targets) == 1:
            target = part.targets[0].target
            changed = target.value if isinstance(target, cst.Subscript) else target
        elif isinstance(part, cst.AnnAssign):
            changed = part.target
        elif isinstance(part, cst.Expr) and isinstance(part.value, cst.Call):
            function = part.value.func
            changed = function.value if isinstance(function, cst.Attribute) else function
        return len(node.body) == 1 and _is_own(changed, self.known.attributes)

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.RemovalSentinel:
        if not updated_node.body.body:
            return cst.RemoveFromParent()
        source = updated_node.iter
        if isinstance(source, cst.Call) and isinstance(source.func, cst.Attribute):
            source = source.func.value  # of `x.values()`
        try:
            return updated_node if _value(source) else cst.RemoveFromParent()
        except _Unknown:
            return updated_node

    def leave_Set(self, original_node: cst.Set, updated_node: cst.Set) -> cst.Set:
        return _with_distinct(updated_node)

    def leave_Dict(self, original_node: cst.Dict, updated_node: cst.Dict) -> cst.Dict:
        return _with_distinct(_with_spread(updated_node))

    def leave_FormattedString(
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        """Without values it is a plain text."""
        parts = [part.value for part in updated_node.parts if isinstance(part, cst.FormattedStringText)]
        if len(parts) < len(updated_node.parts):
            return updated_node
        text = "".join(parts).replace("{{", "{").replace("}}", "}")
        return cst.SimpleString(updated_node.start.replace("f", "") + text + updated_node.end)

    def leave_FormattedStringExpression(
        self, original_node: cst.FormattedStringExpression, updated_node: cst.FormattedStringExpression
    ) -> cst.FormattedStringExpression | cst.FormattedStringText:
        """A text in the place of what has its value."""
        value = updated_node.expression
        if not m.matches(value, SHOWN_CONSTANT):
            return updated_node
        text = str(_value(value))
        if updated_node.conversion == "r":
            text = repr(_value(value))
        if updated_node.format_spec or set(text) & set('{}"\\\n'):
            single = cst.parse_expression(repr(_value(value)))  # whose quotes are not the text's own
            return updated_node.with_changes(expression=single)
        return cst.FormattedStringText(text)

    # ---- what follows ------------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        function = updated_node.func
        if updated_node.args and len(updated_node.args) < len(original_node.args):
            *others, last = updated_node.args
            last = last.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            updated_node = updated_node.with_changes(args=[*others, last])
        if isinstance(function, cst.Name) and function.value == "isinstance":
            kind = updated_node.args[1].value
            if isinstance(kind, cst.Name) and kind.value in self.known.types:
                return _constant(False)
        is_own = isinstance(function, cst.Attribute) and _is_own(function, self.known.results)
        named = cst.ensure_type(function, cst.Attribute).attr if is_own else function
        if isinstance(named, cst.Name) and named.value in self.known.results:
            return cst.parse_expression(self.known.results[named.value])
        if m.matches(updated_node, TRUTH_OF_CONSTANT):
            return updated_node.args[0].value
        return updated_node

    def leave_Comparison(
        self, original_node: cst.Comparison, updated_node: cst.Comparison
    ) -> cst.BaseExpression:
        if len(updated_node.comparisons) != 1:
            return updated_node
        target = updated_node.comparisons[0]
        if _is_own(updated_node.left, self.known.present) and m.matches(target.comparator, m.Name("None")):
            return _constant(isinstance(target.operator, cst.IsNot))
        if _is_own(updated_node.left, self.known.flags) and m.matches(target, EQUALS_TEXT):
            return _constant(isinstance(target.operator, cst.NotEqual))
        try:
            if isinstance(target.operator, cst.In | cst.NotIn) and not _value(target.comparator):
                return _constant(isinstance(target.operator, cst.NotIn))
            left, right = _value(updated_node.left), _value(target.comparator)
            if isinstance(target.operator, cst.In | cst.NotIn) and isinstance(right, tuple | dict):
                return _constant((left in right) is isinstance(target.operator, cst.In))
        except (_Unknown, TypeError):
            return updated_node
        if isinstance(target.operator, cst.Is | cst.Equal):
            return _constant(left == right)
        if isinstance(target.operator, cst.IsNot | cst.NotEqual):
            return _constant(left != right)
        if isinstance(target.operator, cst.LessThan | cst.GreaterThan):
            return _ordered(updated_node, left, right)
        return updated_node

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        """`"a" + "b"` is `"ab"`."""
        if not m.matches(updated_node, TWO_TEXTS):
            return updated_node
        text = f"{_value(updated_node.left)}{_value(updated_node.right)}"
        return cst.parse_expression(f'"{text}"') if set(text).isdisjoint('"\\') else updated_node

    def leave_UnaryOperation(
        self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation
    ) -> cst.BaseExpression:
        if not isinstance(updated_node.operator, cst.Not):
            return updated_node
        try:
            return _constant(not _value(updated_node.expression))
        except _Unknown:
            return _negated(updated_node)

    def leave_BooleanOperation(
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        updated_node = _without_neutral(updated_node)
        left, right = updated_node.left, updated_node.right
        is_and = isinstance(updated_node.operator, cst.And)
        stands_in = m.matches(right, m.Integer() | m.SimpleString())
        if _is_own(left, self.known.present) and stands_in and not is_and:
            return left  # `x or 1`, where None is what 1 stands in for
        try:
            return _operand_of(updated_node, right if bool(_value(left)) is is_and else left)
        except _Unknown:
            pass
        try:  # where only its truth counts, as it does in the runtime, `x and True` is x and `x and False` is False
            if _value(right) is is_and:
                return _operand_of(updated_node, left)
            return right if isinstance(_value(right), bool) else updated_node
        except _Unknown:
            return updated_node

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:
        try:
            chosen = updated_node.body if _value(updated_node.test) else updated_node.orelse
        except _Unknown:
            return updated_node
        needs_none = isinstance(chosen, cst.Name | cst.Attribute | cst.Call)
        return chosen if needs_none else _in_place_of(updated_node, chosen)

    def visit_If(self, node: cst.If) -> None:
        if isinstance(node.orelse, cst.If):
            self.elifs.add(node.orelse)

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        updated_node = with_fields(updated_node, orelse=_decided(updated_node.orelse))
        if original_node in self.elifs:
            return updated_node  # decided by the `if` that it belongs to
        if not updated_node.body.body:
            return cst.RemoveFromParent()
        try:
            chosen = updated_node.body if _value(updated_node.test) else updated_node.orelse
        except _Unknown:
            return updated_node
        if chosen is None or isinstance(chosen, cst.If):
            return chosen or cst.RemoveFromParent()
        suite = chosen.body if isinstance(chosen, cst.Else) else chosen
        if isinstance(suite, cst.IndentedBlock):
            return cst.FlattenSentinel(cast("list[cst.BaseStatement]", list(suite.body)))
        return updated_node


def _negated(node: cst.UnaryOperation) -> cst.BaseExpression:
    """`not x in y` is `x not in y`."""
    compared = node.expression
    if not m.matches(compared, m.Comparison(comparisons=[m.ComparisonTarget(operator=m.In())])):
        return node
    (target,) = cst.ensure_type(compared, cst.Comparison).comparisons
    return compared.with_changes(
        comparisons=[target.with_changes(operator=cst.NotIn())], lpar=node.lpar, rpar=node.rpar
    )


def _without_neutral(node: cst.BooleanOperation) -> cst.BooleanOperation:
    """`x or None or y` is `x or y`."""
    left, is_and = node.left, isinstance(node.operator, cst.And)
    if not isinstance(left, cst.BooleanOperation) or isinstance(left.operator, cst.And) is not is_and:
        return node
    try:
        return node.with_changes(left=left.left) if bool(_value(left.right)) is is_and else node
    except _Unknown:
        return node


def _decided(orelse: cst.If | cst.Else | None) -> cst.If | cst.Else | None:
    """An `elif` whose condition is known gives way to what it stands for."""
    if not isinstance(orelse, cst.If):
        return orelse
    try:
        return cst.Else(body=orelse.body) if _value(orelse.test) else orelse.orelse
    except _Unknown:
        return orelse


def _with_spread(node: cst.Dict) -> cst.Dict:
    """A dict with the elements of a dict that stands in it as `**{...}`."""
    if not any(m.matches(each, SPREAD) for each in node.elements):
        return node
    parts = (
        each.value.elements if isinstance(each.value, cst.Dict) and m.matches(each, SPREAD) else [each]
        for each in node.elements
    )
    apart = (each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for part in parts for each in part)
    return node.with_changes(elements=[*apart])


def _with_distinct(node: Display) -> Display:
    """A set or a dict whose elements that have become the same stand there once."""
    codes = {code_for(element).strip(" ,\n"): element for element in node.elements}
    kept: list[Any] = list(codes.values())
    if not kept or (len(kept) == len(node.elements) and kept[-1].comma is cst.MaybeSentinel.DEFAULT):
        return node
    return node.with_changes(elements=[*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def _ordered(node: cst.Comparison, left: object, right: object) -> cst.BaseExpression:
    """Whether one constant is below or above the other."""
    if not (isinstance(left, int) and isinstance(right, int)):
        return node
    return _constant(left < right if isinstance(node.comparisons[0].operator, cst.LessThan) else left > right)


FUNCTIONS = frozenset({"min", "max"})
"""Of Python's own, those that have other names in the runtime."""


class _LocalConstants(cst.CSTTransformer):
    """Puts a local variable's value in its place where it is the variable's only one, and stays what it is."""

    def __init__(self, lasting: Set[str]) -> None:
        self.lasting = lasting  # attributes of `self` that its constructor alone sets

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return False  # no block is in it

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """`x = value; return x` is `return value`."""
        last = updated_node.body[-2:]
        if len(last) < 2 or not m.matches(last[0], ASSIGN):
            return updated_node
        assign = cst.ensure_type(cst.ensure_type(last[0], cst.SimpleStatementLine).body[0], cst.Assign)
        name = cst.ensure_type(assign.targets[0].target, cst.Name).value
        if not m.matches(last[1], m.SimpleStatementLine(body=[m.Return(value=m.Name(name))])):
            return updated_node
        result = cst.SimpleStatementLine(body=[cst.Return(value=assign.value)])
        return updated_node.with_changes(body=[*updated_node.body[:-2], result])

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.BaseStatement:
        while replace := self._replacement(updated_node):
            updated_node = rewritten(updated_node, replace)
        return updated_node

    def _replacement(self, function: cst.FunctionDef) -> _Replace | None:
        """Puts the value of the first variable that needs none in its place."""
        places = Counter(_stores(function).names)
        places.update({parameter.name.value for parameter in function.params.params})
        once = {name for name, count in places.items() if count == 1}
        for statement in _assigning(function.body):
            assign = cst.ensure_type(statement.body[0], cst.Assign)
            target, value = assign.targets[0].target, assign.value
            if isinstance(target, cst.Name) and target.value in once and self._lasts(value, once):
                return _Replace(statement, target.value, value)
        return None

    def _lasts(self, value: cst.BaseExpression, once: set[str]) -> bool:
        """Whether the expression is a constant, or another name for what does not change."""
        if isinstance(value, cst.Dict):
            return False
        if isinstance(value, cst.Name) and value.value not in ("None", "True", "False"):
            return value.value in once or value.value in FUNCTIONS
        try:
            _value(value)
        except _Unknown:
            return _is_own(value, self.lasting)
        return True


def _assigning(node: cst.CSTNode) -> Iterator[cst.SimpleStatementLine]:
    """The assignments in a block and in those within it."""
    for child in children(node):
        if isinstance(child, cst.SimpleStatementLine):
            if len(child.body) == 1 and isinstance(child.body[0], cst.Assign):
                yield child
        elif isinstance(child, cst.BaseCompoundStatement | cst.BaseSuite | cst.Else):
            yield from _assigning(child)


def _lasting(node: cst.ClassDef) -> set[str]:
    """The attributes of `self` that the class's constructor alone sets."""
    places: dict[str, set[str]] = {}
    for method in node.body.body:
        for name in _stores(method).attributes:
            places.setdefault(name, set()).add(_name(method))
    return {name for name, methods in places.items() if methods == {"__init__"}} - {
        *map(_name, node.body.body)
    }


def _name(member: cst.CSTNode) -> str:
    return member.name.value if isinstance(member, cst.FunctionDef) else ""


@dataclass(frozen=True)
class _Stores:
    """What code assigns."""

    names: Counter[str]  # with the number of places
    attributes: frozenset[str]


@lru_cache(maxsize=4_096)
def _stores(node: cst.CSTNode) -> _Stores:
    stored = [each for each in ast_nodes(node) if _is_stored(each)]
    return _Stores(
        Counter(each.id for each in stored if isinstance(each, ast.Name)),
        frozenset(each.attr for each in stored if isinstance(each, ast.Attribute)),
    )


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)


class _Replace(cst.CSTTransformer):
    """Puts a variable's value in its place, and takes away the statement that gives it."""

    def __init__(self, statement: cst.SimpleStatementLine, name: str, value: cst.BaseExpression) -> None:
        self.statement, self.name, self.value = statement, name, value

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node is self.statement else updated_node

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_fields(updated_node, keyword=original_node.keyword)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return with_fields(updated_node, attr=original_node.attr)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.value.deep_clone() if updated_node.value == self.name else updated_node
