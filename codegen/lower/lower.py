"""All rewritings, applied to the statements that a script takes over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from ..index import Index
from ..index.rewriting import rewritten
from ..ir.project import Class, Project, Statement
from ..ir.rewrites import EVALUATIONS, Rewrites
from ..source.definitions import AT_THE_END, Definition, Lowered, Run
from ..source.execution import postponed
from ..source.names import free_name, global_names
from .annotations import without_lightning_types
from .bases import with_script_bases
from .calls import with_script_calls
from .hyperparameters import with_saved_hyperparameters
from .imports import without_lightning_imports
from .metaclasses import with_saving_call

RUNTIME_NAMES = (
    "TrainModule",
    "DataModule",
    "HParams",
    "SimpleNamespace",
    "as_hparams",
    "updated_hparams",
    "deepcopy",
    "drop_ignored",
    "Any",
    "keeping_arguments",
)
MAIN_NAMES = (
    "Config",
    "Trainer",
    "new_trainer",
    "fit",
    "GivenLoaders",
    *EVALUATIONS,
    "stop",
    "is_installed",
    "is_windows",
    "with_compiled_steps",
    "seed_run",
    "seed_with_workers",
    "global_seed",
    "given_seed",
    "ranks_from_env",
    "made_unfilled",
    "made_of_dtype",
    "Path",
    "checked_settings",
    "configured_settings",
    "other_strategy",
    "instantiated",
    "module_named",
    "ModuleHere",
    "missing_here",
    "checkpoints_last",
    "with_checkpoint",
    "with_checkpoint_if",
    "checkpoint_io_among",
    "ModelCheckpoint",
    "TorchCheckpointIO",
    "settings_in",
    "configured_loggers",
    "logger_list",
    "default_loggers",
    "loggers_or_default",
)
"""What the user's own main may call."""


def lower(
    project: Project,
    statements: tuple[Statement, ...],
    own_main: tuple[Statement, ...],
    rewrites: Rewrites,
    data_has_base: bool,
    hparams_class: str = "HParams",
    keeps_initial: bool = False,
    runs: Mapping[Statement, Run] | None = None,
) -> Lowered:
    """Rewrite what has to be rewritten; hyperparameters are objects of `hparams_class`, `runs` say what runs when.

    `keeps_initial`: what hyperparameters are when they are saved stays beside them.
    """
    classes = [cls for statement in (*statements, *own_main) for cls in project.classes_in(statement)]
    definitions, introduced = [], set[str]()
    hidden = _hidden_names(project.index, rewrites)
    names = _free_names(project, (*statements, *own_main), rewrites, hidden)
    kept = {name for _, name in rewrites.names}
    own_modules = frozenset(b.module for b in project.imports if b.is_local)
    bound = {b.name for b in project.imports if b.is_lightnings}
    for statement in (*statements, *own_main):
        # before anything else, as it looks for the user's own nodes
        called = with_script_calls(statement.node, rewrites, names)
        typed = without_lightning_types(project, called, names, kept)
        node: cst.CSTNode = without_lightning_imports(typed, own_modules)
        if own := project.index.within(statement.node, cst.ClassDef):
            node = rewritten(
                node, _Classes(project, own, classes, data_has_base, names, hparams_class, keeps_initial)
            )
        code = statement.code if node is statement.node else project.source.module.code_for_node(node)
        introduced |= global_names(code) - (statement.uses - bound)
        run = (runs or {}).get(statement, AT_THE_END)
        code = postponed(code) if statement.postpones else code
        definitions.append(Definition(statement.names, code, statement.origin, run))
    used = frozenset(name for name in names if names[name] in introduced)
    hidden |= {name for name in used if names[name] != name}  # though what had the name may be gone by now
    return Lowered(tuple(definitions[: len(statements)]), tuple(definitions[len(statements) :]), used, hidden)


@dataclass
class _Classes(cst.CSTTransformer):
    """Rewrites the classes that a statement defines."""

    project: Project
    own: list[cst.ClassDef]  # of the user's code, in order
    all: list[Class]
    data_has_base: bool
    names: dict[str, str]
    hparams_class: str
    keeps_initial: bool  # what hyperparameters are at first

    def __post_init__(self) -> None:
        super().__init__()
        self._read = {cls.node: cls for cls in self.all}
        self._left = iter(self.own)
        self._within: list[cst.ClassDef] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._within.append(next(self._left))

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef | cst.RemovalSentinel:
        own, node = self._within.pop(), updated_node
        if own.name.value in self.project.displays:
            return cst.RemoveFromParent()
        if cls := self._read.get(own):  # else it has a namesake that is read
            names = self.names | {"HParams": self.names[self.hparams_class]}
            node = with_saved_hyperparameters(cls, self.all, node, names, self.keeps_initial)
            node = with_saving_call(cls, self.all, node, names, self.keeps_initial)
        return with_script_bases(self.project, own, node, self.data_has_base, self.names)


def _hidden_names(index: Index, rewrites: Rewrites) -> frozenset[str]:
    """What the main may call, by names that are variables of the functions that call it: `test`, say."""
    functions = [index.function_of(rewrite.node) for rewrite in rewrites.calls if rewrite.node in index]
    bindings = [
        (name, binding.by)
        for function in filter(None, functions)
        for name in MAIN_NAMES
        for binding in index.inner_scope(function).bindings(name)
    ]
    return frozenset(name for name, by in bindings if not isinstance(by, cst.ImportAlias))


def _free_names(
    project: Project, statements: tuple[Statement, ...], rewrites: Rewrites, hidden: frozenset[str]
) -> dict[str, str]:
    """The names of the runtime's that lowered code may refer to, where need be in a form that is left to them."""
    taken = hidden | {name for statement in statements for name in statement.names}
    uses = {name for statement in statements for name in statement.uses}
    bound = [imported for imported in project.imports if imported.name in uses]
    own = {("typing", "Any"), ("pathlib", "Path"), ("types", "SimpleNamespace"), ("copy", "deepcopy")}
    taken |= {
        imported.name
        for imported in bound
        if (imported.module, imported.attribute) not in own and not imported.is_lightnings
    }
    made = (rewrite.function for rewrite in rewrites.calls)
    translated = {"Callback", *(name for _, name in rewrites.names), *made}
    return {name: free_name(name, taken) for name in (*RUNTIME_NAMES, *MAIN_NAMES, *sorted(translated))}
