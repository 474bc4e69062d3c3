"""The classes that the spec names: where they are, and what they are called in the script."""

from __future__ import annotations

from collections.abc import Iterator

from .. import messages
from ..diagnostics import Diagnostic
from ..lightning_api import PACKAGES
from ..spec import LoadedSpec
from .graph import Definition, Graph, Target
from .naming import Names
from .spec_module import Named


def check_named(graph: Graph, spec: LoadedSpec) -> Iterator[Diagnostic]:
    """Classes that are not where the spec says."""
    for named in graph.spec.named if graph.spec else ():
        top = named.path.partition(".")[0]
        place = spec.place(named.key)
        if top in PACKAGES or _exists(graph, named, graph.class_at(named.path)):
            continue
        if graph.module(top):
            yield messages.class_not_found(place, named.written)
        elif named.is_given:
            yield messages.object_of_a_library(place, named.path)


def _exists(graph: Graph, named: Named, target: Target | None) -> bool:
    """Whether there is such a class; of a module that stays, as far as can be told."""
    module, _, name = named.path.rpartition(".")
    found = graph.module(module)
    if isinstance(target, Definition) or found is None:
        return target is not None
    return bool(found.stars) or name in found.binders or name in found.imports


def names_of(graph: Graph, names: Names) -> dict[str, str]:
    """The names that classes of the spec's have in the script, by their paths."""
    named = graph.spec.named if graph.spec else ()
    targets = ((each.written, graph.class_at(each.path)) for each in named)
    return {path: names.of_definition[target] for path, target in targets if isinstance(target, Definition)}
