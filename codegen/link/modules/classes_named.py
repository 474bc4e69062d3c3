"""What a module may be asked for by its name: classes and functions."""

from __future__ import annotations

import ast

from ...lightning.api import CALLBACKS, IDLE_CALLBACKS, INSTEAD, LOGGERS, TUNING_CALLBACKS, is_lightnings
from .by_name import Lookup, choices
from .graph import Definition, External, Graph, ModuleReference, Target
from .module import Module

OF_LIGHTNING = {
    "callbacks": frozenset({*CALLBACKS, *IDLE_CALLBACKS, *TUNING_CALLBACKS, "ModelPruning"}),
    "loggers": LOGGERS | (INSTEAD.keys() - {"ModelPruning"}),
}
"""Classes that modules of Lightning's have, by the last part of the module's name."""

NO_CALLBACKS = frozenset({"PyTorchLightningPruningCallback", "RichProgressBarTheme"})
MORE_CALLBACKS = frozenset({"SpikeDetection", "ThroughputMonitor"})

TESTED = {"callbacks": tuple(sorted(OF_LIGHTNING["callbacks"] - NO_CALLBACKS | MORE_CALLBACKS))}
"""All classes that such modules are found to have if code asks whether they have one."""

OF_MODELS = ("LightningModule", "LightningDataModule")
"""Classes of Lightning's that nobody makes objects of."""


def definitions_named(graph: Graph, module: Module, lookup: Lookup) -> dict[str, Definition]:
    """The classes and functions of a module that code may ask it for, by their names in it."""
    return {
        name: target
        for name, target in _targets(graph, module, lookup).items()
        if isinstance(target, Definition) and _is_called(target)
    }


def called_here(graph: Graph, module: Module, lookup: Lookup) -> dict[str, Definition | External]:
    """The same of what the module itself asks for, with what it imports of the project's modules that stay."""
    return {
        name: target
        for name, target in _targets(graph, module, lookup).items()
        if (isinstance(target, Definition) and _is_called(target))
        or (isinstance(target, External) and _is_called_there(graph, target))
    }


def _is_called_there(graph: Graph, target: External) -> bool:
    """Whether what is imported is a class or a function of the project's."""
    bound = graph.first_import(target.bound)
    module = graph.module(bound.module) if bound.is_local else None
    return module is not None and _is_called(Definition(module, bound.attribute or ""))


def all_that_is_called(graph: Graph, module: Module) -> dict[str, Definition | External]:
    """What a module has that may be called, by its names, all of it: for what it has not there is a default.

    A library's module, which nothing can call, is left out. Nothing: it is not known.
    """
    found = all_but_modules(graph, module) if has_its_names_always(graph, module) else {}
    is_known = not any(isinstance(graph.resolve(module, name), ModuleReference) for name in module.imports)
    return found if is_known else {}


def all_but_modules(graph: Graph, module: Module) -> dict[str, Definition | External]:
    """What a module surely has, by its names, and its classes and functions; nothing: there may be more.

    Other modules are left out, and what models and data modules derive from.
    """
    if any(_brings_in_more(graph, module, star) for star in module.stars):
        return {}
    names = dict.fromkeys(names_in(graph, module))
    targets = {name: graph.resolve(module, name) for name in names}
    return {
        name: each
        for name, each in targets.items()
        if (isinstance(each, Definition) and (_is_called(each) or _is_sure(each)))
        or (isinstance(each, External) and each.bound.attribute not in (None, *OF_MODELS))
    }


def _brings_in_more(graph: Graph, module: Module, star: ast.ImportFrom) -> bool:
    """Whether a star import brings in what is not known, or what others bring into its module."""
    inner = graph.module(module.absolute(star))
    return inner is None or (inner.exports is None and bool(inner.stars))


def _is_sure(target: Definition) -> bool:
    """Whether it is a variable that is bound in any case."""
    return all(chunk.is_plain for chunk in target.module.binders.get(target.name, ()))


def _targets(graph: Graph, module: Module, lookup: Lookup) -> dict[str, Target | None]:
    names = names_in(graph, module)
    wanted = lookup.name.value if isinstance(lookup.name, ast.Constant) else None
    return {name: graph.resolve(module, name) for name in dict.fromkeys(names) if wanted in (None, name)}


def members_named(graph: Graph, module: Module, lookup: Lookup) -> dict[str, Definition]:
    """What modules in a module have that code asks these for, by their names; none: it may ask something else."""
    if lookup.member is None:
        return {}
    member, targets = lookup.member.attr, _targets(graph, module, lookup)
    others = (target for target in targets.values() if isinstance(target, Definition))
    nodes = (node for each in others for chunk in each.module.binders[each.name] for node in chunk.nodes)
    modules = {name: each.name for name, each in targets.items() if isinstance(each, ModuleReference)}
    found = {name: graph.member(each, member) for name, each in modules.items()}
    if any(member in ast.unparse(node) for node in nodes):
        return {}
    return {name: target for name, target in found.items() if isinstance(target, Definition)}


def definitions_evaluated(graph: Graph, module: Module, option: str) -> dict[str, Definition]:
    """The same for `eval` of an option; none where it may be something else."""
    said = [choices(each.tree, option) for each in graph.closure(graph.entry) if "add_argument" in each.text]
    names = [name for each in said for name in each or ()]
    targets = {name: graph.resolve(module, name) for name in names if name.isidentifier()}
    found = {
        name: target
        for name, target in targets.items()
        if isinstance(target, Definition) and _is_called(target)
    }
    return found if len(found) == len(set(names)) else {}


def names_in(graph: Graph, module: Module) -> list[str]:
    """The names that a module has once it is run, those that Python gives every one aside."""
    names = [*module.binders, *module.imports]
    for star in module.stars:
        if inner := graph.module(module.absolute(star)):
            names += inner.exports or [*inner.binders, *inner.imports]
    return names


def has_its_names_always(graph: Graph, module: Module) -> bool:
    """Whether a module has the names that it may have whatever happens as it is run, and no others afterwards."""
    are_sure = all(chunk.is_plain for chunks in module.binders.values() for chunk in chunks)
    are_known = all(graph.module(module.absolute(star)) for star in module.stars)
    return are_sure and are_known and not any(uses.declared for chunk in module.chunks for uses in chunk.uses)


def lightning_classes(graph: Graph, path: str) -> list[str]:
    """The classes of a module of Lightning's that the project has the names of, in quotes."""
    names = OF_LIGHTNING.get(path.rpartition(".")[2], frozenset()) if is_lightnings(path) else frozenset()
    return sorted(names & graph.strings) if names else []


def tested_classes(path: str) -> tuple[str, ...]:
    """All classes of a module of Lightning's, where code asks whether it has one of a name; none: it is no such one."""
    return TESTED.get(path.rpartition(".")[2], ()) if is_lightnings(path) else ()


def is_called(graph: Graph, module: Module, name: str) -> bool:
    """Whether a module has a class or a function of the project's under a name."""
    target = graph.resolve(module, name)
    return isinstance(target, Definition) and _is_called(target)


def is_projects(graph: Graph, module: Module, name: str) -> bool:
    """Whether what a module has under a name is defined in the project, be it elsewhere."""
    target = graph.resolve(module, name)
    return isinstance(target, Definition) or (isinstance(target, External) and target.bound.is_local)


def _is_called(target: Definition) -> bool:
    chunks = target.module.binders.get(target.name, ())
    kinds = ast.ClassDef | ast.FunctionDef
    return any(isinstance(node, kinds) for chunk in chunks for node in chunk.nodes)
