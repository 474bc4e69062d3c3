"""What the names in statements stand for, through the modules that they are asked of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from ... import messages
from ...diagnostics import Diagnostic
from ...lightning.api import PACKAGES
from ...source.definitions import Import
from ...source.names import BUILTINS
from ..modules.by_name import is_asked_first
from ..modules.classes_named import (
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
from ..modules.graph import Definition, External, Graph, ModuleReference, Target
from ..modules.module import Chunk, Module
from ..modules.module_tables import members_of_entry
from ..modules.scopes import Position, Use
from ..resources import asked_for_files
from ..running.order import Resolved
from ..running.set_elsewhere import is_flag_set, is_one_variable, line_above
from .in_strings import names_in_string
from .module_values import loaded_again, value_of

FILE = "__file__"
"""What a module asks for that looks for files beside it."""

WHOLE = ((), ("__dict__",))
"""What may stand behind a module that is asked for what has a name."""

Asking = tuple[Module, Position]
"""Where a module is asked for something."""


@dataclass(eq=False)
class Resolution:
    """Resolves uses, and notes what of modules the script is to have something else in the place of."""

    graph: Graph
    problems: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)  # names of modules that are asked for what they have not
    of_python: set[str] = field(default_factory=set)  # builtins that some module uses
    tested: dict[Asking, list[str]] = field(default_factory=dict)
    """The names that a module has, by where it is asked whether it has one."""
    filed: dict[Asking, tuple[Module, int]] = field(default_factory=dict)
    """The modules of which the file is asked, with how many attributes say so."""
    packages: dict[Asking, tuple[Module, int, str]] = field(default_factory=dict)
    """The packages that are but asked for their files, with the same and their names."""
    unnamed: set[Asking] = field(default_factory=set)  # lookups of what there is nothing of
    of_members: set[Asking] = field(default_factory=set)  # lookups of what modules have
    entries: dict[Asking, Use] = field(default_factory=dict)
    """The uses of modules in whose places namespaces stand."""

    @property
    def looks_up(self) -> bool:
        """Whether something takes the place of a module, or of its lookup."""
        return bool(self.tested or self.unnamed or self.entries)

    def of_chunk(self, module: Module, chunk: Chunk) -> Iterator[Resolved]:
        """The uses of a statement, by what they stand for."""
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
                    self.problems.append(messages.starred_name_bound(module.place_of_use(use), use.name))
            if _imports_by_name(use, target) and not self._has_own(use, target):
                self.notes.append(messages.dynamic_import(module.place_of_use(use)))
            yield from self.through_modules(module, use, target)

    def through_modules(self, module: Module, use: Use, target: Target | None) -> Iterator[Resolved]:
        """A use, by what its attributes lead to where they begin with modules."""
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
        elif isinstance(target, ModuleReference) and (value := self._as_value(module, use, target)):
            yield Resolved(use, value, taken)
        elif isinstance(target, ModuleReference) or (target is None and taken):
            dotted = ".".join([use.name, *use.attributes])
            self.problems.append(messages.module_as_value(module.place_of_use(use), dotted))
        elif isinstance(target, External) and self._is_tested_of_lightning(module, use, target):
            return
        elif isinstance(target, External) and (named := self._named_of_lightning(module, use, target)):
            yield from (Resolved(use, target, taken, name) for name in named)
        elif isinstance(target, Definition | External):
            if isinstance(target, Definition) and taken and use.stores and taken == len(use.attributes):
                self._check_set_elsewhere(module, use, target)
            yield self._own_instead(use, target) or Resolved(use, target, taken)

    def _as_value(self, module: Module, use: Use, target: ModuleReference) -> Definition | None:
        """What stands for a module that is used as a value, and not loaded again."""
        is_other = use.stores or use.spans[0][0] in loaded_again(module)
        return None if is_other else value_of(self.graph, target.name)

    def _check_set_elsewhere(self, module: Module, use: Use, target: Definition) -> None:
        """Whether a function, or the entry itself, sets a variable that is one in the script, too."""
        is_plain = line_above(module, use) is not None or is_flag_set(module, use, target)
        if not is_plain or not is_one_variable(self.graph, target):
            dotted = ".".join([use.name, *use.attributes])
            self.problems.append(messages.module_attribute_set(module.place_of_use(use), dotted))

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
        return messages.module_lacks(module.place_of_use(use), use.name, name, close)

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
            self.notes += [] if found else [messages.evaluated_name(module.place_of_use(use))]
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
        if asks and target is None:
            self.problems.append(messages.module_namespace(module.place_of_use(use), use.name))
        asks_file = use.name == FILE and self.graph.is_told_its_file(module) and target is None
        if asks_file and ("os" in use.shadows or not _may_say_file(module, use)):
            self.problems.append(messages.file_untellable(module.place_of_use(use)))

    def definitions(self, module: Module, uses: Iterable[Use]) -> list[Definition]:
        """The project's definitions that are used; of what cannot be followed nothing is said."""
        said = len(self.problems)
        targets = ((use, self.graph.resolve(module, use.name)) for use in uses)
        found = [each.target for pair in targets for each in self.through_modules(module, *pair)]
        del self.problems[said:]
        return [target for target in found if isinstance(target, Definition)]


def names_package(module: Module, use: Use) -> bool:
    """Whether a use asks for the name of the package that a module is in, as it is run by the entry."""
    is_own = not module.is_entry and "__package__" not in module.binders
    return use.name == "__package__" and is_own and use.within is None and bool(module.place.package)


def _may_say_file(module: Module, use: Use) -> bool:
    """Whether code may take the place of a use: in f-strings where that has a quote for it, and shows no code."""
    if use.within is None:
        return True
    found = names_in_string(module.lines, use.within, use.name)
    return all(each.quote and not each.is_shown for each in found)


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
