"""Names of Lightning's in the code, and what a script has in their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from . import messages
from .diagnostics import Diagnostic
from .facts.callbacks.callbacks import LightningClasses, lightning_classes
from .facts.hyperparameters.checkpoint_keys import checkpoint_keys
from .facts.lightning.asked_kinds import asked_kinds, with_asked_kinds
from .facts.lightning.constants import Constants, constants, names_missed, with_constants, without_missed
from .facts.lightning.functions import LightningFunctions, lightning_functions, with_functions
from .facts.main.instantiation import with_targets
from .facts.model.load_from_checkpoint import files_named
from .facts.optimizers.wrapped import kinds_asked
from .ir.project import Project, Statement
from .ir.rewrites import Rewrites
from .lightning.api import INSTEAD


@dataclass(frozen=True)
class Counterparts:
    """Where the statements have such names, by what they are."""

    project: Project
    classes: LightningClasses  # callbacks and loggers
    functions: LightningFunctions
    kinds: Mapping[cst.BaseExpression, str]  # that code asks values for
    optimizers: tuple[cst.BaseExpression, ...]  # the same of optimizers
    constants: Constants
    keys: Mapping[cst.BaseExpression, str]  # of checkpoints
    files: frozenset[cst.Arg]  # of hyperparameters, of which there are none
    missed: Constants  # what the script does not have, and may not need

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        """The names, of which there is nothing more to say."""
        of_members = self.classes.translated | self.functions.translated
        return of_members | {*self.kinds, *self.optimizers, *self.constants, *self.missed}

    def told(self) -> Iterator[Diagnostic]:
        """What the user is told of them."""
        for node, name in self.missed.items():
            yield messages.missing_here((self.project.source, node), name, INSTEAD[name])

    def within(self, rewrites: Rewrites) -> Rewrites:
        """The rewrites, and those of names, but for callbacks and loggers, which depend on the model."""
        read = with_constants(
            with_functions(rewrites, self.functions), self.constants | without_missed(self.missed)
        )
        expressions, folded = (*read.expressions, *self.keys.items()), read.folded | self.files
        read = replace(read, expressions=expressions, folded=folded)
        return with_targets(self.project, with_asked_kinds(read, self.kinds))


def counterparts(project: Project, statements: Iterable[Statement]) -> Counterparts:
    """What the statements name."""
    statements = tuple(statements)
    return Counterparts(
        project=project,
        classes=lightning_classes(project, statements),
        functions=lightning_functions(project, statements),
        kinds=asked_kinds(project, statements),
        optimizers=tuple(kinds_asked(project, statements)),
        constants=constants(project, statements),
        keys=checkpoint_keys(project),
        files=files_named(project),
        missed=names_missed(project, statements),
    )
