"""The LightningCLI in the code: what it trains with, what the code asks of it, and what of the code goes with it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.told_by_cli import ToldByCli
from ...lightning.api import is_lightnings
from ...source.source_text import first_line
from ...spec.layers import Layer
from ...spec.load import with_layers
from ...spec.yaml_file import KeyPath
from ..modules.module import Module
from ..spec.class_paths import ClassPaths
from .calls import CliCall, Given, methods_of
from .changes.made_trainer import METHOD as MAKING_TRAINER
from .changes.made_trainer import MadeTrainer
from .changes.other_commands import SUBCOMMANDS, only_for_others
from .changes.uncalled import uncalled
from .changes.unchanged import changes_nothing
from .commands import METHOD as COMMANDS
from .commands import OwnCommands
from .constructors import defaults_in
from .known import KnownValues, Unknown
from .own_optimizer import OwnOptimizer
from .parser import METHODS, place_of
from .program_arguments import WRITTEN as ARGUMENTS
from .program_arguments import asked_for, can_import, importing
from .texts_at_run import CHANGING_METHODS

AROUND = ("before_", "", "after_")
"""How the methods are called that LightningCLI calls for a command."""

OWN_WAYS = frozenset("""
    subcommands setup_parser init_parser parse_arguments
    add_core_arguments_to_parser link_optimizers_and_lr_schedulers _parse_ckpt_path _set_seed _run_subcommand
    _instantiate_trainer _get _add_arguments _add_subcommands _prepare_subcommand_parser _prepare_subcommand_kwargs
    _dump_config _add_instantiators _add_configure_optimizers_method_to_model _setup_parser_kwargs _parser
    """.split())
"""Methods of LightningCLI's of which the script has no part."""

MEMBERS = frozenset("""
    parser config_init config_dump save_config_callback save_config_kwargs trainer_class trainer_defaults
    seed_everything_default parser_kwargs parser_class auto_configure_optimizers model_class datamodule_class
    subclass_mode_model subclass_mode_data _parser
    """.split())
"""Members of which it has none."""

GETTER = "_get"
"""Gives a setting of the command's by its key."""

OPTIMIZER_METHOD = "configure_optimizers"
"""The model has it as its own, where the settings name an optimizer."""

CHANGING = "before_instantiate_classes"
"""The method in which settings may change."""

SAVING = "save_config_callback"

MAKERS = ("instantiate_classes", "instantiate_trainer")

EMPTY = ("before_instantiate_classes", "after_instantiate_classes")
"""Methods of LightningCLI's that do nothing."""

GIVEN = {"model": "model_class", "data": "datamodule_class"}

Range = tuple[int, int, int, int]
"""Where something begins and ends: lines from 1, and columns in bytes."""


@dataclass(frozen=True)
class ReadCli:
    """A LightningCLI, as far as the code and its file decide what it does."""

    call: CliCall
    told: ToldByCli
    parser_methods: frozenset[str]
    changes: tuple[ast.stmt, ...] = ()  # of settings, which these have by now
    made: MadeTrainer | None = None  # by a method of the project's
    kept: tuple[
        tuple[ast.expr, str], ...
    ] = ()  # what is made once, and its code in the method that changes settings

    @property
    def paths(self) -> ClassPaths:
        return self.call.paths

    @property
    def runs(self) -> bool:
        return self.call.runs

    @property
    def name(self) -> str:
        """What the code calls it."""
        return ast.unparse(self.call.node.func)

    @cached_property
    def classes(self) -> dict[str, str]:
        """The paths of the model's and of the data module's, where there is one."""
        found = {section: self._class_of(section) for section in GIVEN}
        return {section: path for section, path in found.items() if path}

    def _class_of(self, section: str) -> str:
        if named := getattr(self.told.spec.spec, section).class_path:
            return self.paths.whole(named)
        given = self.call.arguments.get(GIVEN[section])
        try:
            given = self.call.followed(given) if given else None
            path = KnownValues(self.paths, given.module).path(given.node) if given else ""
        except Unknown:
            return ""
        is_any = is_lightnings(path) and path.endswith((".LightningModule", ".LightningDataModule"))
        return "" if is_any else path

    def _object_for(self, section: str) -> Given | None:
        """What it is given in the place of a class; None: it is no object."""
        given = self.call.arguments.get(GIVEN[section])
        found = self.call.followed(given) if given else None
        match found.node if found else None:
            case ast.Call(ast.Name() | ast.Attribute() as function) if given and found:
                path = self.paths.meaning(found.module, ast.unparse(function))
                return given if self.paths.is_class(path) else None
        return None

    def is_described(self, section: str) -> bool:
        """Whether the file says which class it is."""
        return GIVEN[section] not in self.call.arguments or f"subclass_mode_{section}" in self.call.arguments

    @property
    def handed(self) -> list[str]:
        """The variables that have objects for the Trainer."""
        return list(dict.fromkeys(self.told.handed.values()))

    # ---- methods -----------------------------------------------------------------------------------------

    @cached_property
    def methods(self) -> frozenset[str]:
        """Those of the project's classes that stay."""
        return frozenset(self.call.methods()) - self._removed

    @cached_property
    def _removed(self) -> frozenset[str]:
        own = (
            (method, method.args.args[0].arg)
            for _, method in self.call.methods().values()
            if method.args.args
        )
        asked = {node.attr for root, name in (*own, *self._names()) for node in _attributes_of(root, name)}
        gone = {OPTIMIZER_METHOD, *([CHANGING] if self._only_changes else [])}
        gone |= {MAKING_TRAINER} if self._made_all else set()
        gone |= {*self._unchanged}
        gone |= {COMMANDS} if self._own_commands is not None else set()
        return self.parser_methods | gone | (self._of_other_commands - asked)

    @cached_property
    def _uncalled(self) -> frozenset[str]:
        """Methods that neither LightningCLI calls nor any code."""
        called = {*MAKERS, *EMPTY, *OWN_WAYS, *METHODS, OPTIMIZER_METHOD}
        called |= {f"{prefix}{name}" for name in SUBCOMMANDS for prefix in AROUND}
        methods = [method for _, method in self.call.methods().values()]
        return uncalled(methods, self.paths.graph.closure(self.call.module), called, self._idle)

    @cached_property
    def _idle(self) -> frozenset[ast.AST]:
        """The code of methods that only another command runs."""
        found = list[ast.AST]()
        for _, method in self.call.methods().values() if self.runs else ():
            if method.args.args:
                own = method.args.args[0].arg
                whole = _names_for(method, f"{own}.config")
                found += only_for_others(method, own, whole, self.told.command)
        return frozenset(found)

    @property
    def _unchanged(self) -> Iterator[str]:
        """Methods that leave what LightningCLI's own do."""
        for name, (_, method) in self.call.methods().items():
            is_one = sum(name in methods_of(found) for found in self.call.lineage) == 1
            if is_one and changes_nothing(method):
                yield name

    @cached_property
    def _own_commands(self) -> list[str] | None:
        """Those that a method of the project's adds to Lightning's; None: it does not, or more."""
        return OwnCommands(self.call, self.told.command).names

    @property
    def _only_changes(self) -> bool:
        """Whether nothing is left of the method that changes settings."""
        _, method = self.call.methods().get(CHANGING, (None, None))
        return method is not None and set(method.body) <= {*self.changes}

    @property
    def _of_other_commands(self) -> frozenset[str]:
        """Methods that are called for commands which the script does not run."""
        others = (name for name in SUBCOMMANDS if name != self.told.command)
        return frozenset(f"{prefix}{name}" for name in others for prefix in AROUND)

    @cached_property
    def does_more(self) -> bool:
        """Whether it runs another command than `fit`, goes on from a file, or a method does more than the parser's.

        So does what reads in the environment where to train, what computes settings from others, and what is handed
        objects.
        """
        called = {"__init__", *MAKERS, *EMPTY, *OWN_WAYS, *(f"{each}{self.told.command}" for each in AROUND)}
        methods = self.call.methods().items()
        is_plain = self.told.command == SUBCOMMANDS[0] and self.told.ckpt_path is None
        return (
            not is_plain
            or self.told.folder is not None
            or bool(self.told.handed or self.told.texts)
            or any(self.told.fixed_options)
            or any(name in self.methods & called and _acts(node) for name, (_, node) in methods)
        )

    @property
    def own_optimizer(self) -> OwnOptimizer | None:
        """The project's way to make optimizers of what the settings name."""
        method = self.call.methods().get(OPTIMIZER_METHOD)
        return OwnOptimizer(*method) if method else None

    @property
    def makers(self) -> list[str]:
        """Methods of LightningCLI's that make objects, where those of the project's call them."""
        called = {name for name in MAKERS if f"super().{name}(" in self._texts}
        called |= {MAKING_TRAINER} if self.made and self.made.call else set()
        return [name for name in MAKERS if name in called and not self._is_gone(name)]

    @property
    def empty_hooks(self) -> list[str]:
        """Methods of LightningCLI's that those of the project's call."""
        return [name for name in EMPTY if f"super().{name}(" in self._texts and not self._is_gone(name)]

    def _is_gone(self, name: str) -> bool:
        """Whether nothing is left of a method of the project's."""
        return name in self.call.methods() and name not in self.methods

    @cached_property
    def _modules(self) -> list[Module]:
        return list(dict.fromkeys([self.call.module, *(found.module for found in self.call.lineage)]))

    @property
    def _texts(self) -> str:
        return "".join(module.text for module in self._modules)

    # ---- what is asked of it -----------------------------------------------------------------------------

    def asks(self, name: str) -> bool:
        """Whether its methods, or the code that makes it, may ask for an attribute."""
        if name == "config" and self.made and self.made.asked:
            return True
        return self._is_handed_on or any(node.attr == name for _, node in self._asked)

    @property
    def gets_settings(self) -> bool:
        """Whether its methods get them by their keys."""
        return any(node.attr == GETTER for _, node in self._asked)

    @cached_property
    def _is_handed_on(self) -> bool:
        """Whether it gets where it has another name."""
        nodes = list(self.call.module.nodes)
        is_alone = any(
            isinstance(node, ast.Expr | ast.Assign) and node.value is self.call.node for node in nodes
        )
        scopes = [(root, name) for _, root, name in self._scopes()]
        known = {node.value for root, name in scopes for node in _attributes_of(root, name)}
        known |= {each for root, _ in scopes for each in _told_of_bases(root)} | self._passed.keys()
        named = (node for root, name in scopes for node in ast.walk(root) if _is_read(node, name))
        return not is_alone or any(node not in known for node in named)

    @cached_property
    def _asked(self) -> list[tuple[Module, ast.Attribute]]:
        nodes = [
            (module, node) for module, root, name in self._scopes() for node in _attributes_of(root, name)
        ]
        return list(dict.fromkeys(nodes))

    def _scopes(self) -> Iterator[tuple[Module, ast.AST, str]]:
        """Where it has a name, and that."""
        yield from self._own_scopes()
        yield from dict.fromkeys(self._passed.values())

    def _own_scopes(self) -> Iterator[tuple[Module, ast.AST, str]]:
        for name, (module, method) in self.call.methods().items():
            if name in self.methods - self._uncalled and method.args.args:
                yield module, method, method.args.args[0].arg
        yield from ((self.call.module, root, name) for root, name in self._names())

    @cached_property
    def _passed(self) -> dict[ast.expr, tuple[Module, ast.AST, str]]:
        """Where a function of a module's own is given it by its place, with what the function calls it."""
        found: dict[ast.expr, tuple[Module, ast.AST, str]] = {}
        for module, root, name in self._own_scopes():
            functions = {each.name: each for each in module.tree.body if isinstance(each, ast.FunctionDef)}
            calls = (each for each in ast.walk(root) if isinstance(each, ast.Call))
            for call in (each for each in calls if ast.unparse(each.func) in functions):
                function = functions[ast.unparse(call.func)]
                given = zip(call.args, (*function.args.posonlyargs, *function.args.args), strict=False)
                found |= {each: (module, function, of.arg) for each, of in given if _is_read(each, name)}
        return found

    def _names(self) -> Iterator[tuple[ast.AST, str]]:
        """The variables that the code which makes it has for it."""
        root = self.call.function or self.call.module.tree
        for node in ast.walk(root):
            if isinstance(node, ast.Assign) and node.value is self.call.node:
                yield root, ast.unparse(node.targets[0])

    def problems(self) -> Iterator[Diagnostic]:
        """What the script has no part of, and what is not said."""
        for section in ("model", *(["data"] if GIVEN["data"] in self.call.arguments else [])):
            if (made := self._object_for(section)) is not None:
                yield messages.cli_given_object(place_of(made.module, made.node), section)
            elif section not in self.classes:
                yield messages.cli_without_class(place_of(self.call.module, self.call.node), section)
        for name, (module, method) in self.call.methods().items():
            if (name in OWN_WAYS - self._removed) or (name in MAKERS and not self._is_made(method)):
                yield self._unread(module, method)
        followed = self.made.nodes if self.made else frozenset()
        calls = [each for module in self._modules for each in module.nodes if _is_getting(each)]
        getting = {each.func for each in calls if _gets(each) or each.args[0] in followed}
        followed |= {each.value for _, each in self._program_arguments} | self._idle
        for module, node in (each for each in self._asked if each[1] not in followed):
            if node.attr in MEMBERS or (node.attr == GETTER and node not in getting):
                yield messages.cli_member(
                    place_of(module, node), node.attr, self._asked_in_turn.get(node, "")
                )
        read = {inner for each in self.changes for inner in ast.walk(each)} | self._idle
        for module, root, name in self._scopes():
            changed = (each for each in _changed_in(root, f"{name}.config") if each not in read)
            yield from (messages.cli_config_set(place_of(module, each)) for each in changed)

    @cached_property
    def _program_arguments(self) -> list[tuple[Module, ast.Attribute]]:
        """Where code asks the parser for what the program is called with, which the script knows too."""
        if "args" in self.call.arguments:
            return []
        parsers = {node for _, node in self._asked if node.attr == "parser"}
        modules = (module for module in self._modules if can_import(module))
        return [(module, each) for module in modules for each in asked_for(module, parsers)]

    @cached_property
    def _asked_in_turn(self) -> dict[ast.expr, str]:
        """What is asked of each expression."""
        nodes = (each for module in self._modules for each in module.nodes)
        return {each.value: each.attr for each in nodes if isinstance(each, ast.Attribute)}

    def _unread(self, module: Module, method: ast.FunctionDef) -> Diagnostic:
        """That a method does something else than is known, with the statement that does."""
        makes_trainer = method.name == MAKING_TRAINER and method.name in self.makers
        stopped = self.made.stopped if self.made and makes_trainer else None
        if stopped in (None, method):
            return messages.cli_method(_place_of_name(module, method), method.name)
        shown = stopped.test if isinstance(stopped, ast.If | ast.While) else stopped
        return messages.cli_unread(place_of(module, shown))

    def _is_made(self, method: ast.FunctionDef) -> bool:
        """Whether it is known what a method makes an object of."""
        is_told = bool(self.told.config.get("trainer"))
        makes_its_own = method.name == MAKING_TRAINER and method.name not in self.makers
        return self._is_made_plainly(method) if not makes_its_own else bool(self._made_all or not is_told)

    @property
    def _made_all(self) -> bool:
        """Whether all is known of the method that makes the Trainer."""
        return self.made is not None and self.made.is_all

    def _is_made_plainly(self, method: ast.FunctionDef) -> bool:
        """Whether a method has LightningCLI make an object as it would without it, or of what is known."""
        if method.name == MAKING_TRAINER and self.made and not self.made.stopped:
            return True
        calls = [each for each in ast.walk(method) if _is_call_of(each, method.name)]
        others = (
            each
            for module in self._modules
            for each in module.nodes
            if _is_call_of(each, method.name)
            and not (isinstance(each.func, ast.Attribute) and _is_super(each.func.value))
        )
        if method.name not in self.makers:
            return True
        return bool(calls) and not any(others) and all(_hands_on_nothing(each, method) for each in calls)

    def notes(self) -> Iterator[Diagnostic]:
        """What the script does without, and what of the environment it has from the build."""
        yield from self.told.notes
        saving = self.call.arguments.get(SAVING)
        if saving and not isinstance(saving.node, ast.Constant):
            known = self.call.followed(saving)
            path = self.paths.meaning(known.module, ast.unparse(known.node))
            more = sorted(each for each in self.paths.methods(path) if each.startswith(("on_", "teardown")))
            is_known = is_lightnings(path) or self.paths.found(path) is not None
            yield messages.cli_saves_nothing(place_of(saving.module, saving.node), more, is_known)
        asked = {each.attr for each in self._idle if isinstance(each, ast.Attribute)}
        for name in sorted(self._uncalled - asked):
            module, method = self.call.methods()[name]
            if method.args.args and any(_changed_in(method, f"{method.args.args[0].arg}.config")):
                yield messages.cli_method_uncalled(_place_of_name(module, method), name)
        for module, node in self._program_arguments:
            yield messages.cli_program_arguments(place_of(module, node))
        if fixed := [".".join(_short(path)) for path in self.told.fixed_options]:
            yield messages.cli_options_fixed(place_of(self.call.module, self.call.node.func), fixed)
        if self._own_commands and self.runs:
            place = _place_of_name(*self.call.methods()[COMMANDS])
            yield messages.cli_own_commands(place, self._own_commands, self.told.command)
        for name, (module, method) in self.call.methods().items():
            if name in self._removed & self._of_other_commands and self.runs:
                place = _place_of_name(module, method)
                yield messages.cli_command_left_out(place, name, self.told.command)

    # ---- as it is written out ----------------------------------------------------------------------------

    def written(self) -> ToldByCli:
        """What the class does not say."""
        layer = Layer.of(self.told.spec.file)
        gone = [
            ("model",),
            ("data",),
            ("seed_everything",),
            ("trainer", "callbacks"),
            ("trainer", "max_epochs"),
        ]
        gone += [("trainer", "logger")] if self.told.spec.spec.trainer.logger else []
        for path in gone:
            if path[-1] in (layer.get(path[:-1]) or {}):
                layer.take(path)
        file = replace(self.told.spec.file, data=layer.data, positions=layer.positions)
        problems = (*self.told.problems, *self.problems())
        return replace(self.told, spec=with_layers(self.told.spec, file), problems=problems, is_written=True)

    def texts(self) -> Mapping[Path, str]:
        """The modules' texts without the parser's part, line by line as they were."""
        return {module.place.path.resolve(): _blanked(module, self._gone(module)) for module in self._modules}

    def _gone(self, module: Module) -> Iterator[tuple[Range, str]]:
        """What goes of a module, with what stands there instead."""
        if self.call.module is module and not any(_takes_more(each.node) for each in self.call.lineage):
            yield _behind(self.call.node), f"({', '.join(self.handed)})"
        elif self.call.module is module:
            yield from _without(SAVING, [self.call.node])
        for found in (each for each in self.call.lineage if each.module is module):
            for of, constructor in self.call.constructors:
                if of is found:
                    yield _behind(constructor.call), "()"
                    yield from _without(SAVING, constructor.beside_call)
            methods = [node for name, (_, node) in methods_of(found).items() if name in self._removed]
            for node in methods:
                is_all = len(methods) == len(found.node.body) and node is methods[0]
                yield (first_line(node), node.col_offset, *_end(node)), "pass" if is_all else ""
            own = {inner for _, method in methods_of(found).values() for inner in method.body}
            for change in own.intersection(() if self._only_changes else self.changes):
                yield (first_line(change), change.col_offset, *_end(change)), "pass"
            nodes = {inner for each in own for inner in ast.walk(each)}
            for made, code in () if self._only_changes else self.kept:
                if made in nodes or (isinstance(made, ast.BinOp) and made.right in nodes):
                    yield _whole(made), code
        asked = [each for of, each in self._program_arguments if of is module]
        yield from ((_whole(each), ARGUMENTS) for each in asked)
        yield from ((where * 2, what) for where, what in (importing(module) if asked else ()))
        if self.made and self.made.module is module and MAKING_TRAINER in self.methods:
            yield from self._gone_of_making(self.made)

    def _gone_of_making(self, made: MadeTrainer) -> Iterator[tuple[Range, str]]:
        """What goes of the method that makes the Trainer."""
        for statement in made.gone:
            yield (first_line(statement), statement.col_offset, *_end(statement)), ""
        for asked in made.asked:
            yield _whole(asked), f"{ast.unparse(asked.value)}.config"
        if made.call:
            yield _whole(made.call), made.written_call


def _short(path: KeyPath) -> KeyPath:
    """As LightningCLI calls an argument."""
    return tuple(each for each in path if each != "init_args")


def _place_of_name(module: Module, method: ast.FunctionDef) -> messages.Place:
    """Where a method has its name."""
    column = method.col_offset + len("def ")
    name = ast.Name(method.name, lineno=method.lineno, col_offset=column)
    name.end_lineno, name.end_col_offset = method.lineno, column + len(method.name.encode())
    return place_of(module, name)


def _attributes_of(root: ast.AST, name: str) -> Iterator[ast.Attribute]:
    for node in ast.walk(root):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == name:
            yield node


def _told_of_bases(root: ast.AST) -> Iterator[ast.expr]:
    """What `super(...)` is given."""
    for node in ast.walk(root):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "super":
            yield from node.args


def _changed_in(root: ast.AST, owner: str) -> Iterator[ast.AST]:
    """Where some code sets a part of something, by whatever name."""
    owners = _names_of(root, owner)
    yield from (each for each in ast.walk(root) if any(_sets(each, owner) for owner in owners))


def _sets(node: ast.AST, owner: str) -> bool:
    """Whether a node is a part of something that is set or removed."""
    changed = _changed_by(node)
    if changed is None:
        return False
    inner: ast.expr = changed
    while (within := _part_of(inner)) and ast.unparse(inner) != owner:
        inner = within
    return ast.unparse(inner) == owner


def _part_of(node: ast.expr) -> ast.expr | None:
    """What an expression gives a part of; None: it does not."""
    match node:
        case ast.Attribute(inner) | ast.Subscript(inner):
            return inner
        case ast.Call(_, [inner, *_]) if _gets(node):
            return inner
        case ast.Call(ast.Attribute(inner, "get"), [_, *_]):
            return inner
    return None


def _gets(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether it is `self._get(self.config, ...)`."""
    match node:
        case ast.Call(ast.Attribute(owner, attr), [ast.Attribute(given, "config"), _, *_]):
            return attr == GETTER and ast.unparse(owner) == ast.unparse(given)
    return False


def _is_getting(node: ast.AST) -> TypeGuard[ast.Call]:
    return _is_call_of(node, GETTER) and bool(node.args)


def _is_call_of(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _is_super(node: ast.expr) -> bool:
    return ast.unparse(node) == "super()"


def _hands_on_nothing(call: ast.Call, method: ast.FunctionDef) -> bool:
    """Whether a call is given nothing, or the options that its method takes and does nothing else with."""
    match call.args, call.keywords:
        case [], []:
            return True
        case [], [ast.keyword(None, ast.Name(name))]:
            named = [each for each in ast.walk(method) if isinstance(each, ast.Name) and each.id == name]
            return method.args.kwarg is not None and method.args.kwarg.arg == name and len(named) == 1
    return False


def _changed_by(node: ast.AST) -> ast.expr | None:
    """What a node sets or removes, or changes by a method; None: it does not."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            return node
        case ast.Call(ast.Attribute(inner, name)) if name in CHANGING_METHODS:
            return inner
        case ast.Call(ast.Name("setattr" | "delattr"), [inner, *_]):
            return inner
    return None


def _names_for(root: ast.AST, owner: str) -> list[str]:
    """An expression, and the variables that have it wherever they are set."""
    nodes = [node for node in ast.walk(root) if isinstance(node, ast.Name | ast.arg)]
    set_by = [each.id for each in nodes if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)]
    set_by += [each.arg for each in nodes if isinstance(each, ast.arg)]
    found = [owner]
    for node in ast.walk(root):
        match node:
            case ast.Assign([ast.Name(name)], value) if (
                ast.unparse(value) == owner and set_by.count(name) == 1
            ):
                found.append(name)
    return found


def _names_of(root: ast.AST, owner: str) -> list[str]:
    """An expression, and the variables that some code has for it or for its parts."""
    found = [owner]
    for node in ast.walk(root):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            inner: ast.expr = node.value
            while (within := _part_of(inner)) and ast.unparse(inner) not in found:
                inner = within
            if ast.unparse(inner) in found:
                found.append(node.targets[0].id)
    return found


def _is_read(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _takes_more(node: ast.ClassDef) -> bool:
    """Whether a class's constructor takes something of its own."""
    methods = (each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__")
    return any(len(each.args.args) > 1 or each.args.kwonlyargs for each in methods)


def _acts(method: ast.FunctionDef) -> bool:
    """Whether a method does more than to hand on what it is given."""
    return not all(
        isinstance(each, ast.Pass)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        or _hands_on(each, method.name)
        for each in method.body
    )


def _hands_on(node: ast.stmt, name: str) -> bool:
    """Whether a statement but calls the method that a class's own hides, with what that is given."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != f"super().{name}":
        return False
    if name == "__init__":
        return True
    return not call.keywords and all(isinstance(each, ast.Name) for each in call.args)


def _whole(node: ast.expr) -> Range:
    return (node.lineno, node.col_offset, *_end(node))


def _behind(call: ast.Call) -> Range:
    """The brackets of a call, and what stands in them."""
    return (*_end(call.func), *_end(call))


def _without(name: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[Range, str]]:
    """None in the place of each class that is given under a name."""
    for node in (inner for each in nodes for inner in ast.walk(each)):
        for value in _given_as(name, node):
            if isinstance(value, ast.Name | ast.Attribute):
                yield (value.lineno, value.col_offset, *_end(value)), "None"


def _given_as(name: str, node: ast.AST) -> Iterator[ast.expr]:
    """What a node gives under a name: as an argument, a default, or an entry of a mapping."""
    match node:
        case ast.keyword(arg, value) if arg == name:
            yield value
        case ast.Assign([ast.Subscript(_, ast.Constant(key))], value) if key == name:
            yield value
        case ast.Call(ast.Attribute(_, "setdefault"), [ast.Constant(key), value], []) if key == name:
            yield value
        case ast.arguments():
            yield from (each for found, each in defaults_in(node).items() if found == name)


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def _blanked(module: Module, gone: Iterator[tuple[Range, str]]) -> str:
    """The text with blanks in the place of what goes."""
    lines = [line.encode() for line in module.lines]
    for (first, start, last, end), instead in gone:
        for number in range(first, last + 1):
            line = lines[number - 1]
            left, right = start if number == first else 0, end if number == last else len(line)
            filling = instead.encode() if number == first else b""
            lines[number - 1] = line[:left] + filling.ljust(right - left) + line[right:]
    return b"\n".join(lines).decode()
