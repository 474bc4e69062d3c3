"""Who may import whom, what a build never loads, and what is fixed once and for all."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODEGEN = ROOT / "codegen"

# From the bottom to the top. A module imports those of the layers below; where a layer is called a family, it also
# imports its neighbours. A folder counts as one module.
LAYERS: tuple[tuple[str, str], ...] = (
    ("what Lightning offers, a family", "version lightning"),
    ("reading, a family", "code_frame diagnostics messages source"),
    ("the index", "index"),
    ("the spec", "spec"),
    ("the data between phases", "ir"),
    ("what expressions may be", "values"),
    ("the runtime's definitions", "runtime"),
    ("phases, which know nothing of each other", "link facts lower render"),
    ("decisions, from the facts", "features"),
    ("what stands for Lightning's names", "counterparts"),
    ("the script for a model and its data", "planning"),
    ("the order of the analysis", "analysis"),
    ("what becomes of all that the code does", "accounting"),
    ("the pipeline", "compile"),
    ("a build as a value", "generate"),
    ("scripts on disk, and where they and their sources part", "output"),
    ("what is said of a file, and what other programs call", "inspection starter_spec verify explain api"),
    ("what strategies take", "capacity"),
    ("what runs in other processes", "watch"),
    ("snapshot tests", "pytest_plugin"),
    ("the package", "__init__"),
    ("the commands", "commands"),
    ("the command line", "cli"),
    ("its start", "__main__"),
)

# What only these may ask for.
PRIVATE = {
    "watch": set(),
}

# What may import torch and Lightning: `verify` starts it in processes of its own.
CHILDREN = "watch"

THIRD_PARTY = {
    "black",
    "click",
    "jinja2",
    "libcst",
    "platformdirs",
    "pydantic",
    "pydantic_core",
    "pyflakes",
    "pygments",
    "rich",
    "yaml",
}


# ---- what is imported ------------------------------------------------------------------------------------


def module_of(path: Path) -> str:
    """`fold`, or for a file in a folder `facts.model.logging`; for its __init__ the folder's name."""
    parts = path.relative_to(CODEGEN).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in sorted(CODEGEN.rglob("*.py"))}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text("utf-8"))


def import_nodes(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """All imports, in functions too; those for the type checker alone are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from import_nodes(node)


@cache
def own_imports(module: str) -> frozenset[str]:
    """The modules of the compiler that a module of it imports."""
    package = FILES[module].relative_to(CODEGEN).parent.parts
    found = set()
    for node in import_nodes(tree_of(module)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*package[: len(package) + 1 - node.level], *(node.module or "").split("."))
            for alias in node.names:
                names = [".".join(filter(None, (*base, alias.name))), ".".join(filter(None, base))]
                found.add(next((name for name in names if name in FILES), "__init__"))
    return frozenset(found - {module})


def foreign_imports(tree: ast.AST) -> set[str]:
    """The packages that a module imports, other than its own."""
    found = set()
    for node in import_nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif not node.level:
            found.add((node.module or "").partition(".")[0])
    return found


def unit(module: str) -> str:
    return module.partition(".")[0]


LAYER_OF = {name: index for index, (_, names) in enumerate(LAYERS) for name in names.split()}


def test_every_module_stands_in_a_layer() -> None:
    assert {unit(module) for module in FILES} == set(LAYER_OF)


def test_imports_go_down() -> None:
    pairs = [(module, imported) for module in FILES for imported in sorted(own_imports(module))]
    assert [f"{one} imports {other}" for one, other in pairs if not may_import(unit(one), unit(other))] == []


def may_import(own: str, other: str) -> bool:
    is_family = LAYERS[LAYER_OF[own]][0].endswith("a family")
    is_below = LAYER_OF[other] < LAYER_OF[own]
    is_neighbour = LAYER_OF[other] == LAYER_OF[own] and is_family
    return other == own or ((is_below or is_neighbour) and own in PRIVATE.get(other, {own}))


def test_no_module_imports_itself_over_others() -> None:
    """A folder's own modules and those of a family import each other in one direction."""
    reached: dict[str, frozenset[str]] = {}

    def visit(module: str, path: tuple[str, ...]) -> frozenset[str]:
        assert module not in path, " imports ".join((*path[path.index(module) :], module))
        if module not in reached:
            below = own_imports(module)
            reached[module] = below.union(*(visit(each, (*path, module)) for each in below))
        return reached[module]

    for module in FILES:
        visit(module, ())


def test_what_the_compiler_takes_from_elsewhere() -> None:
    """Never torch, Lightning or the runtime, which it reads as text."""
    foreign = {module: foreign_imports(tree_of(module)) - set(sys.stdlib_module_names) for module in FILES}
    assert {module: more for module, found in foreign.items() if (more := found - allowed(module))} == {}


def allowed(module: str) -> set[str]:
    if unit(module) == CHILDREN:
        return {"numpy", "torch", "yaml"}
    own = {"render.format": {"tomli"}, "source.repository": {"tomli"}, "pytest_plugin": {"pytest"}}
    own["link.configuration.composed"] = {"hydra", "omegaconf"}  # where a main of hydra's is built
    own["link.stored.entered"] = {"hydra", "omegaconf"}
    return THIRD_PARTY | own.get(module, set())


def test_what_the_runtime_takes_from_elsewhere() -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / "strategies").rglob("*.py")]
    foreign = set().union(*(foreign_imports(ast.parse(text)) for text in texts))
    assert foreign - set(sys.stdlib_module_names) <= {
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
    }


SEARCHING = {"source", "index", "link", "lower", "render", "runtime"}
"""What searches or rewrites trees: before there is an index, and where code is changed, the user's or the runtime's."""


def test_all_else_asks_the_index() -> None:
    # `ir.saving` is asked by lowering, of code that has changed; `ir.aliases` of classes, before there is an index
    others = [
        each for each in FILES if unit(each) not in SEARCHING and each not in ("ir.saving", "ir.aliases")
    ]
    assert [module for module in others if searches_trees(module)] == []


def searches_trees(module: str) -> bool:
    text = FILES[module].read_text("utf-8")
    searches = "CSTVisitor" in text or "CSTTransformer" in text or "index.rewriting" in text
    for node in import_nodes(tree_of(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("index.search"):
            searches = searches or "findall" in {alias.name for alias in node.names}
    return searches


def test_the_tests_own_reading_of_imports() -> None:
    tree = ast.parse(
        "if TYPE_CHECKING:\n    import a\nelse:\n    import b\ndef f():\n    from c.d import e\n    from . import g\n"
    )
    assert foreign_imports(tree) == {"c"}
    assert {"analysis", "spec.load", "diagnostics"} <= own_imports("compile")


# ---- what stands together --------------------------------------------------------------------------------

MOST = 14
"""Modules or templates in one folder: as many names as are read at a glance. An `__init__` has no name of its own."""


def test_no_folder_is_crowded() -> None:
    files = [path for room in ("codegen", "strategies", "templates") for path in (ROOT / room).rglob("*")]
    named = [each for each in files if each.suffix in {".py", ".jinja"} and each.stem != "__init__"]
    counted = Counter(each.parent.relative_to(ROOT).as_posix() for each in named)
    assert {folder: count for folder, count in counted.items() if count > MOST} == {}


def test_each_folder_is_a_package_that_is_installed() -> None:
    """A folder that is not named in `pyproject.toml` works in a checkout, and is missing where ddpgen is installed."""
    rooms = {"codegen": "ddpgen", "strategies": "ddpgen.strategies", "templates": "ddpgen.templates"}
    modules = {room: [path.parent for path in (ROOT / room).rglob("*.py")] for room in rooms}
    packages = {
        ".".join([name, *folder.relative_to(ROOT / room).parts])
        for room, name in rooms.items()
        for folder in modules[room]
    }
    _, _, listed = (ROOT / "pyproject.toml").read_text().partition("\npackages = ")
    assert ast.literal_eval(listed[: listed.index("]") + 1]) == sorted(packages)


# ---- what is loaded --------------------------------------------------------------------------------------

SLOW = ("lightning", "numpy", "pytorch_lightning", "torch", "torchmetrics", "tqdm", "sklearn")


def loaded_after(code: str, folder: Path) -> set[str]:
    """The top-level packages that a process has loaded after `code`."""
    report = "\nimport json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", code + report], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_command_starts_without_what_is_slow(tmp_path: Path) -> None:
    loaded = loaded_after("import ddpgen.cli", tmp_path)
    assert not loaded & {*SLOW, "black", "jinja2", "libcst", "pydantic"}


def test_a_check_of_what_is_unchanged_loads_nothing_that_parses_or_formats(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "generated_examples" / "tumours", tmp_path / "tumours")
    code = (
        "from pathlib import Path; from ddpgen.output.drift import drifts_of;"
        "(drift,) = drifts_of([Path('tumours/train_ddp.py')]); assert not drift.problems, drift"
    )
    assert not loaded_after(code, tmp_path) & {*SLOW, "black", "jinja2", "libcst", "pydantic"}


def test_a_whole_build_loads_nothing_that_is_slow(tmp_path: Path) -> None:
    """Not even where torch and Lightning are installed, as they are for these tests."""
    example = ROOT / "generated_examples" / "digits"
    code = f"import ddpgen; ddpgen.build({str(example / 'model.py')!r}, {str(example / 'ddp.yaml')!r})"
    # libcst.matchers takes a seventh of a build, and the index has patterns of its own
    matchers = "\nimport sys; assert 'libcst.matchers' not in sys.modules"
    assert not loaded_after(code + matchers, tmp_path) & set(SLOW)


# ---- messages --------------------------------------------------------------------------------------------


def messages() -> list[ast.FunctionDef]:
    """The functions that make diagnostics."""
    subjects = [module for module in FILES if unit(module) == "messages" and module != "messages.making"]
    return [node for each in subjects for node in tree_of(each).body if isinstance(node, ast.FunctionDef)]


def test_each_message_has_a_name_of_its_own() -> None:
    names = [node.name for node in messages()]
    assert sorted(names) == sorted(set(names))


@cache
def used_messages() -> set[str]:
    return {
        part.attr
        for module in FILES
        for part in ast.walk(tree_of(module))
        if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "messages"
    }


def test_each_message_is_used() -> None:
    assert {node.name for node in messages()} - used_messages() == set()


def test_diagnostics_are_made_by_messages_alone() -> None:
    """And by what these are made with, which gives them the codes that their names are."""
    others = [module for module in FILES if module != "messages.making"]
    assert [module for module in others if makes_diagnostics(module)] == []


def makes_diagnostics(module: str) -> bool:
    calls = [part for part in ast.walk(tree_of(module)) if isinstance(part, ast.Call)]
    return any(ast.unparse(call.func) == "Diagnostic" for call in calls)


# ---- the command line ------------------------------------------------------------------------------------

# Behaviour is set in the spec. Before adding an option here, find it a place there.
COMMANDS = {
    "build": {
        "MODEL.py",
        "[-- OVERRIDES]",
        "--strategy",
        "-o/--output",
        "--model",
        "--data",
        "--root",
        "--force",
        "--ours",
        "--theirs",
        "--format",
    },
    "check": {"[PATHS]", "--rebuild", "--format"},
    "diff": {"SCRIPT"},
    "verify": {
        "MODEL.py",
        "[-- ARGUMENTS]",
        "--strategy",
        "--nproc",
        "--steps",
        "--script",
        "--model",
        "--data",
        "--root",
    },
    "plan": {
        "MODEL.py",
        "[-- ARGUMENTS]",
        "--devices",
        "--memory",
        "--strategy",
        "--model",
        "--data",
        "--root",
        "--json",
    },
    "explain": {"SCRIPT[:LINE]", "--json", "--html"},
    "init": {"[MODEL.py]", "[FILE]", "--model", "--data", "--root"},
    "convert": {"CHECKPOINT", "TO"},
    "schema": set(),
    "inspect": {"MODEL.py", "--root", "--values", "--calls", "--json"},
    "strategies": set(),
}


def test_the_commands_and_their_options_are_these() -> None:
    from ddpgen.cli import main

    found = {
        name: {
            "/".join(each.opts) if each.opts[0].startswith("-") else each.metavar for each in command.params
        }
        for name, command in main.commands.items()
    }
    assert found == COMMANDS
    assert {"/".join(each.opts) for each in main.params} == {"--version"}
