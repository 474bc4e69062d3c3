"""Commands of the project's own that a LightningCLI has beside Lightning's, and the Trainer that runs them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ...lightning.api import is_lightnings
from ...lightning.trainer_names import INNER, TRAINER_NAMES, is_trainer
from ..spec.class_paths import Found
from .calls import CliCall

METHOD = "subcommands"

SKIPPED = {
    "fit": {"model", "train_dataloaders", "val_dataloaders", "datamodule"},
    **{name: {"model", "dataloaders", "datamodule"} for name in ("validate", "test", "predict")},
}
"""Lightning's commands, and the arguments of their methods that are no settings."""


@dataclass(frozen=True)
class OwnCommands:
    """Those that a method adds, as far as this only adds some."""

    cli: CliCall
    command: str  # that is run

    @property
    def names(self) -> list[str] | None:
        """None: there is no such method, or it may do more."""
        found = self.cli.methods().get(METHOD)
        if found is None:
            return None
        entries = list(self._entries([each for each in found[1].body if not _is_text(each)]))
        known = [each for each in entries if each is not None]
        return [each for each in known if each not in SKIPPED] if len(known) == len(entries) else None

    def _entries(self, body: list[ast.stmt]) -> Iterator[str | None]:
        """The commands of the table that is given; None: something else is."""
        table = ""
        for number, statement in enumerate(body, 1):
            match statement:
                case ast.Assign([ast.Name(name)], value) if not table and _is_lightnings(value):
                    table = name
                case ast.Assign([ast.Name(name)], ast.Set() | ast.Constant()) if name != table:
                    pass
                case ast.Assign([ast.Subscript(ast.Name(name), ast.Constant(str(key)))]) if name == table:
                    yield key if key not in SKIPPED else None
                case ast.Expr(
                    ast.Call(ast.Attribute(ast.Name(name), "update"), [ast.Dict() as given], [])
                ) if (name == table):
                    yield from self._of(given, has_command=True)
                case ast.Return(ast.Name(name)) if name == table and number == len(body):
                    return
                case ast.Return(ast.Dict() as given) if number == len(body):
                    yield from self._of(given, has_command=False)
                    return
                case _:
                    yield None
        yield None

    def _of(self, given: ast.Dict, has_command: bool) -> Iterator[str | None]:
        for key, value in zip(given.keys, given.values, strict=True):
            match key:
                case None if _is_lightnings(value):
                    has_command = True
                case ast.Constant(str(name)):
                    has_command |= name == self.command
                    yield name if name not in SKIPPED or _is_same(name, value) else None
                case _:
                    yield None
        if not has_command:
            yield None


def only_adds(cli: CliCall, path: str) -> bool:
    """Whether a class is the Trainer, with methods that Lightning neither has nor calls."""
    found = cli.paths.found(path)
    return found is not None and len(found.node.bases) == 1 and _adds(cli, found)


def _adds(cli: CliCall, found: Found) -> bool:
    above = cli.paths.meaning(found.module, ast.unparse(found.node.bases[0]))
    if found.node.keywords or found.node.decorator_list or not all(map(_is_added, found.node.body)):
        return False
    return is_trainer(above) or (not is_lightnings(above) and only_adds(cli, above))


def _is_added(part: ast.stmt) -> bool:
    if isinstance(part, ast.FunctionDef):
        return not part.name.startswith("__") and part.name not in TRAINER_NAMES | INNER
    return _is_text(part) or isinstance(part, ast.Pass)


def _is_text(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def _is_lightnings(node: ast.expr) -> bool:
    return ast.unparse(node) in ("LightningCLI.subcommands()", "super().subcommands()")


def _is_same(name: str, value: ast.expr) -> bool:
    """Whether a command of Lightning's takes what it always does."""
    match value:
        case ast.Subscript(table, ast.Constant(key)):
            return _is_lightnings(table) and key == name
        case ast.Set(items):
            return {each.value for each in items if isinstance(each, ast.Constant)} == SKIPPED[name]
    return False
