"""Classes that name LightningCLI as their base, and do all that they do themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

BASE = "LightningCLI"

INHERITED = frozenset("""
    _add_arguments _add_configure_optimizers_method_to_model _add_instantiators _add_subcommands _dump_config _get
    _instantiate_trainer _parse_ckpt_path _parser _prepare_subcommand_kwargs _prepare_subcommand_parser _run_subcommand
    _set_seed _setup_parser_kwargs add_arguments_to_parser add_core_arguments_to_parser
    add_default_arguments_to_parser after_instantiate_classes before_instantiate_classes configure_optimizers
    init_parser instantiate_classes instantiate_trainer link_optimizers_and_lr_schedulers parse_arguments setup_parser
    subcommands
    """.split())
"""What it would have of its base, whose constructor it does not call."""


def classes_by_name_alone(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, ast.expr]]:
    """Those of a module, with their bases: nothing asks them, or what derives from them, for what these have."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _names_base(node) and _does_all_itself(node):
            others = (each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and each is not node)
            if not any(node.name in ast.unparse(base) for each in others for base in each.bases):
                asked = {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}
                if asked.isdisjoint(INHERITED - _own(node)):
                    yield node, node.bases[0]


def _names_base(cls: ast.ClassDef) -> bool:
    bases = [ast.unparse(each).rpartition(".")[2] for each in cls.bases]
    return bases == [BASE] and not cls.keywords and not cls.decorator_list


def _does_all_itself(cls: ast.ClassDef) -> bool:
    """Whether it has a constructor of its own, that begins no other, and its object stays within its methods."""
    methods = {each.name for each in cls.body if isinstance(each, ast.FunctionDef)}
    inner = [each for statement in cls.body for each in ast.walk(statement)]
    names = [each.id for each in inner if isinstance(each, ast.Name)]
    owners = [each.value for each in inner if isinstance(each, ast.Attribute)]
    is_handed_on = any(
        isinstance(each, ast.Name) and each.id == "self" and each not in owners for each in inner
    )
    return "__init__" in methods and not {"super", BASE} & {*names} and not is_handed_on


def _own(cls: ast.ClassDef) -> set[str]:
    """The names of its methods, and of attributes that these set."""
    inner = [each for statement in cls.body for each in ast.walk(statement)]
    methods = {each.name for each in cls.body if isinstance(each, ast.FunctionDef)}
    stored = (each for each in inner if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store))
    return methods | {each.attr for each in stored if ast.unparse(each.value) == "self"}
