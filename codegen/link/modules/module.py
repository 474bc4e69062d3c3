"""One of the project's modules, as far as linking has to know it."""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ... import messages
from ...diagnostics import CompileError, Diagnostic, Span
from ...lightning.api import OF_OTHERS, PACKAGES
from ...lightning.kept_arguments import keeps_arguments
from ...source.names import Importing, bound_by, imports_for_types, is_for_types
from ...source.source_text import Line, first_line, syntax_tree
from ..imports.tried_imports import with_tried_imports
from .binding import changed_in, is_bound_above
from .by_name import ASKING, Lookup, lookups_in, with_import_statements
from .files import Place, Roots, entry_place
from .folder_loops import FolderImport, with_folder_imports
from .scopes import (
    ImportedModule,
    Position,
    Use,
    Uses,
    bound_names,
    names_only_imported,
    uses_of,
)

ImportedAs = tuple[int, str | None, str | None]
"""What an import statement binds a name to: dots before a module, the module, and what of it."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """A top-level statement, or several that share a line, with the comments above."""

    first_line: int  # of the comments
    line: int  # of the code
    last_line: int
    nodes: tuple[ast.stmt, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """What it binds."""
        return frozenset(name for node in self.nodes for name in bound_names(node))

    @cached_property
    def annotated(self) -> frozenset[str]:
        """The names whose types it says, and not their values."""
        nodes = (node for node in self.nodes if isinstance(node, ast.AnnAssign) and node.value is None)
        return frozenset(node.target.id for node in nodes if isinstance(node.target, ast.Name))

    @cached_property
    def uses(self) -> tuple[Uses, ...]:
        return tuple(uses_of(node) for node in self.nodes)

    @cached_property
    def declared(self) -> frozenset[str]:
        """The module's variables that functions in it may give another value."""
        return frozenset(name for uses in self.uses for node in uses.declared for name in node.names)

    @cached_property
    def stored(self) -> frozenset[str]:
        """The variables that it gives values, those of its functions as well."""
        names = (each for node in self.nodes for each in ast.walk(node) if isinstance(each, ast.Name))
        return frozenset(each.id for each in names if isinstance(each.ctx, ast.Store))

    @cached_property
    def imports(self) -> tuple[tuple[Importing, ast.alias], ...]:
        """What it imports, wherever in it."""
        found = (each for node in self.nodes for each in ast.walk(node))
        statements = (each for each in found if isinstance(each, ast.Import | ast.ImportFrom))
        return tuple((each, alias) for each in statements for alias in each.names)

    @property
    def is_import(self) -> bool:
        return all(isinstance(node, ast.Import | ast.ImportFrom) for node in self.nodes)

    @property
    def is_plain(self) -> bool:
        """Whether it surely binds what it binds, and that at its end."""
        node, *others = self.nodes
        if isinstance(node, ast.Assign):
            return not others and all(isinstance(each, ast.Name) for each in node.targets)
        if isinstance(node, ast.AnnAssign):
            return not others and node.value is not None and isinstance(node.target, ast.Name)
        return not others and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)

    def binds_above(self, use: Use) -> bool:
        """Whether the code above a use in it surely binds the name, or the use but does so itself."""
        line = use.within.lineno if use.within else use.spans[0][0][0]
        is_set = use.stores and use.name not in self.changed
        return is_set or is_bound_above(self.nodes, use.name, line)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names that it reads as it binds them, or takes away."""
        return frozenset(changed_in(self.nodes))

    @property
    def is_guard(self) -> bool:
        """Whether it runs only where its module is the entry."""
        node, *others = self.nodes
        return not others and isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)

    @property
    def is_text(self) -> bool:
        """Whether it is but a docstring or an ellipsis."""
        return all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in self.nodes)


@dataclass(frozen=True, eq=False)
class Module:
    """A module of the project's: its text and its statements."""

    place: Place
    path: str  # as it is shown
    text: str
    is_entry: bool = False
    there: frozenset[str] = frozenset()  # packages that are surely there

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @property
    def shown_files(self) -> dict[str, list[str]]:
        """The lines as the user has them, by their file."""
        return {self.path: self.lines}

    def line(self, number: int, text: str | None = None) -> Line:
        """A line of it, or what has taken its place."""
        return Line(self.path, number, self.lines[number - 1] if text is None else text)

    def place_of_use(self, use: Use) -> messages.Place:
        """Where a name is used, with the last of its attributes."""
        (line, column), end = use.spans[-1]
        start = len(self.lines[line - 1].encode()[:column].decode(errors="ignore"))
        return self.shown_place((line, start), end)

    def place_of(self, chunk: Chunk) -> messages.Place:
        """Where a statement of it stands."""
        last = chunk.nodes[-1]
        assert last.end_lineno is not None
        assert last.end_col_offset is not None
        start, end = (chunk.line, chunk.nodes[0].col_offset), (last.end_lineno, last.end_col_offset)
        return self.shown_place(start, end)

    def shown_place(self, start: Position, end: Position) -> messages.Place:
        """Where a stretch of the text stands for the user; the columns are in characters."""
        return Span(self.path, start[0], start[1] + 1, end[0], end[1] + 1), self.lines[start[0] - 1]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree. Raises CompileError where the text is no valid Python."""
        tree = syntax_tree(self.path, self.text)
        if self.there and "try:" in self.text:
            tree = with_tried_imports(tree, self.there)
        if "import_module" not in self.text:
            return tree
        return with_import_statements(with_folder_imports(tree, self.place, self.is_entry))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def damage(self) -> tuple[Diagnostic, ...]:
        """Why Python cannot read it."""
        try:
            assert self.tree
        except CompileError as error:
            return tuple(error.diagnostics)
        return ()

    @property
    def notes(self) -> Iterator[Diagnostic]:
        """What the user should know of how it is read: of loops that import a folder's modules."""
        found = [node for node in self.tree.body if isinstance(node, FolderImport)]
        for line in dict.fromkeys(node.lineno for node in found):
            names = [node.names[0].name for node in found if node.lineno == line]
            place = self.shown_place((line, 0), (line, len(self.lines[line - 1])))
            yield messages.folder_imported(place, names)

    @cached_property
    def lookups(self) -> dict[Position, Lookup]:
        """What asks what may be a module for what has a name, by where that stands."""
        return lookups_in(self.tree) if any(map(self.text.__contains__, ASKING)) else {}

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        chunks: list[Chunk] = []
        last = 0
        for node in self.tree.body:
            first = first_line(node)
            assert node.end_lineno is not None
            if first <= last:  # on the line of the one before
                before = chunks.pop()
                start, line, nodes = before.first_line, before.line, (*before.nodes, node)
            else:
                start, line, nodes = last + 1, first, (node,)
            last = max(last, node.end_lineno)
            chunks.append(Chunk(start, line, last, nodes))
        return tuple(chunks)

    @cached_property
    def imports(self) -> dict[str, tuple[Importing, ast.alias]]:
        """What plain import statements at the top level bind, and those for the type checker."""
        return self._for_types | {
            bound_by(alias, node): (node, alias)
            for chunk in self.chunks
            if chunk.is_import
            for node in chunk.nodes
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in self.stars
            for alias in node.names
        }

    def imports_late(self, node: Importing) -> bool:
        """Whether an import is run when a function is called, not with its module."""
        return node in self._in_functions

    def may_skip(self, node: Importing) -> bool:
        """Whether the module may run, and an import in it never."""
        return self.imports_late(node) or node in (each for each, _ in self._for_types.values())

    @cached_property
    def _for_types(self) -> dict[str, tuple[Importing, ast.alias]]:
        """What is imported at the top level for the type checker alone."""
        for_types = (imports_for_types(node) for node in self.tree.body)
        return {name: found for each in for_types for name, found in each.items()}

    @cached_property
    def _in_functions(self) -> frozenset[ast.AST]:
        functions = (each for each in self.nodes if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
        return frozenset(part for each in functions for part in ast.walk(each) if isinstance(part, Importing))

    def setters(self, name: str) -> list[Chunk]:
        """The statements in which functions give a variable of the module another value."""
        return [chunk for chunk in self.chunks if name in chunk.declared]

    @cached_property
    def imports_for_types(self) -> dict[str, Chunk]:
        """The statements that import each name for the type checker alone."""
        chunks = [chunk for chunk in self.chunks if not chunk.is_import]
        return {name: chunk for chunk in chunks for node in chunk.nodes for name in imports_for_types(node)}

    @cached_property
    def stars(self) -> list[ast.ImportFrom]:
        """The star imports, the last first."""
        nodes = [node for node in self.tree.body if isinstance(node, ast.ImportFrom)]
        return [node for node in reversed(nodes) if node.names[0].name == "*"]

    @cached_property
    def binders(self) -> dict[str, list[Chunk]]:
        """The statements that bind each name; plain imports of what nothing else binds are left out."""
        found = {name: [*chunks] for name, chunks in self._own_binders.items()}
        for name, chunk in self.rebound.items():
            if self._is_kept(name, chunk):
                found[name].append(chunk)
        return found

    @cached_property
    def _own_binders(self) -> dict[str, list[Chunk]]:
        """The statements that bind each name, plain imports left out."""
        found: dict[str, list[Chunk]] = {}
        for chunk in self.chunks:
            if not chunk.is_import and (self.is_entry or not chunk.is_guard):
                for name in self.names_bound(chunk) - (chunk.annotated & self.imports.keys()):
                    found.setdefault(name, []).append(chunk)
        return found

    @cached_property
    def rebound(self) -> dict[str, Chunk]:
        """The last plain import statement of each name that other statements bind too."""
        names = self._plain_imports.keys() & self._own_binders.keys()
        return {name: self._plain_imports[name][-1][0] for name in sorted(names)}

    def names_bound(self, chunk: Chunk) -> frozenset[str]:
        """What a statement binds that is no import alone."""
        if not chunk.is_import:
            return chunk.names - self._imported_again(chunk)
        return frozenset(name for name in chunk.names if chunk in self.binders.get(name, ()))

    def _imported_again(self, chunk: Chunk) -> set[str]:
        """The names that a statement binds to what plain imports have bound them to, and to nothing else."""
        only = {name for node in chunk.nodes for name in names_only_imported(node)}
        within = _meanings(each for node in chunk.nodes for each in _imports_in(node))
        return {name for name in only & self.imports.keys() if within[name] == self._imported_as[name]}

    @cached_property
    def _imported_as(self) -> defaultdict[str, set[ImportedAs]]:
        """What plain imports bind each name to."""
        nodes = (node for chunk in self.chunks if chunk.is_import for node in chunk.nodes)
        return _meanings(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))

    def import_seen(self, chunk: Chunk, use: Use) -> tuple[Importing, ast.alias] | None:
        """The import that a use surely sees, of a name that a statement further down binds anew."""
        above = [each for each in self._plain_imports.get(use.name, ()) if each[0].line < chunk.line]
        if use.is_late or use.stores or not above:
            return None
        imported, node, alias = above[-1]
        return (node, alias) if self._is_unbound(chunk, use, imported.line) else None

    def sees_stars(self, chunk: Chunk, use: Use) -> bool:
        """Whether a use comes before all that binds its name but for star imports."""
        is_read = not (use.is_late or use.stores or use.name in self.imports)
        return is_read and self._is_unbound(chunk, use)

    def _is_unbound(self, chunk: Chunk, use: Use, since: int = 0) -> bool:
        """Whether no statement below a line has bound a name yet where a use of it is evaluated."""
        own = [each for each in self._own_binders.get(use.name, ()) if since < each.line <= chunk.line]
        return not own or (own == [chunk] and chunk.is_plain)

    def is_surely_bound(self, chunk: Chunk, use: Use) -> bool:
        """Whether a statement binds a name anew in any case, whatever star imports bring in, or nothing does."""
        own = self._own_binders.get(use.name)
        if own is None or own[0].is_plain or use.name in self.imports:
            return True
        return own[0] is chunk and not use.is_late and chunk.binds_above(use)

    @property
    def binds_anew(self) -> bool:
        """Whether several statements bind a name, of which one is a plain import."""
        return bool(self._plain_imports)

    @cached_property
    def _plain_imports(self) -> dict[str, list[tuple[Chunk, Importing, ast.alias]]]:
        """The plain import statements of the names that several statements bind."""
        found: dict[str, list[tuple[Chunk, Importing, ast.alias]]] = {}
        for chunk in (each for each in self.chunks if each.is_import):
            for node in chunk.nodes:
                assert isinstance(node, ast.Import | ast.ImportFrom)
                for alias in node.names if node not in self.stars else ():
                    found.setdefault(bound_by(alias, node), []).append((chunk, node, alias))
        return {name: each for name, each in found.items() if len(each) > 1 or name in self._own_binders}

    def _is_kept(self, name: str, imported: Chunk) -> bool:
        """Whether a variable of that name may be read while it is what the import has bound."""
        below = next((each for each in self._own_binders[name] if each.line > imported.line), None)
        if below is None or not below.is_plain:
            return True
        above = (each for each in self.chunks if each.line < below.line)
        uses = (use for each in above for found in each.uses for use in found.names)
        return any(use.name == name and use.is_late for use in uses)

    def imports_in_guard(self, name: str) -> list[tuple[Importing, ast.alias]]:
        """What binds a name, where these are import statements that run when the file is started alone."""
        binders = self.binders[name]
        if any(not chunk.is_guard or name in chunk.stored for chunk in binders):
            return []
        return [pair for chunk in binders for pair in chunk.imports if bound_by(pair[1], pair[0]) == name]

    @cached_property
    def exports(self) -> frozenset[str] | None:
        """The names in `__all__`; None: there is none."""
        names: set[str] | None = None
        for node in self.tree.body:
            target, value = _assigned(node)
            if (
                isinstance(target, ast.Name)
                and target.id == "__all__"
                and isinstance(value, ast.List | ast.Tuple)
            ):
                strings = {each.value for each in value.elts if isinstance(each, ast.Constant)}
                names = (names or set()) | {each for each in strings if isinstance(each, str)}
        return None if names is None else frozenset(names)

    @cached_property
    def postpones_annotations(self) -> bool:
        """Whether annotations are not evaluated where they stand."""
        nodes = (node for node in self.tree.body if isinstance(node, ast.ImportFrom))
        return any(node.module == "__future__" and node.names[0].name == "annotations" for node in nodes)

    @cached_property
    def all_imports(self) -> tuple[Importing, ...]:
        """Every import in the module, those for the type checker alone left out."""
        return tuple(_imports_in(self.tree))

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module that a from-import names, its dots resolved."""
        if not node.level:
            return node.module or ""
        parts = self.place.package.split(".") if self.place.package else []
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])

    @cached_property
    def makes_own_batches(self) -> bool:
        """Whether it has a batch sampler that does not keep what it is made with under the names of that."""
        if "BatchSampler" not in self.text:
            return False
        classes = [each for each in self.nodes if isinstance(each, ast.ClassDef)]
        over = [each for each in classes if any(map(self._is_batch_sampler, each.bases))]
        return not all(map(keeps_arguments, over))

    def _is_batch_sampler(self, base: ast.expr) -> bool:
        """Whether a base is one, by its name where it comes from."""
        name = ast.unparse(base).partition("[")[0]
        meant = self.imports[name][1].name if name in self.imports else name
        return meant.endswith("BatchSampler")

    @cached_property
    def lightning(self) -> frozenset[str]:
        """Lightning's packages that it imports itself."""
        modules = (
            name
            for node in self.all_imports
            for name in _modules_named(node)
            if isinstance(node, ast.Import) or not node.level
        )
        found = frozenset(name.partition(".")[0] for name in modules) & frozenset(PACKAGES)
        return found | {OF_OTHERS[name].partition(".")[0] for name in self._names_imported & OF_OTHERS.keys()}

    def asks_for(self, path: str) -> bool:
        """Whether it imports a function of a library's, or has it by the last two parts of its path."""
        *_, module, name = path.split(".")
        is_named = f"{module}.{name}" in self.text and any(
            isinstance(node, ast.Attribute) and ast.unparse(node).endswith(f"{module}.{name}")
            for node in self.nodes
        )
        return is_named or path in self._names_imported

    @cached_property
    def _names_imported(self) -> frozenset[str]:
        """What from-imports name, with their modules."""
        nodes = (node for node in self.all_imports if isinstance(node, ast.ImportFrom))
        return frozenset(f"{node.module}.{alias.name}" for node in nodes for alias in node.names)


def _assigned(node: ast.stmt) -> tuple[ast.expr | None, ast.expr | None]:
    if isinstance(node, ast.Assign):
        return node.targets[0], node.value
    return (node.target, node.value) if isinstance(node, ast.AugAssign | ast.AnnAssign) else (None, None)


def _imports_in(node: ast.AST) -> Iterator[Importing]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ImportedModule):
            yield child.statement
        elif not (isinstance(child, ast.stmt) and is_for_types(child)):
            yield from _imports_in(child)


def _meanings(imports: Iterable[Importing]) -> defaultdict[str, set[ImportedAs]]:
    """What import statements bind each name to."""
    found: defaultdict[str, set[ImportedAs]] = defaultdict(set)
    for node in imports:
        for alias in node.names:
            name = bound_by(alias, node)
            if isinstance(node, ast.ImportFrom):
                found[name].add((node.level, node.module, alias.name))
            else:
                found[name].add((0, alias.name if alias.asname else name, None))
    return found


def entry_roots(path: Path, text: str, given: tuple[Path, ...] = ()) -> Roots:
    """Where the modules are looked for that the entry at `path` imports."""
    nodes = list(_imports_in(ast.parse(text)))
    levels = max((node.level for node in nodes if isinstance(node, ast.ImportFrom)), default=0)
    place = entry_place(path, levels, given)
    return Roots(place, given, bool(levels) or _hides_its_package(place, nodes), looks_beside=not levels)


def _hides_its_package(entry: Place, imports: Iterable[Importing]) -> bool:
    """Whether the package that the entry imports from is, beside it, a module that could hold nothing."""
    package = entry.name.partition(".")[0]
    if not package:
        return False  # as of `.py`
    base = entry.path.with_name(package)
    is_module = base.with_suffix(".py").is_file() and not (base / "__init__.py").is_file()
    return is_module and any(
        name.startswith(f"{package}.") for node in imports for name in _modules_named(node)
    )


def _modules_named(node: Importing) -> list[str]:
    """The modules that an import statement names."""
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]


def shown_path(path: Path, entry: Path, shown: Path) -> str:
    """A module's path, shown as seen from where the entry was given."""
    return Path(os.path.normpath(shown.parent / os.path.relpath(path, entry.parent))).as_posix()
