"""Which statements of which modules the script needs, and in what order Python would run them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property

from .. import messages
from ..diagnostics import Diagnostic
from ..lightning.api import PACKAGES
from ..source.definitions import Import
from ..source.execution import SUBCLASSES
from ..source.names import BUILTINS
from .effects import acts, acts_outside, own_calls_act_outside
from .modules.by_name import is_asked_first
from .modules.classes_named import (
    all_but_modules,
    all_that_is_called,
    called_here,
    definitions_evaluated,
    definitions_named,
    has_its_names_always,
    lightning_classes,
    members_named,
    names_in,
    tested_classes,
)
from .modules.graph import Definition, External, Graph, ModuleReference, Target
from .modules.module import Chunk, Module
from .modules.module_tables import members_of_entry
from .modules.scopes import Position, Use, uses_of
from .resources import asked_for_files
from .running.late import Late, draws_or_sets
from .running.noted import Elsewhere, classes_called, classes_of, lineage, metaclasses_written, noting
from .running.order import Resolved, in_order
from .running.set_elsewhere import is_flag_set, is_one_variable, line_above

RUNNING = frozenset({"fit", "validate", "test", "predict"})
"""Methods with which a Trainer runs a model."""

DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

FILE = "__file__"
"""What a module asks for that looks for files beside it."""

WHOLE = ((), ("__dict__",))
"""What may stand behind a module that is asked for what has a name."""


@dataclass(eq=False)
class Reach:
    """What is reached from all statements of the entry."""

    graph: Graph
    chunks: dict[tuple[Module, Chunk], None] = field(default_factory=dict)
    resolved: dict[Chunk, list[Resolved]] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)  # names of modules that are asked for what they have not
    finds_subclasses: bool = False  # by asking their base for them
    of_python: set[str] = field(default_factory=set)  # builtins that some module uses
    tested: dict[tuple[Module, Position], list[str]] = field(default_factory=dict)
    # modules of which the file is asked, with how many attributes say so
    filed: dict[tuple[Module, Position], tuple[Module, int]] = field(default_factory=dict)
    # packages that are but asked for their files, with the same and their names
    packages: dict[tuple[Module, Position], tuple[Module, int, str]] = field(default_factory=dict)
    unnamed: set[tuple[Module, Position]] = field(default_factory=set)  # lookups of what there is nothing of
    of_members: set[tuple[Module, Position]] = field(default_factory=set)  # lookups of what modules have
    """The names that a module has, by where it is asked whether it has one."""
    entries: dict[tuple[Module, Position], Use] = field(default_factory=dict)
    """The uses of modules in whose places namespaces stand."""

    def run(self) -> None:
        """Follow every name, until nothing is added."""
        graph, first = self.graph, self.graph.first_modules
        self._follow((each, chunk) for each in first for chunk in each.chunks if not chunk.is_import)
        self._follow(self._named_by_spec())
        executed = [each for each in graph.surely_run() if each not in first and graph.is_embedded(each)]
        late = Late(graph, executed)
        while True:
            before = len(self.chunks)
            run = [*executed, *late.modules(self.chunks)]
            self.finds_subclasses = any(SUBCLASSES in each.text for each in {each for each, _ in self.chunks})
            self._follow(
                [(each, chunk) for each in run for chunk in each.chunks if self._has_effect(each, chunk)]
            )
            if len(self.chunks) == before:
                break
        self.problems += self._copies_told()
        told = [*late.told(self.chunks)]
        self.problems += (each for each in told if each.severity == "error")
        self.notes += (each for each in told if each.severity != "error")
        left = ((each, chunk) for each in run for chunk in each.chunks if (each, chunk) not in self.chunks)
        self.notes += [
            messages.statement_left_out(each.place_of(chunk))
            for each, chunk in left
            if self._is_missed(each, chunk)
        ]

    def _copies_told(self) -> Iterator[Diagnostic]:
        """Variables that a module imports by their names, and functions of their own module give another value."""
        copied = ((module, each) for module, chunk in self.chunks for each in self._copied(module, chunk))
        for importer, found in copied:
            target = found.target
            assert isinstance(target, Definition)
            setters = [
                each for each in target.module.setters(target.name) if (target.module, each) in self.chunks
            ]
            if setters:
                told = found.use.name, target.module.place.name, sorted(setters[0].names)[0]
                yield messages.copied_variable(place_of(importer, found.use), *told)

    def _copied(self, module: Module, chunk: Chunk) -> Iterator[Resolved]:
        """The uses, in functions, of what another module's variable was when it was imported."""
        for found in self.resolved.get(chunk, ()):
            target, use = found.target, found.use
            is_others = isinstance(target, Definition) and target.module is not module and not found.taken
            if is_others and use.is_late and not (use.stores or use.local_import or use.in_annotation):
                yield found

    @property
    def looks_up(self) -> bool:
        """Whether a table takes the place of a module somewhere."""
        return bool(self.tested or self.unnamed or self.entries) or any(
            each.looked_up for found in self.resolved.values() for each in found
        )

    def _is_missed(self, module: Module, chunk: Chunk) -> bool:
        """Whether a statement that binds a name which nothing needs may do something by what it calls."""
        if chunk.is_import or chunk.is_guard:
            return False
        nodes = [node for node in chunk.nodes if not isinstance(node, DEFINITIONS)]
        return own_calls_act_outside(self.graph, module, nodes)

    def _named_by_spec(self) -> Iterator[tuple[Module, Chunk]]:
        """What defines the classes that the spec names."""
        for named in self.graph.spec_classes:
            target = self.graph.class_at(named.path)
            if isinstance(target, Definition):
                yield from ((target.module, binder) for binder in target.module.binders[target.name])

    def _follow(self, chunks: Iterable[tuple[Module, Chunk]]) -> None:
        waiting = list(chunks)
        while waiting:
            place = waiting.pop()
            if place not in self.chunks:
                self.chunks[place] = None
                waiting.extend(self._needed_by(*place))

    def _needed_by(self, module: Module, chunk: Chunk) -> Iterator[tuple[Module, Chunk]]:
        found = list(self._resolve_all(module, chunk))
        self.resolved[chunk] = found
        targets: list[Target | None] = [each.target for each in found]
        for uses in chunk.uses:
            names = [name for node in uses.declared for name in node.names]
            names += [name for _, quoted in uses.annotations for name in quoted]
            targets += [self.graph.resolve(module, name) for name in names]
            targets += [
                self.graph.imported(module, node, alias, may_fail=isinstance(chunk.nodes[0], ast.Try))
                for node, is_local in uses.imports
                if not is_local
                for alias in node.names
            ]
            for node in (node for node, is_local in uses.imports if is_local):
                self.problems += self.graph.damaged(module, node)
        if chunk.is_import and module.names_bound(chunk):
            self._check_rebound(module, chunk)
        for each in found:
            if isinstance(each.target, External) and not each.use.in_annotation:
                self.problems += self.graph.unread.get(each.target.bound.target, ())
                self.problems += self._told_of_missing(module, each.use, each.target.bound)
            if isinstance(each.target, External) and each.use.name in module.imports_for_types:
                yield module, module.imports_for_types[each.use.name]
        for target in targets:
            if isinstance(target, Definition):
                yield from ((target.module, binder) for binder in target.module.binders[target.name])

    def _told_of_missing(self, module: Module, use: Use, bound: Import) -> Iterator[Diagnostic]:
        """What is imported of a module that becomes part of the script, and that has it not, or makes it when asked."""
        owner = (
            self.graph.module(bound.module)
            if bound.attribute and not (bound.level or bound.is_local)
            else None
        )
        is_of_settings = module in (self.graph.spec, self.graph.configuration)  # which are told of otherwise
        if (
            owner is None
            or is_of_settings
            or owner.damage
            or owner.stars
            or not self.graph.is_embedded(owner)
        ):
            return
        is_there = bound.attribute in owner.binders.keys() | owner.imports.keys() or self.graph.module(
            bound.target
        )
        if not (bound.is_star or is_there):
            yield messages.not_in_module(place_of(module, use), bound.target, "__getattr__" in owner.binders)

    def _check_rebound(self, module: Module, chunk: Chunk) -> None:
        """A module of the project's is no value that a variable, which is bound anew, could hold."""
        for name in sorted(module.names_bound(chunk)):
            if isinstance(self.graph.imported(module, *module.imports[name]), ModuleReference):
                self.problems.append(messages.module_as_value(module.place_of(chunk), name))

    def _resolve_all(self, module: Module, chunk: Chunk) -> Iterator[Resolved]:
        for use in (use for uses in chunk.uses for use in uses.names):
            if own := self._looked_up_here(module, use):
                yield from (Resolved(use, each, 0, name) for name, each in own.items())
                continue
            if self._is_tested_here(module, use):
                continue
            if use.local_import:
                target: Target | None = self.graph.imported(module, *use.local_import)
            else:
                target = self.graph.seen(module, chunk, use)
                if target is None and use.name in BUILTINS:
                    self.of_python.add(use.name)
                self._check_namespace(module, use, target)
                if not module.is_surely_bound(chunk, use) and self.graph.starred(module, use.name):
                    self.problems.append(messages.starred_name_bound(place_of(module, use), use.name))
            if _imports_by_name(use, target) and not self._has_own(use, target):
                self.notes.append(messages.dynamic_import(place_of(module, use)))
            yield from self._through_modules(module, use, target)

    def _through_modules(self, module: Module, use: Use, target: Target | None) -> Iterator[Resolved]:
        taken, owner = 0, ""
        if isinstance(target, External) and target.bound.is_local:
            target = self._passed(target, target.bound.target, use.attributes)
        while isinstance(target, ModuleReference) and use.attributes[taken : taken + 1] not in WHOLE:
            owner, whole = target.name, f"{target.name}.{use.attributes[taken]}"
            target, taken = self.graph.member(target.name, use.attributes[taken]), taken + 1
            target = self._passed(target, whole, use.attributes[taken:])
            if isinstance(target, External) and target.bound.attribute is None:
                target = External(Import(whole.partition(".")[0], whole, is_local=True))
        if isinstance(target, ModuleReference) and self._is_tested(module, use, target):
            return
        found = (
            self._in_its_place(module, use, taken, target) if isinstance(target, ModuleReference) else None
        )
        if found is not None:
            yield from (Resolved(use, each, taken, name) for name, each in found.items())
        elif target is None and taken and self._asks_file(module, use, owner, taken):
            return
        elif target is None and taken and self._is_lacking(module, use, owner):
            lacks = self._lacks(module, use, owner, use.attributes[taken - 1])
            if use.is_late:
                self.lacking.add(use.name)
                self.notes.append(lacks)
            else:
                self.problems.append(replace(lacks, severity="error"))
        elif isinstance(target, ModuleReference) and self._asks_files(module, use, taken, target):
            return
        elif isinstance(target, ModuleReference) or (target is None and taken):
            dotted = ".".join([use.name, *use.attributes])
            self.problems.append(messages.module_as_value(place_of(module, use), dotted))
        elif isinstance(target, External) and self._is_tested_of_lightning(module, use, target):
            return
        elif isinstance(target, External) and (named := self._named_of_lightning(module, use, target)):
            yield from (Resolved(use, target, taken, name) for name in named)
        elif isinstance(target, Definition | External):
            if isinstance(target, Definition) and taken and use.stores and taken == len(use.attributes):
                self._check_set_elsewhere(module, use, target)
            yield self._own_instead(use, target) or Resolved(use, target, taken)

    def _check_set_elsewhere(self, module: Module, use: Use, target: Definition) -> None:
        """Whether a function, or the entry itself, sets a variable that is one in the script, too."""
        is_plain = line_above(module, use) is not None or is_flag_set(module, use, target)
        if not is_plain or not is_one_variable(self.graph, target):
            dotted = ".".join([use.name, *use.attributes])
            self.problems.append(messages.module_attribute_set(place_of(module, use), dotted))

    def _asks_file(self, module: Module, use: Use, owner: str, taken: int) -> bool:
        """Whether it is asked in which file a module stands that becomes part of the script."""
        found = self.graph.module(owner)
        is_asked = use.attributes[taken - 1] == FILE and not use.stores and use.within is None
        if found is None or not is_asked:
            return False
        self.filed[module, use.spans[0][0]] = found, taken
        return True

    def _asks_files(self, module: Module, use: Use, taken: int, target: ModuleReference) -> bool:
        """Whether a package is but asked for the files beside it, which stay where they are."""
        found, place = self.graph.module(target.name), use.spans[0][0]
        is_whole = taken == len(use.attributes) and use.within is None
        if found is None or not is_whole or place not in asked_for_files(module):
            return False
        self.packages[module, place] = found, taken, target.name
        return True

    def _passed(self, target: Target | None, name: str, attributes: tuple[str, ...]) -> Target | None:
        """A package that stays, as one that is but passed where a module of it is asked for that does not."""
        found, package = self.graph.module(name), name
        if not isinstance(target, External) or found is None:
            return target
        for each in attributes:
            if found is None or self.graph.is_embedded(found) or self._binds(found, f"{package}.{each}"):
                break
            package = f"{package}.{each}"
            found = self.graph.module(package)
        is_left = found is not None and package != name and self.graph.is_embedded(found)
        return ModuleReference(name) if is_left else target

    def _binds(self, package: Module, name: str) -> bool:
        """Whether a package has something else under the name of a module of its own."""
        last = name.rpartition(".")[2]
        if last in package.imports:
            return self.graph.imported(package, *package.imports[last], may_fail=True) != ModuleReference(
                name
            )
        return last in package.binders or self.graph.starred(package, last) is not None

    def _is_lacking(self, module: Module, use: Use, owner: str) -> bool:
        """Whether a module is asked for what it surely has not, and nothing catches the error."""
        found = self.graph.module(owner)
        if found is None or found.stars or "__getattr__" in found.binders or use.stores:
            return False
        if any(
            each.startswith("__") for each in use.attributes
        ):  # such as `__name__`, which all modules have
            return False
        line = use.spans[0][0][0]
        tried = (node for node in module.nodes if isinstance(node, ast.Try))
        return not any(node.lineno <= line <= (node.end_lineno or line) for node in tried)

    def _lacks(self, module: Module, use: Use, owner: str, name: str) -> Diagnostic:
        """What is said of it, with what the module has under a name like that."""
        found = self.graph.module(owner)
        close = get_close_matches(name, names_in(self.graph, found), n=1, cutoff=0.75) if found else []
        return messages.module_lacks(place_of(module, use), use.name, name, close)

    def _is_tested(self, module: Module, use: Use, target: ModuleReference) -> bool:
        """Whether it is but asked if a module has what has a name."""
        place = use.spans[0][0]
        lookup, found = module.lookups.get(place), self.graph.module(target.name)
        if lookup is None or not lookup.is_test or found is None:
            return False
        self.tested[module, place] = names_in(self.graph, found)
        return True

    def _is_tested_of_lightning(self, module: Module, use: Use, target: External) -> bool:
        """The same of a module of Lightning's, or of what it is asked for then, which no text of the code names."""
        place, path = use.spans[0][0], ".".join((target.bound.target, *use.attributes))
        lookup, classes = module.lookups.get(place), tested_classes(path)
        if lookup is None or lookup.has_default or use.within is not None or not classes:
            return False
        if lookup.is_test:
            self.tested[module, place] = [*classes]
        elif is_asked_first(module.lookups.values(), lookup) and not lightning_classes(self.graph, path):
            self.unnamed.add((module, place))
        else:
            return False
        return True

    def _is_tested_here(self, module: Module, use: Use) -> bool:
        """The same of the module that it stands in, which is run by then, and has in any case what it binds."""
        place = use.spans[0][0]
        lookup = module.lookups.get(place)
        if lookup is None or not (lookup.is_own and lookup.is_test) or module is self.graph.entry:
            return False
        if use.within or not use.is_late or not has_its_names_always(self.graph, module):
            return False
        self.tested[module, place] = names_in(self.graph, module)
        return True

    def _in_its_place(
        self, module: Module, use: Use, taken: int, target: ModuleReference
    ) -> Mapping[str, Definition | External] | None:
        """What a module is asked for, by its names in what takes the module's place; None: nothing may."""
        if found := self._looked_up(module, use, target):
            return found
        members = members_of_entry(self.graph, module, use, target) if taken == len(use.attributes) else None
        if members is not None:
            self.entries[module, use.spans[0][0]] = use
        return members

    def _looked_up(
        self, module: Module, use: Use, target: ModuleReference
    ) -> Mapping[str, Definition | External]:
        """What may be meant where a module is asked for it by its name."""
        place = use.spans[0][0]
        lookup, found = module.lookups.get(place), self.graph.module(target.name)
        if lookup is None or found is None:
            return {}
        if members := members_named(self.graph, found, lookup):
            self.of_members.add((module, place))
            return members
        if lookup.has_default and not isinstance(lookup.name, ast.Constant):
            return all_but_modules(self.graph, found)
        return definitions_named(self.graph, found, lookup)

    def _looked_up_here(self, module: Module, use: Use) -> Mapping[str, Definition | External]:
        """The same, where a module is asked that it stands in."""
        lookup = module.lookups.get(use.spans[0][0])
        if lookup is None or not lookup.is_own or lookup.is_test:
            return {}
        if isinstance(lookup.name, ast.Attribute) and lookup.is_evaluated:
            found = definitions_evaluated(self.graph, module, lookup.name.attr)
            self.notes += [] if found else [messages.evaluated_name(place_of(module, use))]
            return found
        if lookup.has_default or lookup.may_be_any:
            return all_that_is_called(self.graph, module) if use.is_late and not use.within else {}
        return called_here(self.graph, module, lookup)

    def _named_of_lightning(self, module: Module, use: Use, target: External) -> list[str]:
        """The same of a module of Lightning's, where nothing may be taken in the place of a missing class."""
        lookup = module.lookups.get(use.spans[0][0])
        if lookup is None or lookup.has_default or lookup.is_test:
            return []
        return lightning_classes(self.graph, ".".join((target.bound.target, *use.attributes)))

    def _has_own(self, use: Use, target: Target | None) -> bool:
        return isinstance(target, External) and self._own_instead(use, target) is not None

    def _own_instead(self, use: Use, target: Target) -> Resolved | None:
        """A use of what the configuration, or the spec, has something in the place of, that is written with dots."""
        if not isinstance(target, External) or use.names_module:
            return None
        bound = self.graph.first_import(target.bound)
        top = bound.module.partition(".")[0]
        if top not in ("hydra", "hydra_zen", "importlib", *PACKAGES):
            return None
        is_top = bound.attribute is None and bound.name == top
        dotted = top if is_top else ".".join(filter(None, (bound.module, bound.attribute)))
        for taken, attribute in enumerate(use.attributes, 1):
            own = self.graph.own_or(External(Import("", dotted, attribute)))
            if isinstance(own, Definition):
                return Resolved(use, own, taken)
            dotted = f"{dotted}.{attribute}"
        return None

    def _check_namespace(self, module: Module, use: Use, target: Target | None) -> None:
        """A module that asks for its own namespace is not the one that it becomes a part of."""
        asks = use.name in ("globals", "__path__", "__spec__", "__package__")
        asks = asks and not names_package(module, use) and module is not self.graph.entry
        if use.name == FILE and self.graph.is_told_its_file(module):
            asks = "os" in use.shadows or not is_plain_in_string(module, use)
        if asks and target is None:
            self.problems.append(messages.module_namespace(place_of(module, use), use.name))

    def _has_effect(self, module: Module, chunk: Chunk) -> bool:
        """Whether a statement does something that what is reached may depend on."""
        if chunk.is_import or chunk.is_guard or chunk.is_text or (module, chunk) in self.chunks:
            return False
        if chunk.names and not any(map(acts, chunk.nodes)):
            registers = any(self._registers(module, node) for node in chunk.nodes)
            return registers or draws_or_sets(self.graph, module, chunk)
        resolved = list(self._resolve_all(module, chunk))
        own = [each.target for each in resolved if isinstance(each.target, Definition)]
        if not own or any(self._may_note(each) for each in own):
            return True
        return acts_outside(self.graph, module, chunk.nodes)

    def _registers(self, module: Module, node: ast.stmt) -> bool:
        """Whether a decorator, a metaclass or a base notes the definition in something that is reached, or stays."""
        if elsewhere(self.graph, module).notes(node):
            return True
        heads = (_called(decorator) for decorator in getattr(node, "decorator_list", []))
        uses = [use for head in heads for use in uses_of(ast.Expr(head)).names]
        return any(self._may_note(each) for each in self._definitions(module, uses)) or (
            isinstance(node, ast.ClassDef)
            and (any(map(self._notes, noting(self.graph, module, node))) or self._is_found(module, node))
        )

    def _notes(self, noting: Definition) -> bool:
        """Whether a metaclass or a base is reached, or a variable is that it may put classes into."""
        chunks = noting.module.binders.get(noting.name, [])
        used = self._definitions(
            noting.module, [use for each in chunks for uses in each.uses for use in uses.names]
        )
        return self._is_reached(noting) or any(
            _is_changeable(each) and self._is_reached(each) for each in used
        )

    def _is_found(self, module: Module, node: ast.ClassDef) -> bool:
        """Whether what is reached asks a base for the classes that derive from it."""
        bases = classes_called(self.graph, module, node.bases) if self.finds_subclasses else ()
        return any(self._is_reached(part) for base in bases for part in lineage(self.graph, base))

    def _may_note(self, definition: Definition, seen: frozenset[Definition] = frozenset()) -> bool:
        """Whether a definition is reached, or is a function's that may change a variable that is."""
        if self._is_reached(definition) or definition in seen:
            return definition not in seen
        chunks = [each for each in definition.module.binders.get(definition.name, []) if _is_function(each)]
        uses = [use for chunk in chunks for each in chunk.uses for use in each.names]
        used = self._definitions(definition.module, uses)
        return any(
            _is_changeable(each) if self._is_reached(each) else self._may_note(each, seen | {definition})
            for each in used
        )

    def _definitions(self, module: Module, uses: Iterable[Use]) -> list[Definition]:
        """The project's definitions that are used; of what cannot be followed nothing is said."""
        said = len(self.problems)
        targets = ((use, self.graph.resolve(module, use.name)) for use in uses)
        found = [each.target for pair in targets for each in self._through_modules(module, *pair)]
        del self.problems[said:]
        return [target for target in found if isinstance(target, Definition)]

    def _is_reached(self, definition: Definition) -> bool:
        binders = definition.module.binders.get(definition.name, [])
        return any((definition.module, chunk) in self.chunks for chunk in binders)

    # ---- bases -------------------------------------------------------------------------------------------

    def modules_with_bases(self) -> set[Module]:
        """Modules that are not embedded, and yet hold a base of a class of Lightning's kind, whose `self` it shares.

        Or what makes such a class.
        """
        found = set[Module]()
        for module, chunk in self.chunks:
            for node in chunk.nodes:
                if isinstance(node, ast.ClassDef) and self._is_lightning(module, node):
                    found |= set(self._kept_bases(module, node))
        return found

    def modules_with_decorators(self) -> set[Module]:
        """Modules that are not embedded, and yet have what decorates what the script is about, or makes it.

        A class of Lightning's kind, to note it, or a function that trains, to hand it what it is called with.
        """
        classes = [*self._lightning_classes()]
        decorators = [(module, each) for module, node in classes for each in node.decorator_list]
        decorators += self._of_functions_that_train()
        heads = [(module, _called(each)) for module, each in decorators]
        heads += (found for each in classes for found in self._making(*each))
        return set(
            self._kept_in((module, use) for module, each in heads for use in uses_of(ast.Expr(each)).names)
        )

    def _lightning_classes(self) -> Iterator[tuple[Module, ast.ClassDef]]:
        """The classes of Lightning's kind in modules that are run, with decorators or a metaclass."""
        modules = (each for each in self.graph.surely_run() if self.graph.is_embedded(each))
        nodes = ((module, node) for module in modules for chunk in module.chunks for node in chunk.nodes)
        classes = ((module, node) for module, node in nodes if isinstance(node, ast.ClassDef))
        noted = (each for each in classes if each[1].decorator_list or metaclasses_written(each[1]))
        yield from (each for each in noted if self._is_lightning(*each))

    def _making(self, module: Module, node: ast.ClassDef) -> Iterator[tuple[Module, ast.expr]]:
        """What makes a class, with its bases, by where it is named."""
        for written in metaclasses_written(node):
            yield module, written
            for metaclass in classes_called(self.graph, module, [written]):
                parts = [*lineage(self.graph, metaclass)]
                yield from (
                    (each.module, base) for each in parts for cls in classes_of(each) for base in cls.bases
                )

    def _of_functions_that_train(self) -> Iterator[tuple[Module, ast.expr]]:
        """Those of functions that are reached, take something, and call what a Trainer has."""
        nodes = ((module, node) for module, chunk in self.chunks for node in chunk.nodes)
        functions = ((module, node) for module, node in nodes if isinstance(node, ast.FunctionDef))
        yield from (
            (module, each) for module, node in functions if _trains(node) for each in node.decorator_list
        )

    def _kept_in(self, uses: Iterable[tuple[Module, Use]]) -> Iterator[Module]:
        """The modules that are not embedded, and define what is used."""
        for module, use in uses:
            for each in self._through_modules(module, use, self.graph.resolve(module, use.name)):
                target = each.target
                if isinstance(target, External) and target.bound.is_local:
                    dotted = (target.bound.target, *use.attributes)
                    yield from self._defining(".".join(dotted))

    def _defining(self, dotted: str, seen: frozenset[str] = frozenset()) -> Iterator[Module]:
        """The module that defines what a dotted name of the project's leads to, through others that import it."""
        source, _, name = dotted.rpartition(".")
        found = self.graph.module(source)
        target = self.graph.resolve(found, name) if found else None
        is_imported = isinstance(target, External) and target.bound.is_local
        further = target.bound.target if isinstance(target, External) and is_imported else source
        if isinstance(target, Definition):
            yield target.module
        elif further and further not in seen and (is_imported or not found):
            yield from self._defining(further, seen | {dotted})

    def _is_lightning(self, module: Module, node: ast.ClassDef, below: tuple[ast.ClassDef, ...] = ()) -> bool:
        """Whether a class comes from Lightning; classes in a circle, which Python refuses, do not."""
        below = (*below, node)
        return any(
            (
                target.bound.module.partition(".")[0] in PACKAGES
                if isinstance(target, External)
                else any(
                    self._is_lightning(target.module, each, below)
                    for each in classes_of(target)
                    if each not in below
                )
            )
            for target in self._bases(module, node)
        )

    def _bases(self, module: Module, node: ast.ClassDef) -> Iterator[Definition | External]:
        chunk = next(each for each in module.chunks if node in each.nodes)
        for use in (use for base in node.bases for use in uses_of(ast.Expr(base)).names):
            target = self.graph.seen(module, chunk, use)
            yield from (resolved.target for resolved in self._through_modules(module, use, target))

    def _kept_bases(self, module: Module, node: ast.ClassDef) -> Iterator[Module]:
        bases = (*node.bases, *metaclasses_written(node))
        uses = (use for base in bases for use in uses_of(ast.Expr(base)).names)
        yield from self._kept_in((module, use) for use in uses)

    @cached_property
    def in_order(self) -> list[tuple[Module, Chunk]]:
        """All statements of the modules reached, plain imports included, in the order in which Python runs them."""
        return in_order(self.graph, self.chunks, self.resolved)


def names_package(module: Module, use: Use) -> bool:
    """Whether a use asks for the name of the package that a module is in, as it is run by the entry."""
    is_own = not module.is_entry and "__package__" not in module.binders
    return use.name == "__package__" and is_own and use.within is None and bool(module.place.package)


def is_plain_in_string(module: Module, use: Use) -> bool:
    """Whether a use stands in no f-string, or by itself in the braces, as all others in it do."""
    if use.within is None:
        return True
    named = [each for each in ast.walk(use.within) if isinstance(each, ast.Name) and each.id == use.name]
    return len(named) == len([*places_in_string(module, use.within, use.name)])


def places_in_string(module: Module, string: ast.JoinedStr, name: str) -> Iterator[tuple[Position, Position]]:
    """Where a name stands by itself in the braces of an f-string, whose positions are known from Python 3.12 on."""
    for line in range(string.lineno, (string.end_lineno or string.lineno) + 1):
        for found in re.finditer(rf"(?<=\{{){re.escape(name)}(?=[}}:!])", module.lines[line - 1]):
            yield (line, found.start()), (line, found.end())


def _called(node: ast.expr) -> ast.expr:
    """What is called, of a call."""
    return _called(node.func) if isinstance(node, ast.Call) else node


def _trains(node: ast.FunctionDef) -> bool:
    """Whether a function takes something, and calls a method with the name of one that runs a model."""
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    names = {each.attr for each in called if isinstance(each, ast.Attribute)}
    return bool(ast.unparse(node.args)) and not names.isdisjoint(RUNNING)


def _is_function(chunk: Chunk) -> bool:
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in chunk.nodes)


def _is_changeable(definition: Definition) -> bool:
    """Whether it is a variable that is no constant, such as a table."""
    nodes = [node for chunk in definition.module.binders[definition.name] for node in chunk.nodes]
    values = [node.value for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
    return any(isinstance(value, ast.Dict | ast.List | ast.Set | ast.Call) for value in values)


def _imports_by_name(use: Use, target: Target | None) -> bool:
    """Whether a use is of a function that imports what a string names."""
    if use.names_module:
        return False
    if target is None:
        return use.name == "__import__"
    if not isinstance(target, External):
        return False
    dotted = ".".join(filter(None, (target.bound.module, target.bound.attribute, *use.attributes)))
    return dotted == "importlib.import_module"


def does_something(graph: Graph, module: Module) -> bool:
    """Whether importing the module does more than to bind names."""
    for chunk in module.chunks:
        if chunk.is_import or chunk.is_guard or chunk.is_text:
            continue
        decorators = [each for node in chunk.nodes for each in getattr(node, "decorator_list", [])]
        uses = [use for each in decorators for use in uses_of(ast.Expr(each)).names]
        if not chunk.names or any(graph.roots.find(_module_of(graph, module, use)) for use in uses):
            return True
        if any(isinstance(node, ast.ClassDef) and any(noting(graph, module, node)) for node in chunk.nodes):
            return True
        if draws_or_sets(graph, module, chunk) or any(map(elsewhere(graph, module).notes, chunk.nodes)):
            return True
    return False


def elsewhere(graph: Graph, module: Module) -> Elsewhere:
    """What other modules have been told of that a module defines."""

    def imported(name: str) -> Import | None:
        target = graph.resolve(module, name)
        return target.bound if isinstance(target, External) else None

    return Elsewhere(graph, imported)


def _module_of(graph: Graph, module: Module, use: Use) -> str:
    """The module that a name comes from."""
    target = graph.resolve(module, use.name)
    if isinstance(target, Definition):
        return target.module.place.name
    return target.bound.module if isinstance(target, External) else ""


def place_of(module: Module, use: Use) -> messages.Place:
    (line, column), end = use.spans[-1]
    start = len(module.lines[line - 1].encode()[:column].decode(errors="ignore"))
    return module.shown_place((line, start), end)
