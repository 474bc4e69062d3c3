"""How a project's modules are found and made one: what cannot be, where it stands, and how long that takes."""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pytest
from ddpgen.diagnostics import CompileError
from ddpgen.ir.project import Project
from ddpgen.link.link import link
from ddpgen.link.modules.scopes import uses_of
from ddpgen.render.imports import folder_statement, import_block
from ddpgen.source.definitions import Import

LIGHTNING = "import lightning as L\n"


def write(folder: Path, **files: str) -> Path:
    """The files of a project, `a__b` for a/b.py; returns the entry, main.py."""
    for name, text in files.items():
        inner, initializes = name.removesuffix("____init__"), name.endswith("____init__")
        path = folder / (inner.replace("__", "/") + ("/__init__.py" if initializes else ".py"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return folder / "main.py"


def linked(folder: Path, embeds_all: bool = False, **files: str) -> Project:
    entry = write(folder, **files)
    return link(entry, entry.parent, embeds_all=embeds_all)


def errors(folder: Path, embeds_all: bool = False, **files: str) -> list[tuple[str, str, int, int]]:
    with pytest.raises(CompileError) as caught:
        linked(folder, embeds_all, **files)
    found = [(diagnostic.code, diagnostic.span) for diagnostic in caught.value.diagnostics]
    return [(code, Path(span.path).name, span.line, span.column) for code, span in found if span]


# ---- what cannot be made one -----------------------------------------------------------------------------


def test_a_relative_import_of_nothing(tmp_path: Path) -> None:
    assert errors(tmp_path, main="from .net import Net\nfrom .data import *\nprint(Net(), x)\n") == [
        ("module-not-found", "main.py", 1, 1),
        ("module-not-found", "main.py", 2, 1),
    ]


def test_a_relative_import_of_nothing_in_a_function(tmp_path: Path) -> None:
    files = {
        "main": "from package.losses import loss\nloss(1)\n",
        "package____init__": "",
        "package__losses": LIGHTNING
        + "def loss(x, plot=False):\n    if plot:\n        from .plots import curve\n        curve(x)\n    return x\n",
    }
    project = linked(tmp_path, **files)
    assert [(each.code, each.severity) for each in project.notes] == [("module-not-found", "warning")]
    assert "from package.plots import curve" in project.source.text


@pytest.mark.parametrize("embeds_all", [False, True])
def test_a_relative_import_of_nothing_in_a_module_that_a_function_imports(
    embeds_all: bool, tmp_path: Path
) -> None:
    """It stays where it is, as the function may never be called."""
    files = {
        "main": "from losses import loss\nloss(1)\n",
        "losses": LIGHTNING
        + "def loss(x, plot=False):\n    if plot:\n        from tools.plots import curve\n        curve(x)\n",
        "tools__plots": "from .far.drawing import draw\n\n\ndef curve(x):\n    draw(x)\n",
    }
    project = linked(tmp_path, embeds_all, **files)
    assert "        from tools.plots import curve\n" in project.source.text
    assert "draw" not in project.source.text
    assert ("module-not-found", "warning") in [(each.code, each.severity) for each in project.notes]
    sure = files["main"].replace("(1)", "(1)\nfrom tools.plots import curve\ncurve(1)")
    assert errors(tmp_path, embeds_all, **(files | {"main": sure})) == [
        ("module-not-found", "plots.py", 1, 1)
    ]


def test_what_is_not_there_is_named_where_several_are_imported(tmp_path: Path) -> None:
    files = {
        "main": "from package import Net, nets\nprint(Net(), nets.deep)\n",
        "package____init__": LIGHTNING + "from . import data, nets\nclass Net: ...\n",
        "package__data": "",
    }
    with pytest.raises(CompileError, match=r"There is no module `\.nets` here"):
        linked(tmp_path, **files)


def test_a_folder_without_an_init_is_one_that_a_package_may_import(tmp_path: Path) -> None:
    files = {
        "main": "import package.nets.deep, package.nets.more.flat\nfrom package import Net, nets\n"
        "print(Net(), nets.deep.Deep(), nets.more.flat.width)\n",
        "package____init__": LIGHTNING + "from . import nets\nclass Net: ...\n",
        "package__nets__deep": "class Deep: ...\n",
        "package__nets__more__flat": "width = 4\n",
    }
    assert "print(Net(), Deep(), width)" in linked(tmp_path, **files).source.text
    files["main"] = files["main"].replace("nets.deep.Deep()", "nets")
    assert {code for code, *_ in errors(tmp_path, **files)} == {"module-as-value"}


def test_an_absolute_import_of_nothing_is_a_librarys(tmp_path: Path) -> None:
    project = linked(tmp_path, main="from net import Net\nNet()\n")
    assert not any(bound.is_local for bound in project.imports)


def test_a_module_as_a_value(tmp_path: Path) -> None:
    files = {"main": "import net\n\nblock = dict(vars(net))\n", "net": LIGHTNING + "class Block: ..."}
    assert errors(tmp_path, **files) == [("module-as-value", "main.py", 3, 19)]


VALUES = {
    "main": "from package import net\nimport other\n\nprint([net, other.twice(net)])\n",
    "package____init__": LIGHTNING,
    "package__net": "import json\nsize = json.loads('3')\nsize += 1\ndef wider(): return size + 1\n",
    "other": "from package import net\nimport lightning\ndef twice(one): return one is net\n",
}


def test_a_module_as_a_value_of_which_all_is_known(tmp_path: Path) -> None:
    """One object is the module wherever it is used; the module's own names are the script's."""
    text = linked(tmp_path, **VALUES).source.text
    made = 'net = module_here(__name__="package.net", json=json, size=size, wider=wider)'
    assert text.count(made) == 1
    assert "return one is net\n" in text
    assert "print([net, twice(net)])" in text
    assert text.index("size += 1") < text.index(made) < text.index("print([")


@pytest.mark.parametrize(
    ("module", "code", "told"),
    [
        ("package__net", "import lightning as L", "module-as-value"),
        ("package__net", "from math import *", "module-as-value"),
        ("package__net", "def set_size():\n    global size\n    size = 4", "module-as-value"),
        ("package__net", "if wider() > 4: depth = 3", "module-as-value"),
        ("package__net", "del size", "module-as-value"),
        ("package__net", "def __getattr__(name): return 3", "module-as-value"),
        ("package__net", "import package", "module-as-value"),
        ("main", "import importlib\nimportlib.reload(net)", "module-as-value"),
        ("other", "net.size = 5", "module-value-set"),
        ("main", "def grow():\n    net.size += 1\ngrow()", "module-value-set"),
    ],
)
def test_a_module_as_a_value_that_may_have_something_else(
    tmp_path: Path, module: str, code: str, told: str
) -> None:
    files = VALUES | {module: f"{VALUES[module]}{code}\n"}
    assert told in {code for code, *_ in errors(tmp_path, **files)}


STATE = """
    from lightning import seed_everything
    step = 0
    def advance():
        global step
        step += 1
    """


@pytest.mark.parametrize(
    ("imported", "code", "are_told"),
    [
        ("from state import advance, step", "return step", True),
        ("from state import *", "return step", True),
        ("from state import advance, step as first", "return first", True),
        ("import state\nfrom state import advance", "return state.step", False),
        ("from state import advance, step\nfirst = step", "return first", False),
        ("from state import advance", "from state import step\n    return step", False),
        ("from state import step\ndef advance(): ...", "return step", False),
    ],
)
def test_a_variable_that_is_imported_and_set_in_its_module(
    imported: str, code: str, are_told: bool, tmp_path: Path
) -> None:
    """Python gives an import's name what there is when it is imported; the script has one variable."""
    main = f"{imported}\ndef now():\n    {code}\nadvance()\nprint(now())\n"
    if are_told:
        assert {code for code, *_ in errors(tmp_path, main=main, state=STATE)} == {"copied-variable"}
    else:
        assert not linked(tmp_path, main=main, state=STATE).notes


@pytest.mark.parametrize(
    ("asked", "lazy", "code"),
    [
        ("from state import other\nprint(other)", "", "not-in-module"),
        ("from state import other\nprint(other)", "def __getattr__(name): ...\n", "not-in-module"),
        ("import state\nprint(state.other)", "def __getattr__(name): ...\n", "module-as-value"),
    ],
)
def test_what_a_module_has_not_or_makes_when_it_is_asked(
    asked: str, lazy: str, code: str, tmp_path: Path
) -> None:
    """No module is asked for anything once its code is a part of the script."""
    found = errors(tmp_path, main=f"{asked}\n", state=dedent(STATE) + lazy)
    assert {each for each, *_ in found} == {code}


FUTURE = "from __future__ import annotations\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "read", "is_quoted"),
    [
        (FUTURE, "", "[each.type for each in fields(Settings)]", True),
        (FUTURE, "", "Settings.__annotations__", True),
        (FUTURE, "", "vars(Settings)['__annotations__']", True),
        (FUTURE, "", "get_annotations(Settings)", True),
        (FUTURE, "", "[each.name for each in fields(Settings)]", False),
        (FUTURE, FUTURE, "[each.type for each in fields(Settings)]", False),
        ("", "", "[each.type for each in fields(Settings)]", False),
    ],
)
@pytest.mark.parametrize("reader", ["main", "settings"])
def test_annotations_that_are_read(
    ours: str, theirs: str, read: str, is_quoted: bool, reader: str, tmp_path: Path
) -> None:
    """They are texts where a file postpones them, which a script does for all of its code or for none."""
    kinds = f"def kinds():\n    return {read}\n"
    settings = (
        f"{theirs}{LIGHTNING}from dataclasses import dataclass, fields\nfrom inspect import get_annotations\n\n\n"
        f"@dataclass\nclass Settings:\n    width: int = 4\n\n\n{kinds if reader == 'settings' else ''}"
    )
    names = "kinds" if reader == "settings" else "Settings, fields, get_annotations"
    main = (
        f"{ours}from settings import {names}\n{kinds if reader == 'main' else ''}"
        "def shown(given: int) -> None:\n    print(given)\n\n\nshown(kinds())\n"
    )
    project = linked(tmp_path, main=main, settings=settings)
    assert not project.notes
    postponing = {name for each in project.statements if each.postpones for name in each.names}
    assert ("shown" in postponing, "Settings" in postponing) == (is_quoted, False)
    assert ("annotations" in project.future_imports) == (ours == FUTURE and not is_quoted)


def test_nothing_is_quoted_where_no_other_file_has_annotations(tmp_path: Path) -> None:
    """What other files import and call has none that the script could make texts of."""
    settings = f"{FUTURE}{LIGHTNING}class Settings:\n    width: int = 4\n"
    main = "from settings import Settings\nprint(Settings.__annotations__)\n"
    project = linked(tmp_path, main=main, settings=settings)
    assert project.future_imports == ("annotations",)
    assert not any(each.postpones for each in project.statements)


@pytest.mark.parametrize("asked", ["type(x).__name__", "x.name"])
def test_a_definition_that_gets_another_name(asked: str, tmp_path: Path) -> None:
    files = {
        "main": f"import one, two\ndef name(x):\n    return {asked}\nprint(name(one.Head()), two.Head())\n",
        "one": LIGHTNING + "class Head: ...\n",
        "two": LIGHTNING + "class Head: ...\n",
    }
    told = [each.code for each in linked(tmp_path, **files).notes]
    assert told == (["definition-renamed"] if "__name__" in asked else [])


NETS = LIGHTNING + "class Net: ...\ndef made(): ...\nsize = 3\n"
TABLE = """
    import net
    import other
    NETS = {"net": net, "other": other}
    def make(name):
        return NETS[name].made(), ASKS
    make("net")
    """


@pytest.mark.parametrize(
    ("asks", "namespace"),
    [
        ("NETS[name].Net", "SimpleNamespace(Net=Net, made=made)"),
        ("vars(NETS[name])[name]", "SimpleNamespace(Net=Net, made=made)"),
        ("getattr(NETS.get(name), 'Net')", "SimpleNamespace(Net=Net, made=made)"),
        ("name in NETS, len(NETS), [*NETS.keys()]", "SimpleNamespace(made=made)"),
        ("NETS[name].missing", "SimpleNamespace(made=made)"),
        ("{'a': other}[name].made(), NETS[name].Net", "SimpleNamespace(Net=Net, made=made)"),
        ("{'a': other}[name]", ""),
        ("NETS[name]", ""),
        ("NETS[name].size", ""),
        ("NETS.values()", ""),
        ("vars(NETS[name])", ""),
        ("globals()['NETS']", ""),
        ("NETS.update(net=net)", ""),
        ("dict(NETS)", ""),
    ],
)
def test_modules_in_a_table(asks: str, namespace: str, tmp_path: Path) -> None:
    """Where code asks the table's entries for definitions alone, namespaces of these take the modules' places."""
    files = {
        "main": dedent(TABLE).replace("ASKS", asks),
        "net": NETS,
        "other": "def made(): ...\nimport net\n",
    }
    if not namespace:
        assert ("module-as-value", "main.py") in {each[:2] for each in errors(tmp_path, **files)}
        return
    text = linked(tmp_path, **files).source.text
    assert f'"net": {namespace}' in text
    assert "from types import SimpleNamespace" in text


PACKAGE = {
    "package____init__": "",
    "package__sub____init__": "from .other import other\n",
    "package__sub__other": "def other(): return 2\n",
    "package__sub__net": LIGHTNING + "class Net(L.LightningModule): ...\n",
}


@pytest.mark.parametrize(
    "asks",
    [
        "import package.sub.net\nprint(package.sub.net.Net)\n",
        "import package.sub.net as net\nprint(net.Net)\n",
        "import package.sub as sub\nimport package.sub.net\nprint(sub.net.Net)\n",
        "import package\nimport package.sub.net\nprint(package.sub.net.Net)\n",
        "from package import sub\nimport package.sub.net\nprint(sub.net.Net)\n",
    ],
)
def test_packages_that_are_passed_on_the_way_to_what_is_embedded(tmp_path: Path, asks: str) -> None:
    text = linked(tmp_path, main=asks, **PACKAGE).source.text
    assert text.endswith("\nprint(Net)\n")
    assert "class Net" in text


def test_what_a_package_has_under_the_name_of_a_module(tmp_path: Path) -> None:
    """`sub.net` is the class, and no module."""
    package = PACKAGE | {"package__sub____init__": "from .net import Net as net\n"}
    asks = "import package.sub as sub\nprint(sub.net.Net, sub.net)\n"
    text = linked(tmp_path, main=asks, **package).source.text
    assert text.endswith("print(Net.Net, Net)\n")


LACKING = """
    import net
    def build(frozen=False):
        if frozen:
            net.freeze(3)
        return net.Block()
    build()
    """


def test_a_module_that_is_asked_in_a_function_for_what_it_has_not(tmp_path: Path) -> None:
    net = LIGHTNING + "class Block: ...\n"
    project = linked(tmp_path, main=LACKING, net=net)
    assert [(each.code, each.severity) for each in project.notes] == [("module-lacks", "warning")]
    assert "net.freeze(3)" in project.source.text
    assert "return Block()" in project.source.text
    early = LACKING.replace("    def build", "    size: net.Size = 3\n    def build")
    assert errors(tmp_path, main=early, net=net) == [("module-lacks", "main.py", 3, 7)]
    named_so = linked(tmp_path, main=LACKING, net=net + "net = 5\ndef freezing(): return net\nfreezing()\n")
    assert "net = 5" not in named_so.source.text.splitlines()
    tried = LACKING.replace("if frozen", "try").replace(
        "return", "except AttributeError: pass\n        return"
    )
    assert errors(tmp_path, main=tried, net=net) == [("module-as-value", "main.py", 5, 9)]
    with_star = linked(tmp_path, main=LACKING, net=net + "from elsewhere import *\n").source.text
    assert "from elsewhere import freeze\n" in with_star


SHOWN = """
    import lightning.pytorch as pl
    from lightning.pytorch import cli_lightning_logo
    from lightning.pytorch.utilities import disable_possible_user_warnings

    def main():
        cli_lightning_logo()

    if __name__ == "__main__":
        disable_possible_user_warnings()
        pl.cli_lightning_logo()
        main()
    """


def test_what_lightning_shows_of_itself(tmp_path: Path) -> None:
    project = linked(tmp_path, main=SHOWN)
    assert [each.span and each.span.line for each in project.notes] == [7, 10, 11]
    assert {each.code for each in project.notes} == {"shown-left-out"}
    assert "def main():\n    pass\n" in project.source.text
    assert "()\n" not in project.source.text.replace("main()", "")


RELOADING = """
    import importlib
    import net
    {}
    from net import Block

    importlib.reload(net)
    Block()
    """


def test_a_module_that_is_loaded_again_before_it_is_used(tmp_path: Path) -> None:
    net = LIGHTNING + "class Block: ...\nsize = 3\n"
    project = linked(tmp_path, main=RELOADING.format("import json"), net=net)
    assert [(each.code, each.span and each.span.line) for each in project.notes] == [("reload-left-out", 7)]
    assert "reload" not in project.source.text
    for use in ("net.size = 4", "print(net.size)", "importlib.reload(net); print()"):
        found = errors(tmp_path, main=RELOADING.format(use), net=net)
        assert "module-as-value" in {code for code, *_ in found}, use


def test_a_module_that_is_asked_for_a_class_by_its_name(tmp_path: Path) -> None:
    main = """
        import importlib
        import net
        def make(name):
            own = importlib.import_module("net")
            return getattr(net, name), getattr(net, "Block"), getattr(own, name, None), getattr(net, "size")
        """
    files = {"main": dedent(main), "net": LIGHTNING + "class Block: ...\nclass Other(Block): ...\nsize = 3"}
    assert errors(tmp_path, **files) == [("module-as-value", "main.py", 6, 89)]
    files["main"] = files["main"].replace(', getattr(net, "size")', "")
    text = linked(tmp_path, **files).source.text
    assert '{"Block": Block, "Other": Other}[name], {"Block": Block}["Block"]' in text
    assert '{"Block": Block, "Other": Other, "size": size}.get(name, None)' in text


def test_a_module_that_is_asked_for_its_file(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text("")
    main = """
        import nets.deep as net
        from nets import deep
        def paths():
            return net.__file__, deep.__file__, net.size
        """
    files = {"main": dedent(main), "nets__deep": LIGHTNING + "size = 3"}
    project = linked(tmp_path, **files)
    file = 'os.path.join(os.path.dirname(__file__), "nets", "deep.py")'
    assert f"return {file}, {file}, size" in project.source.text
    assert "import os\n" in project.source.text
    assert not project.notes
    files["main"] = files["main"].replace("net.__file__", "net.__doc__")
    assert errors(tmp_path, **files) == [("module-as-value", "main.py", 5, 12)]


def test_a_library_that_is_asked_for_by_its_name(tmp_path: Path) -> None:
    net = """
        import importlib
        tables = importlib.import_module("numpy")
        class Block:
            def load(self):
                hub = importlib.import_module("hub.backbones")
                return hub, tables
        """
    text = linked(tmp_path, main="from net import Block\nBlock()\n", net=LIGHTNING + dedent(net)).source.text
    assert "import importlib\n" in text
    assert 'hub = importlib.import_module("hub.backbones")' in text
    assert "import numpy as tables\n" in text


HEAD = "import glob, importlib, os, pkgutil\nfrom os.path import dirname, join\nfrom pathlib import Path\n"


@pytest.mark.parametrize(
    "loop",
    [
        """
        for file in os.listdir(os.path.dirname(__file__)):
            if file.endswith(".py") and not file.startswith("_"):
                module = importlib.import_module("nets." + file[:-3])
        """,
        """
        HERE = dirname(os.path.abspath(__file__))
        for path in sorted(glob.glob(join(HERE, "*.py"))):
            name = os.path.splitext(os.path.basename(path))[0]
            if name in ("__init__",):
                continue
            importlib.import_module(f".{name}", package=__package__)
        """,
        """
        for path in Path(__file__).parent.glob("*.py"):
            if path.stem != "__init__":
                importlib.import_module(f"{__name__}.{path.stem}")
        """,
        """
        for _, name, is_package in pkgutil.iter_modules(__path__):
            if not is_package:
                importlib.import_module("." + name, __name__)
        """,
        """
        for found in pkgutil.iter_modules([os.path.dirname(__file__)]):
            importlib.import_module(f"{__name__}.{found.name}")
        """,
    ],
)
def test_a_loop_that_imports_a_folder(tmp_path: Path, loop: str) -> None:
    files = {"nets__deep": LIGHTNING + DEEP, "nets__wide": LIGHTNING + DEEP.replace("deep", "wide")}
    files |= {"nets__table": "TABLE = {}\ndef note(cls): TABLE[cls.__name__] = cls; return cls\n"}
    main = "from nets.table import TABLE\nimport nets\nprint(TABLE)\n"
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text(HEAD + dedent(loop))
    project = linked(tmp_path, main=main, **files)
    assert [cls for cls in project.classes if cls in ("deep", "wide")] == ["deep", "wide"]
    assert [note.code for note in project.notes] == ["folder-imported"]
    assert "import_module" not in project.source.text


DEEP = """
from nets.table import note
@note
class deep(L.LightningModule): ...
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for name in os.environ: importlib.import_module(name)",
        "for name in os.listdir('nets'): print(importlib.import_module('nets.' + name[:-3]))",
        "for name in ['deep.py']: importlib.import_module('nets.' + name[:-3]); print(name)",
        "for name in ['deep']: importlib.import_module('nets.' + name)\nprint(name)",
        "def listdir(folder): return ['deep']\nfor name in listdir('nets'): importlib.import_module('nets.' + name)",
        "from others import import_module\nfor name in ['deep']: import_module('nets.' + name)",
        "for name in ['deep']:\n    if name.isupper(): importlib.import_module('nets.' + name)",
        "for name in ['deep', '__init__']: importlib.import_module('nets.' + name)",
    ],
)
def test_a_loop_that_imports_what_only_a_run_knows(tmp_path: Path, loop: str) -> None:
    files = {"nets__deep": LIGHTNING + DEEP, "nets__table": "TABLE = {}\ndef note(cls): return cls\n"}
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text(HEAD + loop)
    project = linked(tmp_path, embeds_all=True, main="from nets.table import TABLE\nprint(TABLE)\n", **files)
    assert "folder-imported" not in [note.code for note in project.notes]
    assert "deep" not in project.classes


def test_a_module_that_stays_may_be_a_value(tmp_path: Path) -> None:
    files = {"main": "import net\n\nblock = getattr(net, 'Block')\n", "net": "class Block: ..."}
    project = linked(tmp_path, **files)
    assert [bound.is_local for bound in project.imports] == [True]


@pytest.mark.parametrize(
    ("main", "column"),
    [
        ("import net\n\nnet.WIDTH = len('two')\n", 1),
        ("import net\n\nnet.WIDTH += 1\n", 1),
        ("import net\n\nif __name__ == '__main__': net.WIDTH = 3\n", 28),
        ("import net\nfrom net import WIDTH\nnet.WIDTH = 3\nprint(WIDTH)\n", 1),
        ("import net\n\nnet.NAME = 3\n", 1),
    ],
)
def test_setting_an_attribute_of_a_module(tmp_path: Path, main: str, column: int) -> None:
    net = LIGHTNING + "WIDTH = 2\nNAME = 'net'\n"
    assert errors(tmp_path, main=main, net=net) == [("module-attribute-set", "main.py", 3, column)]


def test_a_function_sets_a_variable_of_another_module(tmp_path: Path) -> None:
    net = LIGHTNING + "WIDTH = 2\n\n\ndef width():\n    return WIDTH\n"
    body = '"""Sets it."""\n    import net\n    net.WIDTH = WIDTH\n    net.WIDTH += 1\n    return net.width()'
    project = linked(tmp_path, main=f"def wider(WIDTH):\n    {body}\n\nprint(wider(3))\n", net=net)
    assert '    """Sets it."""\n    global NET_WIDTH\n    NET_WIDTH = WIDTH\n' in project.source.text
    assert "def width():\n    return NET_WIDTH\n" in project.source.text


@pytest.mark.parametrize(
    ("body", "imported"),
    [
        ("net.WIDTH = 3", "import net\nfrom net import WIDTH"),
        ("net.WIDTH = 3", "import net\nfrom net import *"),
        ("net.WIDTH = 3", "import net\nimport other"),
        ("net.Net = int", "import net"),
        ("net.WIDTH: int = 3", "import net"),
        ("del net.WIDTH", "import net"),
        ("for net.WIDTH in range(3): pass", "import net"),
        ("class Inner: net.WIDTH = 3", "import net"),
    ],
)
def test_a_variable_that_others_have_a_copy_of_is_not_set(tmp_path: Path, body: str, imported: str) -> None:
    files = {
        "main": f"{imported}\n\n\ndef wider():\n    {body}\n\n\nprint(wider())\n",
        "net": f"{LIGHTNING}WIDTH = 2\n\n\nclass Net: ...\n",
        "other": f"{LIGHTNING}from net import WIDTH\n\nprint(WIDTH)\n",
    }
    assert {code for code, *_ in errors(tmp_path, **files)} == {"module-attribute-set"}


@pytest.mark.parametrize("name", ["globals()", "__path__"])
def test_a_module_that_asks_for_itself(tmp_path: Path, name: str) -> None:
    files = {"main": "from net import where\n\nprint(where)\n", "net": f"{LIGHTNING}\nwhere = {name}\n"}
    assert {error[:3] for error in errors(tmp_path, **files)} == {("module-namespace", "net.py", 3)}


def test_a_module_that_asks_for_its_package(tmp_path: Path) -> None:
    code = 'def find(name):\n    return importlib.import_module("." + name, package=__package__)\n'
    (tmp_path / "nets").mkdir()
    files = {"main": "from nets.found import find\n\nprint(find)\n"}
    project = linked(tmp_path, **files, nets__found=f"import importlib\n{LIGHTNING}\n{code}")
    assert 'import_module("." + name, package="nets")' in project.source.text


@pytest.mark.parametrize(
    "code",
    [
        "where = 'Net' in globals()",
        "def where(name): global Net; Net = name; return 'Net' in globals()",
        "def where(name): return name in globals() in [globals()]",
        "def where(name): return name in globals()\nfor Net in range(3): ...",
        "def where(name): return name in globals()\nfrom numpy import *",
    ],
)
def test_a_module_that_asks_for_names_that_it_may_not_have_yet(tmp_path: Path, code: str) -> None:
    files = {"main": "from net import where\n\nprint(where)\n", "net": f"{LIGHTNING}\n{code}\n"}
    assert {error[:3] for error in errors(tmp_path, **files)} == {("module-namespace", "net.py", 3)}


BY_NAME = """
    from torch.optim.lr_scheduler import StepLR
    import torch.nn as nn
    from kinds import *
    size = 3
    def find(name, default=None):
        found = globals().get(name, default)
        return found and found()
    """


def test_a_module_that_asks_for_what_it_may_not_have(tmp_path: Path) -> None:
    """All that may be called is in the table, what the module imports included; the rest has the default."""
    kinds = "class Other: ...\ndef _own(): ...\n"
    files = {
        "main": "from net import find\nfind('StepLR')\n",
        "net": LIGHTNING + dedent(BY_NAME),
        "kinds": LIGHTNING + kinds,
    }
    text = linked(tmp_path, **files).source.text
    table = '{"size": size, "find": find, "StepLR": StepLR, "Other": Other}'
    assert f"found = {table}.get(name, default)" in text


def test_a_module_that_is_asked_with_a_default(tmp_path: Path) -> None:
    """What it imports and its variables are in the table too: the default is for what it has not."""
    files = {
        "main": "import net\ndef find(name):\n    return getattr(net, name, None)\nfind('StepLR')\n",
        "net": LIGHTNING
        + "from torch.optim import SGD, Adam as Fast\nclass Net(L.LightningModule): ...\nmade = Net\n",
    }
    text = linked(tmp_path, **files).source.text
    assert 'return {"Net": Net, "made": made, "SGD": SGD, "Fast": Fast}.get(name, None)' in text
    files["net"] += "from torch.nn import *\n"
    assert [each[0] for each in errors(tmp_path, **files)] == ["module-as-value"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from kinds import *", "from numpy import *"),
        ("from kinds import *", "import kinds"),
        ("size = 3", "if nn: size = 3"),
        ("return found and found()", "return found"),
        ("= globals().get(name, default)", "= globals().get(name, default), globals()"),
        ("globals().get(name, default)", "globals().pop(name, default)"),
    ],
)
def test_a_module_that_asks_for_more_than_is_known_of_it(tmp_path: Path, old: str, new: str) -> None:
    code = dedent(BY_NAME).replace(old, new)
    files = {
        "main": "from net import find\nfind('StepLR')\n",
        "net": LIGHTNING + code,
        "kinds": LIGHTNING + "class Other: ...\n",
    }
    assert "module-namespace" in {code for code, *_ in errors(tmp_path, **files)}


@pytest.mark.parametrize("name", ["f'{__file__=}'", """f'{f"{__file__}"}'"""])
def test_a_modules_file_that_has_no_room_in_text(tmp_path: Path, name: str) -> None:
    files = {"main": "from net import where\n\nprint(where)\n", "net": f"{LIGHTNING}\nwhere = {name}\n"}
    assert {error[:3] for error in errors(tmp_path, **files)} == {("file-untellable", "net.py", 3)}
    files["net"] = f"{LIGHTNING}\nHERE = __file__\nwhere = {name.replace('__file__', 'HERE')}\n"
    assert "HERE = os.path.join" in linked(tmp_path, **files).source.text


IN_TEXT = [
    "f'in {__file__}!'",
    'f"in {__file__}!"',
    '"""in """f"""{__file__}!"""',
    """('in'\n   f" {__file__}" '!')""",
    "f'in {str(__file__)!s:>{len(__file__)}}!'",
    'f"""in {\nstr(__file__)}!"""',
    "f'in {str(__file__).upper()}!' f'{str()}'",
    "f'é {__file__} __file__ {{__file__}}'",
]


@pytest.mark.parametrize("code", IN_TEXT)
def test_a_modules_file_in_text(tmp_path: Path, code: str) -> None:
    """As seen from the script, wherever the name stands as code."""
    entry = write(tmp_path, main="from net import told\nprint(told)\n", net=f"{LIGHTNING}told = {code}\n")
    text = link(entry, tmp_path).source.text
    assert "lightning" not in text
    found: dict[str, str] = {"__file__": str(entry)}
    exec(text, found)
    assert found["told"] == eval(code, {"__file__": str(tmp_path / "net.py")})


BESIDE = 'os_.path.join(os_.path.dirname(__file__), "nets", "net.py")'
ABOVE = 'os_.path.realpath(os_.path.join(os_.path.dirname(__file__), "..", "nets", "net.py"))'


@pytest.mark.parametrize(("folder", "path"), [(".", BESIDE), ("out", ABOVE)])
def test_a_modules_file_is_seen_from_the_script(tmp_path: Path, folder: str, path: str) -> None:
    entry = write(
        tmp_path,
        main="from nets.net import where\n\nos = where()\n",
        nets__net=f"{LIGHTNING}\n\ndef where():\n    return open(__file__).name\n",
    )
    text = link(entry, tmp_path / folder).source.text
    assert text.startswith("import os as os_\n")
    assert f"    return open({path}).name\n" in text


def test_the_mains_file_is_seen_from_a_script_elsewhere(tmp_path: Path) -> None:
    entry = write(tmp_path, main="from pathlib import Path\n\nprint(Path(__file__).parents[1])\n")
    assert "print(Path(__file__).parents[1])" in link(entry, tmp_path).source.text
    far = link(entry, tmp_path / "out" / "far").source.text
    told = 'os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "main.py"))'
    assert f"print(Path({told}).parents[1])" in far


def test_an_error_in_a_module_has_its_place(tmp_path: Path) -> None:
    files = {"main": "from net import width\n\nprint(width)\n", "net": "width = 1\nclass\n"}
    assert errors(tmp_path, **files) == [("syntax-error", "net.py", 2, 6)]


def test_all_files_that_cannot_be_read_are_told_at_once(tmp_path: Path) -> None:
    main = "from data import rows\nfrom net import width\n\nprint(width, rows)\n"
    files = {"main": main, "data": "from more import rows\n", "more": "rows = (\n", "net": "class\n"}
    found = [error[:2] for error in errors(tmp_path, **files)]
    assert sorted(found) == [("syntax-error", "more.py"), ("syntax-error", "net.py")]


LAZY = {
    "main": "from parts import Net, width\n\nprint(Net, width)\n",
    "parts____init__": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .bad import Bad\n"
    "    from .net import Net, width\n\n\ndef __getattr__(name):\n    if name == 'Bad':\n"
    "        from .bad import Bad\n\n        return Bad\n    from . import net\n\n    return getattr(net, name)\n",
    "parts__net": f"{LIGHTNING}\nwidth = 1\n\n\nclass Net(L.LightningModule):\n    pass\n\n\n"
    "def other():\n    from . import inner\n\n    return inner\n",
    "parts__inner": "from parts.bad import Bad\n",
    "parts__bad": "class Bad\n",
}


def test_a_file_that_is_never_imported_may_be_damaged(tmp_path: Path) -> None:
    """For the type checker alone, or by functions that nothing calls, be it by way of another."""
    assert "class Net(" in linked(tmp_path, **LAZY).source.text


@pytest.mark.parametrize(
    ("module", "code", "instead"),
    [
        ("main", "import Net, width", "import Net\nfrom parts.net import other as width"),
        ("parts__net", "width = 1", "from .inner import Bad as width"),
        ("parts__net", "width = 1", "if Net:\n    from .bad import Bad as width"),
    ],
)
def test_one_that_may_be_imported_may_not(tmp_path: Path, module: str, code: str, instead: str) -> None:
    files = LAZY | {module: LAZY[module].replace(code, instead)}
    assert [error[:2] for error in errors(tmp_path, **files)] == [("syntax-error", "bad.py")]


@pytest.mark.parametrize("call", ["importlib.import_module(name)", "__import__(name)"])
def test_imports_by_name_stay_and_are_told(tmp_path: Path, call: str) -> None:
    project = linked(tmp_path, main=f"import importlib\n\nname = 'net'\nnet = {call}\nprint(importlib)\n")
    found = [(each.code, each.severity, each.span.line) for each in project.notes if each.span]
    assert found == [("dynamic-import", "warning", 4)]


@pytest.mark.parametrize("choices", ['["Net", "Wide"]', '["Net", "net.Wide"]', "names", ""])
def test_what_an_option_is_evaluated_to(tmp_path: Path, choices: str) -> None:
    main = f"""from net import Net, Wide

def main(args):
    return eval(args.model)()


def add(parser):
    parser.add_argument("--model", {f"choices={choices}, " if choices else ""}default="Net")


main(add)
"""
    net = "import lightning\n\n\nclass Net(lightning.LightningModule):\n    pass\n\n\nclass Wide(Net):\n    pass\n"
    project = linked(tmp_path, main=main, net=net)
    is_known = choices == '["Net", "Wide"]'
    assert [each.code for each in project.notes] == ([] if is_known else ["evaluated-name"])
    assert ('{"Net": Net, "Wide": Wide}[args.model]()' in project.source.text) is is_known


def test_modules_that_are_imported_where_something_of_them_is_asked_for(tmp_path: Path) -> None:
    main = "import importlib\n\nnet = importlib.import_module('net').Net()\nimportlib.import_module('more')\n"
    net = "import lightning\n\n\nclass Net(lightning.LightningModule):\n    pass\n"
    project = linked(tmp_path, main=main, net=net, more="import lightning\n\nprint('more')\n")
    assert not project.notes
    assert project.source.text.index("net = Net()") < project.source.text.index("print('more')")
    assert "import_module(" not in project.source.text


PARTS = {
    "main": "import sure\n\ntry:\n    import optional\nexcept ImportError:\n    optional = None\nprint(sure.x)\n",
    "sure": "import known_package\n\nx = known_package.x\n",
}


@pytest.mark.parametrize(
    ("optional", "said"),
    [
        ("import known_package\nimport json\n\ny = 1\n", []),
        ("import numpy as np\nimport torch.nn as nn\n\ny = 1\n", []),
        ("import json\nimport other_package\n", [("optional-module-stays", "note", 2)]),
        ("import msvcrt\n", [("optional-module-stays", "note", 1)]),
        (
            "import sys\n\nif sys.platform:\n    x = 1\nelse:\n    raise ImportError\n",
            [("optional-module-stays", "note", 3)],
        ),
        (LIGHTNING + "import other_package\n", [("optional-module-taken", "warning", 2)]),
    ],
)
def test_what_may_be_missing_is_imported_where_it_was(
    tmp_path: Path, optional: str, said: list[tuple[str, str, int]]
) -> None:
    main = PARTS["main"].replace("import optional\n", "from optional import y as optional\n")
    project = linked(tmp_path, True, **{**PARTS, "main": main, "optional": f"{optional}y = 2\n"})
    assert [(each.code, each.severity, each.span.line) for each in project.notes if each.span] == said
    stays = "    from optional import y as optional\n" in project.source.text
    assert stays == (bool(said) and said[0][1] == "note")


def test_a_module_of_the_project_s_is_there_whatever_it_imports(tmp_path: Path) -> None:
    optional = f"{LIGHTNING}from more import z\n\ny = z\n"
    more = f"{LIGHTNING}import other_package\n\nz = other_package.z\n"
    main = PARTS["main"].replace("import optional\n", "from optional import y as optional\n")
    project = linked(tmp_path, True, main=main, sure=PARTS["sure"], optional=optional, more=more)
    said = [each.message for each in project.notes]
    assert any("imports `other_package`, which may be missing" in each for each in said)
    assert any("imports `more`, which may fail to be imported, too" in each for each in said)


def test_what_the_type_checker_imports_is_put_after_what_it_needs(tmp_path: Path) -> None:
    project = linked(
        tmp_path,
        main="from a import A\n\nprint(A)\n",
        a=f"{LIGHTNING}from typing import TYPE_CHECKING\n\nfrom b import B\n\n\nclass A(B): ...\n",
        b=LIGHTNING
        + "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
        + "    from c import C\n    from lib import T\n"
        "\n\nclass B:\n    def of(self, c: 'C') -> 'T': ...\n",
        c=LIGHTNING + "from a import A\n\n\nclass C(A): ...\n",
    )
    names = [name for statement in project.statements for name in statement.names]
    assert [name for name in names if len(name) == 1] == ["T", "B", "A", "C"]


# ---- places ----------------------------------------------------------------------------------------------


def test_statements_know_where_they_come_from(tmp_path: Path) -> None:
    project = linked(
        tmp_path,
        main="""
            import models.net as a_longer_name
            from models.net import Block as B


            class Net(a_longer_name.Block):
                def forward(self, x):
                    return a_longer_name.scale(x) + B.WIDTH, self.other
            """,
        models__net=LIGHTNING + "# a comment\nclass Block:\n    WIDTH = 3\n\n\ndef scale(x):\n    return x\n",
    )
    origins = [(statement.names, statement.origin) for statement in project.statements]
    assert [(names[0], origin.path, origin.first_line) for names, origin in origins] == [
        ("Block", "models/net.py", 3),
        ("scale", "models/net.py", 7),
        ("Net", "main.py", 6),
    ]
    assert "scale(x) + Block.WIDTH" in project.source.text
    method = project.classes["Net"].methods["forward"]
    returned = method.body.body[0].body[0].value.elements  # type: ignore[attr-defined]  # a return of a tuple
    span = project.source.span(returned[1].value)
    assert (span.line, span.column) == (8, 50)
    assert project.source.line_of(span).strip().endswith("B.WIDTH, self.other")


def test_a_guard_and_an_exceptions_name_bind_nothing(tmp_path: Path) -> None:
    project = linked(
        tmp_path,
        main="from net import width\n\ne = width\n",
        net=f"{LIGHTNING}try:\n    width = 3\nexcept ValueError as e:\n    width = e\n\n"
        "if __name__ == '__main__':\n    width = 4\n",
    )
    assert project.source.text.replace("\n\n", "\n") == (
        "try:\n    width = 3\nexcept ValueError as e:\n    width = e\ne = width\n"
    )


def test_imports_of_the_future_come_first(tmp_path: Path) -> None:
    future = "from __future__ import annotations\n"
    project = linked(
        tmp_path, main=f"{future}from net import x\n\nprint(x)\n", net=f"{future}{LIGHTNING}x = 1\n"
    )
    assert project.future_imports == ("annotations", "annotations")


def test_what_the_type_checker_alone_imports_changes_no_order(tmp_path: Path) -> None:
    project = linked(
        tmp_path,
        main="import first\n\nprint(first.B)\n",
        first=f"{LIGHTNING}from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from second import C\n\n"
        "class A: ...\n\nclass B(A):\n    other: 'C'\n",
        second="import lightning\nfrom first import A\n\nclass C(A): ...\n",
    )
    names = [name for statement in project.statements for name in statement.names]
    assert names == ["A", "B", "C"]


# ---- where kept modules are imported from ----------------------------------------------------------------


def folders(entry: Path, script: Path, *roots: Path) -> list[str]:
    return list(link(entry, script, roots).folders)


def test_folders_are_seen_from_the_script(tmp_path: Path) -> None:
    entry = write(tmp_path / "project", main="from net import Net\nNet()\n", net="class Net: ...")
    assert folders(entry, entry.parent) == []
    assert folders(entry, tmp_path) == ["project"]
    assert folders(entry, tmp_path / "project" / "out" / "deep") == ["../.."]


def test_a_root_of_the_users(tmp_path: Path) -> None:
    entry = write(tmp_path / "scripts", main="from nets.net import Net\nNet()\n")
    write(tmp_path / "library", nets__net="class Net: ...")
    assert not any(bound.is_local for bound in link(entry, entry.parent).imports)
    assert folders(entry, entry.parent, tmp_path / "library") == ["../library"]


def test_a_package_reaches_as_far_up_as_its_relative_imports(tmp_path: Path) -> None:
    write(tmp_path, package__nets__net="class Net: ...")
    entry = write(tmp_path / "package" / "scripts", main="from ..nets.net import Net\nNet()\n")
    project = link(entry, entry.parent)
    assert [bound.module for bound in project.imports] == ["package.nets.net"]
    assert project.folders == ("../..",)


# ---- time ------------------------------------------------------------------------------------------------


def test_beside_an_installed_package_stand_others(tmp_path: Path) -> None:
    """As with Lightning's own demos."""
    folder = tmp_path / "site-packages"
    parts = LIGHTNING + "class Part: ..."
    main = "from net import Block\nfrom own.parts import Part\n\nmade = Block(), Part()\n"
    write(folder, net=LIGHTNING + "class Block: ...", own__parts=parts, own__main=main)
    (folder / "own" / "__init__.py").touch()
    project = link(folder / "own" / "main.py", tmp_path)
    assert [name for statement in project.statements for name in statement.names] == ["Part", "made"]
    assert not any(bound.is_local for bound in project.imports)


def test_loops_that_fill_what_is_reached(tmp_path: Path) -> None:
    sizes = """\
    import lightning
    SIZES = []
    OTHERS = []
    for power in range(3):
        SIZES.append(2**power)
    for number in range(3):
        OTHERS.append(number)
    """
    project = linked(tmp_path, main="from sizes import SIZES\n\nwidth = SIZES[-1]\n", sizes=sizes)
    names = [name for statement in project.statements for name in statement.names]
    assert names == ["SIZES", "power", "width"]


def test_what_a_module_does_when_it_is_imported(tmp_path: Path) -> None:
    """Statements that print, write, or change a library's state stay, whatever of the project's they name."""
    tools = """    import logging, os, lightning
    DEBUG = os.environ.get("DEBUG")
    TABLE = {}
    class Entry:
        def __init__(self, name):
            self.name = name
    def enter(name):
        TABLE[name] = Entry(name)
    def set_up():
        logging.basicConfig()
        return logging.getLogger()
    def shown(value):
        print(value)
        return value
    if DEBUG:
        print("debugging")
    with open("log", "w") as file:
        file.write("begun")
    TABLE["a"] = Entry("a")
    enter("b")
    set_up()
    logger = set_up()
    width = shown(3)
    levels = logging.getLevelNamesMapping()
    class Net: ...
    """
    project = linked(tmp_path, main="from tools import Net\n\nnet = Net()\n", tools=tools)
    lines = project.source.text.splitlines()
    kept = ('    print("debugging")', 'with open("log", "w") as file:', "set_up()", "logger = set_up()")
    assert not set(kept) - set(lines)
    assert not [line for line in lines if "TABLE" in line or "enter" in line or "shown" in line]
    # a value that nothing needs, and a call of the project's that makes it and does more: it is told
    assert [(each.code, each.source_line) for each in project.notes] == [
        ("statement-left-out", "width = shown(3)")
    ]


def cost_of_a_build(folder: Path, modules: int) -> float:
    """Seconds of the processor for a cold build of a project of so many modules, of which ten are reached."""
    filler = "\n\n".join(
        f"def function_{n}(x):\n    y = x + {n}\n    z = y * 2\n    return z - x" for n in range(40)
    )
    for n in range(modules):
        uses = f"from package.module_{n + 1} import value_{n + 1}" if n < 9 else ""
        value = f"value_{n} = function_1({n}){f' + value_{n + 1}' if n < 9 else ''}"
        imports = f"import lightning\nimport torch\n{uses}" + (
            "" if n else "\n" + "\n".join(f"import package.module_{k}" for k in range(modules))
        )
        write(folder, **{f"package__module_{n}": f"{imports}\n\n\n{filler}\n\n\n{value}\n"})
    entry = write(folder, main=MODEL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "ddpgen", "build", str(entry)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert result.returncode == 0, result.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_large_project_of_which_little_is_reached(tmp_path: Path) -> None:
    """Ninety modules and 18,000 lines that nothing needs cost a build at most twice what the ten that it reaches do."""
    small = cost_of_a_build(tmp_path / "small", 10)
    large = cost_of_a_build(tmp_path / "large", 100)
    # a ratio, as machines differ; the processor's time, as other tests run beside this one
    assert large < 3 * small


MODEL = """
    import lightning as L
    import torch
    from package.module_0 import value_0


    class Net(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(value_0, 1)

        def training_step(self, batch, batch_idx):
            return self.layer(batch).sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

        def train_dataloader(self):
            return torch.utils.data.DataLoader(torch.ones(8, value_0))
    """


def test_modules_that_are_imported_in_functions_alone_are_found_too() -> None:
    imports = [Import("sys", "sys"), Import("Path", "pathlib", "Path")]
    block = import_block(imports, for_neighbours=[folder_statement("../project")])
    assert block.endswith('\nsys.path.insert(0, str(Path(__file__).resolve().parents[1] / "project"))')


def test_a_star_imports_the_modules_that_its_package_lists(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text('__all__ = ["small"]\n')
    project = linked(
        tmp_path,
        main="from models import Model\nprint(Model())\n",
        models=LIGHTNING + "from nets import *\nclass Model(L.LightningModule): net = small.Net\n",
        nets__small="class Net: pass\n",
    )
    assert "from nets import small" in import_block(project.imports)


def test_functions_of_modules_that_the_spec_names_import_too(tmp_path: Path) -> None:
    """Modules that are run after the entry, such as those of classes that a configuration names."""
    configured = """
        import hydra
        from hydra.utils import instantiate
        {}
        @hydra.main(config_path="conf", config_name="train", version_base=None)
        def main(cfg):
            instantiate(cfg.trainer).fit(instantiate(cfg.model))

        if __name__ == "__main__":
            main()
        """
    model = """
        import lightning as L

        class Model(L.LightningModule):
            def setup(self, stage):
                from scores import Score
                self.score = Score()
        """
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "train.yaml").write_text(
        "trainer: {_target_: lightning.Trainer}\nmodel: {_target_: models.Model}\n"
    )
    scores = LIGHTNING + "class Score(L.LightningModule): pass\n"
    project = linked(tmp_path, main=dedent(configured).format(LIGHTNING), models=model, scores=scores)
    assert {"Model", "Score"} <= project.classes.keys()


def test_one_thing_that_is_imported_in_two_ways() -> None:
    imports = {Import("nn", "torch", "nn"), Import("nn", "torch.nn"), Import("torch", "torch")}
    assert import_block(imports) == "import torch\nfrom torch import nn"
    inner = {Import("os", "os.path"), Import("os", "os")}
    assert import_block(inner) == "import os\nimport os.path"


def test_a_comment_goes_with_the_import_that_it_is_of(tmp_path: Path) -> None:
    main = """
        from nets import made

        def run():
            from nets import Net  # noqa: F401
            # a model
            from other import far  # stays
            return made(), far

        run()
        """
    nets = LIGHTNING + "class Net(L.LightningModule): pass\ndef made():\n    return Net()\n"
    text = linked(tmp_path, main=dedent(main), nets=nets, other="far = 1\n").source.text
    assert "noqa" not in text
    assert "# a model" in text
    assert "from other import far  # stays" in text


def test_bounds_of_type_parameters_are_used() -> None:
    """As Python 3.12 parses `def part[T: Base](rows: T): ...`, which others do not."""
    (function,) = ast.parse("def part(rows: T): ...").body
    bound = ast.parse("Base", mode="eval").body
    function.type_params = [SimpleNamespace(name="T", bound=bound)]  # type: ignore[attr-defined,unused-ignore]
    assert [use.name for use in uses_of(function).names] == ["Base"]
