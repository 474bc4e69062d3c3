"""How `instantiate_trainer` has the Trainer made, as far as it has been followed."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....spec.yaml_file import KeyPath
from ...modules.module import Module

METHOD = "instantiate_trainer"

FOLDER_NAME = "default_root_dir"


@dataclass(frozen=True)
class MadeTrainer:
    """What stays of the method, and what the Trainer is told beside the settings."""

    module: Module
    stopped: ast.AST | None = None  # what cannot be followed
    is_all: bool = False  # nothing of it stays
    gone: tuple[ast.stmt, ...] = ()  # the statements that do not
    call: ast.Call | None = None  # that makes it, and is given what the settings say by now
    folder: str = ""  # to train in, where only the method knows it: what it calls that
    asked: tuple[ast.Attribute, ...] = ()  # settings with objects, of which it asks for plain values
    callbacks: tuple[Any, ...] = ()  # behind those that the parser was told of
    changed: frozenset[KeyPath] = frozenset()  # settings that `config` has as they were
    shown: Mapping[KeyPath, Any] = field(default_factory=dict)  # what others are that it asks for
    fixed: frozenset[KeyPath] = frozenset()  # those that it has computed others from

    @property
    def nodes(self) -> frozenset[ast.AST]:
        """All that is accounted for."""
        read = (*self.gone, *self.asked, *([self.call] if self.call else []))
        return frozenset(inner for each in read for inner in ast.walk(each))

    @property
    def written_call(self) -> str:
        """What stands in the place of the call."""
        return f"super().{METHOD}({f'{FOLDER_NAME}={self.folder}' if self.folder else ''})"


@dataclass(frozen=True)
class Followed:
    """A statement whose effect is known."""

    statement: ast.stmt
    is_plain: bool  # what it binds can be computed when the script runs

    @property
    def bound(self) -> frozenset[str]:
        """The variables that it sets."""
        return names_in(self.statement, ast.Store)


def names_in(node: ast.AST, context: type[ast.expr_context] = ast.Load) -> frozenset[str]:
    """The variables that it asks for, or sets."""
    named = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return frozenset(each.id for each in named if isinstance(each.ctx, context) or _is_added_to(each, node))


def _is_added_to(name: ast.Name, root: ast.AST) -> bool:
    """Whether it is asked for and set: `name += 1`."""
    return any(isinstance(each, ast.AugAssign) and each.target is name for each in ast.walk(root))


def not_needed(followed: list[Followed], kept: Sequence[ast.AST]) -> list[ast.stmt] | None:
    """Those of the statements that set nothing which the others need; None: one that they need cannot stay."""
    needed = frozenset[str]().union(*map(names_in, kept))
    gone = []
    for each in reversed(followed):
        if each.bound & needed:
            if not each.is_plain:
                return None
            needed |= names_in(each.statement)
        else:
            gone.append(each.statement)
    return gone


def is_of_super(call: ast.Call) -> bool:
    """Whether it calls the method that a class's own hides."""
    return ast.unparse(call.func).startswith("super(") and ast.unparse(call.func).endswith(f").{METHOD}")
