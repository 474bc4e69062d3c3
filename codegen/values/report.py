"""What the analysis has for the expressions at a place, and what each call may call, for `ddpgen inspect`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import libcst as cst

from ..diagnostics import Span
from ..ir.project import Project
from .abstract import (
    BoundMethod,
    Class,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Sequence,
    Super,
    Unknown,
    Value,
)
from .rules.calls import described
from .values import values_of

SHOWN = 60
"""So many characters of code are shown."""


@dataclass(frozen=True)
class ValueReport:
    """One thing that an expression may be."""

    kind: str
    text: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class ExpressionReport:
    """An expression, and all that it may be."""

    code: str
    line: int
    column: int
    values: tuple[ValueReport, ...]


@dataclass(frozen=True)
class CallReport:
    """A place that calls something, and what it may call."""

    code: str
    path: str
    line: int
    column: int
    within: str  # the function that it stands in, with its module
    calls: tuple[str, ...]  # functions of the user's, and what it calls of libraries'
    makes: tuple[str, ...]  # classes of the user's
    unknown: str | None  # why it may call something else


def expressions_at(project: Project, line: int, column: int | None) -> list[ExpressionReport]:
    """The expressions in a line of the entry; with a column the innermost one there."""
    reporter = _Reporter(project)
    found = sorted(
        reporter.expressions_in(line),
        key=lambda each: (each[0].column, -each[0].end_column),
    )
    if column is not None:
        round_it = [each for each in found if _covers(each[0], line, column)]
        found = round_it[-1:]
    return [reporter.expression(span, node) for span, node in found]


def calls_in(project: Project) -> list[CallReport]:
    """Every call, and whatever else runs a function: a property, an operator, a decorator."""
    return list(_Reporter(project).calls())


def expressions_text(reports: list[ExpressionReport], path: str) -> str:
    """The report for people."""
    blocks = []
    for report in reports:
        lines = [f"{path}:{report.line}:{report.column}: `{report.code}` may be"]
        lines += [f"  {_line_of(value, path)}" for value in report.values] or ["  nothing: it is not reached"]
        blocks.append("\n".join(lines))
    return "\n".join(blocks) or "There is no expression."


def calls_text(reports: list[CallReport]) -> str:
    """The report for people."""
    return "\n".join(
        f"{each.path}:{each.line}:{each.column}: {each.code} calls {', '.join(each.calls) or 'nothing'}"
        + (f"; unknown: {each.unknown}" if each.unknown else "")
        for each in reports
    )


def _line_of(value: ValueReport, path: str) -> str:
    if value.line is None:
        return value.text
    return f"{value.text} ({'line ' if value.path == path else f'{value.path}:'}{value.line})"


def _covers(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) < (span.end_line, span.end_column)


class _Reporter:
    """Describes what the analysis of one project has."""

    def __init__(self, project: Project) -> None:
        self.project, self.values, self.index = (
            project,
            values_of(project),
            project.index,
        )

    # ---- expressions -------------------------------------------------------------------------------------

    def expressions_in(self, line: int) -> Iterator[tuple[Span, cst.BaseExpression]]:
        for node in self.index.of_kind(cst.BaseExpression):  # type: ignore[type-abstract]  # an abstract class
            span = self.project.source.span(node)
            is_there = span.line == line and span.path == self.project.source.path
            if is_there and self._is_asked(node):
                yield span, node

    def _is_asked(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Name):
            return self.index.variable(node) is not None
        return not isinstance(node, cst.SimpleString | cst.Integer | cst.Float)

    def expression(self, span: Span, node: cst.BaseExpression) -> ExpressionReport:
        values = tuple(self.value(each) for each in self.values.of(node))
        return ExpressionReport(self._code(node), span.line, span.column, values)

    def value(self, value: Value) -> ValueReport:
        span = self._span(value)
        place = (span.path, span.line) if span else (None, None)
        return ValueReport(_kind(value), self._text(value), *place)

    def _text(self, value: Value) -> str:
        if isinstance(value, Unknown):
            return f"unknown: {value.reason}"
        if isinstance(value, Literal):
            return repr(value.value)
        if isinstance(value, Option):
            return f"the option `{value.name}`"
        if isinstance(value, Instance):
            is_users = isinstance(value.cls, Class)
            made = self._code(value.node) if isinstance(value.node, cst.Call) else ""
            text = f"an object of {described(value.cls)}" if is_users else f"what {described(value)} gives"
            return f"{text}, made by `{made}`" if made else text
        if isinstance(value, BoundMethod):
            return f"the method `{value.function.name}` of {self._text(value.receiver)}"
        if isinstance(value, Function | Class):
            return f"the {_kind(value)} `{value.name}`"
        if isinstance(value, External | Member):
            return described(value)
        return f"a {_kind(value)}"

    def _span(self, value: Value) -> Span | None:
        node = (
            value.function.node
            if isinstance(value, BoundMethod | Descriptor)
            else getattr(value, "node", None)
        )
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            node = node.name
        return self.project.source.span(node) if node is not None and node in self.index else None

    def _code(self, node: cst.CSTNode) -> str:
        code = " ".join(self.project.source.module.code_for_node(node).split())
        return code if len(code) <= SHOWN else f"{code[: SHOWN - 1]}…"

    # ---- calls -------------------------------------------------------------------------------------------

    def calls(self) -> Iterator[CallReport]:
        nodes = {*self.index.of_kind(cst.Call), *self.values.running}
        for node in sorted((each for each in nodes if each in self.index), key=self.index.order):
            if not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
                yield self._call(node)

    def _call(self, node: cst.CSTNode) -> CallReport:
        span = self.project.source.span(node)
        run = [self.qualified(each.node) for each in self.values.runs(node)]
        callees = tuple(self.values.callees(node)) if isinstance(node, cst.Call) else ()
        made = {self.qualified(each.node) for each in callees if isinstance(each, Class)}
        named = [self._librarys(each) for each in callees if isinstance(each, External | Member)]
        calls, makes = tuple(sorted({*run, *named})), tuple(sorted(made))
        unknown = next((_why(each) for each in callees if _why(each)), None)
        return CallReport(
            code=self._code(node),
            path=span.path,
            line=span.line,
            column=span.column,
            within=self.within(node),
            calls=calls,
            makes=makes,
            unknown=unknown,
        )

    def _librarys(self, value: External | Member) -> str:
        """The dotted name of something of a library's; a member that an object has from a base under its name."""
        if isinstance(value, Member):
            cls = getattr(value.receiver, "cls", value.receiver)
            if isinstance(cls, Class) and (bases := self.values.library_bases(cls)):
                return f"{bases[0].name}.{value.name}"
        return described(value).strip("`").replace("(...)", "")

    def within(self, node: cst.CSTNode) -> str:
        scope = self.index.scope_of(node)
        while scope.kind not in ("module", "function", "lambda", "class"):
            assert scope.parent
            scope = scope.parent
        return self.qualified(scope.node) if scope.node else self._module(node)

    def qualified(self, node: cst.CSTNode) -> str:
        """A definition's name, with its module, its class and the function that it stands in."""
        if isinstance(node, cst.Lambda):
            return f"{self.within(node)}.<lambda{self._lambda_number(node)}>"
        assert isinstance(node, cst.FunctionDef | cst.ClassDef)
        return f"{self.within(node)}.{node.name.value}"

    def _lambda_number(self, node: cst.Lambda) -> int:
        own = [each for each in self.index.of_kind(cst.Lambda) if self.within(each) == self.within(node)]
        return own.index(node) + 1

    def _module(self, node: cst.CSTNode) -> str:
        path = PurePosixPath(self.project.source.span(node).path)
        root = PurePosixPath(self.project.source.path).parent
        parts = (path.relative_to(root) if path.is_relative_to(root) else path).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _why(value: Value) -> str | None:
    """Why a call of a value may run more than is said."""
    if isinstance(value, External) and value.name in ("builtins.eval", "builtins.exec"):
        return "it runs code that is not read"
    return value.reason if isinstance(value, Unknown) else None


def _kind(value: Value) -> str:
    kinds: dict[type, str] = {
        Sequence: "sequence",
        Dict: "dict",
        Super: "super",
        External: "library",
    }
    if isinstance(value, Sequence):
        return value.kind
    return kinds.get(type(value), type(value).__name__.lower())
