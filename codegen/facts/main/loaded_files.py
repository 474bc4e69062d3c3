"""The configurations that code loads from files whose paths are known when building."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path, PurePosixPath

import libcst as cst

from ...index import patterns as m
from ...ir.project import Load, Project
from ...source.environment import Conditions
from ...source.hydra import NAMES, told_by
from ...source.marked_folders import ROOT_FINDERS, marked
from ...source.repository import repository_of
from ...values import Given, GivenArguments, Instance, Literal, Option, Values, values_of
from ...values.origins import Origin
from ..code.literals import code_of
from .told.command_line import CommandLine

LOADERS = {
    "json.load": "json",
    "json.loads": "json",
    "omegaconf.OmegaConf.load": "omegaconf",
    "yaml.full_load": "yaml",
    "yaml.load": "yaml",
    "yaml.safe_load": "yaml",
}
"""Functions that load a configuration, with the library whose values they give."""

LOADING = re.compile(
    rb"(OmegaConf\.|json\.|yaml\.\w*_?)loads?\(|\bcompose\(|hydra\.main\(|spec_from_file_location\("
)

MAIN, COMPOSE = "hydra.main", "hydra.compose"

GIVING = frozenset({*LOADERS, MAIN, COMPOSE})

PARAMETERS = {
    "hydra.initialize": ("config_path",),
    "hydra.initialize_config_dir": ("config_dir",),
    MAIN: NAMES,
    COMPOSE: ("config_name", "overrides"),
}
"""Hydra's functions, with what they take first; the first of them says where the files are, but for `compose`."""

SAME_PATH = frozenset("""
    open str io.open os.fspath os.path.expanduser
    hydra.utils.to_absolute_path typer.Argument typer.Option
    """.split())
"""Functions whose first argument is a path, or a file, and what they give the same."""

WITHOUT_UPS = frozenset("os.path.abspath os.path.normpath os.path.realpath".split())
"""The same, with what is above a folder for that and `..`."""

JOINING = frozenset("os.path.join pathlib.Path pathlib.PurePath pathlib.PosixPath".split())

ROOT_FUNCTIONS = frozenset(f"{each}.{name}" for each in ("pyrootutils", "rootutils") for name in ROOT_FINDERS)

PACKAGE_FUNCTIONS = frozenset({"importlib.resources.files", "importlib_resources.files"})

PACKAGE_FILE = "__init__.py"

SAME_MEMBERS = frozenset("absolute as_posix expanduser open read read_bytes read_text __str__".split())
"""Methods of paths, and of files, that give the same."""

RENAMED = {"with_name": PurePosixPath.with_name, "with_suffix": PurePosixPath.with_suffix}
"""Methods of paths that give another name."""

OF_SYSTEM = {
    "os.pardir": "..",
    "os.path.pardir": "..",
    "os.curdir": ".",
    "os.path.curdir": ".",
    "os.sep": "/",
    "os.path.sep": "/",
}
"""What Python's os has for parts of paths."""

PLAIN = m.SimpleString() | m.Name("None")

UP = m.Subscript(value=m.Attribute(attr=m.Name("parents")), slice=[m.SubscriptElement(m.Index(m.Integer()))])

GIVEN = m.Subscript(
    value=m.Attribute(m.Name("sys"), m.Name("argv")), slice=[m.SubscriptElement(m.Index(m.Integer()))]
)
"""An argument of the command line by its place."""


def loads_elsewhere(project: Project) -> bool:
    """Whether modules that the script goes on importing may load one, or a module from its file."""
    kept = any(bound.is_local for bound in project.imports)
    return kept and any(LOADING.search(file.read_bytes()) for file in project.files if file.suffix == ".py")


def loads_of(project: Project, script: Path, arguments: tuple[str, ...]) -> tuple[Load, ...]:
    """The calls that give one, of functions of the project's too; the code is started with `arguments`."""
    calls = [call for call in project.index.of_kind(cst.Call) if project.called(call) in GIVING]
    if not calls:
        return ()
    values = values_of(project)
    reader = Paths(project, values, script, arguments)
    found = {call: [*reader.loads(call)] for call in calls}
    through = [
        replace(load, place=project.place_of(call))
        for call in values.running
        if isinstance(call, cst.Call)
        for option in values.of(call).options
        for load in found.get(option.node, ())  # type: ignore[call-overload]  # others are not among them
    ]
    return (*(load for each in found.values() for load in each), *through)


@dataclass(frozen=True)
class Paths:
    """What paths expressions may be: relative ones as they are written, those of the code's own files absolute."""

    project: Project
    values: Values
    script: Path
    arguments: tuple[str, ...]
    known: dict[cst.BaseExpression, list[str]] = field(default_factory=dict)
    conditions: Conditions = field(default_factory=Conditions)

    def loads(self, call: cst.Call) -> Iterator[Load]:
        place, name = self.project.place_of(call), self.project.called(call)
        if name in (MAIN, COMPOSE):
            yield from self._composed(call, name)
            return
        by = LOADERS[name]
        paths = self.paths(call.args[0].value) if call.args else ()
        for file in dict.fromkeys(filter(None, map(self.found, paths))):
            yield Load(place, file, by, (), self._deciding)

    def _composed(self, call: cst.Call, name: str) -> Iterator[Load]:
        """What hydra composes, where all that it is told is known; where a decorator says it plainly it is already."""
        if name == MAIN and all(m.matches(each.value, PLAIN) for each in call.args):
            return
        given = self._given(call)
        folders = [*(self._folders(each) for each in ([call] if name == MAIN else self._initializing()))]
        told = told_by(self.arguments if name == MAIN else ())
        names = [told.name] if told.name else self._paths_of(given.get("config_name"))
        overrides = self._overrides(given.get("overrides"))
        is_known = len(folders) == len(names) == 1 and not told.folder
        folder = _sure_folder(folders[0], names[0]) if is_known else None
        if folder and overrides is not None:
            file, place = _configuration(folder, names[0]), self.project.place_of(call)
            yield Load(place, file, name, overrides, self._deciding, folder)

    @property
    def _deciding(self) -> tuple[str, ...]:
        """The variables of the environment that were asked for so far."""
        return tuple(self.conditions.variables)

    def _initializing(self) -> Iterator[cst.Call]:
        calls = self.project.index.of_kind(cst.Call)
        yield from (
            each for each in calls if self.project.called(each) in PARAMETERS.keys() - {MAIN, COMPOSE}
        )

    def _folders(self, call: cst.Call) -> list[Path]:
        """Where the files may be; as seen from the script's."""
        paths = self._paths_of(self._given(call).get(PARAMETERS[self.project.called(call)][0]))
        return [*dict.fromkeys((self.script.resolve().parent / each).resolve() for each in paths)]

    def _given(self, call: cst.Call) -> GivenArguments:
        return self.values.arguments(call, PARAMETERS[self.project.called(call)])

    def _paths_of(self, given: Given | None) -> list[str]:
        return [path for each in (given.expressions if given else ()) for path in self.paths(each)]

    def _overrides(self, given: Given | None) -> tuple[str, ...] | None:
        """What is written there; those of the command line are what the build is given."""
        if given is None:
            return ()
        node = given.expression
        if node is None:
            return None
        if any(isinstance(each, Option) for each in self.values.of(node)):
            return self.arguments
        if not isinstance(node, cst.List):
            return None
        texts = [self.paths(each.value) for each in node.elements]
        return tuple(each[0] for each in texts) if all(len(each) == 1 for each in texts) else None

    def found(self, path: str) -> Path | None:
        """The file: in the folder of the code's first file or one above it, up to the repository's, or the current.

        What the code looks for in the current one is there, or where a run may be started.
        """
        entry, here = Path(self.project.source.path).resolve(), Path.cwd()
        top = repository_of(entry) or entry.parent
        folders = [folder for folder in entry.parents if folder.is_relative_to(top)]
        named = [each / path for each in (*folders, here)]
        if Path(path).is_relative_to(here):
            named += [each / Path(path).relative_to(here) for each in folders]
        return next((found for each in named if (found := each.resolve()).is_file()), None)

    def paths(self, node: cst.BaseExpression) -> list[str]:
        """What an expression may be, as far as that is known; what is asked of in a circle gives no more."""
        if node not in self.known:
            self.known[node] = []
            self.known[node] = [*dict.fromkeys(self._read(node))]
        return self.known[node]

    def _read(self, node: cst.BaseExpression) -> list[str]:
        if isinstance(node, cst.Name) and node.value == "__file__":
            return [str(self.script.resolve())]
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide | cst.Add):
            return self._both(node)
        if isinstance(node, cst.FormattedString):
            return self._formatted(node)
        if isinstance(node, cst.IfExp) and (is_so := self.conditions.decided(code_of(node.test))) is not None:
            return self.paths(node.body if is_so else node.orelse)
        if isinstance(node, cst.Attribute | cst.Name) and (
            name := OF_SYSTEM.get(self.project.qualified(node) or "")
        ):
            return [name]
        if isinstance(node, cst.Attribute) and node.attr.value == "parent":
            return [posixpath.dirname(each) for each in self.paths(node.value)]
        if m.matches(node, UP):
            return self._up(cst.ensure_type(node, cst.Subscript))
        if m.matches(node, GIVEN):
            told = self._command_line.at(_place_in(cst.ensure_type(node, cst.Subscript)))
            return [told] if told is not None else []
        if isinstance(node, cst.Call) and (known := self._called(node)) is not None:
            return known
        return [path for each in self.values.origins(node) for path in self._of_origin(each, node)]

    def _of_origin(self, origin: Origin, node: cst.BaseExpression) -> list[str]:
        texts = [each.value for each in origin.values if isinstance(each, Literal)]
        options = [
            path for each in origin.values if isinstance(each, Option) for path in self._of_option(each)
        ]
        found = [each for each in texts if isinstance(each, str)] + options
        made = [origin.node, *(each.node for each in origin.values if isinstance(each, Instance))]
        others = (each for each in made if each is not node and isinstance(each, cst.BaseExpression))
        return found or self._default(next(others, None))

    def _both(self, node: cst.BinaryOperation) -> list[str]:
        """A path in a folder, or two texts."""
        joined = posixpath.join if isinstance(node.operator, cst.Divide) else str.__add__
        return [joined(a, b) for a in self.paths(node.left) for b in self.paths(node.right)]

    def _formatted(self, node: cst.FormattedString) -> list[str]:
        found = [""]
        for part in node.parts:
            if isinstance(part, cst.FormattedStringExpression):
                texts = self.paths(part.expression)
            else:
                texts = [cst.ensure_type(part, cst.FormattedStringText).value]
            found = [before + each for before in found for each in texts]
        return found

    def _up(self, node: cst.Subscript) -> list[str]:
        """`path.parents[1]`."""
        path, place = cst.ensure_type(node.value, cst.Attribute).value, _place_in(node)
        parents = ([*PurePosixPath(each).parents] for each in self.paths(path))
        return [str(each[place]) for each in parents if place < len(each)]

    def _called(self, call: cst.Call) -> list[str] | None:
        """What a call of a library's gives; None: that is said by the values."""
        name, given = self.project.called(call), [each.value for each in call.args if not each.keyword]
        if name in SAME_PATH and given:
            return self.paths(given[0])
        if name in WITHOUT_UPS and given:
            return [posixpath.normpath(each) for each in self.paths(given[0])]
        if name in ("os.getenv", "os.environ.get") and len(given) == 2:
            return self.paths(given[1])
        if name in ROOT_FUNCTIONS:
            return self._roots(call)
        if name in PACKAGE_FUNCTIONS and given:
            return [str(folder) for each in self.paths(given[0]) for folder in self._packages(each)]
        if name == "os.path.dirname" and given:
            return [posixpath.dirname(each) for each in self.paths(given[0])]
        if name in JOINING:
            parts = (self.paths(each) for each in given)
            return [posixpath.join(*each) for each in product(*parts)] if given else ["."]
        if name in ("os.getcwd", "pathlib.Path.cwd", "hydra.utils.get_original_cwd"):
            return [str(Path.cwd())]
        if isinstance(call.func, cst.Attribute):
            return self._of_method(call.func, given)
        return None

    def _of_method(self, method: cst.Attribute, given: list[cst.BaseExpression]) -> list[str] | None:
        if method.attr.value in SAME_MEMBERS:
            return self.paths(method.value)
        if method.attr.value == "resolve":
            return [posixpath.normpath(each) for each in self.paths(method.value)]
        if (renamed := RENAMED.get(method.attr.value)) and len(given) == 1:
            pairs = product(self.paths(method.value), self.paths(given[0]))
            return [path for each in pairs for path in _renamed(renamed, *each)]
        if method.attr.value == "joinpath":
            parts = (self.paths(each) for each in (method.value, *given))
            return [posixpath.join(*each) for each in product(*parts)]
        return None

    def _packages(self, name: str) -> list[Path]:
        """The folder of a package of the project's; of several that may be meant none."""
        parts = tuple(name.split("."))
        folders = dict.fromkeys(each.parent for each in self.project.files if each.name == PACKAGE_FILE)
        found = [
            each
            for each in folders
            if each.parts[-len(parts) :] == parts
            and not (each.parents[len(parts) - 1] / PACKAGE_FILE).is_file()
        ]
        return found if len(found) == 1 else []

    def _roots(self, call: cst.Call) -> list[str]:
        """The folders that rootutils finds above a file."""
        given = self.values.arguments(call, ("search_from", "indicator"))
        indicator = given["indicator"].expression if "indicator" in given else None
        marks = code_of(indicator) if indicator else None
        starts = self._paths_of(given.get("search_from"))
        return [str(found) for each in starts if (found := marked(Path(each), marks))]

    # ---- the command line --------------------------------------------------------------------------------

    @cached_property
    def _command_line(self) -> CommandLine:
        return CommandLine(self.project.index, self.arguments)

    def _of_option(self, option: Option) -> list[str]:
        """What an option is on the command line, or else by default."""
        return self._command_line.told(option) or self._default(self._command_line.default(option))

    def _default(self, node: cst.BaseExpression | None) -> list[str]:
        if isinstance(node, cst.List | cst.Tuple):
            return [path for each in node.elements for path in self.paths(each.value)]
        return self.paths(node) if node else []


def _sure_folder(folders: list[Path], name: str) -> Path | None:
    """The folder where a configuration is looked for: of several that may be meant, the one that has it."""
    holding = [each for each in folders if _configuration(each, name).is_file()]
    return next((found[0] for found in (folders, holding) if len(found) == 1), None)


def _configuration(folder: Path, name: str) -> Path:
    """The file of a configuration in its folder."""
    file = folder / name.removesuffix(".yaml")
    return file.with_name(f"{file.name}.yaml")


def _renamed(rename: Callable[[PurePosixPath, str], PurePosixPath], path: str, new: str) -> list[str]:
    """The path with another name; none where Python makes none of it."""
    try:
        return [str(rename(PurePosixPath(path), new))]
    except ValueError:
        return []


def _place_in(node: cst.Subscript) -> int:
    index = cst.ensure_type(node.slice[0].slice, cst.Index).value
    return cst.ensure_type(index, cst.Integer).evaluated_value
