"""Which names of a module's code mean the module's own globals, and where in the text they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ...source.names import Importing, bound_by, is_for_types

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Position = tuple[int, int]  # line from 1, and column in UTF-8 bytes, as ast has them


class ImportInPlace(ast.Import):
    """What `importlib.import_module("a.b")` does within an expression."""

    def __init__(self, module: str, call: ast.Call) -> None:
        super().__init__([ast.copy_location(ast.alias(module, module.replace(".", "_")), call)])
        ast.copy_location(self, call)


class ImportedModule(ast.Name):
    """Such a call, in the place of which stands what it imports."""

    def __init__(self, module: str, call: ast.Call) -> None:
        super().__init__(ast.unparse(call), ast.Load())
        ast.copy_location(self, call)
        self.call, self.statement = call, ImportInPlace(module, call)


ImportInPlace.__name__, ImportedModule.__name__ = "Import", "Name"  # by which visitors know what they are


@dataclass(frozen=True)
class Use:
    """A global name, or one that an import within a function binds, with the attributes asked of it: `net.Block`."""

    name: str
    attributes: tuple[str, ...]
    spans: tuple[tuple[Position, Position], ...]  # of the name, then with one attribute more each
    shadows: frozenset[str]  # names that mean something else where it stands
    local_import: tuple[Importing, ast.alias] | None = None
    stores: bool = False
    within: ast.JoinedStr | None = None  # positions in f-strings are not to be trusted
    is_late: bool = False  # in a function's body: it is looked up when the function is called
    in_annotation: bool = False
    names_module: bool = False  # it is a function that imports what stands there in quotes


@dataclass(frozen=True)
class Uses:
    """All that a top-level statement takes from its module."""

    names: tuple[Use, ...]
    declared: tuple[ast.Global, ...]
    imports: tuple[tuple[Importing, bool], ...]  # in branches, and in functions and classes (True)
    annotations: tuple[tuple[ast.Constant, tuple[str, ...]], ...]  # in quotes, with the names in them


def uses_of(statement: ast.stmt) -> Uses:
    """What a top-level statement takes from its module."""
    walker = _Walker()
    walker.visit(statement)
    return Uses(tuple(walker.uses), tuple(walker.declared), tuple(walker.imports), tuple(walker.annotations))


@dataclass
class _Scope:
    """A function's, a class's or a comprehension's names."""

    bound: set[str]
    is_class: bool = False
    globals: set[str] = field(default_factory=set)
    imports: dict[str, tuple[Importing, ast.alias]] = field(default_factory=dict)


class _Walker(ast.NodeVisitor):
    def __init__(self) -> None:
        self.scopes: list[_Scope] = []
        self.uses: list[Use] = []
        self.declared: list[ast.Global] = []
        self.imports: list[tuple[Importing, bool]] = []
        self.annotations: list[tuple[ast.Constant, tuple[str, ...]]] = []
        self.joined: ast.JoinedStr | None = None
        self.functions = 0
        self.in_annotation = False

    # ---- names -----------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> None:
        self._use(node, [node])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain: list[ast.Attribute] = [node]
        while isinstance(inner := chain[-1].value, ast.Attribute):
            chain.append(inner)
        if isinstance(inner, ast.Name):
            self._use(inner, [inner, *reversed(chain)])
        else:
            self.visit(inner)

    def _use(self, base: ast.Name, parts: list[ast.Name | ast.Attribute]) -> None:
        scope = self._scope_of(base.id)
        local = scope.imports.get(base.id) if scope else None
        if scope is not None and local is None:
            return
        if isinstance(base, ImportedModule):
            local = base.statement, base.statement.names[0]
            self._use_function(base)
        attributes = tuple(part.attr for part in parts if isinstance(part, ast.Attribute))
        last = parts[-1]
        self.uses.append(
            Use(
                name=base.id,
                attributes=attributes,
                spans=tuple(_span(part) for part in parts),
                shadows=self._shadows(),
                local_import=local,
                stores=not isinstance(last.ctx, ast.Load),
                within=self.joined,
                is_late=self.functions > 0,
                in_annotation=self.in_annotation,
            )
        )

    def _use_function(self, module: ImportedModule) -> None:
        """The one that is called stays in use, for the call may stay."""
        self.imports.append((module.statement, bool(self.scopes)))
        count = len(self.uses)
        self.visit(module.call.func)
        self.uses[count:] = (replace(each, names_module=True) for each in self.uses[count:])

    def _scope_of(self, name: str) -> _Scope | None:
        """The scope that a name belongs to; None: the module."""
        for depth, scope in enumerate(reversed(self.scopes)):
            if name in scope.globals:
                return None
            if name in scope.bound and (depth == 0 or not scope.is_class):
                return scope
        return None

    def _shadows(self) -> frozenset[str]:
        seen = [
            scope for depth, scope in enumerate(reversed(self.scopes)) if depth == 0 or not scope.is_class
        ]
        return frozenset(
            name for scope in seen for name in scope.bound - scope.globals - scope.imports.keys()
        )

    # ---- scopes ----------------------------------------------------------------------------------------------

    def _function(self, node: Function) -> None:
        arguments = node.args
        outside: list[ast.AST | None] = [*arguments.defaults, *arguments.kw_defaults]
        parameters = _parameters(arguments)
        if not isinstance(node, ast.Lambda):
            outside += node.decorator_list
        self._visit_all(outside)
        with_types = self._type_parameters(node)
        for annotation in [
            *(parameter.annotation for parameter in parameters),
            getattr(node, "returns", None),
        ]:
            self._annotation(annotation)
        body = node.body if isinstance(node.body, list) else [node.body]
        scope = _scope(body)
        scope.bound |= {parameter.arg for parameter in parameters}
        self.functions += 1
        self._inside(scope, body)
        self.functions -= 1
        if with_types:
            self.scopes.pop()

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function
    visit_Lambda = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all(node.decorator_list)
        with_types = self._type_parameters(node)
        self._visit_all([*node.bases, *(keyword.value for keyword in node.keywords)])
        scope = _scope(node.body)
        scope.is_class = True
        self._inside(scope, node.body)
        if with_types:
            self.scopes.pop()

    def _type_parameters(self, node: ast.AST) -> bool:
        """A scope for the `T` of `class A[T: Base]`, whose bound Python evaluates as late as an annotation's."""
        parameters = getattr(node, "type_params", [])
        if parameters:
            self.scopes.append(_Scope({parameter.name for parameter in parameters}))
        for parameter in parameters:
            self._annotation(getattr(parameter, "bound", None))
            self._annotation(getattr(parameter, "default_value", None))
        return bool(parameters)

    def _inside(self, scope: _Scope, body: Iterable[ast.AST]) -> None:
        self.scopes.append(scope)
        self._visit_all(body)
        self.scopes.pop()

    def _comprehension(self, node: Comprehension) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        targets = [generator.target for generator in node.generators]
        inner: list[ast.AST] = [*targets, *first.ifs]
        for generator in others:
            inner += [generator.iter, *generator.ifs]
        inner += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._inside(_scope(targets), inner)

    visit_ListComp = _comprehension
    visit_SetComp = _comprehension
    visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    # ---- statements that need more ---------------------------------------------------------------------------

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer, self.joined = self.joined, self.joined or node
        self.generic_visit(node)
        self.joined = outer

    def visit_Global(self, node: ast.Global) -> None:
        self.declared.append(node)

    def _import(self, node: Importing) -> None:
        self.imports.append((node, bool(self.scopes)))

    visit_Import = _import
    visit_ImportFrom = _import

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self._annotation(node.annotation)
        self._visit_all([node.value])

    def _annotation(self, node: ast.expr | None) -> None:
        if node is None:
            return
        self.in_annotation = True
        self.visit(node)
        self.in_annotation = False
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                names = [name for name in _names_in(part.value) if self._scope_of(name) is None]
                self.annotations.append((part, tuple(names)))


def _span(node: ast.expr) -> tuple[Position, Position]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    stars = [star for star in (arguments.vararg, arguments.kwarg) if star]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *stars]


def _names_in(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:  # a Literal's value, or prose
        return
    yield from (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


# ---- bindings --------------------------------------------------------------------------------------------------


def _scope(body: Iterable[ast.AST]) -> _Scope:
    """The names that a body binds, those of functions and classes inside it left out."""
    binder = _Binder()
    for node in body:
        binder.visit(node)
    return _Scope(binder.names | binder.exceptions, globals=binder.globals, imports=binder.imports)


def bound_names(statement: ast.stmt) -> set[str]:
    """The names that a top-level statement binds; those of exceptions end with their handlers."""
    binder = _Binder()
    binder.visit(statement)
    return binder.names - (binder.imports.keys() if is_for_types(statement) else set())


def names_only_imported(statement: ast.stmt) -> set[str]:
    """The names that import statements alone bind in a top-level statement."""
    others = _Others()
    others.visit(statement)
    return bound_names(statement) - others.names - others.exceptions


class _Binder(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names: set[str] = set()
        self.exceptions: set[str] = set()
        self.globals: set[str] = set()
        self.imports: dict[str, tuple[Importing, ast.alias]] = {}

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)
            self.imports.pop(node.id, None)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.names.add(node.name)

    visit_FunctionDef = _definition
    visit_AsyncFunctionDef = _definition
    visit_ClassDef = _definition

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def _comprehension(self, node: Comprehension) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                self.visit(part.target)

    visit_ListComp = _comprehension
    visit_SetComp = _comprehension
    visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension

    def _import(self, node: Importing) -> None:
        for alias in node.names:
            name = bound_by(alias, node)
            if name != "*":
                self.names.add(name)
                self.imports[name] = node, alias

    visit_Import = _import
    visit_ImportFrom = _import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.exceptions |= {node.name} if node.name else set()
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals |= set(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        pass

    def _capture(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.names |= {node.name} if node.name else set()
        self.generic_visit(node)

    visit_MatchAs = _capture
    visit_MatchStar = _capture

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.names |= {node.rest} if node.rest else set()
        self.generic_visit(node)


class _Others(_Binder):
    """What binds names and imports nothing."""

    def _import(self, node: Importing) -> None:
        pass

    visit_Import = _import
    visit_ImportFrom = _import
