"""Variables that a module imports by their names, and functions of their own module give another value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ... import messages
from ...diagnostics import Diagnostic
from ..modules.graph import Definition
from ..modules.module import Chunk, Module
from ..running.order import Resolved


def copied_variables(
    chunks: Collection[tuple[Module, Chunk]], resolved: Mapping[Chunk, list[Resolved]]
) -> Iterator[Diagnostic]:
    """Those among a script's statements: under Python the importer keeps the first value."""
    copied = ((module, each) for module, chunk in chunks for each in _copied(module, resolved.get(chunk, ())))
    for importer, found in copied:
        target = found.target
        assert isinstance(target, Definition)
        setters = [each for each in target.module.setters(target.name) if (target.module, each) in chunks]
        if setters:
            told = found.use.name, target.module.place.name, sorted(setters[0].names)[0]
            yield messages.copied_variable(importer.place_of_use(found.use), *told)


def _copied(module: Module, resolved: Iterable[Resolved]) -> Iterator[Resolved]:
    """The uses, in functions, of what another module's variable was when it was imported."""
    for found in resolved:
        target, use = found.target, found.use
        is_others = isinstance(target, Definition) and target.module is not module and not found.taken
        if is_others and use.is_late and not (use.stores or use.local_import or use.in_annotation):
            yield found
