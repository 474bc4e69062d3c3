"""What the calls of the code that starts training call and make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class, Project
from ...values import Function, Instance, Values, values_of
from ..code.instances import Instances
from ..code.literals import is_literal, literal

NAMES = ("Trainer", "LightningCLI", "seed_everything")


@dataclass(frozen=True)
class EntryCalls:
    """Asks the analysis of values what each call is."""

    project: Project

    @cached_property
    def values(self) -> Values:
        return values_of(self.project)

    @cached_property
    def instances(self) -> Instances:
        return Instances(self.project)

    def called(self, call: cst.Call) -> str | None:
        """Lightning's name for what is called; a class derived from its LightningCLI counts as that."""
        found = [name for each in self.values.callees(call) for name in self.values.lightning_names(each)]
        return next((name for name in found if name in NAMES), None)

    def class_made(self, call: cst.Call) -> Class | None:
        """The project's class that a call makes an object of."""
        return self.instances.class_named(self.values.callees(call).only)

    def class_named(self, node: cst.BaseExpression) -> Class | None:
        """The project's class that an expression is."""
        return self.instances.class_named(self.values.of(node).only)

    def maker(self, node: cst.BaseExpression) -> cst.Call | None:
        """The call that makes the object that an expression is."""
        found = self.values.of(node).only
        made = found.node if isinstance(found, Instance) else None
        return made if isinstance(made, cst.Call) else None

    def is_trainer(self, node: cst.BaseExpression) -> bool:
        found = self.values.of(node).only
        return found is not None and self.instances.is_trainer(found)

    def known(self, node: cst.BaseExpression | None) -> list[object]:
        """The value of a literal, or of a variable that surely is one; none, where it is not known."""
        if node is None:
            return []
        found = self.values.of(node).literal
        return [literal(node)] if is_literal(node) else [found.value] if found else []

    # ---- statements --------------------------------------------------------------------------------------

    def within(self, node: cst.CSTNode) -> list[cst.Call]:
        return self.project.index.within(node, cst.Call)

    def lightnings(self, node: cst.CSTNode) -> list[cst.Call]:
        """The calls in a statement that start something of Lightning's."""
        return [call for call in self.within(node) if self.called(call)]

    def trains(self, node: cst.CSTNode) -> bool:
        """Whether a statement makes a Trainer or a LightningCLI."""
        return any(self.called(call) != "seed_everything" for call in self.lightnings(node))

    def fits(self, node: cst.CSTNode) -> bool:
        """Whether a Trainer is told in a statement to fit."""
        calls = set(self.values.calls_of("Trainer.fit"))
        return any(call in calls for call in self.within(node))

    def makes_model_or_data(self, node: cst.CSTNode) -> bool:
        """Whether a model or a data module is made in a statement."""
        classes = (self.class_made(call) for call in self.within(node))
        return any(cls is not None and cls.kind != "other" for cls in classes)

    def main_function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The function that a guard of the form `if ...: main()` calls."""
        if not (isinstance(node, cst.If) and len(node.body.body) == 1):
            return None
        call = m.SaveMatchedNode(m.Call(func=m.Name(), args=[]), "call")
        called = m.extract(node.body.body[0], m.SimpleStatementLine(body=[m.Expr(call)]))
        found = self.values.of(called["call"].func).only if called else None
        function = found.node if isinstance(found, Function) else None
        if not isinstance(function, cst.FunctionDef) or function.decorators:
            return None
        return function if self.project.index.parent(function) is None else None
