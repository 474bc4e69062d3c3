"""What becomes of all that the user's code does: in the script, replaced by its own, or told; nothing else is left.

The check does not ask the phases before what they have done. It compares what runs in the linked source with the
statements and the arguments that the script takes over, and with the places that something is said of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from . import messages
from .analysis import Analysis
from .diagnostics import Diagnostic, Span
from .facts.code.effects import acts, registers
from .facts.trainer.arguments import unpacked
from .facts.trainer.settings import known_value
from .index import patterns as m
from .ir.project import Project, Statement
from .ir.rewrites import Rewrite
from .lightning.api import STAND_INS
from .spec.trainer_settings import TrainerSettings, says_nothing

OF_TRAINER = ("callbacks", "logger")
NOTHING = m.Name("None") | m.Name("True") | m.Name("False") | m.List(elements=[])
SETTLED = ("verbose", "weights_only", "workers", "logger")
"""Arguments that change what is printed, that the script does in any case, or that its loaders are made with; and
whether loggers are told of hyperparameters, which is written where it tells them."""

SEEDING = ("seed_run", "seed_with_workers")
"""What is called in the place of `seed_everything`, whose second argument is settled, too, if it is passed by place."""


def left_over(project: Project, found: Analysis) -> tuple[Diagnostic, ...]:
    """What is neither in the script nor told: notes on statements that it does without, errors on arguments."""
    check = _Accounts(project, found, tuple(each.span for each in found.notes if each.span))
    return (*check.statements(), *check.arguments())


@dataclass(frozen=True)
class _Accounts:
    project: Project
    found: Analysis
    told: tuple[Span, ...]

    def statements(self) -> Iterator[Diagnostic]:
        """Statements that are run with the original, and are not in the script."""
        kept = {*self.found.statements, *self.found.own_main, *self.found.replaced}
        for statement in self.project.statements:
            if statement not in kept and self._runs(statement) and not self._is_told(statement.node):
                say = messages.statement_left_out if statement.names else messages.guard_left_out
                span = self.project.source.span(statement.node)
                yield say((span, self.project.source.line_of(span)))

    def _runs(self, statement: Statement) -> bool:
        return acts(self.project, statement) or registers(self.project, statement)

    def arguments(self) -> Iterator[Diagnostic]:
        """Arguments of Lightning's calls that the calls in their place are not given."""
        for rewrite in self.found.rewrites.calls:
            slots = (*rewrite.arguments, *rewrite.beside)
            passed = {slot.place for slot in slots if not (slot.star or slot.key)}
            passed |= {each.place for slot in slots for each in slot.beside}
            asked = {(slot.place, name) for slot in slots for name in (*slot.names, slot.key)}
            for place, argument in self._given(rewrite):
                is_asked = argument.keyword is not None and (place, argument.keyword.value) in asked
                if place not in passed and not is_asked and not self._is_settled(rewrite, argument):
                    yield messages.argument_lost((self.project.source, argument))

    def _given(self, rewrite: Rewrite) -> Iterator[tuple[int, cst.Arg]]:
        """The arguments with their places, in the place of mappings what these hold, as far as that is known."""
        of_trainer = rewrite.function == "Config"
        keys = self.found.facts.loaded.spec.trainer_keys if of_trainer else ()
        mappings = unpacked(self.project, rewrite.node, keys)
        read = {each.place: each for each in mappings if of_trainer or not each.is_open}
        yield from ((place, each) for place, each in enumerate(rewrite.node.args) if place not in read)
        yield from ((entry.place, entry.node) for each in read.values() for entry in each.entries)

    def _is_settled(self, rewrite: Rewrite, argument: cst.Arg) -> bool:
        """Whether an argument that is passed on no further is a part of the script, asks for nothing, or is told."""
        name = argument.keyword.value if argument.keyword else ""
        if rewrite.function in ("Callback", *STAND_INS.values(), "stop") or self._is_told(argument):
            return True  # what only shows something is replaced whole, and what Lightning stops at
        if rewrite.function in SEEDING and argument in rewrite.node.args[1:] and not name:
            return True
        if rewrite.function != "Config":
            return name in SETTLED or m.matches(argument.value, m.Name("None"))
        spec = self.found.facts.loaded
        key = "checkpoint.dir" if name == "default_root_dir" else f"trainer.{name}"
        if spec.is_given(key):
            return True  # the spec wins
        if name in self.found.facts.replaced_settings:
            return True
        if name in TrainerSettings.model_fields:
            return name not in {field.name for group in self.found.script.config for field in group.fields}
        if name in OF_TRAINER:
            return m.matches(argument.value, NOTHING)
        return says_nothing(name, known_value(self.project.holding(argument.value), argument.value))

    def _is_told(self, node: cst.CSTNode) -> bool:
        """Whether something is said of a place within it; a literal that no code writes out has none."""
        if not self.project.source.has_place(node):
            return False
        span = self.project.source.span(node)
        return any(each.begins_within(span) for each in self.told)
