"""The user's code as a script holds it: statements and imports."""

from __future__ import annotations

from dataclasses import dataclass

from ..lightning.api import is_lightnings


@dataclass(frozen=True)
class Import:
    """One name that an import statement binds: `import module as name`, or `from module import attribute as name`."""

    name: str
    module: str
    attribute: str | None = None
    level: int = 0  # leading dots of a relative import
    is_local: bool = False  # one of the project's own modules
    for_effect: bool = False  # imported for what it does, not for its name

    @property
    def is_star(self) -> bool:
        return self.attribute == "*"

    @property
    def is_lightnings(self) -> bool:
        """Whether it comes from Lightning, and not from a package of the project's that has its name."""
        return not self.level and not self.is_local and is_lightnings(self.target)

    @property
    def target(self) -> str:
        """The dotted name of what is bound, as seen from the module's own place where that is relative."""
        package = self.module.partition(".")[0]
        bound = package if self.attribute is None and self.name == package else self.module
        return "." * self.level + (f"{bound}.{self.attribute}" if self.attribute else bound)


@dataclass(frozen=True)
class Origin:
    """Where a piece of the script comes from: lines of a file of the user's."""

    path: str  # as seen from the entry's folder
    first_line: int
    last_line: int


@dataclass(frozen=True)
class Run:
    """When a statement runs, and what it then has to do with what is not the project's."""

    place: int = 1 << 30  # among all statements
    loaded: frozenset[str] = frozenset()  # the modules that are imported by then
    acts: bool = False  # it may change what imports do
    sets: bool = False  # the same, and it does more than to seed, or to draw random numbers
    draws: bool = False  # it may draw random numbers
    reads: bool = False  # it may read what other statements change, such as the environment
    is_tied: bool = False  # to what acts below it: it may see what that changes
    finds: frozenset[str] = frozenset()  # of a definition: the project's variables whose values it may see
    changes: frozenset[str] = frozenset()  # those that what it calls may change


AT_THE_END = Run()


@dataclass(frozen=True)
class Definition:
    """A top-level statement of the user's, as the script will hold it."""

    names: tuple[str, ...]
    code: str
    origin: Origin
    run: Run = AT_THE_END


@dataclass(frozen=True)
class Lowered:
    """The user's statements as the script holds them, and the names of the runtime that they now use."""

    definitions: tuple[Definition, ...]
    own_main: tuple[Definition, ...]  # what runs the training, and comes last
    runtime_names: frozenset[str]
    hidden: frozenset[str] = frozenset()  # what may not be called by its own name there

    @property
    def all_definitions(self) -> tuple[Definition, ...]:
        return self.definitions + self.own_main
