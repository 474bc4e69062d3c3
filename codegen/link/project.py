"""From a source to a project: what is imported, what is defined, which classes are Lightning's."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import libcst as cst

from .. import messages
from ..diagnostics import CompileError
from ..index import patterns as m
from ..index.children import children
from ..index.search import findall, is_docstring
from ..ir.project import Class, Kind, Project, Statement
from ..lightning.api import CALLBACKS, ENVIRONMENT, IDLE_CALLBACKS, SAVING_BASES
from ..source.definitions import Import, Origin
from ..source.marked_folders import ROOT_FINDERS
from ..source.names import global_names
from ..source.source import Source
from .adopted import adopted_methods

LIGHTNINGS = {
    "LightningModule",
    "LightningDataModule",
    *CALLBACKS,
    *IDLE_CALLBACKS,
    *SAVING_BASES,
    ENVIRONMENT,
}

SETS = m.AssignTarget(m.Attribute() | m.Subscript()) | m.AugAssign() | m.Del()
ACTING = SETS | m.Expr() | m.For() | m.While() | m.With() | m.Assert()
"""Statements that do more than to bind names."""

KINDS: dict[str, Kind] = {"LightningModule": "module", "LightningDataModule": "data"}


def read_project(
    source: Source, own_modules: frozenset[str] = frozenset(), folders: tuple[str, ...] = ()
) -> Project:
    """The source's imports, statements and classes.

    Raises CompileError where a name is Lightning's in one place, and something else in another.
    """
    inner = [each for each in _inner_imports(source.module) if each[1].module not in own_modules]
    imports = tuple(
        replace(bound, is_local=bound.module in own_modules)
        for bound in (*_imports(source.module), *(bound for _, bound in inner))
    )
    lightning = {bound.name for bound in imports if bound.is_lightnings}
    statements = tuple(each for each in _statements(source) if not _imports_alone(each, lightning))
    future = tuple(_future_imports(source.module))
    imported = frozenset(source.module.body) - {statement.node for statement in statements}
    project = Project(
        source,
        imports,
        statements,
        {},
        future_imports=future,
        folders=folders,
        import_nodes=frozenset(node for node in imported if not is_docstring(node)),
    )
    if taken := [
        messages.lightning_name_taken((source, node), name) for node, name in _taken(project, inner)
    ]:
        raise CompileError(taken)
    return replace(project, classes=_classes(project))


def _imports_alone(statement: Statement, lightning: Collection[str]) -> bool:
    """Whether it is a guarded import of Lightning, which has nothing left to bind, and does nothing else."""
    node, names = statement.node, set(statement.names)
    if not (isinstance(node, cst.Try | cst.If) and names and names <= set(lightning)):
        return False
    parts = (node.body, node.orelse, node.finalbody) if isinstance(node, cst.Try) else (node,)
    return not any(findall(part, ACTING) for part in parts if part is not None)


# ---- imports ---------------------------------------------------------------------------------------------


def _import_nodes(module: cst.Module) -> Iterator[cst.Import | cst.ImportFrom]:
    for statement in module.body:
        if isinstance(statement, cst.SimpleStatementLine):
            for node in statement.body:
                if isinstance(node, cst.Import | cst.ImportFrom):
                    yield node


def dotted(node: cst.CSTNode | None) -> str:
    """`a.b.c`, as text."""
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _imports(module: cst.Module) -> Iterator[Import]:
    for node in _import_nodes(module):
        if isinstance(node, cst.Import):
            yield from map(_plain_import, node.names)
        elif dotted(node.module) != "__future__":
            yield from _from_import(node)


def _inner_imports(module: cst.Module) -> Iterator[tuple[cst.CSTNode, Import]]:
    """Imports of Lightning's under a `try` or an `if`, and in functions: a name means the same wherever it is bound."""
    named = m.Import() | m.ImportFrom(names=[m.ZeroOrMore(m.ImportAlias())])
    for statement in module.body:
        if not isinstance(statement, cst.SimpleStatementLine):
            for node in findall(statement, named):
                bound = (
                    map(_plain_import, node.names)
                    if isinstance(node, cst.Import)
                    else _from_import(cst.ensure_type(node, cst.ImportFrom))
                )
                yield from ((node, each) for each in bound if each.is_lightnings)


def _plain_import(alias: cst.ImportAlias) -> Import:
    module = dotted(alias.name)
    if alias.asname:
        return Import(dotted(alias.asname.name), module)
    return Import(module.partition(".")[0], module)


def _from_import(node: cst.ImportFrom) -> Iterator[Import]:
    module, level = dotted(node.module), len(node.relative)
    if isinstance(node.names, cst.ImportStar):
        yield Import(f"*{'.' * level}{module}", module, "*", level)
        return
    for alias in node.names:
        attribute = dotted(alias.name)
        name = dotted(alias.asname.name) if alias.asname else attribute
        yield Import(name, module, attribute, level)


def _future_imports(module: cst.Module) -> Iterator[str]:
    for node in _import_nodes(module):
        if isinstance(node, cst.ImportFrom) and dotted(node.module) == "__future__":
            assert not isinstance(node.names, cst.ImportStar)
            yield from (dotted(alias.name) for alias in node.names)


def _taken(
    project: Project, inner: Iterable[tuple[cst.CSTNode, Import]]
) -> Iterator[tuple[cst.CSTNode, str]]:
    """Imports of Lightning's within functions whose names stand for something else in another place."""
    inner = list(inner)
    for node, bound in inner:
        meanings = {_meaning(each) for each in project.imports if each.name == bound.name}
        imports = [each for each, other in inner if other.name == bound.name]
        binding = (each for each in project.statements if bound.name in each.names)
        if len(meanings) > 1 or not all(_holds(each.node, node, imports) for each in binding):
            yield node, bound.name


def _holds(tree: cst.CSTNode, node: cst.CSTNode, others: Iterable[cst.CSTNode]) -> bool:
    """Whether an import stands in a tree; or another of the same name, in a branch."""
    wanted = [node, *others] if isinstance(tree, cst.If | cst.Try) else [node]
    return any(found is each for found in findall(tree, m.Import() | m.ImportFrom()) for each in wanted)


def _meaning(bound: Import) -> str:
    """What a name stands for; Lightning goes by several names itself."""
    if bound.is_lightnings:
        return bound.attribute or "pytorch"
    return f"{bound.module}:{bound.attribute}"


# ---- statements ------------------------------------------------------------------------------------------


def _statements(source: Source) -> Iterator[Statement]:
    plain = [node for node in source.module.body if _is_import(node)]
    imported = {_bound_to(each) for each in _imports(source.module.with_changes(body=plain))}
    for index, node in enumerate(source.module.body):
        if _is_import(node) or (index == 0 and is_docstring(node)):
            continue
        code = source.module.code_for_node(node)
        names = tuple(_bound_names(node, imported))
        span = source.span(node)
        shown = shown_from(os.path.dirname(source.path), span.path)
        origin = Origin(shown, span.line, span.end_line)
        yield Statement(names, node, code, origin, global_names(code), always=not names or _has_effects(node))


def shown_from(folder: str, path: str) -> str:
    """A file's path, as seen from a folder."""
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _has_effects(node: cst.CSTNode) -> bool:
    """Whether a statement that binds names also calls something for its effect, or changes an object."""
    if isinstance(node, cst.Call) and dotted(node.func).rpartition(".")[2] in ROOT_FINDERS:
        return True
    if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.BaseExpression):
        return False
    if isinstance(node, cst.Expr):
        return not m.matches(node.value, m.Ellipsis() | m.SimpleString() | m.ConcatenatedString())
    if isinstance(node, cst.AssignTarget):
        return isinstance(node.target, cst.Subscript | cst.Attribute)
    return any(map(_has_effects, children(node)))


def _is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and all(
        isinstance(part, cst.Import | cst.ImportFrom) for part in node.body
    )


def _bound_to(bound: Import) -> tuple[str, str]:
    return bound.name, bound.target


def _bound_names(node: cst.CSTNode, imported: Collection[tuple[str, str]] = ()) -> Iterator[str]:
    """The names that a top-level statement binds, inside its branches too, but to what they are `imported` as."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        yield node.name.value
    elif isinstance(node, cst.Assign):
        for target in node.targets:
            yield from _target_names(target.target)
    elif isinstance(node, cst.AnnAssign | cst.AugAssign | cst.NamedExpr):
        yield from _target_names(node.target)
    elif isinstance(node, cst.Import | cst.ImportFrom):
        imports = map(_plain_import, node.names) if isinstance(node, cst.Import) else _from_import(node)
        yield from (each.name for each in imports if each.is_lightnings or _bound_to(each) not in imported)
    elif isinstance(node, cst.For):
        yield from _target_names(node.target)
        yield from _bound_names(node.body, imported)
    elif not isinstance(node, cst.BaseExpression):
        for child in node.children:
            yield from _bound_names(child, imported)


def _target_names(target: cst.BaseExpression) -> Iterator[str]:
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from _target_names(element.value)


# ---- classes ---------------------------------------------------------------------------------------------


def _classes(project: Project) -> dict[str, Class]:
    classes: dict[str, Class] = {}
    adopted = adopted_methods(project.statements)
    for statement in project.statements:
        node = statement.node
        if isinstance(node, cst.ClassDef):
            cls = _class(project, classes, node)
            classes[node.name.value] = replace(cls, adopted=adopted.get(cls.name, {}))
        if isinstance(node, cst.BaseCompoundStatement):
            for inner in _inner_classes(project, classes, node):
                classes.setdefault(inner.name, inner)
    return classes


def _class(project: Project, classes: dict[str, Class], node: cst.ClassDef, within: str = "") -> Class:
    # a base stands above its class, as it must when Python runs the file
    parents = tuple(
        _parent(project, classes, argument.value) for argument in node.bases if not argument.keyword
    )
    path = project.source.span(node.name).path
    return Class(
        node.name.value, node, _kind(parents), parents, path, within, own_metaclass=_metaclass(classes, node)
    )


def _metaclass(classes: dict[str, Class], node: cst.ClassDef) -> Class | None:
    """The user's class that makes a class."""
    named = (each.value for each in node.keywords if each.keyword and each.keyword.value == "metaclass")
    return next((classes.get(dotted(each)) for each in named), None)


def _inner_classes(
    project: Project, classes: dict[str, Class], statement: cst.BaseCompoundStatement
) -> Iterator[Class]:
    """The classes that a statement defines inside, as far as they are of Lightning's kinds."""
    holder = statement.name.value if isinstance(statement, cst.FunctionDef | cst.ClassDef) else ""
    for found in findall(statement, m.ClassDef()):
        if found is not statement:
            cls = _class(project, classes, cst.ensure_type(found, cst.ClassDef), holder)
            if any(part in LIGHTNINGS for part in cls.resolution_order):
                yield cls


def _parent(project: Project, classes: dict[str, Class], base: cst.BaseExpression) -> Class | str:
    if project.type_asked(base) is not None:
        return "type"
    if isinstance(base, cst.Call):
        return _class_returned(project, classes, base) or ""
    name = dotted(_without_types(base))
    return classes[name] if name in classes else project.lightning_name(base) or name


def _class_returned(project: Project, classes: dict[str, Class], call: cst.Call) -> Class | None:
    """The class that a function defines and returns."""
    for statement in project.statements:
        if isinstance(statement.node, cst.FunctionDef) and statement.node.name.value == dotted(call.func):
            returns = findall(statement.node.body, m.Return(m.Name()))
            found = (classes.get(dotted(cst.ensure_type(each, cst.Return).value)) for each in returns)
            return next((cls for cls in found if cls and cls.within == statement.node.name.value), None)
    return None


def _without_types(base: cst.BaseExpression) -> cst.BaseExpression:
    """`Base`, where the base is `Base[int]`."""
    return _without_types(base.value) if isinstance(base, cst.Subscript) else base


def _kind(parents: tuple[Class | str, ...]) -> Kind:
    kinds = [parent.kind if isinstance(parent, Class) else KINDS.get(parent, "other") for parent in parents]
    return next((kind for kind in kinds if kind != "other"), "other")
