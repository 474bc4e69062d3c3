"""Which class is trained, and which one brings the data."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from .. import messages
from ..diagnostics import CompileError
from ..project import Class, Entry, Project


def choose_model(project: Project, entry: Entry, wanted: str | None) -> Class:
    """The LightningModule to train: the one wanted, the entry's, or the only one that nothing else derives from.

    Raises CompileError where there is none or where several could be meant.
    """
    modules = {name: cls for name, cls in project.classes.items() if cls.kind == "module"}
    path = project.source.path
    wanted = wanted if wanted is not None else _class_name(entry.model)
    if wanted is not None:
        if wanted not in modules:
            raise CompileError([messages.unknown_class(path, wanted, "LightningModule", list(modules))])
        return modules[wanted]
    bases = {base.name for cls in modules.values() for base in cls.lineage[1:]}
    leaves = [cls for name, cls in modules.items() if name not in bases]
    # classes of the entry's first, then classes that can be trained
    for wanted_of in (lambda cls: cls.path == path, lambda cls: "training_step" in cls.methods):
        leaves = list(filter(wanted_of, leaves)) or leaves
    candidates = leaves
    if len(candidates) > 1:
        raise CompileError([messages.several_models(path, [cls.name for cls in candidates])])
    if not candidates:
        raise CompileError([messages.no_model(path, _nested_modules(project))])
    return candidates[0]


def choose_data(project: Project, entry: Entry, wanted: str | None, model: Class) -> Class | None:
    """The LightningDataModule to use; None: the model has loaders of its own.

    Raises CompileError where several could be meant.
    """
    modules = {name: cls for name, cls in project.classes.items() if cls.kind == "data"}
    path = project.source.path
    wanted = wanted if wanted is not None else _class_name(entry.data)
    if wanted is not None:
        if wanted not in modules:
            raise CompileError([messages.unknown_class(path, wanted, "LightningDataModule", list(modules))])
        return modules[wanted]
    if "train_dataloader" in model.methods or entry.model is not None:
        return None
    bases = {base.name for cls in modules.values() for base in cls.lineage[1:]}
    candidates = [cls for name, cls in modules.items() if name not in bases]
    if len(candidates) > 1:
        raise CompileError([messages.several_data_modules(path, [cls.name for cls in candidates])])
    return candidates[0] if candidates else None


def _class_name(call: cst.Call | None) -> str | None:
    return call.func.value if call and isinstance(call.func, cst.Name) else None


def _nested_modules(project: Project) -> list[str]:
    """LightningModules that stand inside functions."""
    found = (
        node
        for statement in project.statements
        if isinstance(statement.node, cst.FunctionDef)
        for node in m.findall(statement.node, m.ClassDef())
    )
    return [
        node.name.value
        for node in found
        if isinstance(node, cst.ClassDef)
        and any(project.lightning_name(base.value) == "LightningModule" for base in node.bases)
    ]
