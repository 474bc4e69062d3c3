"""Methods and functions that are called at one place alone, written out there."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent, indent

import libcst as cst

from ...index import patterns as m
from ...index.rewriting import rewritten
from ...index.search import ast_nodes, code_for, findall, nodes
from ...source.source_text import first_line
from .tidy import END, flags_of, tidied

LINES = 20
"""How long a method or function may grow."""

SHORT = 5
"""How many lines of a function are no more than its call says."""

TINY = 2
"""How many lines of a function are less than its head and its docstring."""

LONGEST = 25
"""How long a function may grow by a tiny one: as long as the runtime's own are."""

Statements = Sequence[cst.BaseStatement]
RETURN = m.SimpleStatementLine(body=[m.Return()])
ATOM = m.Name() | m.Attribute(value=m.Name()) | m.Integer() | m.SimpleString()
OPERATION = m.BinaryOperation() | m.BooleanOperation() | m.Comparison() | m.UnaryOperation() | m.IfExp()
OPEN = m.FunctionDef() | m.Lambda() | m.Yield()
"""What a body that is put elsewhere must not hold: names of its own, or a point to go on from."""


QUOTES = frozenset("\"'")
"""Without which an expression can stand in any f-string: before Python 3.12 they would end it."""


class _Refused(Exception):
    """The method stays where it is."""


def unpassed_parameters(node: cst.ClassDef) -> Iterator[tuple[str, dict[str, str]]]:
    """Methods, each with the defaults of those of its parameters that no call within the class passes."""
    for method in node.body.body:
        if isinstance(method, cst.FunctionDef) and not method.decorators:
            call = m.Call(func=m.Attribute(m.Name("self"), m.Name(method.name.value)))
            calls = [cst.ensure_type(each, cst.Call) for each in findall(node, call)]
            mentions = sum(each.attr.value == method.name.value for each in nodes(node, cst.Attribute))
            is_open = len(calls) < mentions or any(arg.star for each in calls for arg in each.args)
            if calls and not is_open and (never := _never_passed(method, calls)):
                yield method.name.value, never


def _never_passed(method: cst.FunctionDef, calls: Sequence[cst.Call]) -> dict[str, str]:
    by_place = max(sum(not arg.keyword for arg in call.args) for call in calls)
    by_name = {arg.keyword.value for call in calls for arg in call.args if arg.keyword}
    optional = [each for each in method.params.params[1 + by_place :] if each.default]
    return {each.name.value: code_for(each.default) for each in optional if each.name.value not in by_name}


def inlined(node: cst.ClassDef, kept: Container[str]) -> cst.ClassDef:
    """The class without those methods that it calls once itself; those that are `kept` have other callers."""
    while True:
        changed = next(_candidates(node, kept), None)
        if changed is None:
            return node
        node = changed


def _candidates(node: cst.ClassDef, kept: Container[str]) -> Iterator[cst.ClassDef]:
    """The class after each inlining that is possible, those of what calls nothing else first."""
    methods = [each for each in node.body.body if isinstance(each, cst.FunctionDef)]
    flags = frozenset(flags_of(node))
    mentions = Counter(each.attr.value for each in nodes(node, cst.Attribute))
    for callee in reversed(methods):
        name = callee.name.value
        if name in kept or name.startswith("__") or callee.decorators or mentions[name] != 1:
            continue
        call = m.Call(func=m.Attribute(m.Name("self"), m.Name(name)))
        for caller in methods:
            for found in findall(caller, call) if caller is not callee else ():
                site = _Site(caller, callee, cst.ensure_type(found, cst.Call))
                if changed := _changed(site, flags):
                    yield _with(node, caller, changed, callee)


def _with(
    node: cst.ClassDef, caller: cst.FunctionDef, changed: cst.FunctionDef, callee: cst.FunctionDef
) -> cst.ClassDef:
    body = [changed if each is caller else each for each in node.body.body if each is not callee]
    return node.with_changes(body=node.body.with_changes(body=body))


@lru_cache(maxsize=256)
def with_function(code: str, function: str) -> str | None:
    """A definition with the body of the function that it calls once in place of the call; None: it stays apart."""
    (callee,) = cst.parse_module(function).body
    if not isinstance(callee, cst.FunctionDef) or callee.decorators:
        return None
    length = sum(code_for(each).count("\n") for each in _without_docstring(callee))
    if length > SHORT:
        return None
    caller = _calling(code, callee.name.value)
    if caller is None:
        return None
    lines = code.splitlines(keepends=True)
    before, text, after = ("".join(lines[part]) for part in _parts(caller))
    (node,) = cst.parse_module(dedent(text)).body
    (call,) = findall(node, m.Call(func=m.Name(callee.name.value)))
    site = _Site(cst.ensure_type(node, cst.FunctionDef), callee, cst.ensure_type(call, cst.Call))
    changed = _changed(site, frozenset(), LONGEST if length <= TINY else LINES)
    return before + indent(code_for(changed), " " * caller.col_offset) + after if changed else None


def _calling(code: str, name: str) -> ast.FunctionDef | None:
    """The innermost function that calls another one, if that is done once in all."""
    functions: list[ast.FunctionDef] = []
    calls = 0
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and any(_calls(each, name) for each in ast.walk(node)):
            functions.append(node)
        calls += _calls(node, name)
    return functions[-1] if functions and calls == 1 else None


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _parts(function: ast.FunctionDef) -> tuple[slice, slice, slice]:
    """The lines before a function, its own and those behind it."""
    first = first_line(function) - 1
    return slice(first), slice(first, function.end_lineno), slice(function.end_lineno, None)


@lru_cache(maxsize=1024)
def _changed(site: _Site, flags: frozenset[str], limit: int = LINES) -> cst.FunctionDef | None:
    """The caller with the callee's statements; None: they stay apart. Kept, because others are tried in between."""
    try:
        changed = tidied(site.inlined(), flags)
    except _Refused:
        return None
    return changed if code_for(changed).strip().count("\n") < limit else None


@dataclass(frozen=True)
class _Site:
    """A call of a method, in another one of its class."""

    caller: cst.FunctionDef
    callee: cst.FunctionDef
    call: cst.Call

    def inlined(self) -> cst.FunctionDef:
        """The caller with the callee's statements. Raises _Refused."""
        body = self._body()
        line = next((each for each in nodes(self.caller, cst.SimpleStatementLine) if self._holds(each)), None)
        if not body:
            return self._without_call(line)
        *first, last = body
        if m.matches(last, RETURN) and not any(findall(each, m.Return()) for each in first):
            return self._with_result(line, first, last)
        part = line.body[0] if line and len(line.body) == 1 else None
        if not (isinstance(part, cst.Expr | cst.Return) and part.value is self.call):
            raise _Refused
        returns = any(findall(each, m.Return()) for each in body)
        ends = isinstance(part, cst.Return) and m.matches(last, END)
        if returns and not ends and not _is_at_end(self.caller.body, line):
            raise _Refused
        return rewritten(self.caller, _Splice(self.call, None, line, body))

    def _without_call(self, line: cst.SimpleStatementLine | None) -> cst.FunctionDef:
        """Where nothing is left of the callee, and more of the caller than that line."""
        part = line.body[0] if line else None
        is_alone = line not in self.caller.body.body or len(_without_docstring(self.caller)) < 2
        if is_alone or not isinstance(part, cst.Expr) or part.value is not self.call:
            raise _Refused
        return rewritten(self.caller, _Splice(self.call, None, line, ()))

    def _with_result(
        self, line: cst.SimpleStatementLine | None, first: Statements, last: cst.CSTNode
    ) -> cst.FunctionDef:
        """Where the callee comes to a result at its end alone."""
        result = cst.ensure_type(cst.ensure_type(last, cst.SimpleStatementLine).body[0], cst.Return).value
        if result is None:
            raise _Refused
        if first:
            part = line.body[0] if line else None
            value = part.exc if isinstance(part, cst.Raise) else getattr(part, "value", None)
            arguments = value.args if isinstance(value, cst.Call) else ()
            if value is not self.call and [each.value for each in arguments] != [self.call]:
                raise _Refused
        return rewritten(self.caller, _Splice(self.call, result, line if first else None, first))

    def _holds(self, node: cst.CSTNode) -> bool:
        return self.call in nodes(node, cst.Call)

    def _body(self) -> list[cst.BaseStatement]:
        """The callee's statements, about what the call passes. Raises _Refused."""
        body = _without_docstring(self.callee)
        if any(findall(each, OPEN) for each in body):
            raise _Refused
        stored, read = _names(self.callee)
        taken = sum(_names(self.caller), Counter[str]())
        shown = {
            each.value for text in nodes(self.callee, cst.FormattedString) for each in nodes(text, cst.Name)
        }
        values, lines = dict[str, cst.BaseExpression](), list[cst.BaseStatement]()
        for name, value in self._arguments().items():
            is_same = m.matches(value, m.Name(name))
            others = _names(value)[1].keys()
            fits = not (name in shown and QUOTES & set(code_for(value)))
            if is_same and not stored[name]:
                continue
            if fits and m.matches(value, ATOM) and not stored[name] and not others & stored.keys():
                values[name] = value
            elif fits and body and m.matches(body[0], RETURN) and read[name] == 1:
                values[name] = _in_parentheses(value)
            elif name in taken:
                raise _Refused
            else:
                assign = cst.Assign([cst.AssignTarget(cst.Name(name))], value)
                lines.append(cst.SimpleStatementLine([assign]))
        if stored.keys() & taken.keys():
            raise _Refused
        return [*lines, *(rewritten(each, _Values(values)) for each in body)]

    def _arguments(self) -> dict[str, cst.BaseExpression]:
        """What is passed for each parameter. Raises _Refused."""
        parameters = self.callee.params
        names = [each.name.value for each in parameters.params]
        names = names[1:] if isinstance(self.call.func, cst.Attribute) else names
        options = (parameters.kwonly_params, parameters.posonly_params, parameters.star_kwarg)
        if any(options) or isinstance(parameters.star_arg, cst.Param):
            raise _Refused
        by_name = {each.keyword.value: each.value for each in self.call.args if each.keyword}
        by_place = [each.value for each in self.call.args if not each.keyword]
        passed = {**dict(zip(names, by_place, strict=False)), **by_name}
        if set(passed) != set(names) or any(each.star for each in self.call.args):
            raise _Refused
        return passed


def _without_docstring(method: cst.FunctionDef) -> list[cst.BaseStatement]:
    body = [each for each in method.body.body if isinstance(each, cst.BaseStatement)]
    return body[1:] if method.get_docstring() is not None else body


def _names(node: cst.CSTNode) -> tuple[Counter[str], Counter[str]]:
    """The variables that the code sets, and that it reads."""
    found = [each for each in ast_nodes(node) if isinstance(each, ast.Name)]
    stored = Counter(each.id for each in found if not isinstance(each.ctx, ast.Load))
    return stored, Counter(each.id for each in found if isinstance(each.ctx, ast.Load))


def _is_at_end(body: cst.BaseSuite, line: cst.CSTNode | None) -> bool:
    """Whether nothing is done after the line."""
    last = body.body[-1]
    if not isinstance(last, cst.If):
        return last is line
    suites: list[cst.BaseSuite] = []
    branch: cst.If | cst.Else | None = last
    while branch is not None:
        suites.append(branch.body)
        branch = branch.orelse if isinstance(branch, cst.If) else None
    return any(_is_at_end(suite, line) for suite in suites)


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression as it can stand within another."""
    if node.lpar or not m.matches(node, OPERATION):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


class _Splice(cst.CSTTransformer):
    """Puts a result in the place of a call, and statements in front of its line, or in the place of that."""

    def __init__(
        self,
        call: cst.Call,
        result: cst.BaseExpression | None,
        line: cst.SimpleStatementLine | None,
        statements: Statements,
    ) -> None:
        self.call, self.result, self.line, self.statements = call, result, line, statements
        self.needs_parentheses = False

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        self.needs_parentheses |= node.expression is self.call

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> None:
        self.needs_parentheses |= self.call in (node.left, node.right)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self.needs_parentheses |= self.call in (node.left, node.right)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self.needs_parentheses |= node.value is self.call

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self.needs_parentheses |= self.call in (node.left, *(each.comparator for each in node.comparisons))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        if original_node is not self.call or self.result is None:
            return updated_node
        return _in_parentheses(self.result) if self.needs_parentheses else self.result

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if original_node is not self.line:
            return updated_node
        return cst.FlattenSentinel([*self.statements, *([updated_node] if self.result is not None else [])])


class _Values(cst.CSTTransformer):
    """Puts what is passed in the place of parameters."""

    def __init__(self, values: Mapping[str, cst.BaseExpression]) -> None:
        self.values = values

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        value = self.values.get(updated_node.value)
        return value.deep_clone() if value is not None else updated_node
