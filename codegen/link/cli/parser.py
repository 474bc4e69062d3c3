"""What the methods of a LightningCLI add to its parser: statement by statement, without running it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.layers import OBJECT_KEYS, Layer
from ...spec.yaml_file import KeyPath
from ..modules.module import Module
from ..spec.class_paths import Found
from .calls import CliCall, methods_of
from .command_line.own_options import OwnOption, key_of
from .known import KnownValues, Unknown, of_the_machine
from .texts_at_run import FUNCTIONS

OBJECTS = ("model", "data")
"""What the script makes from options."""

DESCRIBED = (*OBJECTS, "optimizer", "lr_scheduler")
"""Settings that describe an object."""

SETTINGS = (*DESCRIBED, "trainer", "seed_everything")
"""Keys that LightningCLI has itself."""

METHODS = ("add_default_arguments_to_parser", "add_arguments_to_parser")
"""Methods that add to it, in the order in which LightningCLI calls them."""

DEFAULTS, _ = METHODS
"""Whose own part has to be called too, which adds the seed."""

AUTOMATIC = "AUTOMATIC"
"""Says of an optimizer that the model is to be trained with it."""


FLAGS = {"store_true": True, "store_false": False}
"""What options are that take no value, by what `add_argument` is told of them."""


TELLING = ("action", "const", "nargs", "choices")
"""Arguments of `add_argument` that decide what becomes of values."""


@dataclass(frozen=True)
class Link:
    """`link_arguments(source, target)`."""

    sources: tuple[str, ...]
    target: str
    compute: ast.expr | None
    values: KnownValues
    node: ast.Call
    is_of_objects: bool  # applied once they are made


@dataclass(frozen=True)
class Added:
    """A class whose arguments a parser takes under a key; None: the file names one."""

    class_path: str | None
    place: messages.Place
    link_to: str = AUTOMATIC  # of optimizers and schedulers


@dataclass
class Parser:
    """What has been added to it."""

    cli: CliCall
    defaults: Layer = field(default_factory=Layer)
    own: dict[str, None] = field(default_factory=dict)  # keys of arguments of the code's own
    plain: set[str] = field(default_factory=set)  # of them those that are no sections
    options: dict[str, OwnOption] = field(default_factory=dict)  # by their names, as they are given
    groups: dict[str, str | None] = field(default_factory=dict)  # of them those of objects, with classes
    callbacks: dict[str, Added] = field(default_factory=dict)
    optimizers: dict[str, Added] = field(default_factory=dict)
    schedulers: dict[str, Added] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    methods: set[str] = field(default_factory=lambda: {*METHODS})  # that are read
    has_defaults: bool = False  # those that LightningCLI adds

    def read(self) -> None:
        for name in METHODS:
            self._of_lineage(name, 0)
        if DEFAULTS in self.cli.methods() and not self.has_defaults:
            module, method = self.cli.methods()[DEFAULTS]
            self.problems.append(messages.cli_unread(place_of(module, method)))

    def _of_lineage(self, name: str, first: int) -> None:
        """The method, as the first of the classes from there on has it."""
        self.methods.add(name)
        for number, found in enumerate(self.cli.lineage[first:], first):
            if each := methods_of(found).get(name):
                _Statements(self, *each, number).read()
                return
        self.has_defaults |= name == DEFAULTS


@dataclass
class _Statements:
    """Reads the statements of one method."""

    parser: Parser
    module: Module
    method: ast.FunctionDef
    number: int  # of its class in the lineage

    def read(self) -> None:
        arguments = self.method.args.args
        self.name = arguments[1].arg if len(arguments) > 1 else "parser"
        self.names: dict[str, Any] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self.classes: dict[str, str] = {}  # the paths of the method's own
        self._run(self.method.body)

    @property
    def values(self) -> KnownValues:
        return KnownValues(self.parser.cli.paths, self.module, dict(self.names))

    def _run(self, body: list[ast.stmt]) -> bool:
        """Whether the method ends in these statements."""
        return any(self._ends(statement) for statement in body)

    def _ends(self, statement: ast.stmt) -> bool:
        try:
            return self._statement(statement)
        except Unknown as unknown:
            self.parser.problems.append(messages.cli_unread(self.place(unknown.node)))
            return False

    def _statement(self, statement: ast.stmt) -> bool:
        """Whether the method ends in it. Raises Unknown."""
        match statement:
            case ast.Pass() | ast.Expr(ast.Constant()) | ast.Import() | ast.ImportFrom():
                pass
            case ast.Return(None | ast.Constant() | ast.Name()):
                return True
            case ast.Return(ast.Call() as call):
                self._call(call)
                return True
            case ast.Expr(ast.Call() as call):
                self._call(call)
            case ast.FunctionDef():
                self.functions[statement.name] = statement
            case ast.ClassDef():
                self.classes[statement.name] = self._own_class(statement)
            case ast.Assign([ast.Name(name)], given):
                self.names[name] = self.values.value(given)
            case ast.For(ast.Name(name), each, body, []):
                return any(self._run_with(name, value, body) for value in self.values.value(each))
            case ast.If(test, body, otherwise):
                return self._run(body if self.values.value(test) else otherwise)
            case _:
                raise Unknown(statement)
        return False

    def _run_with(self, name: str, value: Any, body: list[ast.stmt]) -> bool:
        """Run with a variable's value."""
        self.names[name] = value
        return self._run(body)

    def _own_class(self, node: ast.ClassDef) -> str:
        """The path of a class of the method's, which only says what a section holds. Raises Unknown."""
        if node.bases or node.decorator_list or not all(map(_only_keeps, node.body)):
            raise Unknown(node)
        path = f"{self.module.place.name}.{self.method.name}.<locals>.{node.name}"
        self.parser.cli.paths.take(path, Found(self.module, node))
        return path

    def _path(self, node: ast.expr) -> str:
        """The path of a class. Raises Unknown."""
        return self.classes.get(ast.unparse(node)) or self.values.path(node)

    def _call(self, call: ast.Call) -> None:
        if not isinstance(call.func, ast.Attribute):
            raise Unknown(call)
        owner, name = ast.unparse(call.func.value), call.func.attr
        if owner == self.name and name in ADDING:
            ADDING[name](self, call)
        elif owner == "super()":
            self.parser._of_lineage(name, self.number + 1)
        elif owner == "self" and [ast.unparse(each) for each in call.args] == [self.name]:
            self.parser._of_lineage(name, 0)
        else:
            raise Unknown(call)

    def place(self, node: ast.AST) -> messages.Place:
        return place_of(self.module, node)

    def given(self, call: ast.Call, *names: str) -> dict[str, ast.expr]:
        """The arguments of a call, those by place under their names."""
        if any(isinstance(each, ast.Starred) for each in call.args) or len(call.args) > len(names):
            raise Unknown(call)
        by_place = dict(zip(names, call.args, strict=False))
        return by_place | {each.arg: each.value for each in call.keywords if each.arg}

    # ---- what is added -----------------------------------------------------------------------------------

    def set_defaults(self, call: ast.Call) -> None:
        for each in call.args:
            items = each if isinstance(each, ast.Dict) else None
            for key, value in self._items(items) if items else self.values.value(each).items():
                self.parser.defaults.put(setting_path(key), value, self.place(each)[0])
        for keyword in call.keywords:
            if keyword.arg is None:
                raise Unknown(call)
            self._default(keyword.arg, keyword.value)

    def _items(self, node: ast.Dict) -> Iterator[tuple[str, Any]]:
        """Sets what has a key of its own where that stands; gives what is unpacked."""
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                yield from self.values.value(value).items()
            else:
                self._default(self.values.value(key), value)

    def _default(self, key: str, value: ast.expr) -> None:
        path = setting_path(key)
        try:
            known = replace(self.values, at_run=True).value(value)
        except Unknown:
            known = of_the_machine(path, value)
            if known is None:
                raise
        self.parser.defaults.put(path, known, self.place(value)[0])

    def add_argument(self, call: ast.Call) -> None:
        names = [self.values.value(each) for each in call.args]
        given = {each.arg: each.value for each in call.keywords if each.arg}
        key = key_of([self.values.value(given["dest"])] if "dest" in given else names)
        path = self._class_of(given["type"]) if "type" in given else ""
        if (section := key.partition(".")[0]) not in SETTINGS:
            self.parser.own[section] = None
        if not path and section == key:
            self.parser.plain.add(key)
        if not path:
            self.parser.options |= dict.fromkeys(names, self._option(key, given))
        self.parser.defaults.put(setting_path(key), self._default_of(given, path), self.place(call)[0])

    def _default_of(self, given: dict[str, ast.expr], path: str) -> Any:
        """What an option is where it is not given; `path` is that of its dataclass."""
        default = self.values.value(given["default"]) if "default" in given else None
        if path:
            described = default["init_args"] if isinstance(default, dict) and "init_args" in default else {}
            return {**self._defaults_of(path), **described}
        action = self.values.value(given["action"]) if "action" in given else ""
        return not FLAGS[action] if action in FLAGS and "default" not in given else default

    def _option(self, key: str, given: dict[str, ast.expr]) -> OwnOption:
        """How its values are given."""
        try:
            told = {each: self.values.value(given[each]) for each in TELLING if each in given}
        except Unknown:
            return OwnOption(key, is_known=False)
        action, const = told.get("action", "store"), told.get("const")
        if action in FLAGS or action == "store_const":
            return OwnOption(key, 0, FLAGS.get(action, const))
        choices = tuple(told["choices"]) if "choices" in told else None
        is_known = action == "store" and ("type" not in given or self._only_checks(given["type"]))
        kind = ast.unparse(given["type"]) if "type" in given else ""
        return OwnOption(key, told.get("nargs"), const, kind, choices, is_known)

    def _only_checks(self, kind: ast.expr) -> bool:
        """Whether a type is none of the code's functions, which makes something else of values."""
        if not isinstance(kind, ast.Name | ast.Attribute):
            return not isinstance(kind, ast.Lambda | ast.Call)
        path = self.parser.cli.paths.meaning(self.module, ast.unparse(kind))
        is_own = self.parser.cli.paths.is_own(path) or ast.unparse(kind) in self.functions
        return not is_own or self.parser.cli.paths.is_class(path)

    def _class_of(self, node: ast.expr) -> str:
        """The path of a dataclass; empty: it is another type."""
        path = self.parser.cli.paths.meaning(self.module, ast.unparse(node))
        takes = self.parser.cli.paths.signature(path) if "." in path else None
        return path if takes and takes.is_dataclass else ""

    def _defaults_of(self, path: str) -> dict[str, Any]:
        """What the class at a path is made with by default, as far as that is plain."""
        takes, found = self.parser.cli.paths.signature(path), dict[str, Any]()
        for name, each in takes.parameters.items() if takes else ():
            with suppress(ValueError, SyntaxError):
                found[name] = ast.literal_eval(each.default)
        return found

    def add_class_arguments(self, call: ast.Call) -> None:
        given = self.given(call, "theclass", "nested_key")
        path, key = self._path(given["theclass"]), self.values.value(given["nested_key"])
        for name, value in self._defaults_of(path).items():
            self.parser.defaults.put((*setting_path(key), name), value, self.place(call)[0])
        found = self.parser.cli.paths.found(path)
        if found and any(_acts(each, self._with_module(found.module)) for each in found.node.body):
            self.parser.problems.append(messages.cli_object_acts(self.place(call), found.node.name))
        self._group(key, path)

    def _with_module(self, module: Module) -> Callable[[str], str]:
        """What names of a module's mean."""
        return lambda dotted: self.parser.cli.paths.meaning(module, dotted)

    def add_subclass_arguments(self, call: ast.Call) -> None:
        given = self.given(call, "baseclass", "nested_key")
        key = self.values.value(given["nested_key"])
        if "default" in given:
            self._default(key, given["default"])
        self._group(key, None)

    def _group(self, key: str, path: str | None) -> None:
        self.parser.own[key] = None
        self.parser.groups[key] = path

    def link_arguments(self, call: ast.Call) -> None:
        given = self.given(call, "source", "target", "compute_fn", "apply_on")
        sources, target = self.values.value(given["source"]), self.values.value(given["target"])
        applied = self.values.value(given["apply_on"]) if "apply_on" in given else "parse"
        compute = self._function(given["compute_fn"]) if "compute_fn" in given else None
        every = (sources,) if isinstance(sources, str) else tuple(sources)
        link = Link(every, target, compute, self.values, call, applied == "instantiate")
        self.parser.links.append(link)

    def _function(self, node: ast.expr) -> ast.expr | None:
        """A function of the parser's class as what it returns; None: there is none."""
        found, first = None, 0
        if isinstance(node, ast.Name):
            found = self.functions.get(node.id)
        elif isinstance(node, ast.Attribute) and node.attr in (own := self.parser.cli.methods()):
            found = own[node.attr][1]
            first = 0 if any(ast.unparse(each) == "staticmethod" for each in found.decorator_list) else 1
        if found is None:
            return None if isinstance(node, ast.Constant) else node
        match [each for each in found.body if not _is_text(each)]:
            case [ast.Return(ast.expr() as value)]:
                taken = ast.arguments([], found.args.args[first:], None, [], [], None, [])
                return ast.Lambda(taken, value)
        raise Unknown(node)

    def add_lightning_class_args(self, call: ast.Call) -> None:
        given = self.given(call, "lightning_class", "nested_key", "subclass_mode", "required")
        is_open = "subclass_mode" in given and self.values.value(given["subclass_mode"])
        path = self.values.path(given["lightning_class"])
        self._added(self.parser.callbacks, given, None if is_open else path)

    def add_optimizer_args(self, call: ast.Call) -> None:
        given = self.given(call, "optimizer_class", "nested_key", "link_to")
        self._added(
            self.parser.optimizers, given, self._only_class(given.get("optimizer_class")), "optimizer"
        )

    def add_lr_scheduler_args(self, call: ast.Call) -> None:
        given = self.given(call, "lr_scheduler_class", "nested_key", "link_to")
        path = self._only_class(given.get("lr_scheduler_class"))
        self._added(self.parser.schedulers, given, path, "lr_scheduler")

    def _only_class(self, node: ast.expr | None) -> str | None:
        """None: there are several to choose from."""
        return None if node is None or isinstance(node, ast.Tuple) else self.values.path(node)

    def _added(
        self, to: dict[str, Added], given: dict[str, ast.expr], path: str | None, key: str = ""
    ) -> None:
        name = str(self.values.value(given["nested_key"])) if "nested_key" in given else key
        link_to = self.values.value(given["link_to"]) if "link_to" in given else AUTOMATIC
        at = next(iter(given.values()), self.method)
        to[name] = Added(path, self.place(at), link_to)


ADDING: dict[str, Callable[[_Statements, ast.Call], None]] = {
    each.__name__: each
    for each in (
        _Statements.set_defaults,
        _Statements.add_argument,
        _Statements.link_arguments,
        _Statements.add_class_arguments,
        _Statements.add_subclass_arguments,
        _Statements.add_lightning_class_args,
        _Statements.add_optimizer_args,
        _Statements.add_lr_scheduler_args,
    )
}


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _only_keeps(node: ast.stmt) -> bool:
    """Whether a statement of a class's does nothing, or keeps what its constructor is given."""
    match node:
        case ast.FunctionDef("__init__", decorator_list=[]):
            return all(map(_only_keeps, node.body))
        case ast.Assign([ast.Attribute(ast.Name())], ast.Name()):
            return True
    return isinstance(node, ast.Pass) or _is_text(node)


PLAIN = frozenset("""
    abs all any bool dict enumerate float frozenset int isinstance len list max min range repr round set sorted str sum
    super tuple zip Path
    """.split())
"""What a constructor may call without doing anything that is seen elsewhere."""


def _acts(node: ast.stmt, meaning: Callable[[str], str]) -> bool:
    """Whether a statement of a class's is a constructor that calls what may do something."""
    if not isinstance(node, ast.FunctionDef) or node.name not in ("__init__", "__new__", "__post_init__"):
        return False
    called = (ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call))
    others = (each for each in called if each not in PLAIN and not each.startswith("super()."))
    return any(meaning(each) not in FUNCTIONS for each in others)


def setting_path(key: str) -> KeyPath:
    """A key of the parser's, as the settings have it written out."""
    section, *rest = key.split(".")
    if section in DESCRIBED and rest and rest[0] not in OBJECT_KEYS:
        return (section, "init_args", *rest)
    return (section, *rest)


def place_of(module: Module, node: ast.AST) -> messages.Place:
    """Where a node stands."""
    at: Any = node
    text = module.lines[at.lineno - 1]
    column = len(text.encode()[: at.col_offset].decode())
    end_text = module.lines[at.end_lineno - 1]
    end = len(end_text.encode()[: at.end_col_offset].decode())
    return module.shown_place((at.lineno, column), (at.end_lineno, end))
