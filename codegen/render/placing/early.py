"""What the user's code does before it imports something, which may feel it: the script does it before, too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...source.definitions import Import
from ...source.loaded import is_loaded, is_standard
from ..imports import import_block, sort_key
from .order import Arranged, Block, Material, Needs, depends_on


@dataclass(frozen=True)
class Moved:
    """The blocks that stand between imports, and the first of those that ought to, but need the training."""

    early: tuple[Block, ...]
    behind: Block | None = None

    def late(self, imports: Iterable[Import]) -> set[Import]:
        """The imports that run behind that one."""
        if self.behind is None:
            return set()
        return {each for each in imports if not is_loaded(each.module, self.behind.run.loaded)}


def moved_blocks(material: Material, needs: Needs, modules: Collection[str]) -> Moved:
    """What of the user's runs before an import of `modules`, in order, behind the definitions that it needs."""
    users = sorted((*material.definitions, *material.own_main), key=lambda block: block.run.place)
    felt = _Felt(material, frozenset(modules))
    found = [block for block in users if felt.by_others(block)]
    early = _movable(needs, users, found[-1:])
    if early is not None:
        return Moved(early)
    behind = next(block for block in found if _movable(needs, users, [block]) is None)
    felt = replace(
        felt, modules=frozenset(each for each in felt.modules if is_loaded(each, behind.run.loaded))
    )
    found = [block for block in users if block.run.place < behind.run.place and felt.by_others(block)]
    return Moved(_movable(needs, users, found[-1:]) or (), behind)


def _movable(needs: Needs, users: Iterable[Block], last: list[Block]) -> tuple[Block, ...] | None:
    """What is moved with a block; None: it needs the script's own training."""
    above = [block for block in users if last and block.run.place <= last[0].run.place and not block.is_guard]
    moving = _Moving(needs, above)
    blocks = moving.in_order(moving.along([block for block in above if block.run.is_tied]))
    needs_training = any(need.whose == "script" for block in blocks for need in needs.of(block))
    return None if needs_training else blocks


def with_late_imports(
    blocks: Sequence[Block], imports: Iterable[Import], marked: Callable[[str], str]
) -> tuple[Block, ...]:
    """The statements of a main, with imports where they run."""
    left, found = set(imports), list[Block]()
    for block in blocks:
        due = {each for each in left if is_loaded(each.module, block.run.loaded)}
        left -= due
        found += [replace(block, code=marked(import_block(due)) + "\n"), block] if due else [block]
    return tuple(found)


def needed_above(order: Arranged, behind: Block, imports: Iterable[Import]) -> bool:
    """Whether what stands above a main's statements cannot do without imports that run among them, behind one."""
    above = [block for block in order.all if block not in order.run]
    names = {each.name for each in imports}
    return any(
        names & (block.execution.looked_up | block.execution.in_annotations) for block in above
    ) or any(depends_on(block, behind) for block in order.definitions)


@dataclass(frozen=True)
class _Felt:
    material: Material
    modules: frozenset[str]

    def by_others(self, block: Block) -> bool:
        """Whether what runs in the script before a block, and in the user's code after it, may feel what it does."""
        if block.is_guard or not (block.run.acts or block.run.changes):
            return False
        is_late = block.run.acts and not all(is_loaded(module, block.run.loaded) for module in self.modules)
        is_last = block in self.material.own_main
        return is_late or (is_last and any(depends_on(each, block) for each in self.material.definitions))


@dataclass(frozen=True)
class _Moving:
    """What is moved with blocks, of those that run above the last of them."""

    needs: Needs
    above: list[Block]

    def along(self, blocks: Iterable[Block]) -> set[Block]:
        """The blocks, what they need, and what is done to that meanwhile."""
        moved = set(blocks)
        while True:
            needed = {each for block in moved for each in self._needed(block)}
            variables = {block for block in moved | needed if not _is_plain_definition(block)}
            done = {block for block in self.above if self._changes(block, variables, moved)}
            if needed | done <= moved:
                return moved
            moved |= needed | done

    def _changes(self, block: Block, variables: set[Block], moved: set[Block]) -> bool:
        """Whether a block may change variables that it finds, and that one which is moved may see after it."""
        if _is_plain_definition(block):
            return False
        changed = {each for each in variables & self._needed(block) if each.run.place < block.run.place}
        after = (each for each in moved if each.run.place > block.run.place)
        return bool(changed) and any(not changed.isdisjoint(self._seen(each)) for each in after)

    def _seen(self, block: Block) -> set[Block]:
        """What it needs, what that has been made of, and so on."""
        seen, waiting = set[Block](), [block]
        while waiting:
            new = self._needed(waiting.pop()) - seen
            seen |= new
            waiting.extend(new)
        return seen

    def _needed(self, block: Block) -> set[Block]:
        """The user's blocks above that bind what a block looks up, or what may be called meanwhile."""
        return self.needs.looked_up_by(block).intersection(self.above)

    def in_order(self, moved: set[Block]) -> tuple[Block, ...]:
        """As they run; a definition that runs nothing stands where it is needed."""
        done = dict[Block, None]()
        for block in self.above:
            if block in moved and not is_placed_by_need(block):
                self._place(block, done)
        return tuple(done)

    def _place(self, block: Block, done: dict[Block, None], waiting: frozenset[Block] = frozenset()) -> None:
        needed = self._needed(block) - waiting
        for each in self.above:
            if each in needed and each not in done and is_placed_by_need(each):
                self._place(each, done, waiting | {block})
        done[block] = None


def is_placed_by_need(block: Block) -> bool:
    """Whether it is a definition that may stand anywhere before what needs it."""
    return block.whose != "user" or (_is_plain_definition(block) and not block.run.is_tied)


def _is_plain_definition(block: Block) -> bool:
    return block.execution.is_definition and not block.execution.decorators


@dataclass(frozen=True)
class Parted:
    """Puts the imports in parts, between which something is done that what is imported may feel."""

    users: Collection[Import]  # those of the user's own
    loaded: Collection[str]  # what the user's code imports before the training
    acting: Mapping[
        str, Collection[str]
    ]  # modules that do something themselves, with what is imported by then

    def parts(
        self, imports: Collection[Import], early: Iterable[Block]
    ) -> Iterator[tuple[list[set[Import]], list[Block]]]:
        """The parts that follow each other, and the blocks that stand below them."""
        left, waiting = set(imports), list[Block]()
        part, below = set[Import](), list[Block]()
        for block in early:
            waiting.append(block)
            if not is_placed_by_need(block):
                above = {each for each in left if any(self._is_above(each, need) for need in waiting)}
                left -= above
                if above:
                    yield self._in_order(part), below
                    part, below = above, []
                below, waiting = [*below, *waiting], []
        yield self._in_order(part), below
        yield self._in_order(left), []

    def _is_above(self, bound: Import, block: Block) -> bool:
        """Whether an import stands above a block: as in the user's code, or as the block cannot do without."""
        at_once = block.execution.looked_up | block.execution.in_annotations
        is_needed = bound.name in at_once or (bound not in self.users and bound.name in block.uses)
        return is_needed or is_standard(bound.module) or is_loaded(bound.module, block.run.loaded)

    def _in_order(self, imports: set[Import]) -> list[set[Import]]:
        """The imports, sorted and grouped as long as what acts when it is imported stands where it did."""
        left, found = set(imports), list[set[Import]]()
        for module, loaded in self.acting.items():
            own = {each for each in left if each.module == module}
            above = {each for each in left - own if not self._is_behind(each, loaded)}
            found += [above, own] if own else []
            left -= above | own if own else set()
        parts = list[set[Import]]()
        for part in filter(None, [*found, left]):
            if parts and self._is_sorted(parts[-1] | part):
                parts[-1] |= part
            else:
                parts.append(part)
        return parts

    def _is_sorted(self, imports: set[Import]) -> bool:
        """Whether what acts stands where it did in the sorted imports."""
        acting = [each for each in imports if each.module in self.acting]
        return all(
            (sort_key(other) > sort_key(each)) == self._is_behind(other, self.acting[each.module])
            for each in acting
            for other in imports
            if other.module != each.module and is_loaded(other.module, self.loaded)
        )

    def _is_behind(self, bound: Import, loaded: Collection[str]) -> bool:
        """Whether the user's code imports it once all of `loaded` is."""
        return is_loaded(bound.module, self.loaded) and not is_loaded(bound.module, loaded)
