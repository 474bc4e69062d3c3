"""What an expression may be, here: the answers of the analysis."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ..index import Index
from ..index import patterns as m
from ..index.entries import Entries
from ..ir.project import Configuration, Project, shown_place
from .abstract import (
    Class,
    Container,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Partial,
    Sequence,
    Super,
    Unknown,
    Value,
)
from .fields import Fields
from .flow import OTHER, Argument, Configured
from .imports import ImportedNames
from .origins import Origin, origins
from .places import Places
from .rules.expressions import truth_of
from .rules.uncalled import Uncalled
from .solver import Cell


@dataclass(frozen=True)
class ValueSet:
    """All that an expression may be."""

    values: tuple[Value, ...]

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def unknown(self) -> Unknown | None:
        """Why it may be anything; None: it is one of the values."""
        return next((each for each in self.values if isinstance(each, Unknown)), None)

    @property
    def only(self) -> Value | None:
        """The one value that it is; None: there are several, or it may be anything."""
        return self.values[0] if len(self.values) == 1 and self.unknown is None else None

    @property
    def literal(self) -> Literal | None:
        """The literal that it surely is."""
        plain = {(type(each.value), each.value) for each in self.values if isinstance(each, Literal)}
        is_sure = len(plain) == 1 and all(isinstance(each, Literal) for each in self.values)
        return next((each for each in self.values if isinstance(each, Literal)), None) if is_sure else None

    @property
    def instances(self) -> list[Instance]:
        return [each for each in self.values if isinstance(each, Instance)]

    @property
    def classes(self) -> list[Class]:
        return [each for each in self.values if isinstance(each, Class)]

    @property
    def functions(self) -> list[Function]:
        return [each for each in self.values if isinstance(each, Function)]

    @property
    def options(self) -> list[Option]:
        return [each for each in self.values if isinstance(each, Option)]

    @property
    def may_be_none(self) -> bool:
        return any(isinstance(each, Literal) and each.value is None for each in self.values)

    @property
    def without_none(self) -> ValueSet:
        kept = (each for each in self.values if not (isinstance(each, Literal) and each.value is None))
        return ValueSet(tuple(kept))


@dataclass(frozen=True)
class Given:
    """An argument of a call: the expressions that it may stand for, and what these may be."""

    expressions: tuple[
        cst.BaseExpression, ...
    ]  # more than one where dicts are unpacked that are made in parts
    values: ValueSet

    @property
    def expression(self) -> cst.BaseExpression | None:
        """The one expression that it is written as."""
        return self.expressions[0] if len(self.expressions) == 1 else None


@dataclass(frozen=True)
class GivenArguments(Mapping[str, Given]):
    """The arguments of a call, by the names of parameters."""

    given: Mapping[str, Given]
    unknown: Unknown | None  # why there may be others; None: there are not

    def __getitem__(self, name: str) -> Given:
        return self.given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


class Values:
    """What the expressions of a project may be, with the reason where that is unknown.

        values = values_of(project)
        values.of(expression)                  # a ValueSet: iterate over it, or ask for `.unknown`, `.instances` …
        values.calls_of("Trainer")             # by whatever name it is called, in subclasses of the user's too
        values.calls_of("Trainer.fit")         # calls of a method of such objects
        values.callees(call)                   # what a call may call
        values.receivers(call)                 # the objects of whose methods it is a call
        values.arguments(call, ["model"])      # by the names of parameters; * and ** are unpacked
        values.origins(expression)             # the expressions that make its values
        values.element(container, 0)           # of a tuple or list; of a dict under its key
        values.elements(container)             # all of them together
        values.exact_parts(container)          # by index or key, where none may be missing, and none besides
        values.sure_parts(container)           # those that are not missing
        values.attribute(instance, "layer")    # as `instance.layer` would be
        values.stores()                        # where attributes are set, on what, and which
        values.returned(function)

    It is sound, but for what this list says. Libraries put nothing into the containers that they are given, and set
    no attributes of the user's objects that the user's code sets itself; they call methods of theirs only that
    torch's and Lightning's interfaces have, and no constructor of an object that is made already. A module that code
    sets under a name that is not known takes no method's place. Calls are not told from each other by what they pass
    (context-insensitive), but objects are by the call that makes them, and calls of a function that gives back what
    it is given, or attributes of that, by what they give. More than 128 values in one place, and the places of
    elements behind the 16th, are unknown.
    """

    def __init__(
        self,
        index: Index,
        names: ImportedNames,
        trees: tuple[cst.CSTNode, ...],
        made: Mapping[cst.ClassDef, Mapping[str, str]],
        configured: Configured,
        path_of: Callable[[cst.CSTNode], str],
    ) -> None:
        self.index = index
        self._flow = Uncalled(index, names, made, configured, path_of)
        self._flow.run(trees)
        self._flow.complete()

    # ---- expressions -------------------------------------------------------------------------------------

    def of(self, expression: cst.CSTNode) -> ValueSet:
        """All that an expression may be."""
        cell = self._flow.expressions.get(expression)
        if cell is not None:
            return _set(cell)
        if isinstance(expression, cst.Name) and (binding := self.index.binding(expression)):
            return _set(self._flow.of_variable(binding.variable))
        return ValueSet((Unknown("it is not run as code", expression),))

    def of_function(self, function: Function | cst.FunctionDef | cst.Lambda) -> ValueSet:
        """All that a function may return."""
        known = function if isinstance(function, Function) else Function(function)
        return _set(self._flow.of_function(known))

    def origins(self, expression: cst.CSTNode) -> list[Origin]:
        """The expressions that make what an expression may be, each with what it gives."""
        cell = self._flow.expressions.get(expression)
        return [Origin(expression, self.of(expression).values)] if cell is None else origins(cell, expression)

    def origins_of_function(self, function: cst.FunctionDef | cst.Lambda) -> list[Origin]:
        """The same of what a function may return."""
        return origins(self._flow.of_function(Function(function)), function)

    def parameter(self, parameter: cst.Param) -> ValueSet:
        """All that a parameter may be given."""
        return _set(self._flow.of_parameter(parameter))

    # ---- objects -----------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> ValueSet:
        """What an attribute of a value may be."""
        result = Cell()
        self._flow.read(value, name, result, _place(value))
        self._flow.settle()
        return _set(result)

    def stores(self) -> list[tuple[Value, str, cst.CSTNode]]:
        """Where the code sets attributes: of which objects and classes, and which; on what is unknown, too."""
        held = ((owner, *each) for owner, names in self._flow.stores.items() for each in names.items())
        return [(owner, name, place) for owner, name, places in held for place in places]

    def element(self, container: Container, key: Hashable) -> ValueSet:
        """What stands at an index or under a key."""
        result = Cell()
        self._flow.take(container, key, result)
        self._flow.solver.solve()
        return _set(result)

    def elements(self, container: Container) -> ValueSet:
        """All elements of a container together."""
        return _set(self._flow.any_element(container))

    def parts(self, container: Container) -> Mapping[Hashable, ValueSet] | None:
        """The elements of a container by index or key; None: there may be others, or they may stand elsewhere."""
        if isinstance(container, Dict) and container.is_alias:
            return self._fields(container.owner)
        cells = self._flow.elements.get(container, {})
        if (OTHER in cells and cells[OTHER].values) or container in self._flow.unordered:
            return None
        return {key: _set(cell) for key, cell in cells.items() if key != OTHER and cell.values}

    def _fields(self, owner: Value | None) -> Mapping[Hashable, ValueSet] | None:
        """The attributes of an object of a dataclass; None: there may be others."""
        if not isinstance(owner, Instance) or not isinstance(owner.cls, Class):
            return None
        bases = self._flow.library_bases(owner.cls)
        names = Fields(self.index, self._flow.names).of(self._flow.lineage(owner.cls), bases)
        if bases or not names or self._flow.stores.get(owner, {}).keys() - names:
            return None
        return {name: self.attribute(owner, name) for name in names}

    def exact_parts(self, container: Container) -> Mapping[Hashable, ValueSet] | None:
        """The same, where all of them surely stand there; None: one may be missing."""
        parts, sure = self.parts(container), self.sure_parts(container)
        return parts if parts is not None and parts.keys() == self._shown(container) == sure.keys() else None

    def sure_parts(self, container: Container) -> Mapping[Hashable, ValueSet]:
        """Those of the elements that surely stand there."""
        return self._sure_parts(container, frozenset())

    def _sure_parts(self, container: Container, within: frozenset[Container]) -> Mapping[Hashable, ValueSet]:
        is_alias = isinstance(container, Dict) and container.is_alias
        parts = None if is_alias or container in self._flow.shrinking else self.parts(container)
        shown = self._shown(container, within) - self._flow.taken_out.get(container, set()) if parts else ()
        return {key: parts[key] for key in parts if key in shown} if parts else {}

    def may_be_taken_out(self, container: Container, key: Hashable) -> bool:
        """Whether code may take an element out again."""
        flow = self._flow
        return container in flow.shrinking or key in flow.taken_out.get(container, ())

    def _shown(self, container: Container, within: frozenset[Container] = frozenset()) -> set[object]:
        """The places of the elements with which a container is made, as far as they are written there.

        A comprehension may take entries of what it has given itself, or of those that it is `within`.
        """
        if (named := self._flow.always_named.get(container)) is not None:
            return {*named}
        entries = self._flow.taken.get(container)
        taken = self._taken(entries, within | {container}) if entries and container not in within else set()
        return _shown_by(container) | taken

    def _taken(self, entries: Entries, within: frozenset[Container]) -> set[object]:
        """The keys of the entries that a comprehension surely takes, whichever mapping it is given."""
        given = self.of(entries.mapping) if entries.mapping is not None and entries.is_read else ValueSet(())
        found = [self._sure_entries(each, entries, within) for each in given]
        return set.intersection(*found) if found else set()

    def _sure_entries(self, value: Value, entries: Entries, within: frozenset[Container]) -> set[object]:
        is_known = isinstance(value, Dict) and not self.is_open(value)
        sure = self._sure_parts(value, within) if is_known and isinstance(value, Dict) else {}
        return {key for key, found in sure.items() if entries.has(key) and _surely_passes(found, entries)}

    def is_open(self, container: Container) -> bool:
        """Whether it is of a configuration that is known when building, and may say more when the script runs."""
        return container in self._flow.open

    def written(self, container: Container, key: Hashable) -> tuple[cst.BaseExpression, ...]:
        """The expressions that are put there."""
        return tuple(self._flow.written.get((container, key), ()))

    def lightning_bases(self, cls: Class) -> list[str]:
        """The names in Lightning's API of what a class of the user's is derived from."""
        return self._flow.lightning_bases(cls)

    def kind_asked(self, node: cst.BaseExpression) -> str | None:
        """Of which class of Lightning's an expression asks if a value is one."""
        return self._flow.kind_asked(node)

    def is_of_kind(self, value: Value, kind: str) -> bool | None:
        """Whether a value is one of a class of Lightning's; None: that is not known."""
        return self._flow.is_of_kind(value, kind)

    def base_asked(self, node: cst.BaseExpression) -> str | None:
        """From which class of Lightning's an expression asks if a class is derived."""
        return self._flow.base_asked(node)

    def is_derived(self, value: Value, kind: str) -> bool | None:
        """Whether a value is a class that is derived from one of Lightning's; None: that is not known."""
        return self._flow.is_derived(value, kind)

    def is_left_out(self, node: cst.CSTNode) -> bool:
        """Whether it stands in a branch for objects of such a class, or for others, of which there are none."""
        while (parent := self.index.parent(node)) is not None:
            if isinstance(parent, cst.If) and node is not parent.test and self.kind_asked(parent.test):
                found = self.of(parent.test)
                taken = {truth_of(each) for each in found}
                if not found.unknown and taken == {node is not parent.body}:
                    return True
            node = parent
        return False

    def library_bases(self, cls: Class) -> list[External]:
        """The bases of a class of the user's that are libraries'."""
        return self._flow.library_bases(cls)

    def bases(self, cls: Class) -> list[Class | External]:
        """A class and its bases, in the order in which attributes are looked up, as far as they are known."""
        return [each for each in self._flow.bases.order(cls) if isinstance(each, Class | External)]

    def knows_bases(self, cls: Class) -> bool:
        """Whether each of them stands in the code."""
        return len(self.bases(cls)) == len(self._flow.bases.order(cls))

    @property
    def escaped_classes(self) -> list[Class]:
        """Classes that code has which is not read: it may make objects of them."""
        return [each for each in self._flow.escaped if isinstance(each, Class)]

    # ---- calls -------------------------------------------------------------------------------------------

    def callees(self, call: cst.Call) -> ValueSet:
        """All that a call may call."""
        return self.of(call.func)

    def runs(self, node: cst.CSTNode) -> list[Function]:
        """The user's functions that run at a place: a call, a property that is read, an operator, a decorator."""
        return list(self._flow.runs.get(node, ()))

    def is_handed_on(self, node: cst.CSTNode, function: Function) -> bool:
        """Whether a call in a decorator's inner function runs what it decorates, as calls of that are said to do."""
        return (node, function) in self._flow.handed

    @property
    def running(self) -> list[cst.CSTNode]:
        """The places at which functions of the user's run."""
        return list(self._flow.runs)

    @cached_property
    def places(self) -> Places:
        """Where functions of the user's run."""
        return Places(self.index, self._flow.runs)

    def is_reached(self, function: cst.FunctionDef) -> bool:
        """Whether what the entry does may call a function."""
        return any(each.node is function for each in self._flow.reached)

    def calls_of(self, *names: str) -> list[cst.Call]:
        """The calls of what Lightning has under one of the names, or of what is derived from it."""
        found = dict.fromkeys(call for name in names for call in self._calls.get(name, ()))
        return sorted(found, key=self.index.order)

    @cached_property
    def _calls(self) -> dict[str, dict[cst.Call, None]]:
        found: dict[str, dict[cst.Call, None]] = {}
        for call in self.index.of_kind(cst.Call):
            for value in self.callees(call):
                for name in self.lightning_names(value):
                    found.setdefault(name, {})[call] = None
        return found

    def lightning_names(self, value: Value, within: frozenset[Value] = frozenset()) -> list[str]:
        """What a value is in Lightning's API: `Trainer`, or `Trainer.fit`.

        A partial may seem to be one of itself, or of those that it is `within`.
        """
        if isinstance(value, External):
            return [value.lightning] if value.lightning else []
        if isinstance(value, Class):
            return self.lightning_bases(value)
        if isinstance(value, Partial) and value not in within:
            function, within = self._flow.arguments[value.node].given[0].cell, within | {value}
            return [name for each in function.values for name in self.lightning_names(each, within)]
        if isinstance(value, Member):
            owner = value.receiver
            cls = owner.receiver_class if isinstance(owner, Super) else getattr(owner, "cls", owner)
            is_class = isinstance(cls, Class | External)
            return [f"{name}.{value.name}" for name in self.lightning_names(cls)] if is_class else []
        return []

    def receivers(self, call: cst.Call) -> ValueSet:
        """What the objects may be of which it calls a library's method, by another name too."""
        if isinstance(call.func, cst.Attribute):
            return self.of(call.func.value)
        found = [*self.callees(call)]
        for value in found:
            if isinstance(value, Partial):
                given = self._flow.arguments[value.node].given[0].cell.values
                found += [each for each in given if each not in found]
        open_or_own = (each.receiver if isinstance(each, Member) else each for each in found)
        kept = [each for each in open_or_own if not isinstance(each, Partial)]
        return ValueSet(tuple(dict.fromkeys(kept)))

    def arguments(self, call: cst.Call, parameters: list[str] | tuple[str, ...]) -> GivenArguments:
        """What a call gives each parameter; those of a `functools.partial` that is called are among them."""
        reader = _Reader(self, list(parameters))
        for value in self.callees(call):
            if isinstance(value, Partial):
                reader.take(self._flow.arguments[value.node].given[1:])
        reader.take(self._flow.arguments_of(call).given)
        return reader.arguments()


@dataclass
class _Reader:
    """Reads the arguments of one call."""

    values: Values
    parameters: list[str]

    def __post_init__(self) -> None:
        self.given: dict[str, tuple[list[cst.BaseExpression], list[Value]]] = {}
        self.unknown: Unknown | None = None
        self.place = 0
        self.named = set[str]()  # what the call names stands in no mapping, which would be an error

    def take(self, arguments: tuple[Argument, ...]) -> None:
        self.named = {each.keyword for each in arguments if each.keyword}
        for argument in arguments:
            values = tuple(argument.cell.values)
            if argument.star:
                self._unpack_each(values, argument)
            elif argument.keyword:
                self._give(argument.keyword, [argument.node], values)
            else:
                self._give_next([argument.node], values)

    def _give_next(self, nodes: list[cst.BaseExpression | None], values: tuple[Value, ...]) -> None:
        name = self.parameters[self.place] if self.place < len(self.parameters) else f"*{self.place}"
        self.place += 1
        self._give(name, nodes, values)

    def _give(
        self,
        name: str,
        nodes: list[cst.BaseExpression | None],
        values: tuple[Value, ...],
    ) -> None:
        expressions, known = self.given.setdefault(name, ([], []))
        expressions += [node for node in nodes if node is not None and node not in expressions]
        known += [value for value in values if value not in known]

    def _unpack_each(self, values: tuple[Value, ...], argument: Argument) -> None:
        """One of several is unpacked, all of which have to be of the same length."""
        first, ends = self.place, set[int]()
        for value in values:
            self.place = first
            self._unpack(value, argument)
            ends.add(self.place)
        if len(ends) > 1:
            self.unknown = Unknown("what is unpacked here may be of several lengths", argument.node)

    def _unpack(self, value: Value, argument: Argument) -> None:
        if isinstance(value, Unknown):
            self.unknown = value
            return
        parts = self.values.parts(value) if isinstance(value, Sequence | Dict) else None
        if parts is None:
            self.unknown = Unknown("it is not known what is unpacked here", argument.node)
            return
        assert isinstance(value, Sequence | Dict)
        for key in sorted(parts, key=str if isinstance(value, Dict) else hash):
            nodes: list[cst.BaseExpression | None] = [*self.values.written(value, key)]
            if isinstance(value, Dict) and str(key) not in self.named:
                self._give(str(key), nodes, parts[key].values)
            elif isinstance(value, Sequence):
                self._give_next(nodes, parts[key].values)

    def arguments(self) -> GivenArguments:
        given = {
            name: Given(tuple(nodes), ValueSet(tuple(values))) for name, (nodes, values) in self.given.items()
        }
        return GivenArguments(given, self.unknown)


def _set(cell: Cell) -> ValueSet:
    return ValueSet(tuple(cell.values))


def _surely_passes(found: ValueSet, entries: Entries) -> bool:
    """Whether an entry is left out for none of the values that it may have."""
    if not entries.leaves_none and not entries.leaves_false:
        return True
    return all(
        (
            not entries.leaves(each.value)
            if isinstance(each, Literal)
            else truth_of(each) or (not entries.leaves_false and _is_something(each))
        )
        for each in found
    )


def _is_something(value: Value) -> bool:
    """Whether a value surely is not None: a library's function may give that."""
    if isinstance(value, Instance):
        return isinstance(value.cls, Class) or (value.lightning or "")[:1].isupper()
    return isinstance(value, Sequence | Dict)


EMPTY = m.Call(m.Name("list") | m.Name("tuple"), [])


def _shown_by(container: Container) -> set[object]:
    """The same, of one that is no function's `**kwargs`."""
    node = container.node
    if isinstance(container, Dict) and container.part:
        return set()
    if isinstance(container, Dict) and isinstance(node, cst.Call):
        return {each.keyword.value for each in node.args if each.keyword}
    if isinstance(node, cst.Dict):
        keys = [each.key for each in node.elements if isinstance(each, cst.DictElement)]
        return {each.evaluated_value for each in keys if isinstance(each, cst.SimpleString)}
    if m.matches(node, EMPTY):
        return set()
    is_plain = isinstance(node, cst.Tuple | cst.List) and all(
        isinstance(each, cst.Element) for each in node.elements
    )
    return set(range(len(node.elements))) if is_plain else {None}  # type: ignore[attr-defined]  # one of these


def _place(value: Value) -> cst.CSTNode:
    node = getattr(value, "node", None)
    return node if isinstance(node, cst.CSTNode) else cst.Name("value")


def values_of(project: Project) -> Values:
    """What the expressions of a project may be; it is found out once for what the project's index holds."""
    kept: list[tuple[object, Values]] = project.index.kept.setdefault(Values, [])
    told = (project.made_by_main, project.data_bases)
    found = next((values for before, values in kept if before == told), None)
    if found is None:
        kept.append((told, found := _found(project)))
    return found


def _found(project: Project) -> Values:
    local = {bound.module for bound in project.imports if bound.is_local}
    return Values(
        project.index,
        ImportedNames(project.index, local, project.passed_on, project.data_bases),
        project.index.trees,
        {project.classes[name].node: given for name, given in project.made_by_main.items()},
        _configured(project),
        lambda node: project.source.span(node).path,
    )


def _configured(project: Project) -> Configured:
    """The nodes of the project's configuration."""
    if (own := project.configuration) is None:
        return Configured()
    line = cst.ensure_type(own.statement.node, cst.SimpleStatementLine)
    whole = cst.ensure_type(cst.ensure_type(line.body[0], cst.Assign).value, cst.List)
    held = [each.value for each in whole.elements]
    functions = {
        name: each.node
        for each in project.statements
        for name in each.names
        if isinstance(each.node, cst.FunctionDef)
    }
    importing = functions.get(own.import_module or "")
    return Configured(
        whole=whole,
        instantiate=functions.get(own.instantiate or ""),
        main=held[0] if own.is_composed else None,
        loaded=_loaded(project, own, held),
        makers={functions[name]: key for name, key in own.makers.items() if name in functions},
        texts=_texts(held[-1]),
        written=_written(project, held[-1]),
        import_module=importing,
        targets=_targets(project, importing),
        packages=_packages(project, importing),
        evaluated=own.evaluated,
    )


def _targets(project: Project, function: cst.FunctionDef | None) -> dict[str, cst.BaseExpression]:
    """What the script's function in the place of importlib's has of modules, by dotted names."""
    tables = [*project.index.within(function, cst.Dict)] if function else []
    return {name: value for table in tables for name, value in _entries(table)}


def _packages(project: Project, function: cst.FunctionDef | None) -> frozenset[str]:
    """The top levels of those modules."""
    tuples = project.index.within(function, cst.Tuple) if function else ()
    parts = (each.value for part in tuples for each in part.elements)
    return frozenset(str(each.evaluated_value) for each in parts if isinstance(each, cst.SimpleString))


def _texts(table: cst.BaseExpression) -> dict[tuple[str, object], cst.BaseExpression]:
    """What functions of the project's make of texts: the configuration's last part."""
    return {(key, text): value for key, made in _entries(table) for text, value in _entries(made)}


def _written(project: Project, table: cst.BaseExpression) -> dict[cst.CSTNode, dict[str, cst.BaseExpression]]:
    """What they make of mappings that the code writes out."""
    made = dict[object, dict[str, cst.BaseExpression]]()
    for (key, place), value in _texts(table).items():
        made.setdefault(place, {})[key] = value
    if not made:
        return {}
    found = (
        (node, made.get(shown_place(project.place_of(node)))) for node in project.index.of_kind(cst.Dict)
    )
    return {node: each for node, each in found if each}


def _entries(table: cst.BaseExpression) -> Iterator[tuple[str, cst.BaseExpression]]:
    """A dict's, by the texts that are their keys."""
    for each in table.elements if isinstance(table, cst.Dict) else ():
        if isinstance(each, cst.DictElement) and isinstance(each.key, cst.SimpleString):
            yield str(each.key.evaluated_value), each.value


def _loaded(
    project: Project, own: Configuration, held: list[cst.BaseExpression]
) -> dict[cst.CSTNode, tuple[cst.BaseExpression, ...]]:
    """What calls give that load configurations."""
    calls = {project.place_of(call): call for call in project.index.of_kind(cst.Call)} if own.loads else {}
    found = dict[cst.CSTNode, tuple[cst.BaseExpression, ...]]()
    for load, place in own.loads.items():
        if call := calls.get(load.place):
            found[call] = (*found.get(call, ()), held[place])
    return found
