"""The index: scopes are those of Python's own compiler, and lookups find what searches of the tree find."""

from __future__ import annotations

import random
import symtable
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import libcst.matchers as m
import pytest
from ddpgen.index import Index, Scope, Variable
from ddpgen.link.link import link

ROOT = Path(__file__).parents[1]
OURS = sorted(
    path
    for folder in ("projects", "callback_projects", "cases", "parity", "../generated_examples")
    for path in (ROOT / "tests" / folder).rglob("*.py")
)
LIBRARY = Path(sysconfig.get_path("stdlib"))
HARD = [LIBRARY / name for name in ("dataclasses.py", "typing.py", "enum.py", "argparse.py", "inspect.py")]
SCOPING = [
    LIBRARY / "test" / name for name in ("test_scope.py", "test_named_expressions.py", "test_patma.py")
]
SAMPLE = random.Random(0).sample(sorted(LIBRARY.glob("*.py")), 30)
FILES = [path for path in dict.fromkeys((*OURS[::3], *HARD, *SCOPING, *SAMPLE)) if path.exists()]


def read(path: Path) -> str | None:
    """The text of a file that is Python; of some tests it is not."""
    try:
        text = path.read_text("utf-8")
        # with it Python leaves annotations out of the scopes that they are read in
        text = text.replace("from __future__ import annotations", "import annotations")
        compile(text, path.name, "exec", dont_inherit=True)
        cst.parse_module(text)
    except (SyntaxError, ValueError, cst.ParserSyntaxError):
        return None
    return text


# ---- scopes ----------------------------------------------------------------------------------------------

Names = Counter[tuple[str, str, frozenset[str], frozenset[str]]]
"""Of each scope its kind and its name, the names of its own that are bound, and all others that are used."""


def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from tables(child)


def own_names(table: symtable.SymbolTable) -> frozenset[str]:
    """The names that are variables of the scope; those of the compiler's making left out."""
    symbols = [each for each in table.get_symbols() if not each.get_name().startswith(".")]
    if table.get_type() == "module":
        return frozenset(each.get_name() for each in symbols if each.is_assigned() or each.is_imported())
    return frozenset(each.get_name() for each in symbols if each.is_local())


def by_python(text: str) -> Names:
    found = []
    for table in tables(symtable.symtable(text, "<text>", "exec")):
        names = [each for each in table.get_symbols() if not each.get_name().startswith(".")]
        free = {each.get_name() for each in names if each.is_referenced() and not each.is_local()}
        own = own_names(table)
        found.append((str(table.get_type()), table.get_name(), own, frozenset(free - own)))
    return Counter(found)


def kind_and_name(scope: Scope) -> tuple[str, str]:
    if isinstance(scope.node, cst.FunctionDef | cst.ClassDef):
        return scope.kind, scope.node.name.value
    comprehensions = {
        cst.ListComp: "listcomp",
        cst.SetComp: "setcomp",
        cst.DictComp: "dictcomp",
        cst.GeneratorExp: "genexpr",
        cst.Lambda: "lambda",
    }
    return ("function", comprehensions[type(scope.node)]) if scope.node else ("module", "top")


def by_index(index: Index) -> Names:
    used: dict[Scope, set[Variable]] = {scope: set() for scope in index.scopes}
    for name in index.of_kind(cst.Name):
        if (variable := index.variable(name)) and not index.binding(name):
            used[index.scope_of(name)].add(variable)
    bound_there: set[Variable] = set()
    for scope in index.scopes:
        bound_there |= {scope.variables[name] for name in scope.bound if name in scope.variables}
    found = []
    for scope in index.scopes:
        own = {name for name, variable in scope.variables.items() if variable in bound_there}
        if scope.kind == "module":
            declared = [each.declared_global for each in index.scopes]
            own = (own | scope.bound) - set().union(*declared) | (scope.bound & own)
        free = {variable.name for variable in used[scope] if variable.scope is not scope}
        if scope.kind == "module":
            free = {variable.name for variable in used[scope] if variable.name not in own}
        found.append((*kind_and_name(scope), frozenset(own), frozenset(free)))
    return Counter(found)


def without_compilers_own(names: Names) -> Names:
    """What the compiler adds: `super` makes `__class__` free, and classes have names of their own."""
    added = {"__class__", "__module__", "__qualname__", "__doc__"}
    return Counter(
        {(kind, name, own - added, free - added): count for (kind, name, own, free), count in names.items()}
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scopes_are_those_of_python(path: Path) -> None:
    if text := read(path):
        index = Index(cst.parse_module(text).body)
        assert without_compilers_own(by_index(index)) == without_compilers_own(by_python(text))


SNIPPETS = {
    "a class's names are not seen in its methods": (
        "x = 1\nclass A:\n    x = 2\n    y = x\n    def f(self): return x\n",
        {"x": [(4, "class"), (5, "module")]},
    ),
    "a default is read outside": (
        "a = 1\ndef f(a=a): return a\n",
        {"a": [(2, "module"), (2, "function")]},
    ),
    "the first iterable of a comprehension is read outside": (
        "class A:\n    xs = [1]\n    ys = [x for x in xs]\n",
        {"xs": [(3, "class")]},
    ),
    "a walrus binds outside of comprehensions": (
        "def f(xs):\n    [last := x for x in xs]\n    return last\n",
        {"last": [(3, "function")]},
    ),
    "nonlocal": (
        "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n        return n\n    return g\n",
        {"n": [(5, "function"), (6, "function")]},
    ),
    "global from a function in a function": (
        "n = 0\ndef f():\n    n = 1\n    def g():\n        global n\n        return n\n    return g\n",
        {"n": [(6, "module")]},
    ),
}


@pytest.mark.parametrize(("text", "expected"), SNIPPETS.values(), ids=SNIPPETS)
def test_which_variable_a_name_is(text: str, expected: dict[str, list[tuple[int, str]]]) -> None:
    module = cst.parse_module(text)
    index = Index(module.body)
    lines = dict(_lines(module))
    for name, places in expected.items():
        read = [
            (lines[node], variable.scope.kind)
            for node in index.of_kind(cst.Name)
            if node.value == name and (variable := index.variable(node)) and node in variable.uses
        ]
        assert read == places


def _lines(module: cst.Module) -> Iterator[tuple[cst.CSTNode, int]]:
    wrapper = cst.MetadataWrapper(module, unsafe_skip_copy=True)
    for node, place in wrapper.resolve(cst.metadata.PositionProvider).items():
        yield node, place.start.line


# ---- nodes -----------------------------------------------------------------------------------------------

KINDS = (cst.Call, cst.Name, cst.Attribute, cst.FunctionDef, cst.Return, cst.BaseExpression, cst.Assign)


@pytest.mark.parametrize("path", [*HARD, *SAMPLE[:8], *OURS[::12]], ids=lambda path: path.stem)
def test_lookups_find_what_searches_find(path: Path) -> None:
    text = read(path)
    if text is None:
        return
    module = cst.parse_module(text)
    index = Index(module.body)
    functions = index.of_kind(cst.FunctionDef)
    roots = [*module.body[-3:], *functions[:3], *functions[-1:]]
    for root in roots:
        # libcst's own search goes into f-strings' quotes and imports' dots too, which are no nodes of interest
        found = m.findall(root, m.MatchIfTrue(lambda node: isinstance(node, KINDS)))
        for kind in KINDS:
            expected = [id(node) for node in found if isinstance(node, kind)]
            assert list(map(id, index.within(root, kind))) == expected


def test_parents_functions_and_classes() -> None:
    module = cst.parse_module("class A:\n    def f(self, x=1):\n        return [lambda: x for y in z]\n")
    index = Index(module.body)
    cls, function = index.of_kind(cst.ClassDef)[0], index.of_kind(cst.FunctionDef)[0]
    inner = index.of_kind(cst.Lambda)[0]
    assert (index.function_of(inner), index.class_of(inner)) == (function, cls)
    assert (index.function_of(function), index.class_of(function)) == (None, cls)
    assert index.function_of(index.of_kind(cst.Integer)[0]) is None
    assert index.ancestor(inner, cst.Return) is index.of_kind(cst.Return)[0]
    assert index.parent(cls) is None
    assert (index.holds(cls, inner), index.holds(inner, cls)) == (True, False)
    assert index.own(function, cst.Return) == index.of_kind(cst.Return)
    assert not index.own(inner, cst.Return)


def test_references_are_what_is_read() -> None:
    module = cst.parse_module(
        "def f(a):\n    import os.path\n    from b.c import d\n    a.e = d(os.g, k=1)\n"
    )
    index = Index(module.body)
    found = [module.code_for_node(each) for each in index.references(module.body[0])]
    assert found == ["a.e", "a", "d", "os.g", "os"]


def test_a_project_has_an_index(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import lightning as L\nclass Net(L.LightningModule):\n    pass\n")
    (tmp_path / "main.py").write_text("from net import Net\nnet = Net()\n")
    project = link(tmp_path / "main.py", tmp_path)
    assert project.index is project.index
    assert [call.func.value for call in project.index.of_kind(cst.Call)] == ["Net"]  # type: ignore[attr-defined]
    assert project.index.module.bindings("L")
    assert project.index.module.bindings("net")
