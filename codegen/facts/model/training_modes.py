"""Whether all modules train whenever an evaluation begins: then `train()` gives each its own mode again."""

from __future__ import annotations

import sys

import libcst as cst

from ...ir.project import Project

WITHOUT_MODULES = sys.stdlib_module_names | set("""
    lightning pytorch_lightning lightning_fabric torch
    matplotlib numpy pandas PIL rich scipy sklearn tqdm typer yaml click omegaconf
    """.split())
"""Packages that make no modules, or have all of them train as they are made."""

BY_NAME = frozenset(
    "exec eval getattr setattr vars import_module __import__ methodcaller attrgetter instantiate".split()
)
"""Functions by which modules are made, or told their modes, in ways that no name tells."""

CHANGING = frozenset("""
    eval freeze training unfreeze __dict__ __setattr__ __setstate__
    ao compile export fx hub jit load loads parametrize quantization unpickle import_module
    """.split())
"""Attributes that say what mode a module has, or by which it comes from elsewhere."""


def all_train(project: Project, mentioned: frozenset[str]) -> bool:
    """Whether no code may have a module of the model's in evaluation mode; attributes are `mentioned` anywhere."""
    index = project.index
    names = {each.value for each in index.of_kind(cst.Name)}
    defined = {each.name.value for each in index.of_kind(cst.FunctionDef)}
    return (
        mentioned.isdisjoint(CHANGING)
        and names.isdisjoint(BY_NAME)
        and defined.isdisjoint({"train", "eval"})
        and project.packages <= WITHOUT_MODULES
        and all(_is_of_data(project, each) for each in index.attributes("train"))
    )


def _is_of_data(project: Project, node: cst.Attribute) -> bool:
    """Whether it is what a data module calls so, such as a dataset."""
    holder = project.index.class_of(node)
    is_own = isinstance(node.value, cst.Name) and node.value.value == "self"
    return is_own and any(cls.node is holder and cls.kind == "data" for cls in project.classes.values())
