"""Every definition of the runtime can be pasted alone, and is written to be owned by whoever gets it (style C)."""

from __future__ import annotations

import ast
import builtins
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import black
import pytest
from ddpgen.render.imports import import_block
from ddpgen.render.layout import codes_of, laid_out
from ddpgen.render.placing.order import Block, Material, Needs, arranged
from ddpgen.runtime.definitions import load_runtime
from ddpgen.runtime.shake import Wanted, shake
from pyflakes.checker import Checker
from pyflakes.messages import ImportShadowedByLoopVar

FOLDER = Path(__file__).parents[2] / "strategies"
PATHS = {path.stem: path for path in sorted(FOLDER.glob("*/*.py")) if path.stem != "__init__"}
MODULES = {name: ast.parse(path.read_text("utf-8")) for name, path in PATHS.items()}

Definition = ast.FunctionDef | ast.ClassDef

# What a module may import beside the standard library and its neighbours.
PACKAGES = (
    "fsspec",
    "hydra",
    "jsonargparse",
    "mlflow",
    "numpy",
    "omegaconf",
    "torch",
    "torchmetrics",
    "tqdm",
    "wandb",
    "yaml",
)

SCREEN = 25
# their arguments are those of Lightning's
LONGER = {
    "CometLogger.__init__",
    "Logs.__call__",
    "MLFlowLogger.__init__",
    "TensorBoardLogger.__init__",
    "Trainer.save_checkpoint",  # has every way to write one, of which a script keeps its own
    "TrainerArguments.__init__",
    "WandbLogger.__init__",
}

# Their names say it all, or their class's docstring does.
PLAIN_NAMES = {"is_plain", "seed_everything", "set_generator_states", "set_rng_state", "step_scheduler"}


def names_defined(tree: ast.Module) -> Iterator[str]:
    """What a module binds at its top level, other than by imports."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


NAMES = [name for tree in MODULES.values() for name in names_defined(tree)]


@cache
def pasted(*names: str) -> str:
    """A file with definitions of the runtime and all that they need."""
    shaken = shake(Wanted(names=frozenset(names), members={}, known={}))
    blocks = tuple(Block("runtime", each.code) for each in shaken.definitions)
    order = arranged(Material(machinery=blocks), Needs(blocks, reads_annotations=True))
    code = "\n\n".join(laid_out(order, codes_of(order.all, quotes=True), "model.py", 88))
    return f"{import_block(shaken.imports)}\n\n\n{code}"


def complaints(code: str) -> list[str]:
    """What pyflakes finds: undefined names, unused imports and variables, and more."""
    found = Checker(ast.parse(code)).messages
    return [
        str(message) for message in found if not isinstance(message, ImportShadowedByLoopVar)
    ]  # ruff's F402


# ---- each alone ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_each_pastes_alone_with_all_that_it_needs_and_nothing_else(module: str) -> None:
    names = list(names_defined(MODULES[module]))
    for name in names:
        compile(pasted(name), f"{name}.py", "exec")
    assert [name for name in names if name not in set(names_defined(ast.parse(pasted(name))))] == []
    assert {name: found for name in names if (found := complaints(pasted(name)))} == {}


@pytest.mark.parametrize("module", MODULES)
def test_nothing_of_ours_or_lightnings_is_left_in_it(module: str) -> None:
    trees = (ast.parse(pasted(name)) for name in names_defined(MODULES[module]))
    imports = [each for tree in trees for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    assert not any(each.level for each in imports)
    packages = {(each.module or "").partition(".")[0] for each in imports}
    assert packages.isdisjoint({"ddpgen", "lightning", "pytorch_lightning"})


IMPORT_ALL = """
import importlib, json, pathlib, sys, traceback

failed = {}
for path in sorted(pathlib.Path().glob("pasted_*.py")):
    try:
        module = importlib.import_module(path.stem)
        getattr(module, path.stem.removeprefix("pasted_"))
    except Exception:
        failed[path.stem] = traceback.format_exc()
ours = [name for name in sys.modules if name.partition(".")[0] in ("ddpgen", "lightning", "pytorch_lightning")]
print(json.dumps([failed, ours]))
"""


@pytest.mark.processes
def test_each_can_be_imported_alone(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"pasted_{name}.py").write_text(pasted(name), "utf-8")
    (tmp_path / "import_all.py").write_text(IMPORT_ALL, "utf-8")
    done = subprocess.run(
        [sys.executable, "import_all.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    failed, ours = json.loads(done.stdout.splitlines()[-1])
    assert failed == {}
    assert ours == []


@pytest.mark.parametrize(
    ("name", "expected"), [("batch_size_of", {"batch_size_of", "first_tensor", "parts_of"}), ("T", {"T"})]
)
def test_what_is_pasted_is_what_is_needed(name: str, expected: set[str]) -> None:
    assert set(names_defined(ast.parse(pasted(name)))) == expected


def test_decorators_come_along() -> None:
    assert "@contextmanager\ndef forced_sync" in pasted("forced_sync")
    assert "@dataclass\nclass EpochReduction" in pasted("EpochReduction")


# ---- all together ----------------------------------------------------------------------------------------


def test_names_are_unique() -> None:
    assert [name for name, count in Counter(NAMES).items() if count > 1] == []


def test_ruffs_defaults_find_nothing(tmp_path: Path) -> None:
    """The script promises it; here in all of the runtime, in one file."""
    path = tmp_path / "all.py"
    path.write_text(black.format_str(pasted(*NAMES), mode=black.Mode()), "utf-8")
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--output-format=concise",
        path,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "All checks passed!\n"


def test_the_compiler_knows_every_definition() -> None:
    runtime = load_runtime()
    assert sorted(runtime.definitions) == sorted(NAMES)
    assert {definition.module for definition in runtime.definitions.values()} == {
        path.relative_to(FOLDER).with_suffix("").as_posix() for path in PATHS.values()
    }


@pytest.mark.parametrize("path", sorted(set(PATHS.values())))
def test_definitions_are_told_apart_as_python_does(path: Path) -> None:
    text = path.read_text("utf-8")
    lines = text.split("\n")
    for node in ast.parse(text).body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [node])
        for name in [getattr(each, "name", getattr(each, "id", None)) for each in targets]:
            if name in NAMES:
                first = min(each.lineno for each in [node, *getattr(node, "decorator_list", [])])
                code = "\n".join(lines[first - 1 : node.end_lineno]) + "\n"
                assert load_runtime().definitions[name].code == code


def test_names_do_not_hide_builtins_or_imports() -> None:
    imported = {bound for bindings in load_runtime().imports.values() for bound in bindings}
    assert not set(NAMES) & (set(dir(builtins)) | imported)


def test_a_name_is_imported_from_one_place() -> None:
    """Else two definitions that are pasted into one file would take each other's."""
    places: dict[str, set[tuple[str, str | None]]] = {}
    for bindings in load_runtime().imports.values():
        for name, bound in bindings.items():
            places.setdefault(name, set()).add((bound.module, bound.attribute))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


# ---- the modules -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_a_module_defines_what_it_uses_and_uses_what_it_imports(module: str) -> None:
    assert complaints(PATHS[module].read_text("utf-8")) == []


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_the_standard_library_torch_and_its_neighbours(module: str) -> None:
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder, _, name = (node.module or "").rpartition(".")
            assert node.level == (2 if folder else 1)
            assert PATHS[name].parent == (FOLDER / folder if folder else PATHS[module].parent)
            assert all(
                alias.asname is None for alias in node.names
            )  # pasted, there is no place for another name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [item.name for item in node.names]
            )
            roots = {name.partition(".")[0] for name in modules}
            assert roots <= {*sys.stdlib_module_names, *PACKAGES}
            assert not any("*" in alias.name for alias in node.names)


@pytest.mark.parametrize("module", MODULES)
def test_imports_stand_at_the_top(module: str) -> None:
    """The compiler pastes definitions, and merges the imports of their modules."""
    top = {id(node) for node in MODULES[module].body}
    nodes = [node for node in ast.walk(MODULES[module]) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert all(id(node) in top for node in nodes)


@pytest.mark.parametrize("module", MODULES)
def test_nothing_runs_when_a_module_is_imported(module: str) -> None:
    docstring, *rest = MODULES[module].body
    assert isinstance(docstring, ast.Expr)
    for node in rest:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            assert is_constant(node.value), ast.unparse(node)
        else:
            assert isinstance(
                node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
            ), ast.unparse(node)


def is_constant(value: ast.expr | None) -> bool:
    """A literal, or a type's name."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) == "TypeVar"
    return value is None or not any(isinstance(part, ast.Call | ast.Await) for part in ast.walk(value))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_in_a_line_what_it_holds(module: str) -> None:
    docstring = ast.get_docstring(MODULES[module], clean=False)
    assert docstring
    assert "\n" not in docstring


# ---- style -----------------------------------------------------------------------------------------------


def definitions() -> Iterator[tuple[str, Definition]]:
    for tree in MODULES.values():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name, node


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """All of them, methods included."""
    for name, node in definitions():
        if isinstance(node, ast.FunctionDef):
            yield name, node
        for part in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(part, ast.FunctionDef):
                yield f"{name}.{part.name}", part


def test_each_says_in_a_line_what_it_is() -> None:
    said = {name: ast.get_docstring(node, clean=False) for name, node in definitions()}
    assert {name for name, docstring in said.items() if docstring is None} <= PLAIN_NAMES
    assert [name for name, docstring in said.items() if "\n" in (docstring or "")] == []


def test_what_needs_no_docstring_is_still_there_and_has_none() -> None:
    without = {name for name, node in definitions() if ast.get_docstring(node) is None}
    assert without >= PLAIN_NAMES


def test_each_function_fits_a_screen() -> None:
    lengths = {name: (node.end_lineno or 0) - node.lineno + 1 for name, node in functions()}
    assert {name for name, length in lengths.items() if length > SCREEN} <= LONGER


def test_each_function_has_types() -> None:
    assert [name for name, node in functions() if not is_typed(name, node)] == []


def is_typed(name: str, node: ast.FunctionDef) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    arguments = arguments[1:] if "." in name else arguments
    return node.returns is not None and all(argument.annotation for argument in arguments)


def test_no_function_writes_to_globals() -> None:
    writing = [name for name, node in functions() if any(isinstance(p, ast.Global) for p in ast.walk(node))]
    assert writing == []


BOUND = re.compile(
    r"^\s*((?:\w+, )*\w+)(?:: [^=\n]+)? = |\bfor ((?:\w+, )*\w+) in |\b(\w+) := ", re.MULTILINE
)
"""Names that a template's code binds."""


def test_no_template_hides_a_definition() -> None:
    """A variable of `fit` by the name of a function would be what its code calls in the function's place."""
    defined = {name for tree in MODULES.values() for name in names_defined(tree)}
    texts = {path.name: path.read_text() for path in FOLDER.with_name("templates").rglob("*.jinja")}
    bound = {
        (name, file)
        for file, text in texts.items()
        for found in BOUND.finditer(text)
        for name in re.findall(r"\w+", "".join(filter(None, found.groups())))
    }
    assert "configured" in {name for name, _ in bound}
    assert {each for each in bound if each[0] in defined} == set()
