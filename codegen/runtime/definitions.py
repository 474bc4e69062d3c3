"""The runtime's definitions, read as text from the package `strategies`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ..source.definitions import Import
from ..source.names import global_names

SECTIONS = {
    "parts of the loop and of the model": (
        "loop/failures",
        "loop/classes",
        "loop/refits",
        "loop/precision",
        "data/limits",
        "loop/optimizers",
        "loop/manual",
        "loop/evaluation",
        "loop/module",
    ),
    "metrics": ("metrics/logs", "loggers/loggers"),
    "callbacks": ("callbacks/callbacks", "callbacks/early_stopping", "callbacks/model_checkpoint"),
    "loggers": (
        "loggers/files",
        "checkpoints/hyperparameters",
        "loggers/experiment",
        "loggers/logged_checkpoints",
        "loggers/tensorboard_logger",
        "loggers/csv_logger",
        "loggers/wandb_logger",
        "loggers/mlflow_logger",
        "loggers/logger_objects",
    ),
    "distributed: one process per device, as torchrun starts them": (
        "distributed/ranks",
        "distributed/rank_zero",
        "distributed/process_group",
        "distributed/wrap",
        "distributed/grad_sync",
        "distributed/gathering",
        "data/data",
        "data/combined",
    ),
    "randomness and checkpoints": (
        "checkpoints/randomness",
        "checkpoints/checkpoint",
        "checkpoints/resuming",
    ),
    "command line": ("loop/config",),
}
"""The sections of the machinery in order, with the modules that stand in them."""


@dataclass(frozen=True)
class RuntimeDefinition:
    """One function, class or constant of the runtime."""

    name: str
    module: str
    code: str

    @property
    def uses(self) -> frozenset[str]:
        return global_names(self.code)


def section_of(module: str) -> str:
    """The title under which a module's definitions stand."""
    return next(title for title, modules in SECTIONS.items() if module in modules)


@dataclass(frozen=True)
class Runtime:
    """All definitions by name, and the imports of their modules."""

    definitions: dict[str, RuntimeDefinition]
    imports: dict[str, dict[str, Import]]  # by module, then by the name bound


@lru_cache(maxsize=1)
def load_runtime() -> Runtime:
    """The definitions of every module of `strategies`."""
    definitions: dict[str, RuntimeDefinition] = {}
    imports: dict[str, dict[str, Import]] = {}
    for module in (module for modules in SECTIONS.values() for module in modules):
        text = resources.files("ddpgen.strategies").joinpath(f"{module}.py").read_text("utf-8")
        tree, lines = ast.parse(text), text.split("\n")
        imports[module] = {bound.name: bound for node in tree.body for bound in _imports(node)}
        for node in tree.body:
            for name in _names(node):
                definitions[name] = RuntimeDefinition(name, module, _segment(lines, node))
    return Runtime(definitions, imports)


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _segment(lines: list[str], node: ast.stmt) -> str:
    """The definition's lines, decorators included."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : node.end_lineno]) + "\n"


def _imports(node: ast.stmt) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.asname or alias.name.partition(".")[0], alias.name)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            yield Import(alias.asname or alias.name, node.module or "", alias.name)
