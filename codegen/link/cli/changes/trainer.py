"""What `instantiate_trainer` changes of what the Trainer is told, before it has it made."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from ....lightning.trainer_names import TRAINER_DEFAULTS
from ....spec.init_args.environment import AtRun
from ....spec.init_args.values import Linked
from ....spec.yaml_file import KeyPath
from ..calls import methods_of
from ..known import Unknown
from ..parser import place_of
from .made_trainer import METHOD, Followed, MadeTrainer, is_of_super, names_in, not_needed
from .settings import CHANGEABLE, ENDING, FOLDER, GIVE_ANYTHING, ROOTS, Changes, as_code, setting_at, touch

MADE = "config_init"
"""The settings with the objects that they describe."""

TRAINER = ("trainer",)

CHECKPOINT = ("ckpt_path",)
"""Known when the script runs."""

PARSING = frozenset("config config_init parser trainer_class trainer_defaults save_config_callback".split())
"""Members that no statement asks for which stays, unless it is followed what for."""

OF_MACHINE = ((*TRAINER, "devices"), (*TRAINER, "accelerator"))
"""Settings that depend on where the script runs."""


@dataclass
class TrainerChanges(Changes):
    """Follows the method; what the Trainer is told there is what the settings say."""

    roots: frozenset[str] = ROOTS | {MADE}
    is_folder_known: bool = True  # as it is before
    of_config: set[str] = field(default_factory=set)  # variables for sections without objects
    followed: list[Followed] = field(default_factory=list)
    kept: list[ast.stmt] = field(default_factory=list)
    changed: set[KeyPath] = field(default_factory=set)
    shown: dict[KeyPath, Any] = field(default_factory=dict)
    forced: str = ""  # the variable that has the callbacks which the parser was told of
    callbacks: list[Any] = field(default_factory=list)
    folder: ast.expr | None = None  # to train in, as the method has it
    call: ast.Call | None = None  # that makes the Trainer
    made: str = ""  # the variable that has it
    is_copied: bool = False  # the Trainer's section, of which the settings say nothing from there on
    finds_new: bool = False  # a statement asks for what has changed

    def follow(self) -> MadeTrainer | None:
        """None: there is no such method."""
        found = [methods_of(each)[METHOD] for each in self.cli.lineage if METHOD in methods_of(each)]
        if not found or not found[0][1].args.args:
            return None
        self.module, method = found[0]
        self.own = method.args.args[0].arg
        if method.args.kwarg:
            self.values[method.args.kwarg.arg] = as_code({})
        before = deepcopy((self.layer.data, self.layer.positions))
        stopped = self._follow(method.body) if len(found) == 1 else method
        made = None if stopped else self._made()
        if made is None:
            self.layer.data, self.layer.positions = before
        return made or MadeTrainer(self.module, stopped=stopped or method)

    def _made(self) -> MadeTrainer | None:
        """None: what stays needs what does not."""
        assert self.call is not None
        value = self.layer.get(FOLDER) if FOLDER in self.changed else None
        is_known = self.folder is None or FOLDER in self.changed
        all_of_it = MadeTrainer(
            self.module,
            callbacks=tuple(self.callbacks),
            changed=frozenset(self.changed),
            shown=self.shown,
            fixed=frozenset(self.fixed),
        )
        if not self.kept and is_known:
            return replace(all_of_it, is_all=True)
        is_handed = self.folder is not None and not (is_known and isinstance(value, str | None))
        handed: list[ast.expr] = [self.folder] if self.folder and is_handed else []
        if handed and FOLDER in self.changed:
            self.layer.take(FOLDER)
        gone = not_needed(self.followed, [*self.kept, *handed])
        if gone is None:
            return None
        stays = [each.statement for each in self.followed if each.statement not in gone]
        is_told = self.changed or handed or self.callbacks or not is_of_super(self.call)
        return replace(
            all_of_it,
            gone=tuple(gone),
            changed=all_of_it.changed | ({FOLDER} if handed else set()),
            call=self.call if is_told else None,
            folder=ast.unparse(handed[0]) if handed else "",
            asked=tuple(self._asked_in([*self.kept, *stays])),
        )

    def _asked_in(self, statements: list[ast.stmt]) -> Iterator[ast.Attribute]:
        for node in (inner for each in statements for inner in ast.walk(each)):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == f"{self.own}.{MADE}":
                yield node

    # ---- statements --------------------------------------------------------------------------------------

    def _follow(self, body: list[ast.stmt]) -> ast.AST | None:
        """What cannot be followed; None: there is nothing of the kind."""
        for number, each in enumerate(body):
            if self._is_followed(each):
                if self.call is not None:
                    return self._end(each, body[number + 1 :])
                continue
            if not self._only_reads(each):
                return each
            self._leave(each)
            self.kept.append(each)
            if self._changes_folder(each):
                return each
        return body[-1]

    def _is_followed(self, statement: ast.stmt) -> bool:
        self.finds_new = False
        try:
            is_read = self._is_read(statement)
        except Unknown:
            return False
        if not is_read or self.call is not None:
            return is_read and not self._changes_folder(statement)
        values = (self.values.get(name) for name in names_in(statement, ast.Store))
        is_plain = not any(isinstance(each, CHANGEABLE) for each in values) and not _sets_parts(statement)
        self.followed.append(Followed(statement, is_plain and not self.finds_new))
        return not self._changes_folder(statement)

    def _changes_folder(self, statement: ast.stmt) -> bool:
        """Whether what the folder is put together from is another from there on."""
        return self.folder is not None and not names_in(self.folder).isdisjoint(
            names_in(statement, ast.Store)
        )

    def _end(self, making: ast.stmt, rest: list[ast.stmt]) -> ast.AST | None:
        """What is done once the Trainer is made stays."""
        if isinstance(making, ast.If):
            return making if self.kept or self.folder or self.made else None
        if self.made and [ast.unparse(each) for each in rest] != [f"return {self.made}"]:
            self.kept += rest
        return next((each for each in self.kept if each in rest and not self._only_reads(each, True)), None)

    def _is_read(self, statement: ast.stmt) -> bool:
        self.read.clear()
        match statement:
            case ast.Return(ast.Call() as call) if self._makes(call):
                return self._make(call, "")
            case ast.Assign([ast.Name(name)], ast.Call() as call) if self._makes(call):
                return self._make(call, name)
            case ast.Assign([ast.Name(name)], given) if self._gives_forced(given):
                self._forget(name)
                self.values[name], self.forced = as_code([]), name
                return True
            case ast.Assign([ast.Name(name)], ast.Dict([None, *keys], [section, *values])) if (
                self._is_made(section) and self.path(section) == TRAINER
            ):
                return self._copy(name, ast.Dict(keys, values), section)
            case ast.Assign([ast.Subscript(ast.Name(name), ast.Constant(key))], given) if name in self.values:
                return self._update(name, {key: self._value(given)})
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "update"), given, keywords)) if (
                name in self.values
            ):
                whole = ast.Dict([None] * len(given), [*given])
                whole.keys += [ast.Constant(each.arg) if each.arg else None for each in keywords]
                whole.values += [each.value for each in keywords]
                return self._update(name, self._value(whole))
            case ast.Expr(ast.Call(ast.Attribute(target, "append"), [given], [])):
                return self._extend(target, [self._value(given)])
            case ast.Expr(ast.Call(ast.Attribute(target, "extend"), [given], [])):
                return self._extend(target, self._value(given))
            case ast.AugAssign(target, ast.Add(), given) if self._list_at(target) is not None:
                return self._extend(target, self._value(given))
        return super()._is_read(statement)

    def _only_reads(self, node: ast.AST, may_end: bool = False) -> bool:
        """Whether it has nothing to do with the settings but to ask for plain ones."""
        if isinstance(node, ast.expr) and (path := self.path(node)) is not None:
            return self._is_plain(node, path)
        match node:
            case ast.Call(ast.Attribute(ast.Name(self.own), "_get"), [_, ast.Constant(key), *_]):
                return (key,) == CHECKPOINT
            case ast.Attribute(ast.Name(self.own), name):
                return name not in PARSING and not name.startswith("_")
            case ast.Name(name):
                changing = isinstance(self.values.get(name), CHANGEABLE)
                return name not in {self.own, *GIVE_ANYTHING, *self.names} and not changing
            case ast.Return() if may_end:
                pass
            case _ if isinstance(node, ENDING):
                return False
        return all(self._only_reads(each, may_end) for each in ast.iter_child_nodes(node))

    def _is_plain(self, node: ast.expr, path: KeyPath) -> bool:
        """Whether a setting is known, as it was at first, and nothing that changes."""
        self.finds_new = False
        try:
            value = self.value_at(node, path)
        except Unknown:
            return False
        return isinstance(value, str | int | float | bool | None) and not self.finds_new

    # ---- what the Trainer is told ------------------------------------------------------------------------

    def _makes(self, call: ast.Call) -> bool:
        return is_of_super(call) or ast.unparse(call.func) == f"{self.own}._{METHOD}"

    def _make(self, call: ast.Call, name: str) -> bool:
        if is_of_super(call):
            given = None if call.args or self.forced or self.is_copied else self._keywords(call)
        else:
            given = self._copied(call)
        if given is None or not self._tell_all(given, call):
            return False
        self.call, self.made = call, name
        return True

    def _keywords(self, call: ast.Call) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for each in call.keywords:
            value = self._value(each.value)
            given |= {each.arg: value} if each.arg else value
        return given

    def _copied(self, call: ast.Call) -> dict[str, Any] | None:
        """With the Trainer's settings and callbacks, as LightningCLI's own method calls it; None: otherwise."""
        match call.args, call.keywords:
            case [section, ast.Name(self.forced) as more], [] if self.path(section) == TRAINER:
                self.callbacks = self._value(more)
                self.fixed |= self.read
                return {}
        return None

    def _gives_forced(self, node: ast.expr) -> bool:
        """Whether it lists the callbacks that the parser was told of, as LightningCLI's own method does."""
        match node:
            case ast.ListComp(_, [ast.comprehension(ast.Name(name), _, [], 0)]):
                every = f"{self.own}._parser({self.own}.subcommand).callback_keys"
                whole = f"[{self.own}._get({self.own}.{MADE}, {name}) for {name} in {every}]"
                return not self.forced and ast.unparse(node) == whole
        return False

    def _copy(self, name: str, over: ast.Dict, section: ast.expr) -> bool:
        """The Trainer's settings, with others over them: from there on the copy alone counts."""
        given = self._value(over)
        for each in [each for each, path in self.names.items() if path[:1] == TRAINER]:
            self._forget(each)
        self._forget(name)
        is_first, self.is_copied = not self.is_copied, True
        self.names[name] = TRAINER
        return is_first and self._tell_all(given, section)

    def _update(self, name: str, entries: dict[Any, Any]) -> bool:
        """A mapping that the method has made."""
        before = self._value(ast.Name(name))
        self.values[name] = as_code({**before, **entries})
        self.sources[name] = frozenset(self.read)
        return isinstance(before, dict)

    def _extend(self, target: ast.expr, items: list[Any]) -> bool:
        """A list of settings, or one that the method has made."""
        before = self._list_at(target)
        if before is None:
            return False
        if isinstance(target, ast.Name) and target.id in self.values:
            self.values[target.id] = as_code([*before, *items])
            self.sources[target.id] = frozenset(self.read)
            return True
        return self._tell(target, [*before, *items])

    def _list_at(self, target: ast.expr) -> list[Any] | None:
        is_own = isinstance(target, ast.Name) and target.id in self.values
        if is_own or self.path(target) is not None:
            with suppress(Unknown):
                value = self._value(target)
                return value if isinstance(value, list) else None
        return None

    def _set(self, target: ast.expr, given: ast.expr) -> bool:
        if isinstance(target, ast.Name):
            is_second = isinstance(given, ast.Name) and isinstance(self.values.get(given.id), CHANGEABLE)
            return not is_second and super()._set(target, given)
        path = self.path(target)
        if path is None or setting_at(path) != FOLDER or not self._is_made(target):
            return path is not None and self._tell(target, self._value(given))
        self.folder = given
        self.changed.discard(FOLDER)
        with suppress(Unknown):
            return self._tell(target, self._value(given))
        return isinstance(given, ast.Name)

    def _keep_value(self, target: ast.Name, given: ast.expr) -> bool:
        return False  # the method itself has it

    def _kept_once(self, target: ast.Name, given: ast.expr, value: Any, prefix: str = "") -> Any:
        return value

    def _tell(self, target: ast.expr, value: Any) -> bool:
        """The Trainer one of its settings, by the section that has them."""
        path = setting_at(self.path(target) or ())
        is_one = path[:1] == TRAINER and len(path) == 2 and self._is_made(target)
        return is_one and self._tell_all({path[-1]: value}, target)

    def _tell_all(self, given: Mapping[str, Any], node: ast.AST) -> bool:
        """The Trainer some of its settings."""
        for path, value in (((*TRAINER, name), value) for name, value in given.items()):
            if self._is_linked(path) or (isinstance(value, AtRun) and path != FOLDER):
                return False
            self.layer.put(path, value, place_of(self.module, node)[0])
            self.changed.add(path)
            self.fixed |= self.read - {path}
        return True

    # ---- settings ----------------------------------------------------------------------------------------

    def _name(self, name: str, given: ast.expr, path: KeyPath) -> None:
        super()._name(name, given, path)
        if isinstance(self.values.get(name), CHANGEABLE):
            del self.values[name]
            self.names[name] = path  # what changes there changes by any name
        if name in self.names and not self._is_made(given):
            self.of_config.add(name)

    def _forget(self, name: str) -> None:
        super()._forget(name)
        self.of_config.discard(name)

    def _is_made(self, node: ast.expr) -> bool:
        """Whether it leads to the settings with objects, of which the Trainer is made."""
        match node:
            case ast.Name(name):
                return name in self.names and name not in self.of_config
            case ast.Attribute(ast.Name(self.own), root):
                return root == MADE
            case ast.Call(ast.Attribute(ast.Name(self.own), "_get"), [inner, *_]):
                return self._is_made(inner)
            case ast.Call(ast.Attribute(inner)) | ast.Attribute(inner) | ast.Subscript(inner):
                return self._is_made(inner)
        return False

    def _keys(self, node: ast.expr) -> KeyPath | None:
        match node:
            case ast.Attribute(ast.Name(self.own), root) if root == MADE and self.is_copied:
                return None
            case ast.Call(ast.Attribute(ast.Name(self.own), "_get"), [_, ast.Constant(str(key)), *_]):
                is_own = key in self.layer.data and (key,) != CHECKPOINT
                return (key,) if is_own else super()._keys(node)
            case ast.Call(ast.Attribute(inner, "get"), [key, *_]):
                return self._below(inner, self._named(key))
        return super()._keys(node)

    def value_at(self, node: ast.expr, path: KeyPath) -> Any:
        """Raises Unknown where only a run could tell."""
        at = setting_at(path)
        self.asked.append(at)
        self.read.add(at)
        is_new, is_made = any(touch(at, each) for each in self.changed), self._is_made(node)
        self.finds_new |= is_new
        if (is_new and not is_made) or at in OF_MACHINE or (at == FOLDER and not self.is_folder_known):
            raise Unknown(node)
        inside = self.layer.get(at[:-1])
        if isinstance(inside, dict) and at[-1] in inside:
            return self._given_at(node, at, inside[at[-1]])
        if at[:1] == TRAINER and len(at) == 2 and at[1] in TRAINER_DEFAULTS:
            return self.shown.setdefault(at, TRAINER_DEFAULTS[at[1]])
        return super().value_at(node, path)

    def _given_at(self, node: ast.expr, at: KeyPath, value: Any) -> Any:
        if isinstance(value, AtRun | Linked) or (isinstance(value, dict | list) and not self._is_made(node)):
            raise Unknown(node)
        made = self.links.groups.get(at[0]) if len(at) == 1 else None
        if isinstance(value, dict) and made:
            return {"class_path": made, "init_args": value}
        if isinstance(value, dict) and "class_path" not in value:
            raise Unknown(node)
        return value


def _sets_parts(statement: ast.stmt) -> bool:
    """Whether something in it sets a part of what it has not made."""
    nodes = (each for each in ast.walk(statement) if isinstance(each, ast.Attribute | ast.Subscript))
    return any(isinstance(each.ctx, ast.Store) for each in nodes)
