"""Code that asks which callbacks of a list only show something, as `isinstance(callback, TQDMProgressBar)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...lightning.api import DISPLAY_BASES, STAND_INS
from ...values import Class, External, Function, Instance, Literal, Value, values_of
from ...values.bases import PLAIN
from .own_lists import OwnLists, parameter_given

IS_OF = m.Call(m.Name("isinstance"), [m.Arg(m.Name(), keyword=None, star=""), m.Arg(keyword=None, star="")])
"""Whether a variable is of a class."""

CLASS_OF = m.Call(m.Name("type"), [m.Arg(m.Name(), keyword=None, star="")])
IS_CLASS = m.Comparison(CLASS_OF, [m.ComparisonTarget(m.Is() | m.IsNot() | m.Equal() | m.NotEqual())])
"""The same, where no class that derives from it counts."""

CLASS = CLASS_OF | m.Attribute(attr=m.Name("__class__"))
NAMES = ("__name__", "__qualname__")
"""What a class is asked for that is called as another one is."""

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
            if name in DISPLAY_BASES and not is_own and self._has_known_answers(node):
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

    def _has_known_answers(
        self, node: Name, call: cst.Call | None = None, within: frozenset[cst.CSTNode] = frozenset()
    ) -> bool:
        """Whether it is known what is asked about a class, here or in what a `call` hands it to."""
        if (asked := self._asked(node)) is not None:
            return self._is_known(asked, call)
        above = self.project.index.parent(node)
        handing = self.project.index.parent(above) if isinstance(above, cst.Arg) else None
        if not isinstance(handing, cst.Call) or handing in within:
            return False
        given = parameter_given(self.project, handing, node)
        uses = given.uses if given is not None and len(given.bindings) == 1 else []
        return bool(uses) and all(self._has_known_answers(use, handing, within | {handing}) for use in uses)

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

    def _is_known(self, asked: cst.Name, call: cst.Call | None) -> bool:
        """Whether it is one of a list that no Trainer has yet, and of which it is known what it holds."""
        found = values_of(self.project).of(asked)
        is_kept = bool(found) and all(map(self._is_kept, found))
        return is_kept and self._lists.is_of_own(asked, call)

    @cached_property
    def _lists(self) -> OwnLists:
        return OwnLists(self.project)

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
