"""The repository that a file stands in, and where in it modules stand that Python would not find."""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from configparser import ConfigParser
from configparser import Error as ConfigError
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
ENVIRONMENT_MARK = "pyvenv.cfg"

WELL_KNOWN = frozenset("clip datasets evaluate tokenizers".split())
"""Packages that many projects need, with names that folders of projects have, too."""

OF_SETUP = frozenset("install_requires extras_require tests_require setup_requires".split())
"""What `setup` is told of the packages that a project needs."""

MOST_FOLDERS = 2000
"""So many are looked into."""


def repository_of(path: Path) -> Path | None:
    """The innermost folder above `path` that is marked as a project's."""
    return next((up for up in path.parents if _is_project(up)), None)


def checkout_of(path: Path) -> Path | None:
    """The folder above `path` that git has checked out; where there is none, the project's."""
    return next((up for up in path.parents if (up / ".git").exists()), repository_of(path))


def _is_project(folder: Path) -> bool:
    # where anybody may put files, none of them says where a project's modules are
    return folder != _temporary() and any((folder / mark).exists() for mark in PROJECT_MARKS)


def holds_projects(folder: Path) -> bool:
    """Whether a folder is one that projects stand in, whatever else does: the home folder, the temporary one."""
    home = Path(os.path.expanduser("~")).resolve()
    return folder.resolve() in (Path(folder.anchor), home, _temporary())


def _temporary() -> Path:
    return Path(tempfile.gettempdir()).resolve()


def standing_elsewhere(modules: Iterable[str], entry: Path) -> dict[str, Path]:
    """Of some modules, the folders of the entry's repository from which they could be imported, the outermost each.

    What may be another's package is left out, which a module of the project's would hide.
    """
    repository = repository_of(entry.resolve())
    others = declared(repository) if repository else frozenset()
    modules = [each for each in modules if each not in WELL_KNOWN and each.partition(".")[0] not in others]
    folders = list(folders_within(repository)) if repository else []
    found = dict[str, Path]()
    for name in modules:
        path = Path(*name.split("."))
        holders = (folder for folder in folders if is_module(folder / path))
        if name.partition(".")[0] not in sys.stdlib_module_names and (first := next(holders, None)):
            found[name] = first
    return found


def is_module(path: Path) -> bool:
    """Whether a module's file, or its package's, stands at a path without an ending."""
    return path.with_name(f"{path.name}.py").is_file() or (path / "__init__.py").is_file()


def folders_within(folder: Path) -> Iterator[Path]:
    """A folder and those in it, the outer ones first, but for hidden ones and environments; the first of many."""
    waiting = [folder]
    for each in islice(waiting, MOST_FOLDERS):
        yield each
        waiting += [path for path in _inner(each) if not (path / ENVIRONMENT_MARK).exists()]


def _inner(folder: Path) -> list[Path]:
    try:
        names = sorted(each.name for each in os.scandir(folder) if each.is_dir(follow_symlinks=False))
    except OSError:  # which may not be read
        return []
    return [folder / name for name in names if not name.startswith((".", "_"))]


# ---- packages that a project needs -----------------------------------------------------------------------


def declared(repository: Path) -> frozenset[str]:
    """The packages that a project says it needs, as modules are written; a file that cannot be read says none."""
    found = set[str]()
    for pattern, read in READERS.items():
        for file in sorted(repository.glob(pattern)):
            try:
                said = [*read(file.read_text(encoding="utf-8"))]
            except (OSError, ValueError, SyntaxError, ConfigError, yaml.YAMLError):
                continue
            found |= {match[0] for each in said if (match := re.match(r"[A-Za-z][\w.-]*", each.strip()))}
    return frozenset(each.lower().replace("-", "_") for each in found)


def _texts(node: Any) -> Iterator[str]:
    """All texts in lists and mappings, keys of these aside."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list | dict):
        for each in node if isinstance(node, list) else node.values():
            yield from _texts(each)


def _of_pyproject(text: str) -> Iterator[str]:
    found = tomllib.loads(text)
    project, poetry = found.get("project", {}), found.get("tool", {}).get("poetry", {})
    own = project.get("name") or poetry.get("name") or "."
    others = (project.get(each) for each in ("dependencies", "optional-dependencies"))
    texts = _texts([*others, found.get("dependency-groups")])
    yield from (
        each for each in texts if not re.match(rf"{re.escape(own)}\b", each)
    )  # with extras of its own
    for each in (poetry, *poetry.get("group", {}).values()):
        yield from each.get("dependencies", {})


def _of_setup(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg in OF_SETUP:
            inner = (each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant))
            yield from (each for each in inner if isinstance(each, str))


def _of_setup_cfg(text: str) -> Iterator[str]:
    read = ConfigParser(interpolation=None)
    read.read_string(text)
    yield from read.get("options", "install_requires", fallback="").splitlines()


def _of_environment(text: str) -> Iterator[str]:
    found = yaml.safe_load(text)
    yield from _texts(found.get("dependencies") if isinstance(found, dict) else None)


READERS: dict[str, Callable[[str], Iterable[str]]] = {
    "pyproject.toml": _of_pyproject,
    "setup.py": _of_setup,
    "setup.cfg": _of_setup_cfg,
    "*requirements*.txt": str.splitlines,
    "environment*.y*ml": _of_environment,
}
