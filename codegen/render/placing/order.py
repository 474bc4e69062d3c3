"""The order of a script: for its reader, as far as the order of execution leaves a choice."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Literal

from ...source.definitions import AT_THE_END, Origin, Run
from ...source.execution import Execution, execution, told_of_classes
from ...source.loaded import is_loaded
from ...source.names import global_names

GUARD = re.compile(r"^if\b.*\b__name__\b", re.M)

METACLASS = re.compile(r"\bmetaclass=")

Whose = Literal["user", "script", "runtime"]


@dataclass(frozen=True, eq=False)
class Block:
    """Neighbouring statements that stay together: a definition, or a section of the script's own."""

    whose: Whose
    code: str
    title: str = ""  # of the section that it belongs to, where it may stand in another
    origin: Origin | None = None  # of the user's: where it comes from
    run: Run = AT_THE_END  # of the user's: when it runs

    @cached_property
    def execution(self) -> Execution:
        return execution(self.code)

    @property
    def path(self) -> str:
        """The user's file that it comes from."""
        return self.origin.path if self.origin else ""

    @property
    def bound(self) -> frozenset[str]:
        return self.execution.bound

    @property
    def is_guard(self) -> bool:
        """Whether it runs only where the script is started, not where it is imported."""
        return GUARD.search(self.code) is not None

    @cached_property
    def uses(self) -> frozenset[str]:
        """Names that it refers to, when it is executed or later."""
        return global_names(self.code)


@dataclass(frozen=True)
class Material:
    """All blocks of a script, each group in its own order."""

    config: tuple[Block, ...] = ()
    definitions: tuple[Block, ...] = ()  # the user's
    training: tuple[Block, ...] = ()
    first: tuple[Block, ...] = ()  # what runs before the user's own main
    own_main: tuple[Block, ...] = ()  # the user's
    machinery: tuple[Block, ...] = ()

    @property
    def all(self) -> tuple[Block, ...]:
        made = self.config, self.definitions, self.training, self.first, self.own_main, self.machinery
        return tuple(block for group in made for block in group)

    def without(self, blocks: Collection[Block]) -> Material:
        """All but those blocks of the user's."""
        definitions = tuple(each for each in self.definitions if each not in blocks)
        own_main = tuple(each for each in self.own_main if each not in blocks)
        return replace(self, definitions=definitions, own_main=own_main)


@dataclass(frozen=True)
class Arranged:
    """The same blocks in the order in which they stand."""

    early: tuple[Block, ...]  # the user's, with what they need, between imports
    config: tuple[Block, ...]
    made_from: tuple[Block, ...]
    definitions: tuple[Block, ...]
    training: tuple[Block, ...]
    main: tuple[Block, ...]
    machinery: tuple[tuple[str, tuple[Block, ...]], ...]  # by titles
    run: tuple[Block, ...]  # what a main of the user's own does at the module's level

    @property
    def all(self) -> tuple[Block, ...]:
        machinery = [blocks for _, blocks in self.machinery]
        own = self.definitions, self.training, self.main
        made = self.early, self.config, self.made_from, *own, *machinery, self.run
        return tuple(block for group in made for block in group)


def arranged(material: Material, needs: Needs, first: tuple[Block, ...] = ()) -> Arranged:
    """The order of the blocks; those of the user's that are `first` stand between imports."""
    placed = _Placed(needs, {block: number for number, block in enumerate(material.all)})
    early = placed.with_needs(first)
    material = material.without(first)
    main, run = _split(material, needs)
    config = placed.with_needs(material.config)
    users = (*material.definitions, *main)
    made_from = placed.with_needs(placed.in_order({need for block in users for need in needs.of(block)}))
    training = placed.with_needs(material.training)
    sections = groupby(material.machinery, lambda block: block.title)
    machinery = tuple((title, placed.with_needs(blocks)) for title, blocks in sections)
    return Arranged(
        early=early,
        config=config,
        made_from=made_from,
        definitions=material.definitions,
        training=training,
        main=main,
        machinery=machinery,
        run=run,
    )


# ---- what must stand before what -------------------------------------------------------------------------


@dataclass(frozen=True)
class Needs:
    """Which blocks a block is executed after; `reads_annotations`: the user's are looked up where they stand."""

    blocks: tuple[Block, ...]
    reads_annotations: bool

    @cached_property
    def binding(self) -> dict[str, list[Block]]:
        """The blocks that bind a name, guards aside, which run when all is there."""
        found: dict[str, list[Block]] = {}
        for block in (each for each in self.blocks if not each.is_guard):
            for name in block.bound:
                found.setdefault(name, []).append(block)
        return found

    def of(self, block: Block) -> set[Block]:
        """Those of the script and the runtime; the user's keep the order that they have."""
        at_once = self._that_bind(block.execution.looked_up)
        for need in self._that_bind(block.execution.in_annotations):
            if not need.execution.defines or (block.whose == "user" and self.reads_annotations):
                at_once.add(need)
        found = at_once | self.called_by(block)
        return {need for need in found if need.whose != "user" and need is not block}

    def looked_up_by(self, block: Block) -> set[Block]:
        """All that is looked up when a block is executed, the user's included, and what may run meanwhile."""
        return (self._that_bind(block.execution.looked_up) | self.called_by(block)) - {block}

    def called_by(self, block: Block) -> set[Block]:
        """What may run while the block is executed."""
        names = set(block.execution.in_calls)
        if block.whose == "user":
            names |= {name for name, use in block.execution.heads if use == "called"} & self.binding.keys()
            if self._may_call_decorated(block):
                names |= block.execution.decorators | block.uses
            looked_up = self._reached(block.execution.looked_up)
            if any("__init_subclass__" in each.code for each in looked_up):
                names |= block.uses
            if any(METACLASS.search(each.code) for each in (block, *looked_up)):
                names |= {name for each in looked_up for name in told_of_classes(each.code)}
        return self._reached(names)

    def _may_call_decorated(self, block: Block) -> bool:
        """Whether the user's decorators of a block may do more with it than to wrap it."""
        return any(
            each.whose == "user" and each.execution.decorates != use
            for name, use in block.execution.heads
            for each in self.binding.get(name, ())
        )

    def _reached(self, names: Iterable[str]) -> set[Block]:
        """The blocks that bind names, those that bind what these use, and so on."""
        found: set[Block] = set()
        waiting = list(self._that_bind(names))
        while waiting:
            block = waiting.pop()
            if block not in found:
                found.add(block)
                waiting.extend(self._that_bind(block.uses))
        return found

    def _that_bind(self, names: Iterable[str]) -> set[Block]:
        return {block for name in names for block in self.binding.get(name, ())}


@dataclass(frozen=True)
class _Placed:
    """Puts blocks one after the other, each once, behind what it needs."""

    needs: Needs
    ranks: dict[Block, int]
    done: set[Block] = field(default_factory=set)

    def with_needs(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        """Those of the blocks that stand nowhere yet."""
        return tuple(placed for block in blocks for placed in self._placed(block))

    def in_order(self, blocks: Iterable[Block]) -> list[Block]:
        return sorted(blocks, key=lambda block: self.ranks[block])

    def _placed(self, block: Block) -> Iterator[Block]:
        if block not in self.done:
            self.done.add(block)
            yield from self.with_needs(self.in_order(self.needs.of(block)))
            yield block


# ---- a main of the user's own ----------------------------------------------------------------------------


def _split(material: Material, needs: Needs) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Its definitions, which stand near the training; and what it does, for which all must be defined."""
    definitions = [number for number, block in enumerate(material.own_main) if _defines(block)]
    main: list[Block] = []
    run = list(material.first)
    for number, block in enumerate(material.own_main):
        is_last = number > max(definitions, default=-1)
        goes_last = is_last or _needs_machinery(block, needs) or _follows(block, run)
        (run if goes_last else main).append(block)
    return tuple(main), tuple(run)


def _defines(block: Block) -> bool:
    return block.execution.defines


def _needs_machinery(block: Block, needs: Needs) -> bool:
    return any(each.whose != "user" for each in needs.called_by(block))


def _follows(block: Block, run: list[Block]) -> bool:
    """Whether a block of the user's stays behind those that are to run last."""
    if not run:
        return False
    if any(depends_on(block, each) for each in run):
        return True
    at_once = block.execution
    bound = {name for each in run for name in each.bound}
    used = {name for each in run for name in each.execution.looked_up}
    return not at_once.is_definition or bool(
        (at_once.looked_up | at_once.in_annotations) & bound or at_once.bound & (bound | used)
    )


def depends_on(block: Block, earlier: Block) -> bool:
    """Whether a block may feel what another does that runs before it in the user's code."""
    imports = not all(is_loaded(module, earlier.run.loaded) for module in block.execution.imports)
    of_others = earlier.run.acts and (block.run.draws or (block.run.reads and earlier.run.sets))
    of_project = not block.run.finds.isdisjoint(earlier.run.changes)
    return (imports or of_others or of_project) and block.run.place > earlier.run.place
