"""The user's project as data: imports, statements and classes, before anything is decided about them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

import libcst as cst

from ..diagnostics import Diagnostic
from ..index import Index, index_of
from ..index.search import code_for, nodes
from ..lightning.api import ALL_HOOKS, CALLBACK_HOOKS, HOOKS, MEMBERS, STEPS, api_name, is_lightnings
from ..source.definitions import Import, Origin
from ..source.source import Source
from ..spec.init_args.signature import Signature
from .aliases import binds_surely, loader_aliases
from .told_by_cli import ToldByCli

BASES = ("LightningModule", "LightningDataModule")
BASE_METHODS = HOOKS | MEMBERS | STEPS

CALLED = (
    ALL_HOOKS
    | STEPS
    | CALLBACK_HOOKS
    | {"test_step", "predict_step", "test_dataloader", "predict_dataloader"}
)
"""What Lightning calls by its name."""

LOADERS = ("train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader")

Kind = Literal["module", "data", "other"]


@dataclass(frozen=True)
class Class:
    """A class of the user's, with those of its bases that are the user's too."""

    name: str
    node: cst.ClassDef
    kind: Kind  # a LightningModule, a LightningDataModule, or neither
    parents: tuple[Class | str, ...] = ()  # the bases, as written; of those of libraries the name
    path: str = ""  # of the file that it stands in
    within: str = ""  # the function or class that it is defined in, if in one
    adopted: Mapping[str, cst.FunctionDef] = field(
        default_factory=dict, hash=False
    )  # functions that the module makes methods of it, as in `Net.on_fit_end = report`
    own_metaclass: Class | None = None  # of the user's, that is written there

    @property
    def metaclass(self) -> Class | None:
        """The user's class that makes it, which may be a base's; None: there is none."""
        return next((part.own_metaclass for part in self.lineage if part.own_metaclass), None)

    @property
    def bases(self) -> tuple[Class, ...]:
        """The user's own bases, nearest first."""
        return tuple(parent for parent in self.parents if isinstance(parent, Class))

    @cached_property
    def resolution_order(self) -> tuple[Class | str, ...]:
        """The class and its bases, in the order in which Python looks attributes up."""
        orders = [
            parent.resolution_order if isinstance(parent, Class) else (parent,) for parent in self.parents
        ]
        return self, *_merged([list(order) for order in [*orders, self.parents]])

    @property
    def lineage(self) -> tuple[Class, ...]:
        """The class and the user's own bases, in the order in which Python looks attributes up."""
        return tuple(part for part in self.resolution_order if isinstance(part, Class))

    @property
    def holder(self) -> str:
        """The name at the top level that brings the class along."""
        return self.within or self.name

    @cached_property
    def own_methods(self) -> dict[str, cst.FunctionDef]:
        """The methods that stand in the class, those of a second name included, and those that it is given."""
        return {**self._defined, **self.renamed, **self.adopted}

    @cached_property
    def renamed(self) -> dict[str, cst.FunctionDef]:
        """Methods by a second name that Lightning calls, as in `test_step = validation_step`, a base's too."""
        body, methods = self.node.body.body, self._defined
        pairs = [pair for node in body for pair in assigned(node) if pair[0] in CALLED]
        bound = [name for node in body for name in bound_by(node)] if pairs else []
        found = dict[str, cst.FunctionDef]()
        for new, old in pairs:
            method = methods.get(old) or found.get(old) or self._of_base(old)
            is_once = bound.count(new) == 1 and ("." in old or bound.count(old) == 1)
            if method is not None and is_once:
                found[new] = method
        return found

    def _of_base(self, dotted: str) -> cst.FunctionDef | None:
        """The method in `Base.validation_step`, of one of the user's own bases."""
        name, _, method = dotted.partition(".")
        found = (part.methods.get(method) for part in self.lineage[1:] if part.name == name)
        return next(found, None)

    @cached_property
    def assigned_loaders(self) -> dict[str, str]:
        """The loaders that its constructor makes of methods and arguments: `self.loader = partial(self._loader, 2)`."""
        method = self._defined.get("__init__") if self.kind != "other" else None
        assigned = nodes(method, cst.Assign) if method else ()
        pairs = ((each.targets[0].target, _method_in(each.value)) for each in assigned)
        return {
            target.attr.value: name
            for target, name in pairs
            if name and isinstance(target, cst.Attribute) and target.attr.value in LOADERS
        }

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Loader hooks that the constructor makes other names of methods, each with that method's name."""
        return loader_aliases(self._defined.get("__init__"))

    def may_lack(self, hook: str) -> bool:
        """Whether objects may be without a hook, as the constructor decides it."""
        binding = next((part for part in self.lineage if hook in part.aliases), None)
        runs = self.methods.get("__init__")
        return binding is not None and not (runs and binds_surely(runs, hook))

    @property
    def written_methods(self) -> frozenset[str]:
        """Those that stand in the class under their own names."""
        return frozenset(self._defined) - self.adopted.keys()

    @cached_property
    def _defined(self) -> dict[str, cst.FunctionDef]:
        return {node.name.value: node for node in self.node.body.body if isinstance(node, cst.FunctionDef)}

    @property
    def methods(self) -> dict[str, cst.FunctionDef]:
        """Own and inherited methods that are the user's; those that Lightning's hide, behind it, left out."""
        merged: dict[str, cst.FunctionDef] = {}
        for part in reversed(self.resolution_order):
            if isinstance(part, Class):
                merged.update(part.own_methods)
            elif part in BASES:
                merged = {name: node for name, node in merged.items() if name not in BASE_METHODS}
        aliases = [pair for part in self.lineage for pair in part.aliases.items()]
        set_by_constructors = [each for part in self.lineage for each in part.assigned_loaders.items()]
        found = (*aliases, *set_by_constructors)
        return merged | {hook: merged[name] for hook, name in found if name in merged}


def _method_in(value: cst.BaseExpression) -> str:
    """The method's name, in `partial(self._loader, shuffle=True)`; empty: it is something else."""
    if not (isinstance(value, cst.Call) and value.args and _last_name(value.func) == "partial"):
        return ""
    value = value.args[0].value
    is_own = (
        isinstance(value, cst.Attribute) and isinstance(value.value, cst.Name) and value.value.value == "self"
    )
    return _last_name(value) if is_own else ""


def _last_name(node: cst.BaseExpression) -> str:
    name = node.attr if isinstance(node, cst.Attribute) else node
    return name.value if isinstance(name, cst.Name) else ""


def assigned(statement: cst.BaseStatement | cst.BaseSmallStatement) -> Iterator[tuple[str, str]]:
    """The names that a statement binds to what another name, or a class's attribute, holds, with that one."""
    for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        if isinstance(part, cst.Assign) and (old := _dotted(part.value)):
            for each in part.targets:
                if isinstance(each.target, cst.Name):
                    yield each.target.value, old


def _dotted(node: cst.BaseExpression) -> str:
    """A name, or an attribute of one; empty: it is something else."""
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
        return f"{node.value.value}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def bound_by(statement: cst.BaseStatement | cst.BaseSmallStatement) -> Iterator[str]:
    """The names that a statement of a class's body may bind."""
    if isinstance(statement, cst.FunctionDef | cst.ClassDef):
        yield statement.name.value
    elif isinstance(statement, cst.SimpleStatementLine):
        for part in statement.body:
            holders = part.targets if isinstance(part, cst.Assign) else [part]
            yield from (name.value for each in holders for name in nodes(each, cst.Name))
    else:
        yield from (name.value for name in nodes(statement, cst.Name))


def _merged(orders: list[list[Class | str]]) -> list[Class | str]:
    """The C3 linearization, as Python has it; where there is none, the order in which bases are first met."""
    merged: list[Class | str] = []
    while orders := [order for order in orders if order]:
        heads = [order[0] for order in orders]
        tails = [each for order in orders for each in order[1:]]
        head = next((head for head in heads if head not in tails), heads[0])
        merged.append(head)
        orders = [[each for each in order if each != head] for order in orders]
    return merged


@dataclass(frozen=True)
class Statement:
    """A top-level statement that is no import."""

    names: tuple[str, ...]  # what it binds
    node: cst.BaseStatement | cst.SimpleStatementLine
    code: str
    origin: Origin
    uses: frozenset[str]  # the module's names that it refers to
    always: bool  # it does something beyond binding names
    loaded: frozenset[str] = frozenset()  # the modules that are imported when it runs
    postpones: bool = False  # its annotations, which others of the project do not


MADE = "()"
"""The key under which a configuration's code has what is made of a mapping in it; no configuration has it."""


def made_by(place: int) -> str:
    """The same for one of the functions of the project's that make objects of what names their classes."""
    return f"({place})"


def shown_place(place: tuple[str, int, int]) -> str:
    """A path, a line and a column, as the key of what is made of a mapping that is written out there."""
    return ":".join(map(str, place))


@dataclass(frozen=True)
class Load:
    """A call that loads a configuration from a file, or composes it, or a decorator that does."""

    place: tuple[str, int, int]  # its path, line and column
    file: Path
    by: str  # a library, or a function of hydra's
    overrides: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()  # of the build's environment, which decide which file it is
    folder: Path | None = None  # in which hydra looks for what it composes; None: the file's


@dataclass(frozen=True)
class ModuleFile:
    """A call that makes a module of a file, or of the spec of one."""

    place: tuple[str, int, int]  # its path, line and column
    file: Path
    told: str  # the path, as the code has it or is told it
    argument: tuple[int, str] | None = (
        None  # which is the path, by its place and its name; None: the spec knows it
    )


@dataclass(frozen=True)
class Configuration:
    """The configurations that are known when building, as code that the script is without: a list of them."""

    statement: Statement  # that binds it
    instantiate: str | None  # the script's function in the place of hydra's, where it has one
    is_composed: bool  # the first is what a main of hydra's is started with
    loads: Mapping[Load, int]  # which of them a call gives
    makers: Mapping[str, str] = field(
        default_factory=dict
    )  # the project's functions, with their keys in the code
    import_module: str | None = None  # the script's function in the place of importlib's, where it has one
    evaluated: frozenset[str] | None = None  # names that its texts may hand to resolvers; None: any
    chosen: Mapping[str, str | None] = field(default_factory=dict)  # of groups of hydra's; None: no option

    @property
    def overrides(self) -> tuple[str, ...]:
        """Those that may name a model: of groups without an option, or else of one for models."""
        unchosen = tuple(f"{group}=NAME" for group, option in self.chosen.items() if option is None)
        is_added = self.is_composed and "model" not in self.chosen
        return unchosen or ("+model=NAME" if is_added else "model=NAME",)

    @property
    def is_read(self) -> bool:
        """Whether there is one in files: else the code alone names classes."""
        return self.is_composed or bool(self.loads)


@dataclass(frozen=True)
class SpecClass:
    """A class that the spec names, as the script has it."""

    definition: str | None = None  # its name, where its code becomes part of the script
    kept: Import | None = None  # where it stays in a module of the project's
    constructor: Signature | None = None  # what it takes, where that is known
    methods: frozenset[str] = frozenset()  # that are the project's

    @property
    def name(self) -> str | None:
        """What the script calls it; None: it is a library's."""
        return self.definition or (self.kept.name if self.kept else None)


@dataclass(frozen=True)
class Entry:
    """The code that builds a Trainer and fits, as far as it is simple enough to become `main`."""

    seed: cst.Call | None = None
    seed_arguments: Mapping[str, object] = field(
        default_factory=dict
    )  # of that call, as far as they are known
    trainer: cst.Call | None = None
    model: cst.Call | None = None
    data: cst.Call | None = None
    model_class: str | None = None  # LightningCLI's
    data_class: str | None = None
    cli: cst.Call | None = None

    @property
    def names_model(self) -> bool:
        return self.model is not None or self.model_class is not None


@dataclass(frozen=True)
class Asked:
    """What a build is told beside its model, its data and its strategy, as the command line has it."""

    roots: tuple[Path, ...] = ()
    overrides: tuple[str, ...] = ()

    @property
    def options(self) -> str:
        return "".join(f" --root {shlex.quote(each.as_posix())}" for each in self.roots)

    @property
    def rest(self) -> str:
        """What stands behind all options."""
        return f" -- {shlex.join(self.overrides)}" if self.overrides else ""


@dataclass(frozen=True, eq=False)  # what is found out of one is kept for it
class Project:
    """One model file, read."""

    source: Source
    imports: tuple[Import, ...]
    statements: tuple[Statement, ...]
    classes: Mapping[str, Class]
    entry: Entry = field(default_factory=Entry)
    future_imports: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # from which its own modules are imported, as seen from the script's
    files: tuple[Path, ...] = ()  # that it was read from
    notes: tuple[Diagnostic, ...] = ()  # what the user should know of how it was made
    docstring: str = ""  # the entry's
    doing: frozenset[str] = frozenset()  # those of them that do something when they are imported
    lacking: frozenset[str] = frozenset()  # names of its own modules that are asked for what they have not
    passed_on: Mapping[str, str] = field(default_factory=dict)
    """What its own modules have by importing it from libraries: the dotted names, with those of the libraries."""
    loaded: frozenset[str] = frozenset()  # all that is imported before the training
    acting: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # its own modules that act when they are imported, in order, each with what is imported by then
    kept_streams: Mapping[str, bool] = field(
        default_factory=dict
    )  # what is or uses one; whether it has a length
    spec_trainer: Statement | None = None  # `Trainer(...)`, with the objects that the spec describes
    spec_optimizer: Statement | None = None  # a class that holds the method that returns it
    configuration: Configuration | None = None  # what of them is known when building
    spec_code: str = ""  # what it describes, as code that stands alone
    made_by_main: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # classes of which the script's main makes objects, each with the paths of classes among its arguments
    spec_classes: Mapping[str, SpecClass] = field(default_factory=dict)  # by the paths that it has of them
    import_nodes: frozenset[cst.CSTNode] = frozenset()  # of the source's module, guarded imports too
    displays: Mapping[str, str] = field(
        default_factory=dict
    )  # classes that only show something, or that the spec replaces, with those of Lightning's that they stand for
    data_bases: frozenset[cst.CSTNode] = frozenset()
    """Where classes that are data modules alone name LightningModule as their base."""
    kept_fields: frozenset[str] = frozenset()  # that classes of its own modules declare
    kept_packages: frozenset[str] = frozenset()  # that its own modules import
    noted: frozenset[str] = frozenset()  # definitions that its own modules, or libraries, have been told of
    roots: tuple[Path, ...] = ()  # folders that modules were looked for in, those given and those found
    asked: Asked = Asked()
    absent: Mapping[str, str] = field(default_factory=dict)
    """What is imported from the project and is not in it, by its dotted name: what of that is missing."""
    inner_imports: tuple[Import, ...] = ()  # of branches and functions, as far as they stay
    not_installed: frozenset[str] = frozenset()  # modules that are neither here nor in an installed package
    unread_bases: Mapping[str, str] = field(default_factory=dict)  # of such modules, by the classes over them
    told_by_cli: ToldByCli | None = None  # which may say otherwise than the spec alone
    whole: Project | None = None  # the same, with the entry's code, where the script has a main of its own

    def holding(self, node: cst.CSTNode) -> Project:
        """The project in whose index a node of the user's is: this one, or the whole."""
        return self.whole if self.whole is not None and node not in self.index else self

    @cached_property
    def packages(self) -> frozenset[str]:
        """Those that anything is imported from, at the top or further in."""
        far = (each for each in self.imports if not each.level and not each.is_local)
        names = [each.module for each in far]
        names += [code_for(each.name) for node in self.index.of_kind(cst.Import) for each in node.names]
        inner = (each for each in self.index.of_kind(cst.ImportFrom) if not each.relative)
        names += [code_for(each.module) for each in inner if each.module]
        return frozenset(name.partition(".")[0] for name in names)

    @cached_property
    def path_parts(self) -> frozenset[str]:
        """The parts of all texts, as far as these are paths."""
        texts = (each.raw_value for each in self.index.of_kind(cst.SimpleString))
        return frozenset(part for text in texts for part in re.split(r"[/\\]", text))

    @property
    def imports_own(self) -> bool:
        """Whether modules of its own stay imports, whose code the script has not."""
        return any(each.is_local for each in self.imports)

    @cached_property
    def index(self) -> Index:
        """What stands where in the imports, the statements and what the spec describes."""
        configured = self.configuration.statement if self.configuration else None
        made = (*self.statements, *filter(None, (self.spec_trainer, self.spec_optimizer, configured)))
        nodes = dict.fromkeys(statement.node for statement in made)
        written = [node for node in self.source.module.body if node in nodes or node in self.import_nodes]
        return index_of(tuple(dict.fromkeys((*written, *nodes))))

    def class_name(self, path: str) -> str:
        """What the class at a path of the spec's is called in the script."""
        found = self.spec_classes.get(path, SpecClass())
        return found.name or path.rpartition(".")[2]

    def classes_in(self, statement: Statement) -> list[Class]:
        """The classes that a statement defines, in functions too."""
        return [cls for name in dict.fromkeys(statement.names) for cls in self._held.get(name, ())]

    @cached_property
    def _held(self) -> dict[str, list[Class]]:
        """The classes by the names of the statements that define them."""
        found: dict[str, list[Class]] = {}
        for cls in self.classes.values():
            found.setdefault(cls.holder, []).append(cls)
        return found

    @cached_property
    def _bound(self) -> dict[str, Import]:
        return {bound.name: bound for bound in self.imports}

    def qualified(self, node: cst.BaseExpression) -> str | None:
        """The dotted name that an expression stands for, through the file's imports; a generic's without its types."""
        if isinstance(node, cst.Subscript):
            return self.qualified(node.value)
        if isinstance(node, cst.Attribute):
            base = self.qualified(node.value)
            return f"{base}.{node.attr.value}" if base else None
        if not isinstance(node, cst.Name):
            return None
        bound = self._bound.get(node.value)
        if bound is None:
            return node.value
        dotted = bound.target.lstrip(".")
        return self.passed_on.get(dotted, dotted)

    def place_of(self, node: cst.CSTNode) -> tuple[str, int, int]:
        """Where it begins: its path, line and column."""
        span = self.source.span(node)
        return span.path, span.line, span.column

    def called(self, call: cst.Call) -> str:
        """The dotted name of what a call calls; empty: it has none."""
        return self.qualified(call.func) or ""

    def lightning_name(self, node: cst.BaseExpression) -> str | None:
        """The name in Lightning's API that an expression stands for, such as `LightningModule`."""
        if node in self.data_bases:
            return "LightningDataModule"
        if isinstance(node, cst.Name) and node.value in self.displays:
            return self.displays[node.value]
        dotted = self.qualified(node)
        if dotted is None or not is_lightnings(dotted) or ".__version__." in dotted:
            return None  # what a text has
        if not self._is_imported(node):
            return None
        return api_name(dotted)

    def type_asked(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """The class of Lightning's of which `type(...)` is asked, which is made by `type` itself."""
        is_asked = isinstance(node, cst.Call) and len(node.args) == 1 and self.qualified(node.func) == "type"
        asked = node.args[0].value if is_asked and isinstance(node, cst.Call) else None
        return asked if asked is not None and self.lightning_name(asked) in BASES else None

    def _is_imported(self, node: cst.BaseExpression) -> bool:
        """Whether what an expression begins with comes from elsewhere, and is no variable of that name."""
        while isinstance(node, cst.Attribute | cst.Subscript):
            node = node.value
        if not isinstance(node, cst.Name):
            return False
        if (bound := self._bound.get(node.value)) and bound.is_local:
            return False
        bindings = self.index.bindings(node) if node in self.index else []
        aliases = [each.by for each in bindings if isinstance(each.by, cst.ImportAlias)]
        return not bindings or any(map(self._is_of_lightning, aliases))

    def _is_of_lightning(self, alias: cst.ImportAlias) -> bool:
        """Whether an import, of which a function may have its own under a name of Lightning's, is of Lightning."""
        node = self.index.ancestor(alias, cst.Import, cst.ImportFrom)
        if self.index.function_of(alias) is None or (isinstance(node, cst.ImportFrom) and node.relative):
            return True
        parts = [node.module, alias.name] if isinstance(node, cst.ImportFrom) else [alias.name]
        return is_lightnings(".".join(cst.Module([]).code_for_node(each) for each in parts if each))
