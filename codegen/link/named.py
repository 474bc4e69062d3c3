"""The classes that the spec names: where they are, and what they are called in the script."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from .. import messages
from ..definitions import Import
from ..diagnostics import Diagnostic
from ..lightning_api import PACKAGES
from ..signature import Signature
from ..spec import LoadedSpec
from .class_paths import SHORT, ClassPaths
from .graph import Definition, External, Graph, Target
from .naming import Names
from .spec_classes import Named


def check_named(graph: Graph, spec: LoadedSpec) -> Iterator[Diagnostic]:
    """Classes that are not where the spec says."""
    for named in graph.spec_classes:
        top = named.path.partition(".")[0]
        place = spec.place(named.key)
        close = list(_close(graph, named))
        is_lightnings = top in PACKAGES and not (named.is_given and close)
        if is_lightnings or _exists(graph, named, graph.class_at(named.path)):
            continue
        if graph.module(top) or top in PACKAGES:
            yield messages.class_not_found(place, named.written, close)
        elif named.is_given:
            yield messages.object_of_a_library(place, named.path)


def _close(graph: Graph, named: Named) -> Iterator[str]:
    """A class whose name is almost that which is written, but not it."""
    module, _, name = named.path.rpartition(".")
    found = graph.module(module)
    known = {*(SHORT if "." not in named.written or module.partition(".")[0] in PACKAGES else ())}
    known |= {*found.binders, *found.imports} if found else set()
    if name not in known:
        yield from difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.75)


def _exists(graph: Graph, named: Named, target: Target | None) -> bool:
    """Whether there is such a class; of a module that stays, as far as can be told."""
    module, _, name = named.path.rpartition(".")
    found = graph.module(module)
    if isinstance(target, Definition) or found is None:
        return target is not None
    return bool(found.stars) or name in found.binders or name in found.imports


def names_of(graph: Graph, names: Names) -> dict[str, str]:
    """The names that classes of the spec's have in the script, by their paths."""
    targets = ((each.written, graph.class_at(each.path)) for each in graph.spec_classes)
    return {path: names.of_definition[target] for path, target in targets if isinstance(target, Definition)}


def kept_of(graph: Graph) -> dict[str, Import]:
    """The imports of classes of the spec's whose modules do not become part of the script."""
    targets = ((each.written, graph.class_at(each.path)) for each in graph.spec_classes)
    return {
        path: target.bound
        for path, target in targets
        if isinstance(target, External) and target.bound.is_local
    }


def constructors_of(graph: Graph) -> dict[str, Signature]:
    """What the spec's classes are made with, by their paths, as far as that is known."""
    paths = ClassPaths(graph)
    taken = ((each.written, paths.signature(each.path)) for each in graph.spec_classes)
    return {path: signature for path, signature in taken if signature is not None}
