"""The runtime's definitions, read as text from the package `strategies`."""

from __future__ import annotations

import ast
import re
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
        "loop/gradients",
        "loop/compiled",
        "loop/summary",
        "loop/overridden",
        "loop/memory",
        "loop/evaluation",
        "loop/profilers",
        "loop/module",
    ),
    "metrics": (
        "metrics/logs",
        "metrics/microbatch_logs",
        "metrics/so_far",
        "loggers/loggers",
        "loggers/remote_metrics",
    ),
    "callbacks": (
        "callbacks/callbacks",
        "callbacks/displays",
        "callbacks/early_stopping",
        "callbacks/stochastic_weight_averaging",
        "callbacks/weight_averaging",
        "callbacks/finetuning",
        "callbacks/prediction_writer",
        "callbacks/pruning",
        "callbacks/model_checkpoint",
    ),
    "loggers": (
        "loggers/files",
        "checkpoints/hyperparameters",
        "loggers/experiment",
        "loggers/logged_checkpoints",
        "loggers/tensorboard_logger",
        "loggers/csv_logger",
        "loggers/wandb_logger",
        "loggers/mlflow_logger",
        "loggers/comet_logger",
        "loggers/own_logger",
        "loggers/logger_objects",
    ),
    "distributed: one process per device, as torchrun starts them": (
        "distributed/ranks",
        "distributed/launchers",
        "distributed/rank_zero",
        "distributed/process_group",
        "failures/causes",
        "failures/hanging",
        "distributed/replicas",
        "distributed/devices",
        "distributed/accelerators",
        "data_parallel/wrap",
        "data_parallel/grad_sync",
        "data_parallel/comm_hooks",
        "data_parallel/local_sgd",
        "data_parallel/join",
        "sharding/sharded_optimizer",
        "sharding/sharded_model",
        "sharding/meshes",
        "distributed/gathering",
        "distributed/strategy",
        "distributed/environment",
        "distributed/cluster_environment",
        "data/data",
        "data/batch_samplers",
        "data/microbatches",
        "data/microbatch_search",
        "data/given",
        "data/combined",
    ),
    "randomness and checkpoints": (
        "checkpoints/claiming",
        "checkpoints/locking",
        "checkpoints/randomness",
        "data/positions",
        "checkpoints/appointments",
        "checkpoints/checkpoint",
        "checkpoints/configurations",
        "checkpoints/checkpoint_io",
        "checkpoints/remote",
        "checkpoints/sharded_checkpoint",
        "checkpoints/keeping",
        "checkpoints/batch_ends",
        "checkpoints/background",
        "checkpoints/resuming",
    ),
    "command line": (
        "command_line/config",
        "command_line/trainer_settings",
        "command_line/hydra_targets",
        "command_line/named_modules",
        "command_line/parsers",
    ),
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
        statements = list(_statements(text))
        header = "".join(each for each in statements if each.startswith(("import ", "from ")))
        imports[module] = {bound.name: bound for node in ast.parse(header).body for bound in _imports(node)}
        for code in statements:
            if found := _DEFINED.match(code):
                definitions[found[1]] = RuntimeDefinition(found[1], module, code.rstrip() + "\n")
    return Runtime(definitions, imports)


_DEFINED = re.compile(r"(?:@.*\n)*(?:class |def |)(\w+)(?:\(|:| = )")


def _statements(text: str) -> Iterator[str]:
    """Those at the margin, where black has each begin and no line go on but with a bracket; parsing takes longer."""
    decorators = ""
    for code in re.split(r"^(?=[^\s)\]}])", text, flags=re.M):
        if code.startswith("@"):
            decorators += code
        else:
            yield decorators + code
            decorators = ""


def _imports(node: ast.stmt) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.asname or alias.name.partition(".")[0], alias.name)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            yield Import(alias.asname or alias.name, node.module or "", alias.name)
