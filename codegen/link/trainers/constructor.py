"""The constructor of a class that derives from Lightning's Trainer, as a function that makes a Trainer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from .edits import Edit, behind, over
from .popped import as_parameters, popped
from .uses import LIGHTNINGS, TrainerClass

DEF = re.compile(r"\s*def\s+__init__")

TRAINERS = ("trainer", "made", "made_trainer")
"""What the function may call what it makes."""


class Members(Protocol):
    """What becomes of the object's own methods."""

    def of_self(self, root: ast.AST, own: str, trainer: str) -> Iterator[Edit]: ...


class NoFunction(Exception):
    """A function cannot do the same."""


@dataclass(frozen=True)
class Constructor:
    """What becomes of its statements, one by one: each stays on its line."""

    cls: TrainerClass
    method: ast.FunctionDef
    members: Members

    def edits(self) -> Iterator[Edit]:
        """Raises NoFunction."""
        self._check()
        yield from self._head()
        if found := dict(popped(self.method, self._before)):
            if not {self.cls.base.partition(".")[0], *self._stored}.isdisjoint(found):
                raise NoFunction
            yield from as_parameters(self.method, found)
        for statement in self._before:
            yield from self._early(statement)
        yield from self._making()
        for statement in self._after:
            bare = isinstance(statement, ast.AnnAssign) and statement.value is None
            yield from [over(statement)] if bare else self.members.of_self(statement, self.own, self._made)

    # ---- the statements ----------------------------------------------------------------------------------

    @cached_property
    def own(self) -> str:
        """What it calls the object."""
        return self.method.args.args[0].arg if self.method.args.args else ""

    @cached_property
    def _place(self) -> int:
        """Where the constructor of the Trainer is called, among the statements. Raises NoFunction."""
        found = [place for place, each in enumerate(self.method.body) if self._is_making(each)]
        calls = [each for each in ast.walk(self.method) if self._calls_base(each)]
        if len(found) != 1 or len(calls) != 1:
            raise NoFunction
        return found[0]

    @property
    def _before(self) -> list[ast.stmt]:
        return self.method.body[: self._place]

    @property
    def _after(self) -> list[ast.stmt]:
        return self.method.body[self._place + 1 :]

    @property
    def _call(self) -> ast.Call:
        statement = self.method.body[self._place]
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        return statement.value

    def _is_making(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Expr) and self._calls_base(statement.value)

    def _calls_base(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "super().__init__",
            f"super({self.cls.name}, {self.own}).__init__",
            f"{self.cls.base}.__init__",
        )

    @cached_property
    def _bound(self) -> frozenset[str]:
        """Its variables."""
        nodes = list(ast.walk(self.method))
        names = {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        return frozenset(names | {each.arg for each in nodes if isinstance(each, ast.arg)})

    @cached_property
    def _stored(self) -> frozenset[str]:
        """All names in it that are no parameters."""
        nodes = (each for each in ast.walk(self.method) if isinstance(each, ast.Name))
        return frozenset(each.id for each in nodes)

    @cached_property
    def _named(self) -> frozenset[str]:
        return self._bound | {each.id for each in ast.walk(self.method) if isinstance(each, ast.Name)}

    def _check(self) -> None:
        """Raises NoFunction."""
        ending = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
        root = self.cls.base.partition(".")[0]
        is_plain = not (self.method.decorator_list or self.method.args.posonlyargs) and self.own
        if not is_plain or any(isinstance(each, ending) for each in ast.walk(self.method)):
            raise NoFunction
        if root in self._bound or root == self.cls.name or not set(TRAINERS) - self._named:
            raise NoFunction
        of_base = {*ast.walk(self._call.func)}
        if any(_is_hidden(each) for each in ast.walk(self.method) if each not in of_base):
            raise NoFunction

    @cached_property
    def _made(self) -> str:
        return next(each for each in TRAINERS if each not in self._named)

    # ---- its head ----------------------------------------------------------------------------------------

    def _head(self) -> Iterator[Edit]:
        taken, line = self.method.args, self.cls.module.lines[self.method.lineno - 1]
        found = DEF.match(line)
        if found is None:
            raise NoFunction
        yield Edit(self.method.lineno, 0, self.method.lineno, len(found[0].encode()), f"def {self.cls.name}")
        yield self._left_out(over(taken.args[0]))
        if taken.vararg:
            yield from self._without_places(taken.vararg)
        if self.method.returns:
            yield over(self.method.returns, self.cls.base)

    def _without_places(self, taken: ast.arg) -> Iterator[Edit]:
        """Without parameters for what no call gives. Raises NoFunction."""
        named = [
            each for each in ast.walk(self.method) if isinstance(each, ast.Name) and each.id == taken.arg
        ]
        starred = [each for each in self._call.args if isinstance(each, ast.Starred) and each.value in named]
        is_given = any(self._gives_more(each) for each in self.cls.calls)
        if len(named) != 1 or len(starred) != 1 or is_given:
            raise NoFunction
        whole = over(taken)
        star = Edit(whole.line, whole.column - 1, whole.end_line, whole.end_column)
        if self._text(star.line)[star.column : star.column + 1] != b"*":
            raise NoFunction
        yield replace(star, text="*") if self.method.args.kwonlyargs else self._left_out(star)
        yield self._left_out(over(starred[0]))

    def _gives_more(self, call: ast.Call) -> bool:
        is_open = any(isinstance(each, ast.Starred) for each in call.args)
        return is_open or len(call.args) > len(self.method.args.args) - 1

    def _left_out(self, edit: Edit) -> Edit:
        """With the comma behind it."""
        rest = self._text(edit.end_line)[edit.end_column :]
        comma = re.match(rb"\s*,\s*", rest)
        end = edit.end_column + (len(comma[0]) if comma else 0)
        return Edit(edit.line, edit.column, edit.end_line, end)

    def _text(self, line: int) -> bytes:
        return self.cls.module.lines[line - 1].encode()

    # ---- its statements ----------------------------------------------------------------------------------

    def _early(self, statement: ast.stmt) -> Iterator[Edit]:
        """What is set before there is a Trainer is a variable until there is one. Raises NoFunction."""
        match statement:
            case ast.Assign([ast.Attribute(ast.Name(self.own), name)], ast.Name(given)) if name == given:
                yield over(statement, "" if self._place > 1 or len(self.method.body) > 1 else "pass")
                return
            case ast.AnnAssign(ast.Attribute(ast.Name(self.own)), value=None):
                yield over(statement)
                return
        yield from self._as_variables(statement)

    def _as_variables(self, node: ast.AST) -> Iterator[Edit]:
        of_self = [each for each in ast.walk(node) if self._is_member(each)]
        named = [each for each in ast.walk(node) if isinstance(each, ast.Name) and each.id == self.own]
        if len(of_self) != len(named):
            raise NoFunction
        for each in of_self:
            assert isinstance(each, ast.Attribute)
            yield over(each, self._variable(each.attr))

    def _is_member(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.own
        )

    def _variable(self, name: str) -> str:
        """What a member is called before there is a Trainer. Raises NoFunction."""
        if name not in self._early_members:
            raise NoFunction
        is_same = name in self._bound and self._early_members[name]
        return name if is_same or name not in self._named else f"own_{name}"

    @cached_property
    def _early_members(self) -> dict[str, bool]:
        """Those that are set before, and whether a variable is surely the same. Raises NoFunction."""
        found: dict[str, bool] = {}
        for statement in self._before:
            for each in ast.walk(statement):
                if (
                    isinstance(each, ast.Attribute)
                    and self._is_member(each)
                    and not isinstance(each.ctx, ast.Load)
                ):
                    targets = statement.targets if isinstance(statement, ast.Assign) else []
                    is_alone = targets == [each] or (
                        isinstance(statement, ast.AnnAssign) and statement.target is each
                    )
                    if (
                        not is_alone
                        or each.attr in LIGHTNINGS
                        or each.attr in found
                        or each.attr.startswith("__")
                    ):
                        raise NoFunction
                    found[each.attr] = self._is_kept(statement, each.attr)
        if any(f"own_{name}" in self._named for name in found):
            raise NoFunction
        return found

    def _is_kept(self, statement: ast.stmt, name: str) -> bool:
        """Whether a statement keeps a parameter under its own name, which nothing else sets."""
        match statement:
            case ast.Assign(_, ast.Name(given)) | ast.AnnAssign(value=ast.Name(given)):
                stores = [
                    each
                    for each in ast.walk(self.method)
                    if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
                ]
                return given == name and not stores
        return False

    def _making(self) -> Iterator[Edit]:
        """Where the Trainer is made, what it is told of itself, and where it is given back."""
        call, members = self._call, [each for each in self._early_members if self.cls.is_asked(each)]
        ends, has_more = not self._after, bool(self._after or members)
        is_by_class = ast.unparse(call.func) == f"{self.cls.base}.__init__"
        if is_by_class and not (call.args and ast.unparse(call.args[0]) == self.own):
            raise NoFunction
        yield over(call.func, f"{f'{self._made} =' if has_more else 'return'} {self.cls.base}")
        given = call.args[1:] if is_by_class else call.args
        if is_by_class:
            yield self._left_out(over(call.args[0]))
        left_out = self.method.args.vararg
        for each in (*given, *(keyword.value for keyword in call.keywords)):
            if not (left_out and isinstance(each, ast.Starred) and ast.unparse(each.value) == left_out.arg):
                yield from self._as_variables(each)
        told = "".join(f"; {self._made}.{each} = {self._variable(each)}" for each in members)
        yield behind(call, told + (f"; return {self._made}" if ends and has_more else ""))
        if self._after:
            yield self._giving_back(self._after[-1])

    def _giving_back(self, last: ast.stmt) -> Edit:
        """Behind the last statement, or on the line below. Raises NoFunction."""
        if not isinstance(
            last, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef
        ):
            return behind(last, f"; return {self._made}")
        assert last.end_lineno is not None
        below, margin = last.end_lineno + 1, " " * self.method.body[0].col_offset
        if below > len(self.cls.module.lines) or self.cls.module.lines[below - 1].strip():
            raise NoFunction
        return Edit(below, 0, below, len(self._text(below)), f"{margin}return {self._made}")


def _is_hidden(node: ast.AST) -> bool:
    """Whether it may get at the object, or its variables, without naming them."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in (
        "super",
        "locals",
        "vars",
        "eval",
        "exec",
    )
