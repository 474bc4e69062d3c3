"""Where a project's modules stand on the disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from ...lightning.api import PACKAGES
from ...source.repository import repository_of

INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Place:
    """A module's file, under the folder from which Python would import it."""

    path: Path
    name: str  # dotted, as seen from `root`
    root: Path
    is_far: bool = False  # in an installed package

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def shown(self) -> str:
        """The path as seen from the root."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def package(self) -> str:
        """What its relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]


def _is_package(folder: Path) -> bool:
    """Whether modules are imported by the folder's name; a repository's is whatever one has cloned it as."""
    is_named = folder.name.isidentifier() and not (folder / ".git").exists()
    return is_named and (folder / "__init__.py").exists()


def _hides(parts: list[str]) -> bool:
    return len(parts) > 1 and is_installed(parts[0])


def entry_place(path: Path, levels: int, given: tuple[Path, ...] = ()) -> Place:
    """The entry's; its package reaches as far up as there are __init__ files, and as its relative imports ask for.

    One that would hide an installed package, and lies in one of the `given` folders, is a part of what is imported
    from there.
    """
    folder, parts = path.parent.resolve(), [path.stem]
    within = {each for each in folder.parents if any(root.resolve() in each.parents for root in given)}
    while len(parts) <= levels or _is_package(folder) or (folder in within and _hides(parts)):
        parts.insert(0, folder.name)
        if folder == folder.parent:
            break
        folder = folder.parent
    return Place(path.parent.resolve() / path.name, ".".join(parts), folder)


@dataclass(frozen=True)
class Roots:
    """The folders that a project's modules are looked for in, first things first."""

    entry: Place
    given: tuple[Path, ...] = ()
    is_started_by_name: bool = False  # the entry, by `python -m`, as far as that can be told
    looks_beside: bool = True  # it may be started by its file, too
    by_file: tuple[Place, ...] = ()  # modules that code loads from their files, under names of the build's

    @cached_property
    def folders(self) -> tuple[Path, ...]:
        """Those that Python looks in first, the repository, and each one's src/."""
        repository = repository_of(self.entry.path)
        bare = [*self._first_folders, *([repository] if repository else [])]
        return tuple(dict.fromkeys([*bare, *(folder / "src" for folder in bare)]))

    @cached_property
    def _first_folders(self) -> tuple[Path, ...]:
        """The entry's folder, its package's root and those given, whose modules hide Python's own."""
        beside, given = self.entry.path.parent, [root.resolve() for root in self.given]
        above = [self.entry.root, *given]
        if not self.looks_beside:
            return tuple(above)
        return (*above, beside) if self.is_started_by_name else (beside, *above)

    def find(self, name: str) -> Place | None:
        """The file of the module `name`; None: it is none of the project's."""
        if name == "__main__":
            return self.entry
        if loaded := next((each for each in self.by_file if each.name == name), None):
            return loaded
        return next(self._candidates(name), None) if name else None

    def folder(self, name: str) -> Path | None:
        """The folder of the package `name`; None: it is none of the project's."""
        found = (root.joinpath(*name.split(".")) for root in self.folders if root.name not in INSTALLED)
        return next((each for each in found if each.is_dir()), None) if name else None

    def shadows(self, name: str) -> bool:
        """Whether Python would find a package of the project's under the name of an installed one.

        That is so in the folder from which it imports the entry. Lightning itself is not meant, even where the entry
        is one of its demos.
        """
        places = (root / name for root in (self.entry.root, *self.given))
        return any((place / "__init__.py").is_file() and not _is_lightning(place) for place in places)

    def _candidates(self, name: str) -> Iterator[Place]:
        top = name.partition(".")[0]
        for root in self._first_folders if top in sys.stdlib_module_names else self.folders:
            if root.name in INSTALLED and top != self.entry.name.partition(".")[0]:
                continue  # beside an installed package stand others'
            base = root.joinpath(*name.split("."))
            files: Iterable[Path] = (base / "__init__.py", base.with_name(base.name + ".py"))
            yield from (Place(file, name, root) for file in files if file.is_file())


def installed(name: str) -> Place | None:
    """The file of a module of an installed package, found without importing anything."""
    top, *inner = name.split(".")
    found = _found(top)
    for folder in (found.submodule_search_locations or ()) if found else ():
        base = Path(folder, *inner)
        for file in (base / "__init__.py", base.with_name(base.name + ".py")):
            if file.is_file():
                return Place(file, name, Path(folder).parent, is_far=True)
    if found and not inner and found.origin and found.origin.endswith(".py"):
        return Place(Path(found.origin), name, Path(found.origin).parent, is_far=True)
    return None


def _found(top: str) -> ModuleSpec | None:
    """Where Python finds a package or a module, unless that is one of the user's own sources."""
    try:
        found = find_spec(top)
    except ValueError:  # it is `__main__`
        return None
    places = [*(found.submodule_search_locations or [found.origin or ""])] if found else []
    own = source_folders()
    return None if own and all(Path(each).parent in own for each in places) else found


def source_folders() -> tuple[Path, ...]:
    """The folders that PYTHONPATH names, but for those that packages have been installed in."""
    named = os.environ.get("PYTHONPATH", "")
    folders = [Path(each).resolve() for each in named.split(os.pathsep)] if named else []
    return tuple(each for each in folders if not _holds_packages(each))


@cache
def _holds_packages(folder: Path) -> bool:
    return folder.name in INSTALLED or any(folder.glob("*.dist-info"))


@cache
def is_installed(name: str) -> bool:
    """Whether a module is Python's own, Lightning's, or that of an installed package."""
    top = name.partition(".")[0]
    return top in PACKAGES or top in sys.stdlib_module_names or installed(top) is not None


def _is_lightning(package: Path) -> bool:
    trainer = Path("trainer", "trainer.py")
    return any((package / part / trainer).is_file() for part in ("", "pytorch"))
