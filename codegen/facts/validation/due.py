"""What a function does that says when validation is due: what Lightning's does, or the same by optimizer steps.

The function is run here, its questions answered in all ways that matter, beside what is known of Lightning.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import product


def _question(code: str) -> str:
    return ast.unparse(ast.parse(code))


IN_EPOCH = _question("self._should_check_val_epoch()")
IS_LAST = _question("self.batch_progress.is_last_batch")
IS_ENDLESS = _question("self.trainer.val_check_batch == float('inf')")
IS_ITERATED = _question("isinstance(data_fetcher, _DataLoaderIterDataFetcher)")
STOPS = _question("self.trainer.should_stop")
MAY_STOP = _question("self.trainer.fit_loop._can_stop_early")
HAS_LIMIT = _question("isinstance(self.trainer.limit_train_batches, int)")
AT_LIMIT = _question("(self.batch_idx + 1) % self.trainer.limit_train_batches == 0")
HAS_NO_TIME = _question("self.trainer._val_check_time_interval is None")
TIME_IS_UP = _question(
    "time.monotonic() - self.trainer._last_val_time >= self.trainer._val_check_time_interval"
)
OVER_EPOCHS = _question("self.trainer.check_val_every_n_epoch is None")
BY_BATCH = _question("(self.batch_idx + 1) % self.trainer.val_check_batch == 0")
BY_BATCH_OF_ALL = _question("(self.total_batch_idx + 1) % self.trainer.val_check_batch == 0")
BY_STEP = _question("self.global_step % self.trainer.val_check_batch == 0")
ACCUMULATES = _question("self._should_accumulate()")

QUESTIONS = frozenset(
    {
        *(IN_EPOCH, IS_LAST, IS_ENDLESS, IS_ITERATED, STOPS, MAY_STOP, HAS_LIMIT, AT_LIMIT, HAS_NO_TIME),
        *(TIME_IS_UP, OVER_EPOCHS, BY_BATCH, BY_BATCH_OF_ALL, BY_STEP, ACCUMULATES),
    }
)
"""What such functions ask."""

CALLS = frozenset(
    "float isinstance self._should_accumulate self._should_check_val_epoch time.monotonic".split()
)
BUILTINS = ("float", "int", "isinstance")


@dataclass(frozen=True)
class Due:
    """What a function does."""

    by_steps: bool  # that are counted over all epochs, where Lightning counts batches
    knows_time: bool  # a time as `val_check_interval`, which Lightning takes since 2.6


class NotRead(Exception):
    """It does something else."""


def due(function: str, meanings: Mapping[str, str]) -> Due | None:
    """What a function's code does; None: something else. `meanings` are what its global names stand for."""
    (node,) = ast.parse(function).body
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or not _takes_two(node.args):
        return None
    known = (Due(*each) for each in product((False, True), repeat=2))
    return next((each for each in known if _is_same(_Running(node, meanings), each, {})), None)


def _takes_two(arguments: ast.arguments) -> bool:
    others = (arguments.vararg, arguments.kwarg, *arguments.kwonlyargs, *arguments.defaults)
    return len((*arguments.posonlyargs, *arguments.args)) == 2 and not any(others)


def _is_same(running: _Running, known: Due, answers: dict[str, bool]) -> bool:
    """Whether both say the same, whatever is answered to the questions that have no answer yet."""
    try:
        return running.result(answers) == _says(known, answers)
    except KeyError as unanswered:
        question = unanswered.args[0]
        return all(_is_same(running, known, {**answers, question: each}) for each in (True, False))
    except NotRead:
        return False


def _says(known: Due, answers: Mapping[str, bool]) -> bool:
    """What Lightning says, or the same by steps."""
    if not answers[IN_EPOCH]:
        return False
    if answers[IS_LAST] and (answers[IS_ENDLESS] or answers[IS_ITERATED]):
        return True
    if answers[STOPS] and answers[MAY_STOP]:
        return True
    if known.knows_time and not answers[HAS_NO_TIME]:
        return answers[TIME_IS_UP]
    if answers[IS_ENDLESS]:
        return answers[AT_LIMIT] if answers[HAS_LIMIT] else answers[IS_LAST]
    if not answers[OVER_EPOCHS]:
        return answers[BY_BATCH]
    return answers[BY_STEP] and not answers[ACCUMULATES] if known.by_steps else answers[BY_BATCH_OF_ALL]


@dataclass(frozen=True)
class _Running:
    """Runs a function whose variables stand for expressions."""

    function: ast.FunctionDef
    meanings: Mapping[str, str]

    def result(self, answers: Mapping[str, bool]) -> bool:
        """What it returns. Raises KeyError with a question that has no answer."""
        of_function = self.function.args
        names = [each.arg for each in (*of_function.posonlyargs, *of_function.args)]
        given = dict(zip(names, (ast.Name("self"), ast.Name("data_fetcher")), strict=True))
        found = _Frame(answers, self.meanings, dict(given)).run(self.function.body)
        if found is None:
            raise NotRead
        return found


@dataclass(frozen=True)
class _Frame:
    """What is known at a place of it."""

    answers: Mapping[str, bool]
    meanings: Mapping[str, str]
    variables: dict[str, ast.expr] = field(default_factory=dict)

    def run(self, body: Iterable[ast.stmt]) -> bool | None:
        """What a block returns; None: it does not."""
        for statement in body:
            match statement:
                case ast.Return(ast.expr() as value):
                    return self.is_true(self.told(value))
                case ast.If():
                    is_true = self.is_true(self.told(statement.test))
                    found = self.run(statement.body if is_true else statement.orelse)
                    if found is not None:
                        return found
                case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                    ast.Name(name), _, ast.expr() as value
                ):
                    self.variables[name] = self.told(value)
                case ast.Pass() | ast.Expr(ast.Constant()):
                    pass
                case ast.Assert(test, None):  # which holds wherever Lightning asks it
                    self.told(test)
                case _:
                    raise NotRead
        return None

    def told(self, value: ast.expr) -> ast.expr:
        """An expression, with what its variables stand for, and what has no effect alone."""
        found = _Telling(self).visit(deepcopy(value))
        assert isinstance(found, ast.expr)
        return found

    def is_true(self, value: ast.expr) -> bool:
        """Whether an expression is, of which nothing but questions is left."""
        match value:
            case ast.BoolOp(ast.And(), values):
                return all(map(self.is_true, values))
            case ast.BoolOp(ast.Or(), values):
                return any(map(self.is_true, values))
            case ast.UnaryOp(ast.Not(), operand):
                return not self.is_true(operand)
            case ast.Constant(bool(is_so)):
                return is_so
            case ast.Compare(left, [ast.IsNot()], right):
                return not self._answer(ast.Compare(left, [ast.Is()], right))
            case ast.Compare(left, [ast.NotEq()], right):
                return not self._answer(ast.Compare(left, [ast.Eq()], right))
        return self._answer(value)

    def _answer(self, value: ast.expr) -> bool:
        question = ast.unparse(value)
        if question not in QUESTIONS:
            raise NotRead
        return self.answers[question]


@dataclass(frozen=True)
class _Telling(ast.NodeTransformer):
    """Puts what variables stand for in their place."""

    frame: _Frame

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.frame.variables:
            return self.frame.variables[node.id]
        if node.id not in self.frame.meanings:
            raise NotRead
        return ast.Name(self.frame.meanings[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if (meaning := self.frame.meanings.get(ast.unparse(node))) is not None:
            return ast.Name(meaning)
        return ast.Attribute(self.visit(node.value), node.attr)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        is_true = self.frame.is_true(self.visit(node.test))
        return self.visit(node.body if is_true else node.orelse)  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        found = self.generic_visit(node)
        if not isinstance(found, ast.Call) or ast.unparse(found.func) not in CALLS:
            raise NotRead
        return found

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.Lambda):
            raise NotRead
        return super().generic_visit(node)
