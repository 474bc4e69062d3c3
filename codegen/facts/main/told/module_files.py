"""The modules that code loads from files whose paths are known when building."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from .... import messages
from ....diagnostics import Diagnostic, Span
from ....index import patterns as m
from ....ir.project import ModuleFile, Project
from ....values import Function, Values, values_of
from ..loaded_files import Paths

SPEC = "importlib.util.spec_from_file_location"
MADE = "importlib.util.module_from_spec"
PARAMETERS = ("name", "location")

CALLED = re.compile(r"\bspec_from_file_location(?=\()")
KNOWN = "module-of-file"

BINDING = m.Assign(targets=[m.AssignTarget(m.Name())])
NOTING = m.Assign(targets=[m.AssignTarget(m.Subscript(value=m.Attribute(m.Name("sys"), m.Name("modules"))))])
RETURNED = m.Return(value=m.Name())


@dataclass(frozen=True)
class Loader:
    """A function of the project's that gives the module of the file whose path it is given."""

    node: cst.FunctionDef
    place: int  # of the parameter that is the path
    name: str


def module_files(project: Project, script: Path, arguments: tuple[str, ...]) -> tuple[ModuleFile, ...]:
    """The calls that make a module of a file; the code is started with `arguments`."""
    found = (call for call in project.index.of_kind(cst.Call) if project.called(call) == SPEC)
    specs = [each for each in found if _is_the_codes(project, each)]
    if not specs:
        return ()
    values = values_of(project)
    reader = _Reader(project, values, Paths(project, values, script, arguments))
    return tuple(dict.fromkeys(found for each in specs for found in reader.files(each)))


def _is_the_codes(project: Project, spec: cst.Call) -> bool:
    """Whether code of the user's asks for it: the script itself does where a module is used as a value."""
    source = project.source
    lines = source.files.get(source.span(spec).path, source.lines)
    return any(SPEC.rpartition(".")[2] in line for line in lines)


def loading_of_files(project: Project) -> Iterator[Diagnostic]:
    """The places where modules are loaded from files, where of none the file is known."""
    files = [] if any(each.code == KNOWN for each in project.notes) else project.files
    for file in (each for each in files if each.suffix == ".py"):
        shown = Path(os.path.relpath(file)).as_posix()
        for number, line in enumerate(file.read_text("utf-8", "replace").split("\n"), 1):
            if found := CALLED.search(line):
                span = Span(shown, number, found.start() + 1, number, found.end() + 1)
                yield messages.module_of_file_unknown((span, line))


@dataclass(frozen=True)
class _Reader:
    project: Project
    values: Values
    known: Paths

    def files(self, spec: cst.Call) -> Iterator[ModuleFile]:
        """What calls make of the spec of a file's: the function's that does nothing else, or its own."""
        location = self._argument(spec, PARAMETERS[1], 1)
        function = self.project.index.function_of(spec)
        if location is None:
            return
        loader = self._loader(function, location) if function else None
        if loader is not None:
            for call in self._calls_of(loader.node):
                given = self._argument(call, loader.name, loader.place)
                yield from self._made(call, given, (loader.place, loader.name)) if given else ()
            return
        for call in self._makers(function):
            yield from self._made(call, location, None)

    def _loader(self, function: cst.FunctionDef, location: cst.BaseExpression) -> Loader | None:
        """The function as one that does so; None: it does more, or less."""
        path = _same(location)
        parameters = [each.name.value for each in function.params.params]
        if not (isinstance(path, cst.Name) and path.value in parameters and self._gives_module(function)):
            return None
        name = path.value
        is_bound_anew = len(self.project.index.bindings(path)) != 1
        is_free = self.project.index.class_of(function) is None and not function.decorators
        return Loader(function, parameters.index(name), name) if is_free and not is_bound_anew else None

    def _gives_module(self, function: cst.FunctionDef) -> bool:
        """Whether a function makes a module, has its file run, and returns it, and does no more."""
        *others, last = function.body.body
        parts = last.body if isinstance(last, cst.SimpleStatementLine) else ()
        if len(parts) != 1 or not m.matches(parts[0], RETURNED):
            return False
        name = cst.ensure_type(cst.ensure_type(parts[0], cst.Return).value, cst.Name)
        made = [getattr(each.by, "value", None) for each in self.project.index.bindings(name)]
        is_made = [isinstance(each, cst.Call) and self.project.called(each) == MADE for each in made]
        statements = [each for each in others if isinstance(each, cst.BaseStatement)]
        return is_made == [True] and all(_is_plain(each, name.value) for each in statements)

    def _calls_of(self, function: cst.FunctionDef) -> Iterator[cst.Call]:
        """The calls of the function, and of no other."""
        for call in self.project.index.of_kind(cst.Call):
            if m.matches(call.func, m.Name() | m.Attribute()):
                found = self.values.callees(call).only
                if isinstance(found, Function) and found.node is function:
                    yield call

    def _makers(self, function: cst.FunctionDef | None) -> Iterator[cst.Call]:
        """The one call beside it that makes a module; of several, none."""
        calls = self.project.index.of_kind(cst.Call)
        beside = [each for each in calls if self.project.index.function_of(each) is function]
        specs = [each for each in beside if self.project.called(each) == SPEC]
        made = [each for each in beside if self.project.called(each) == MADE]
        yield from made if len(specs) == len(made) == 1 else ()

    def _argument(self, call: cst.Call, name: str, place: int) -> cst.BaseExpression | None:
        named = [each.value for each in call.args if each.keyword and each.keyword.value == name]
        plain = [each.value for each in call.args if not each.keyword]
        if any(each.star for each in call.args):
            return None
        return next(iter(named), plain[place] if place < len(plain) else None)

    def _made(
        self, call: cst.Call, path: cst.BaseExpression, argument: tuple[int, str] | None
    ) -> Iterator[ModuleFile]:
        """The file, where one is meant; one that a run is told instead, it refuses."""
        paths = self.known.paths(path)
        file = self.known.found(paths[0]) if len(paths) == 1 else None
        if file is not None and file.suffix == ".py":
            yield ModuleFile(self.project.place_of(call), file, paths[0], argument)


def _same(node: cst.BaseExpression) -> cst.BaseExpression:
    """What a path is made of: `str(path)`, `Path(path)`."""
    while isinstance(node, cst.Call) and len(node.args) == 1 and m.matches(node.func, m.Name()):
        node = node.args[0].value
    return node


def _is_plain(statement: cst.BaseStatement, module: str) -> bool:
    """Whether a statement is one that such a function has: it binds names, runs the file, or stops."""
    if isinstance(statement, cst.If):
        body = statement.body.body if statement.orelse is None else ()
        return len(body) == 1 and m.matches(body[0], m.SimpleStatementLine(body=[m.Raise()]))
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    run = m.Expr(m.Call(func=m.Attribute(attr=m.Name("exec_module")), args=[m.Arg(m.Name(module))]))
    text = m.Expr(m.SimpleString() | m.ConcatenatedString())
    return len(parts) == 1 and m.matches(parts[0], BINDING | NOTING | run | text)
