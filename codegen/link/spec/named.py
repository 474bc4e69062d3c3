"""The classes that the spec names: where they are, and what they are called in the script."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import SpecClass
from ...lightning.api import PACKAGES, TUNING_CALLBACKS
from ...source.definitions import Import
from ...spec.load import LoadedSpec
from ...spec.trainer_settings import NO_EFFECT
from ..modules.graph import Definition, External, Graph, Target
from ..naming import Names
from .class_paths import SHORT, ClassPaths
from .classes import Named


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


def idle_callbacks(spec: LoadedSpec, paths: ClassPaths) -> Iterator[Diagnostic]:
    """Those of the spec's that the script does without: they show something, or find out what to train with."""
    for index, settings in enumerate(spec.spec.trainer.callbacks):
        if paths.is_idle(settings.class_path):
            place = spec.place(f"trainer.callbacks.{index}.class_path")
            name = settings.class_path.rpartition(".")[2]
            if does := TUNING_CALLBACKS.get(name):
                yield messages.tuner_left_out(place, name, does)
            else:
                yield messages.dropped_setting(place, name, NO_EFFECT)


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


def kept_imports(graph: Graph) -> Iterator[Import]:
    """The imports of classes of the spec's whose modules do not become part of the script."""
    targets = (graph.class_at(each.path) for each in graph.spec_classes)
    return (kept for target in targets if (kept := _kept(target)))


def _kept(target: Target | None) -> Import | None:
    return target.bound if isinstance(target, External) and target.bound.is_local else None


def classes_in_script(graph: Graph, names: Names) -> dict[str, SpecClass]:
    """The classes of the spec's, by the paths that it has of them."""
    return {each.written: _in_script(each, graph.class_at(each.path), names) for each in graph.spec_classes}


def _in_script(named: Named, target: Target | None, names: Names) -> SpecClass:
    definition = names.of_definition[target] if isinstance(target, Definition) else None
    return SpecClass(definition, _kept(target), named.constructor, named.methods)
