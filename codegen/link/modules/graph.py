"""The project's modules by name, and what a name in one of them stands for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ... import messages
from ...diagnostics import CompileError, Diagnostic
from ...lightning.api import PACKAGES, PARTS
from ...source.definitions import Import
from ...source.hydra import INSTANTIATING
from ...source.names import BUILTINS, Importing, bound_by
from ...source.source_text import SourceText, decoded
from ..imports.stars import brings, is_open
from ..imports.tried_imports import packages_there
from .files import Place, Roots
from .module import Chunk, Module, shown_path
from .packages import installed_place
from .scopes import Use

if TYPE_CHECKING:
    from ..configuration.module import ConfigurationModule
    from ..spec.classes import Named
    from ..spec.module import SpecModule


@dataclass(frozen=True)
class Definition:
    """A name that a module's own statements bind."""

    module: Module
    name: str

    @property
    def assigned(self) -> ast.expr | None:
        """What the variable is, where it is set once."""
        nodes = [node for chunk in self.module.binders.get(self.name, []) for node in chunk.nodes]
        if len(nodes) == 1 and isinstance(nodes[0], ast.Assign | ast.AnnAssign):
            return nodes[0].value
        return None


@dataclass(frozen=True)
class ModuleReference:
    """A module that becomes part of the script."""

    name: str


@dataclass(frozen=True)
class External:
    """Something that the script goes on importing."""

    bound: Import


Target = Definition | ModuleReference | External

COMMAND_LINE = "CommandLine"
"""The class in the place of LightningCLI, where the spec is written out as one."""


@dataclass(frozen=True, eq=False)
class Graph:
    """The modules that are reached from the entry, read when they are asked for."""

    roots: Roots
    source: SourceText  # the entry's
    embeds_all: bool
    with_bases: frozenset[Module] = frozenset()  # of LightningModules, which are embedded for their sake
    with_decorators: frozenset[Module] = frozenset()  # of LightningModules, or of functions that train
    folder: Path = Path()  # where the script is to stand
    stay: frozenset[Module] = frozenset()  # not embedded, as they are not always imported
    makes_batches_anew: bool = False  # whether batch samplers are made anew: for ranks, or for predictions
    spec: SpecModule | None = None  # which names classes too
    configuration: ConfigurationModule | None = None  # which has functions in the place of libraries'
    idle: frozenset[Path] = frozenset()  # of installed packages' modules, those of which nothing is needed
    texts: Mapping[Path, str] = field(default_factory=dict)  # of files that are read in another form
    values: dict[Module, Definition] = field(default_factory=dict)
    """The objects in the place of modules that are used as values, by these."""
    read: dict[Path, Module] = field(default_factory=dict)
    named: dict[str, Module | None] = field(default_factory=dict)
    direct: dict[Module, tuple[Module, ...]] = field(default_factory=dict)
    touching: dict[Module, bool] = field(default_factory=dict)
    damages: dict[Module, list[Diagnostic]] = field(default_factory=dict)
    unread: dict[str, list[Diagnostic]] = field(default_factory=dict)
    """What is imported where that may be skipped, by its dotted path, and why Python cannot read it."""
    unfound: dict[tuple[Module, ast.ImportFrom, bool], str] = field(default_factory=dict)
    """What is not there of what imports name, by these, and whether a function does it, which may never be called."""

    # ---- modules -----------------------------------------------------------------------------------------

    @cached_property
    def entry(self) -> Module:
        return self._load(self.roots.entry)

    @cached_property
    def first_modules(self) -> tuple[Module, ...]:
        """The modules of which all is needed, as they are run: the entry, the spec and the configuration."""
        return tuple(each for each in (self.entry, self.spec, self.configuration) if each)

    @cached_property
    def making(self) -> frozenset[Module]:
        """The modules whose functions make objects of classes that a configuration names."""
        own = self.configuration
        if own is None:
            return frozenset()
        instead = own.instead.keys() & INSTANTIATING
        by_hydra = (each for each in self.closure(self.entry) if any(map(each.asks_for, instead)))
        return frozenset([*(each.definition.module for each in own.makers), *by_hydra])

    @cached_property
    def strings(self) -> frozenset[str]:
        """All that stands in quotes in the modules that the project imports."""
        modules = {each for first in self.first_modules for each in self.closure(first)}
        nodes = (node for module in modules for node in module.nodes)
        constants = (node.value for node in nodes if isinstance(node, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))

    def stands_elsewhere(self, module: Module) -> bool:
        """Whether the script is to stand in another folder than a module."""
        return module.place.path.parent != self.folder

    def is_told_its_file(self, module: Module) -> bool:
        """Whether the script says where a module's file is; what is no code has none, and the entry its place's."""
        is_first = module in self.first_modules
        return not is_first or (module is self.entry and self.stands_elsewhere(module))

    @property
    def spec_classes(self) -> tuple[Named, ...]:
        """The classes that the spec names."""
        return self.spec.named if self.spec else ()

    def module(self, name: str) -> Module | None:
        """The project's, or one of an installed package that is made for Lightning."""
        if name not in self.named:
            top, _, rest = name.partition(".")
            # a folder without an __init__ may stand beside the package of that name, as a namespace
            is_own = (
                top not in PACKAGES or top in self.namesakes or bool(rest and rest.split(".")[0] not in PARTS)
            )
            place = self.roots.find(name) if is_own else None
            place = place or (None if top in self.namesakes else installed_place(name))
            self.named[name] = self._load(place) if place else None
        return self.named[name]

    @cached_property
    def namesakes(self) -> frozenset[str]:
        """Packages of the project's with a name of Lightning's."""
        return frozenset(name for name in PACKAGES if self.roots.shadows(name))

    def _load(self, place: Place) -> Module:
        path = place.path.resolve()
        if path not in self.read:
            entry = self.roots.entry.path
            if path == entry.resolve():
                text = self.texts.get(path, self.source.text)
                self.read[path] = Module(place, self.source.path, text, is_entry=True)
            else:
                shown = place.shown if place.is_far else shown_path(place.path, entry, Path(self.source.path))
                text = self.texts[path] if path in self.texts else decoded(shown, place.path)
                self.read[path] = Module(place, shown, text, there=self._there)
        return self.read[path]

    @cached_property
    def _there(self) -> frozenset[str]:
        return packages_there(self.entry.tree)

    def is_embedded(self, module: Module) -> bool:
        """Whether what the script needs of the module becomes part of it."""
        is_wanted = (self.embeds_all and module not in self.stay) or module in self.first_modules
        is_wanted = is_wanted or module.place.name in self.said_in_quotes or module in self.making_values
        return is_wanted or module in self.with_bases or self.touches_lightning(module)

    @property
    def making_values(self) -> set[Module]:
        """The code that makes the objects in the place of modules."""
        return {each.module for each in self.values.values()}

    @cached_property
    def said_in_quotes(self) -> frozenset[str]:
        """The modules of the configuration's that no import statement can name."""
        nodes = self.configuration.all_imports if self.configuration else ()
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        return frozenset(name for name in names if not all(map(str.isidentifier, name.split("."))))

    def touches_lightning(self, module: Module) -> bool:
        """Whether importing the module imports Lightning, or what makes objects of it by their names.

        So do batch samplers that Lightning makes anew, of arguments that they do not keep.
        """
        if module not in self.touching:
            self.touching[module] = module.place.is_far or any(
                self._is_for_lightning(each) or (self.makes_batches_anew and each.makes_own_batches)
                for each in self.closure(module)
            )
        return self.touching[module]

    def _is_for_lightning(self, module: Module) -> bool:
        is_used = module in self.with_decorators or module in self.making
        is_unread = any(self.damaged(module, node) for node in module.all_imports)
        return is_used or is_unread or bool(module.lightning - self.namesakes)

    def closure(self, module: Module) -> list[Module]:
        """The modules that importing this one imports, itself included.

        Raises CompileError with all of them that cannot be read.
        """
        unread: list[Diagnostic] = []

        def imported(module: Module) -> tuple[Module, ...]:
            try:
                return self._imports_of(module)
            except CompileError as error:
                unread.extend(error.diagnostics)
                return ()

        modules = _spread(module, imported)
        if unread:
            raise CompileError(unread)
        return modules

    def surely_run(self) -> list[Module]:
        """The modules that are imported at the top level of the first ones, those included, and so on."""
        return self.run_with(self.first_modules)

    def run_with(self, modules: Iterable[Module]) -> list[Module]:
        """The same of any modules."""
        return list(dict.fromkeys(each for first in modules for each in _spread(first, self._runs)))

    def _runs(self, module: Module) -> Iterator[Module]:
        yield from self.packages(module.place.package)
        for node in (
            node for chunk in module.chunks for each in chunk.nodes for node in surely_imports(each)
        ):
            yield from self.imported_by(module, node)

    def _imports_of(self, module: Module) -> tuple[Module, ...]:
        if module not in self.direct:
            imported = (each for node in module.all_imports for each in self.imported_by(module, node))
            self.direct[module] = tuple(dict.fromkeys([*self.packages(module.place.package), *imported]))
        return self.direct[module]

    def damaged(self, module: Module, node: Importing) -> list[Diagnostic]:
        """Why Python cannot read what an import asks for that may never be run."""
        if not module.may_skip(node):
            return []
        return [said for each in self._asked_for(module, node) for said in self._damage(each)]

    def _damage(self, module: Module) -> list[Diagnostic]:
        """The same of a module, be it one that this imports in any case."""
        if module not in self.damages:
            run = _spread(module, lambda each: () if each.damage else self._runs(each))
            self.damages[module] = [said for each in run for said in each.damage]
        return self.damages[module]

    def packages(self, name: str) -> Iterator[Module]:
        """The packages that a dotted name runs through, the outermost first, itself last."""
        parts = name.split(".") if name else []
        for length in range(1, len(parts) + 1):
            if module := self.module(".".join(parts[:length])):
                yield module

    def imported_by(self, module: Module, node: Importing) -> Iterator[Module]:
        """The project's modules that an import statement imports, in order.

        Those that Python cannot read are left out, where it may never be asked to.
        """
        may_skip = module.may_skip(node)
        yield from (each for each in self._asked_for(module, node) if not (may_skip and self._damage(each)))

    def _asked_for(self, module: Module, node: Importing) -> Iterator[Module]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from self.packages(alias.name)
            return
        source = module.absolute(node)
        yield from self.packages(source)
        names = [alias.name for alias in node.names]
        for name in self._listed(source) if names == ["*"] else names:
            if found := self.module(f"{source}.{name}" if source else name):
                yield found

    def _listed(self, source: str) -> list[str]:
        """What a package says that its star imports."""
        package = self.module(source)
        is_package = package is not None and package.place.path.stem == "__init__"
        return sorted(package.exports or ()) if package and is_package else []

    # ---- names -------------------------------------------------------------------------------------------

    def class_at(self, path: str) -> Target | None:
        """What a dotted path of the spec's leads to."""
        module, _, name = path.rpartition(".")
        return self.member(module, name)

    def resolve(
        self, module: Module, name: str, seen: frozenset[tuple[Module, str]] = frozenset()
    ) -> Target | None:
        """What a global name of a module stands for; None: a builtin, or nothing."""
        if (module, name) in seen:
            return None
        if name in module.binders:
            imported = {
                self.imported(module, *each, seen, may_fail=True) for each in module.imports_in_guard(name)
            }
            in_guard = imported.pop() if len(imported) == 1 else None
            return in_guard if isinstance(in_guard, ModuleReference) else Definition(module, name)
        seen |= {(module, name)}
        if name in module.imports:
            return self.imported(module, *module.imports[name], seen)
        return self.starred(module, name, seen) or self._from_open_star(module, name)

    def seen(self, module: Module, chunk: Chunk, use: Use) -> Target | None:
        """What a global name stands for where it is used."""
        if imported := module.import_seen(chunk, use):
            return self.imported(module, *imported)
        is_early = module.sees_stars(chunk, use)
        if is_early and (starred := self.starred(module, use.name)):
            return starred
        # `print = partial(print, flush=True)`
        return None if is_early and use.name in BUILTINS else self.resolve(module, use.name)

    def starred(
        self, module: Module, name: str, seen: frozenset[tuple[Module, str]] = frozenset()
    ) -> Target | None:
        """What star imports surely bring in under a name."""
        for star in module.stars:
            if target := self._from_star(module, star, name, seen):
                return target
        return None

    def imported(
        self,
        module: Module,
        node: Importing,
        alias: ast.alias,
        seen: frozenset[tuple[Module, str]] = frozenset(),
        may_fail: bool = False,
    ) -> Target:
        """What one part of an import statement binds."""
        name = bound_by(alias, node)
        if damage := self.damaged(module, node):
            left = External(_unread(module, node, alias))
            self.unread[left.bound.target] = damage
            return left
        if isinstance(node, ast.Import):
            found = self.module(alias.name)
            if found is None or not self.is_embedded(found):
                return External(Import(name, alias.name, is_local=found is not None))
            return ModuleReference(alias.name if alias.asname else name)
        source = module.absolute(node)
        member = self.member(source, alias.name, seen)
        if member is None and node.level:
            is_late = module.imports_late(node) and not self.module(source)
            if may_fail and not is_late:
                return External(Import(name, node.module or "", alias.name, node.level))
            self.unfound.setdefault((module, node, is_late), alias.name)
        if isinstance(member, External):
            passed_on = Import(
                name, member.bound.module, member.bound.attribute, is_local=member.bound.is_local
            )
            return self.own_or(External(passed_on))
        return member or self.own_or(External(Import(name, source, alias.name)))

    def own_or(self, external: External) -> Target:
        """What an import stands for: of hydra's `instantiate`, for one, the configuration's own."""
        own, bound = self.configuration, self.first_import(external.bound)
        if self.spec and bound.attribute and self.spec.stands_for(bound.module, bound.attribute):
            return Definition(self.spec, COMMAND_LINE)
        name = own.instead.get(f"{bound.module}.{bound.attribute}") if own else None
        return Definition(own, name) if own and name else external

    def first_import(self, bound: Import) -> Import:
        """The import of a library's by which a module that stays has what is imported from it."""
        seen = set[Import]()
        while bound.is_local and bound not in seen:
            seen.add(bound)
            bound = self._passed_on(bound) or bound
        return bound

    def _passed_on(self, bound: Import) -> Import | None:
        """What a plain import of a module's binds, where nothing else binds that name in it."""
        module, name = self.module(bound.module), bound.attribute or ""
        if module is None or name not in module.imports.keys() - module.imports_for_types.keys():
            return None
        if name in module.binders:
            return None
        node, alias = module.imports[name]
        if isinstance(node, ast.Import):
            return Import(name, alias.name, is_local=self.module(alias.name) is not None)
        source = module.absolute(node)
        is_local = node.level > 0 or self.module(source) is not None
        return Import(name, source, alias.name, is_local=is_local)

    def member(
        self, source: str, name: str, seen: frozenset[tuple[Module, str]] = frozenset()
    ) -> Target | None:
        """What an attribute of a module of the project's stands for."""
        module = self.module(source)
        if module is not None:
            if not self.is_embedded(module) and (name in module.binders or name in module.imports):
                return External(Import(name, source, name, is_local=True))
            if target := self.resolve(module, name, seen):
                return target
        dotted = f"{source}.{name}" if source else name
        inner = self.module(dotted)
        if inner is not None:
            if self.is_embedded(inner):
                return ModuleReference(dotted)
            return External(
                Import(name, source, name, is_local=True) if source else Import(name, name, is_local=True)
            )
        if self._is_folder(dotted):
            return ModuleReference(dotted)
        is_kept = module is not None and not self.is_embedded(module)
        return External(Import(name, source, name, is_local=True)) if is_kept else None

    def _is_folder(self, name: str) -> bool:
        """Whether a folder without an __init__ has that name, in a package that becomes part of the script."""
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            if package := self.module(".".join(parts[:length])):
                folder = package.place.path.parent.joinpath(*parts[length:])
                return package.place.is_package and self.is_embedded(package) and folder.is_dir()
        return False

    def followed(self, target: Target | None) -> Target | None:
        """What an import from a module of the project's stands for there; in a circle of imports, one of them."""
        seen: set[Definition] = set()
        while isinstance(target, External) and target.bound.is_local and target.bound.attribute:
            module, name = self.module(target.bound.module), target.bound.attribute
            if module is None or Definition(module, name) in seen:
                return target
            seen.add(Definition(module, name))
            target = self.resolve(module, name)
        return target

    def _from_star(
        self, module: Module, star: ast.ImportFrom, name: str, seen: frozenset[tuple[Module, str]]
    ) -> Target | None:
        source = module.absolute(star)
        found = self.module(source)
        if found is None:
            if star.level:
                self.unfound[module, star, False] = name
            is_named = source in self.library_stars(module) and not self.keeps_stars(module)
            return External(Import(name, source, name)) if is_named and brings(source, name) else None
        if (name not in found.exports) if found.exports is not None else name.startswith("_"):
            return None
        known = self.resolve(found, name, seen)
        if known is None and found.exports is not None:
            return self.member(source, name, seen)  # a module of the package's, which the star imports
        if self.is_embedded(found):
            return known
        return External(Import(name, source, name, is_local=True)) if known else None

    def _from_open_star(self, module: Module, name: str) -> Target | None:
        """What comes from the only library whose names are not known, as nothing else binds it."""
        if self.keeps_stars(module):
            return None
        sources = [each for each in self.library_stars(module) if brings(each, name) is None]
        return External(Import(name, sources[0], name)) if sources else None

    def keeps_stars(self, module: Module) -> bool:
        """Whether star imports of libraries stay: one, whose names are not known, may bring in what another has."""
        return any(is_open(each) for each in self.library_stars(module)[1:])

    def library_stars(self, module: Module) -> list[str]:
        """The libraries of which a module imports all, Lightning left out, the first first."""
        sources = (module.absolute(star) for star in reversed(module.stars) if not star.level)
        return [each for each in sources if self.is_librarys(each)]

    def is_librarys(self, source: str) -> bool:
        """Whether a module is neither the project's nor Lightning's."""
        return self.module(source) is None and source.partition(".")[0] not in PACKAGES

    def said_of_unfound(self) -> list[Diagnostic]:
        """What is said of modules that are not there; of those that may never be imported no errors."""
        sure, said = set(self.surely_run()), dict[Diagnostic, None]()
        for (module, node, is_late), name in self.unfound.items():
            end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
            place = module.shown_place((node.lineno, node.col_offset), end)
            may_be_idle = is_late or not (module in sure or self.is_embedded(module))
            said[messages.module_not_found(place, _unfound_name(node, name), may_be_idle)] = None
        return [*said]


def _unread(module: Module, node: Importing, alias: ast.alias) -> Import:
    """The import of what is not looked into."""
    if isinstance(node, ast.Import):
        return Import(bound_by(alias, node), alias.name)
    return Import(bound_by(alias, node), module.absolute(node), alias.name)


def _unfound_name(node: ast.ImportFrom, name: str) -> str:
    """As `..parts`, also where it is imported `from ..`."""
    return "." * node.level + (node.module or name)


def surely_imports(node: ast.stmt) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that running a statement surely runs: itself, and those in a `with`."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node
    elif isinstance(node, ast.With):
        yield from (found for each in node.body for found in surely_imports(each))


def _spread(module: Module, following: Callable[[Module], Iterable[Module]]) -> list[Module]:
    """The module, those that follow from it, and so on."""
    found: dict[Module, None] = {}
    waiting = [module]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found[each] = None
            waiting.extend(following(each))
    return list(found)
