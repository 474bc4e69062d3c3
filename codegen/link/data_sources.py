"""What in a project's repository may bring a model its data, found without reading what it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..source.repository import folders_within, repository_of
from .modules.files import Roots
from .modules.module import entry_roots

KINDS = {
    "LightningDataModule": "LightningDataModule",
    "Dataset": "Dataset",
    "IterableDataset": "Dataset",
    "TensorDataset": "Dataset",
    "VisionDataset": "Dataset",
}
"""Bases by their names, and what a class is that derives from one."""

LARGEST = 1_000_000
"""Bytes of a file that is looked into."""


@dataclass(frozen=True)
class DataSource:
    """A class, or a function that gives loaders back."""

    path: str  # dotted, as a spec names it
    kind: str  # LightningDataModule | Dataset | DataLoader
    file: Path
    line: int


def data_sources(entry: Path, roots: tuple[Path, ...] = ()) -> list[DataSource]:
    """All that can be imported from where the entry stands, what stands near it first."""
    importable = entry_roots(entry, entry.read_text("utf-8", "replace"), roots)
    folder = importable.entry.path.parent
    found = [each for file in _files(folder) for each in _sources(importable, file)]
    return sorted(found, key=lambda each: (folder not in each.file.parents, len(each.file.parts), each.path))


def _files(folder: Path) -> Iterator[Path]:
    for inner in folders_within(repository_of(folder / "entry") or folder):
        for file in sorted(inner.glob("*.py")):
            if file.is_file() and file.stat().st_size < LARGEST:
                yield file


def _sources(importable: Roots, file: Path) -> Iterator[DataSource]:
    try:
        text = file.read_text("utf-8")
        tree = ast.parse(text) if "Data" in text else None
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    module = _module(importable, file) if tree else None
    known = dict(KINDS)
    for node in tree.body if tree and module is not None else ():
        kind = _kind(node, known)
        if kind and isinstance(node, ast.ClassDef | ast.FunctionDef):
            known[node.name] = kind
            yield DataSource(f"{module}.{node.name}", kind, file, node.lineno)


def _module(importable: Roots, file: Path) -> str | None:
    """The name under which the entry would import a file."""
    for root in importable.folders:
        if (
            root in file.parents and not (root / "__init__.py").is_file()
        ):  # which would be imported as a package
            parts = file.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found = importable.find(name)
            if found and found.path == file:
                return name
    return None


def _kind(node: ast.stmt, known: dict[str, str]) -> str | None:
    if isinstance(node, ast.ClassDef):
        return next((known[name] for name in map(_last_name, node.bases) if name in known), None)
    if isinstance(node, ast.FunctionDef):
        given = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
        makes = any(isinstance(each, ast.Call) and _last_name(each.func) == "DataLoader" for each in given)
        return "DataLoader" if makes or _last_name(node.returns) == "DataLoader" else None
    return None


def _last_name(node: ast.expr | None) -> str:
    """`c` of `a.b.c`, and of `a.b.c[d]`."""
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
