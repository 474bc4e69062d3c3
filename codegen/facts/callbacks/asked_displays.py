"""Code that asks which callbacks of a list only show something, as `isinstance(callback, TQDMProgressBar)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...index import patterns as m
from ...index.scope import Binding, Variable
from ...ir.project import Project
from ...lightning.api import DISPLAY_BASES, STAND_INS
from ...values import Class, External, Function, Instance, Literal, Value, values_of
from ...values.bases import PLAIN
from ..main.run_order import LOOPS, RunOrder

IS_OF = m.Call(m.Name("isinstance"), [m.Arg(m.Name(), keyword=None, star=""), m.Arg(keyword=None, star="")])
"""Whether a variable is of a class."""

CLASS_OF = m.Call(m.Name("type"), [m.Arg(m.Name(), keyword=None, star="")])
IS_CLASS = m.Comparison(CLASS_OF, [m.ComparisonTarget(m.Is() | m.IsNot() | m.Equal() | m.NotEqual())])
"""The same, where no class that derives from it counts."""

CLASS = CLASS_OF | m.Attribute(attr=m.Name("__class__"))
NAMES = ("__name__", "__qualname__")
"""What a class is asked for that is called as another one is."""

CHANGING = m.Attribute(attr=m.Name("append") | m.Name("extend") | m.Name("insert"))
FRESH = (cst.List, cst.ListComp, cst.BinaryOperation)
READING = frozenset("any len list print sorted tuple".split())

Name = cst.Name | cst.Attribute


@dataclass(frozen=True)
class AskedDisplays:
    """The questions, and what is made that they may be asked about."""

    project: Project
    idle: frozenset[cst.Call]  # the calls that make what the script does without

    def named(self, nodes: Iterable[Name]) -> Iterator[tuple[cst.BaseExpression, str]]:
        """The names among the nodes, where what is asked has the same answer in a script, with Lightning's."""
        for node in nodes:
            name = self.project.lightning_name(node) or ""
            is_own = isinstance(node, cst.Name) and node.value in self.project.displays
            asked = self._asked(node) if name in DISPLAY_BASES and not is_own else None
            if asked is not None and self._is_known(asked):
                yield node, name

    def names_asked(self) -> dict[cst.Call, list[cst.Attribute]]:
        """The calls that make what is asked for the name of its class, with the questions."""
        found: dict[cst.Call, list[cst.Attribute]] = {}
        for node in self.project.index.attributes(*NAMES) if self.idle else ():
            for each in self._made(node.value):
                found.setdefault(each, []).append(node)
        return found

    def _made(self, cls: cst.BaseExpression) -> Iterator[cst.Call]:
        """What makes the objects of which an expression is the class, as far as the script does without."""
        if m.matches(cls, CLASS):
            asked = (
                cls.args[0].value if isinstance(cls, cst.Call) else cst.ensure_type(cls, cst.Attribute).value
            )
            made = {each.node for each in values_of(self.project).of(asked).instances}
            yield from (each for each in self.idle if each in made)

    def is_namesake(self, call: cst.Call) -> bool:
        """Whether the script has a class of the name of the one that a call makes something of."""
        name = self.project.lightning_name(call.func) or ""
        is_own = isinstance(call.func, cst.Name) and call.func.value in self.project.displays
        return not is_own and STAND_INS.get(name) == name

    def _asked(self, node: Name) -> cst.Name | None:
        """The variable that is asked whether it is of the class that a node names."""
        above = self.project.index.parent(node)
        if isinstance(above, cst.ComparisonTarget):
            return self._compared(above)
        if isinstance(above, cst.Element):  # of several classes
            above = self.project.index.parent(self.project.index.parent(above) or above)
        call = self.project.index.parent(above) if isinstance(above, cst.Arg) else None
        if not (isinstance(call, cst.Call) and m.matches(call, IS_OF) and call.args[1] is above):
            return None
        return cst.ensure_type(call.args[0].value, cst.Name)

    def _compared(self, target: cst.ComparisonTarget) -> cst.Name | None:
        """The same, of `type(variable) is ...`, to which one that derives from it is another."""
        question = self.project.index.parent(target)
        if self.project.displays or not m.matches(question or target, IS_CLASS):
            return None
        call = cst.ensure_type(cst.ensure_type(question, cst.Comparison).left, cst.Call)
        return cst.ensure_type(call.args[0].value, cst.Name)

    def _is_known(self, asked: cst.Name) -> bool:
        """Whether it is one of a list which the function makes, and of which it is known what it holds."""
        found = values_of(self.project).of(asked)
        return bool(found) and all(map(self._is_kept, found)) and self._is_of_own_list(asked)

    def _is_kept(self, value: Value) -> bool:
        """Whether it is known of a value whether it shows something; where it does, that the script has a stand-in."""
        if not isinstance(value, Instance):
            return isinstance(value, Literal | Class | Function)
        if value.node in self.idle:
            return True
        values, made = values_of(self.project), value.cls
        if isinstance(made, Class):
            return values.knows_bases(made) and all(map(_is_other, values.library_bases(made)))
        return isinstance(made, External) and _is_other(made)

    # ---- the list ----------------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> RunOrder:
        return RunOrder(self.project)

    def _is_of_own_list(self, asked: cst.Name) -> bool:
        """Whether a loop takes it from a list that no Trainer has yet: Lightning's adds its own callbacks to it."""
        loop = self._loop(asked)
        variable = (
            self.project.index.variable(loop.iter) if loop and isinstance(loop.iter, cst.Name) else None
        )
        return variable is not None and self._is_own_list(variable, asked)

    def _loop(self, asked: cst.Name) -> cst.For | cst.CompFor | None:
        """The one whose variable it is, and that alone gives it values."""
        variable = self.project.index.variable(asked)
        loops = [each.by for each in variable.bindings] if variable else []
        around = [each for each in loops if self._is_round(each, asked)]
        others = [each for each in loops if any(self.project.index.holds(one, each) for one in around)]
        (loop,) = around if len(around) == 1 and others == around else (None,)
        if isinstance(loop, cst.For | cst.CompFor) and isinstance(loop.target, cst.Name):
            return loop
        return None

    def _is_round(self, loop: cst.CSTNode, asked: cst.Name) -> bool:
        index = self.project.index
        outer = index.parent(loop) if isinstance(loop, cst.CompFor) else loop
        return outer is not None and index.holds(outer, asked)

    def _is_own_list(self, variable: Variable, asked: cst.Name) -> bool:
        """Whether a variable is given a list, which then is but added to and read until something is asked."""
        index = self.project.index
        function = index.function_of(asked)
        first = [each for each in variable.bindings if self._order.runs_first(each.by, asked)]
        if not first or any(index.function_of(use) is not function for use in variable.uses):
            return False
        given = max(first, key=lambda each: index.order(each.by))
        bound = (each for each in variable.bindings if self._is_between(given.by, each.by, asked))
        uses = (each for each in variable.uses if self._is_between(given.by, each, asked))
        return all(map(_is_fresh, (given, *bound))) and all(map(self._only_reads, uses))

    def _is_between(self, first: cst.CSTNode, place: cst.CSTNode, last: cst.CSTNode) -> bool:
        """Whether a place may be run after the first one and before the last."""
        index = self.project.index
        loops = (each for each in self._order.around(last, LOOPS) if not index.holds(each, first))
        is_repeated = any(index.holds(each, place) for each in loops)
        return is_repeated or index.order(first) < index.order(place) < index.order(last)

    def _only_reads(self, use: cst.Name) -> bool:
        """Whether a use adds to a list or reads it, and leaves it to nothing else."""
        index = self.project.index
        above = index.parent(use)
        if isinstance(above, cst.For | cst.CompFor):
            return above.iter is use
        if isinstance(above, cst.Attribute):
            call = index.parent(above)
            return m.matches(above, CHANGING) and isinstance(call, cst.Call) and call.func is above
        if isinstance(above, cst.Arg):
            call = index.parent(above)
            return isinstance(call, cst.Call) and self.project.qualified(call.func) in READING
        tests = cst.If | cst.UnaryOperation | cst.StarredElement | cst.BinaryOperation | cst.AugAssign
        return isinstance(above, tests)


def _is_fresh(binding: Binding) -> bool:
    """Whether it gives a variable a list of its own, or adds to that."""
    if isinstance(binding.by, cst.AugAssign):
        return True
    return isinstance(binding.by, cst.Assign | cst.AnnAssign) and isinstance(binding.by.value, FRESH)


def _is_other(cls: External) -> bool:
    """Whether nothing that derives from it is known to Lightning as something that is shown."""
    is_apart = cls.name in PLAIN or cls.package == "torch" or bool(cls.lightning)
    return is_apart and cls.lightning not in DISPLAY_BASES


def stand_in(name: str | None, asked: Mapping[cst.BaseExpression, str]) -> str:
    """The script's class in the place of one of Lightning's: its own, where it is `asked` what is one of these."""
    bases = [name or ""]
    while bases[-1] in DISPLAY_BASES:
        bases.append(DISPLAY_BASES[bases[-1]])
    return STAND_INS[bases[0]] if any(each in bases for each in asked.values()) else "Callback"
