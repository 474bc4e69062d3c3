"""The call of LightningCLI, or of a class that derives from it, and what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from ...lightning.api import PACKAGES
from ...lightning.bases_by_name import classes_by_name_alone
from ..modules.graph import Definition
from ..modules.module import Module
from ..spec.class_paths import ClassPaths, Found
from .constructors import Constructor, constructor_of, defaults_in
from .texts_at_run import is_changed

CLI = "LightningCLI"

PARAMETERS = (
    "model_class datamodule_class save_config_callback save_config_kwargs trainer_class trainer_defaults "
    "seed_everything_default parser_kwargs parser_class subclass_mode_model subclass_mode_data args run "
    "auto_configure_optimizers load_from_checkpoint_support"
).split()


@dataclass(frozen=True)
class Given:
    """An argument, and the module that it stands in."""

    module: Module
    node: ast.expr


Places = list[Given | None]
"""Arguments by place; None: it is given nothing there."""


@dataclass(frozen=True)
class CliCall:
    """Where the code makes its LightningCLI."""

    paths: ClassPaths
    module: Module
    node: ast.Call
    lineage: tuple[Found, ...]  # the project's classes, the one called first
    function: ast.FunctionDef | None = None  # that it stands in

    @cached_property
    def arguments(self) -> dict[str, Given]:
        """What LightningCLI itself is given."""
        mappings = (_entries(each) for each in self._unpacked)
        unpacked = {name: given for each in mappings for name, given in (each or {}).items()}
        by_name = _given_in(self.module, _keywords(self.node)) | unpacked
        return self._handed_on([Given(self.module, each) for each in _by_place(self.node)], by_name)

    @property
    def unread(self) -> list[Given]:
        """What is unpacked in its call, and of which the code does not say what it holds."""
        by_place = [Given(self.module, each) for each in self.node.args if isinstance(each, ast.Starred)]
        return [*by_place, *(each for each in self._unpacked if _entries(each) is None)]

    @property
    def _unpacked(self) -> list[Given]:
        """The mappings that are."""
        return [self.followed(Given(self.module, each.value)) for each in self.node.keywords if not each.arg]

    def _handed_on(self, by_place: Places, by_name: dict[str, Given]) -> dict[str, Given]:
        """What comes of arguments on their way through the constructors of the project's classes."""
        for found, each in self.constructors:
            by_place, by_name = _through(found.module, each, by_place, by_name)
        placed = {name: each for name, each in zip(PARAMETERS, by_place, strict=False) if each}
        return placed | by_name

    @cached_property
    def constructors(self) -> list[tuple[Found, Constructor]]:
        """Those of the project's classes, as far as they hand something on."""
        read = []
        for found in self.lineage:
            is_first = found is self.lineage[0] and found.module is self.module
            read.append((found, constructor_of(found, self.node if is_first else None)))
        return [(found, each) for found, each in read if each]

    @property
    def own_parameters(self) -> frozenset[str]:
        """What the constructors of the project's classes take."""
        methods = (methods_of(found).get("__init__") for found in self.lineage)
        return frozenset(name for each in methods if each for name in _parameters(each[1]))

    @property
    def runs(self) -> bool:
        """Whether it runs a command, such as `fit`."""
        given = self.followed(self.arguments["run"]) if "run" in self.arguments else None
        return not (given and isinstance(given.node, ast.Constant) and not given.node.value)

    def followed(self, given: Given) -> Given:
        """What a variable of the module's, or a parameter of the function round the call, stands for."""
        if not isinstance(given.node, ast.Name):
            return given
        name = given.node.id
        if self.function and name in _parameters(self.function):
            value = self._passed(self.function, name)
            return Given(given.module, value) if value else given
        value = self.constants.get(name) or self._kept_for_it(name)
        if value is not None:
            return Given(given.module, value)
        target = self.paths.graph.resolve(given.module, name)
        is_known = isinstance(target, Definition) and not is_changed(self.paths, target)
        assigned = target.assigned if isinstance(target, Definition) and is_known else None
        return Given(target.module, assigned) if isinstance(target, Definition) and assigned else given

    @cached_property
    def constants(self) -> dict[str, ast.Constant]:
        """The variables in the code round the call that are set once, to a plain value."""
        return {name: each for name, each in self.set_once.items() if isinstance(each, ast.Constant)}

    @cached_property
    def set_once(self) -> dict[str, ast.expr]:
        """The variables in the code round the call that are set once."""
        return _set_once(self.function or self.module.tree)

    def made_before(self, given: Given) -> ast.Call | None:
        """The call that made an object which the code round the call has for more than that; None: it does not."""
        if not isinstance(given.node, ast.Name) or given.module is not self.module or self.constructors:
            return None
        name = given.node.id
        is_own = self.function is not None and name in _bound_in(self.function)
        root = self.function if self.function and is_own else self.module.tree
        made = _set_once(root).get(name)
        is_kept = self.followed(given) is given or any(
            isinstance(each, ast.Name) and each.id == name and each is not given.node
            for each in ast.walk(root)
            if not isinstance(getattr(each, "ctx", None), ast.Store)
        )
        return made if isinstance(made, ast.Call) and is_kept and "__init__" not in self.methods() else None

    def local_names(self, module: Module) -> frozenset[str]:
        """Those that are the function's round the call, where that stands in the module."""
        function = self.function if module is self.module else None
        return frozenset(_bound_in(function) if function else ())

    def _passed(self, function: ast.FunctionDef, name: str) -> ast.expr | None:
        """What the one call of a function passes for a parameter, or its default where no call does."""
        calls = (each for each in self.module.nodes if isinstance(each, ast.Call))
        of_it = [each for each in calls if ast.unparse(each.func) == function.name]
        if any(_unpacks(each) for each in of_it):
            return None
        given = [
            dict(zip(_parameters(function), each.args, strict=False)) | _keywords(each) for each in of_it
        ]
        found = [each[name] for each in given if name in each]
        if not found:
            return _defaults(function).get(name)
        is_one = len(found) == len(of_it) == 1 and not _has_local_names(self.module, of_it[0], found[0])
        return found[0] if is_one else None

    def _kept_for_it(self, name: str) -> ast.expr | None:
        """The value of a variable that is set and used once, for the call, in the code round it."""
        root = self.function or self.module.tree
        nodes = list(ast.walk(root))
        named = [each for each in nodes if isinstance(each, ast.Name) and each.id == name]
        of_call = [each for each in ast.walk(self.node) if each in named]
        values = [each.value for each in nodes if isinstance(each, ast.Assign) and each.targets[0] in named]
        return values[0] if len(values) == len(of_call) == 1 and len(named) == 2 else None

    def methods(self) -> dict[str, tuple[Module, ast.FunctionDef]]:
        """Those of the project's classes."""
        return {name: each for found in reversed(self.lineage) for name, each in methods_of(found).items()}


def _bound_in(root: ast.AST) -> list[str]:
    """The names that are set in some code, or parameters, each as often as it is."""
    nodes = list(ast.walk(root))
    names = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    return names + [each.arg for each in nodes if isinstance(each, ast.arg)]


def _set_once(root: ast.AST) -> dict[str, ast.expr]:
    """The variables that are, in some code, and their values."""
    names = _bound_in(root)
    return {
        target.id: each.value
        for each in ast.walk(root)
        if isinstance(each, ast.Assign)
        for target in each.targets[:1]
        if isinstance(target, ast.Name) and names.count(target.id) == 1
    }


def methods_of(found: Found) -> dict[str, tuple[Module, ast.FunctionDef]]:
    """The methods that stand in a class."""
    return {node.name: (found.module, node) for node in found.node.body if isinstance(node, ast.FunctionDef)}


def cli_call(paths: ClassPaths) -> CliCall | None:
    """The one call in the code; of several the entry's."""
    graph = paths.graph
    every = graph.closure(graph.entry)
    if not any(CLI in module.text for module in every):
        return None
    for modules in ([graph.entry], every):
        touching = (module for module in modules if graph.touches_lightning(module))
        found = [call for module in touching for call in _calls(paths, module)]
        if calls := [call for call in found if not _is_idle(call, every)]:
            return calls[0] if len(calls) == 1 else None
    return None


def _is_idle(call: CliCall, modules: list[Module]) -> bool:
    """Whether a call stands in a function that nothing names, where the entry's guard says what is run."""
    has_guard = any(chunk.is_guard for chunk in call.paths.graph.entry.chunks)
    return has_guard and call.function is not None and call.function.name not in _names_in(modules)


def _names_in(modules: list[Module]) -> set[str]:
    """All names by which code may mean something."""
    nodes = [node for module in modules for node in module.nodes]
    found = {node.id for node in nodes if isinstance(node, ast.Name)}
    found |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    found |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return found | {node.name for node in nodes if isinstance(node, ast.alias)}


def _calls(paths: ClassPaths, module: Module) -> Iterator[CliCall]:
    chunks = (chunk for chunk in module.chunks if module.is_entry or not chunk.is_guard)
    for root in (node for chunk in chunks for node in chunk.nodes):
        function = root if isinstance(root, ast.FunctionDef) else None
        for node in (each for each in ast.walk(root) if isinstance(each, ast.Call)):
            if isinstance(node.func, ast.Name | ast.Attribute):
                path = paths.meaning(module, ast.unparse(node.func))
                lineage = tuple(_lineage(paths, path))
                if _is_lightnings(path) or (lineage and not _is_by_name_alone(lineage)):
                    yield CliCall(paths, module, node, lineage, function)


def _lineage(paths: ClassPaths, path: str) -> list[Found]:
    """The project's classes from the one at a path up to LightningCLI; none: it does not derive from that."""
    found = paths.found(path)
    for base in found.node.bases if found else ():
        assert found is not None
        above = paths.meaning(found.module, ast.unparse(base))
        if _is_lightnings(above):
            return [found]
        if above != path and (further := _lineage(paths, above)):
            return [found, *further]
    return []


def _is_by_name_alone(lineage: tuple[Found, ...]) -> bool:
    """Whether the class that is called has nothing of LightningCLI's."""
    first = lineage[0]
    return any(cls is first.node for cls, _ in classes_by_name_alone(first.module.tree))


def _is_lightnings(path: str) -> bool:
    top, _, name = path.rpartition(".")
    return name == CLI and top.partition(".")[0] in PACKAGES


def _parameters(function: ast.FunctionDef) -> list[str]:
    """Those that may be given by place, in their order, and the others."""
    return [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]


def _keywords(call: ast.Call) -> dict[str, ast.expr]:
    return {each.arg: each.value for each in call.keywords if each.arg}


def _unpacks(call: ast.Call) -> bool:
    return any(each.arg is None for each in call.keywords) or any(
        isinstance(each, ast.Starred) for each in call.args
    )


def _has_local_names(module: Module, call: ast.Call, value: ast.expr) -> bool:
    """Whether what a call passes may be a variable of a function's."""
    functions = (each for each in module.nodes if isinstance(each, ast.FunctionDef))
    is_within = any(call in ast.walk(each) for each in functions)
    return is_within and any(isinstance(each, ast.Name) for each in ast.walk(value))


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The parameters that have one."""
    taken = function.args.args[len(function.args.args) - len(function.args.defaults) :]
    return {each.arg: default for each, default in zip(taken, function.args.defaults, strict=True)}


def _given_in(module: Module, values: dict[str, ast.expr]) -> dict[str, Given]:
    return {name: Given(module, value) for name, value in values.items()}


def _entries(mapping: Given) -> dict[str, Given] | None:
    """What a mapping that is written out holds; None: it may be anything."""
    match mapping.node:
        case ast.Dict(keys, values) if all(isinstance(each, ast.Constant) for each in keys):
            names = (str(each.value) for each in keys if isinstance(each, ast.Constant))
            return _given_in(mapping.module, dict(zip(names, values, strict=True)))
        case ast.Call(ast.Name("dict"), [], keywords) if all(each.arg for each in keywords):
            return _given_in(mapping.module, {str(each.arg): each.value for each in keywords})
    return None


def _by_place(call: ast.Call) -> list[ast.expr]:
    """What a call gives by place, up to what it unpacks."""
    return list(takewhile(lambda each: not isinstance(each, ast.Starred), call.args))


def _through(
    module: Module, constructor: Constructor, by_place: Places, by_name: dict[str, Given]
) -> tuple[Places, dict[str, Given]]:
    """What a constructor gives that of its base, of what it is given itself."""
    taken = constructor.method.args
    places, own = [each.arg for each in taken.args[1:]], _parameters(constructor.method)
    bound = _given_in(module, defaults_in(taken)) | {
        name: each for name, each in by_name.items() if name in own
    }
    bound |= {name: each for name, each in zip(places, by_place, strict=False) if each}

    def given(node: ast.expr) -> Given | None:
        is_own = isinstance(node, ast.Name) and node.id in own
        return bound.get(ast.unparse(node)) if is_own else Given(module, node)

    rest = (
        by_place[len(places) :]
        if any(isinstance(each, ast.Starred) for each in constructor.call.args)
        else []
    )
    others = {name: each for name, each in by_name.items() if name not in own}
    preset, told = (
        {name: given(each) for name, each in of.items()} for of in (constructor.preset, constructor.set)
    )
    handed = preset | others | told
    return [*map(given, _by_place(constructor.call)), *rest], {
        name: each for name, each in handed.items() if each
    }
