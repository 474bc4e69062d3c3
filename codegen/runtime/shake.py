"""From the names that a script wants to the runtime's definitions that it needs, each as slim as can be."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import libcst as cst

from ..index.renaming import renamed
from ..index.search import EMPTY, code_for
from ..source.definitions import Import
from ..source.names import attributes_in
from .definitions import RuntimeDefinition, load_runtime
from .empty_bases import without_empty_bases
from .folding.fold import fold, fold_function
from .folding.inline import inlined, unpassed_parameters, with_function
from .folding.known import Known
from .remote import instead


@dataclass(frozen=True)
class Wanted:
    """What the rest of the script refers to."""

    names: frozenset[str]
    members: Mapping[str, frozenset[str]]  # of those classes that hold only what is used
    known: Mapping[str, Known]  # what is decided about a class
    is_remote: bool = False  # files may lie where fsspec reaches them


READ_BY_RUNTIME = frozenset({"Ranks", "RemotePath", "Schedule"})
"""Classes whose members the runtime reads too, so that what is wanted of them is known last."""


@dataclass(frozen=True)
class Shaken:
    """The definitions that a script needs, in the runtime's order, and what they import."""

    definitions: tuple[RuntimeDefinition, ...]
    imports: tuple[Import, ...]

    def without(self, name: str) -> Shaken:
        """The same, but for one that nothing asks for any more."""
        kept = tuple(each for each in self.definitions if each.name != name)
        return Shaken(kept, tuple(_imports(kept)))


def shake(wanted: Wanted) -> Shaken:
    """The wanted definitions, and all that they need."""
    runtime = load_runtime()
    found: dict[str, RuntimeDefinition] = {}
    waiting = sorted(wanted.names)
    while waiting:
        name = waiting.pop()
        if name in found or name not in runtime.definitions:
            continue
        definition = _slimmed(runtime.definitions[name], wanted)
        if wanted.is_remote:
            definition = _with_remote_names(definition)
        found[name] = definition
        waiting.extend(definition.uses)
    found = _without_single_calls(without_empty_bases(found, wanted.names), wanted.names)
    for name in wanted.members.keys() & READ_BY_RUNTIME & found.keys():
        found[name] = _read(found[name], wanted.members[name], found.values())
    ordered = tuple(found[name] for name in runtime.definitions if name in found)
    return Shaken(ordered, tuple(_imports(ordered)))


def _without_single_calls(
    found: Mapping[str, RuntimeDefinition], kept: Container[str]
) -> dict[str, RuntimeDefinition]:
    """The definitions without short functions that one of them alone calls, and that are not `kept` for others."""
    definitions = dict(found)
    for name in found:
        function = definitions[name]
        if name in kept or not function.code.startswith("def ") or name in function.uses:
            continue
        others = [each for each in definitions.values() if each.name != name]
        mentions = {each: len(re.findall(rf"\b{name}\b", each.code)) for each in others}
        if sum(mentions.values()) != 1:
            continue
        caller = max(others, key=mentions.__getitem__)
        code = with_function(caller.code, function.code) if _imports_alike(caller, function) else None
        if code is not None:
            definitions[caller.name] = replace(caller, code=code)
            del definitions[name]
    return definitions


def _imports_alike(one: RuntimeDefinition, other: RuntimeDefinition) -> bool:
    """Whether all that the other one uses has its name in the first one's module too."""
    mine, theirs = load_runtime().imports[one.module], load_runtime().imports[other.module]
    return all(mine.get(use, theirs[use]) == theirs[use] for use in other.uses & theirs.keys())


def _imports(definitions: Iterable[RuntimeDefinition]) -> Iterator[Import]:
    """What definitions need of other modules."""
    runtime = load_runtime()
    everywhere = {name: each for bound in runtime.imports.values() for name, each in bound.items()}
    for definition in definitions:
        inlined_uses = (
            definition.uses - runtime.definitions.keys() - runtime.definitions[definition.name].uses
        )
        bound = {use: everywhere[use] for use in inlined_uses & everywhere.keys()}
        bound |= runtime.imports[definition.module]
        yield from (bound[use] for use in sorted(definition.uses) if use in bound)


def _slimmed(definition: RuntimeDefinition, wanted: Wanted) -> RuntimeDefinition:
    name = definition.name
    known, members = wanted.known.get(name, Known()), wanted.members.get(name)
    if name in READ_BY_RUNTIME or (members is None and not known):
        return definition
    return slimmed(name, members, known)


def slimmed(name: str, members: frozenset[str] | None, known: Known) -> RuntimeDefinition:
    """One class of the runtime's with these members (None: all), and everything decided that is known."""
    definition = load_runtime().definitions[name]
    own = None if members is None else members & _words(definition.code)
    return _with_what_is_known(definition, own, known)


def _with_remote_names(definition: RuntimeDefinition) -> RuntimeDefinition:
    """The definition, with what works with other places in the place of what works with local files."""
    return replace(definition, code=renamed(definition.code, instead(definition.name, definition.module)))


@cache
def _words(code: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", code))


@lru_cache(maxsize=2_048)
def _with_what_is_known(
    definition: RuntimeDefinition, members: frozenset[str] | None, known: Known
) -> RuntimeDefinition:
    """Kept, because a process that builds several scripts asks for the same again and again."""
    node = _parsed(definition)
    if isinstance(node, cst.FunctionDef):
        return _with_code(definition, fold_function(node, known))
    node = cst.ensure_type(node, cst.ClassDef)
    if members is not None:
        node = _with_members(node, members)  # folding takes time: not of what goes anyway
    node = fold(node, known) if known else node
    if members is not None:
        node = _with_members(node, members)
    if members is not None and known.inlines:
        unpassed = {name: each for name, each in unpassed_parameters(node) if name not in members}
        node = fold(node, replace(known, methods={**known.methods, **unpassed})) if unpassed else node
        node = inlined(node, members)
    return _with_code(definition, node)


def _read(
    definition: RuntimeDefinition, members: frozenset[str], all_found: Iterable[RuntimeDefinition]
) -> RuntimeDefinition:
    """The class without members that neither the rest of the script nor other definitions mention."""
    others = "".join(other.code for other in all_found if other is not definition)
    node = cst.ensure_type(_parsed(definition), cst.ClassDef)
    return _with_code(definition, _with_members(node, members | attributes_in(others)))


@lru_cache(maxsize=512)
def _parsed(definition: RuntimeDefinition) -> cst.CSTNode:
    """Kept as well: with the same nodes, what is kept of them is found again."""
    return cst.parse_module(definition.code).body[0]


def _with_code(definition: RuntimeDefinition, node: cst.CSTNode) -> RuntimeDefinition:
    return replace(definition, code=EMPTY.code_for_node(node))


def _with_members(node: cst.ClassDef, wanted: Iterable[str]) -> cst.ClassDef:
    """The class with those of its members that are wanted or that wanted ones use."""
    members = {name: member for member in node.body.body for name in _member_names(member)}
    init = members.get("__init__")
    in_init = _used_in_init(init)
    kept, waiting = set[str](), [*wanted, "__init__"]
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept.add(name)
            waiting.extend(in_init.get(name, ()))
            waiting.extend(_self_names(members[name]) if name in members and name != "__init__" else ())
    assigned = in_init.keys() - {"__init__"}
    body = [
        _init_with(init, kept, assigned) if member is init and isinstance(init, cst.FunctionDef) else member
        for member in node.body.body
        if not (names := _member_names(member)) or kept & set(names)
    ]
    if not any(_member_names(part) for part in body) and len(body) <= 1 and not body:
        body = [cst.parse_statement("pass")]
    return node.with_changes(body=node.body.with_changes(body=body))


def _member_names(member: cst.CSTNode) -> list[str]:
    if isinstance(member, cst.FunctionDef):
        return [member.name.value]
    if isinstance(member, cst.SimpleStatementLine):
        part = member.body[0]
        if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name):
            return [part.target.value]
        if isinstance(part, cst.Assign) and isinstance(part.targets[0].target, cst.Name):
            return [part.targets[0].target.value]
    return []


def _self_names(node: cst.CSTNode) -> list[str]:
    return re.findall(r"\bself\.(\w+)", code_for(node))


def _used_in_init(init: cst.CSTNode | None) -> dict[str, list[str]]:
    """What the constructor uses for each attribute that it sets; under its own name, what it uses beside."""
    used: dict[str, list[str]] = {}
    for statement in init.body.body if isinstance(init, cst.FunctionDef) else ():
        name = _assigned_attribute(statement) or "__init__"
        used.setdefault(name, []).extend(_self_names(statement))
    return used


def _assigned_attribute(statement: cst.CSTNode) -> str | None:
    found = re.match(r"\s*self\.(\w+)(: [^=]+)? = ", code_for(statement))
    return found[1] if found else None


def _init_with(init: cst.FunctionDef, kept: set[str], assigned: Set[str]) -> cst.FunctionDef:
    """The constructor without the attributes that nothing reads."""
    dropped = assigned - kept
    body = [statement for statement in init.body.body if _assigned_attribute(statement) not in dropped]
    return init.with_changes(body=init.body.with_changes(body=body))
