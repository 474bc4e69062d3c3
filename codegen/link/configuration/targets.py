"""The targets of a configuration: what the script has for each, and the table of them."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...lightning.api import DECISIVE, IDLE_CALLBACKS, IDLE_PROFILERS, PACKAGES, TUNING_CALLBACKS
from ...source.names import free_name
from ...spec.precision import ENVIRONMENTS, PLUGINS
from ..modules.graph import Definition, External, Graph, ModuleReference
from ..spec.class_paths import ClassPaths

TRAINER = "Trainer"
STRATEGIES = frozenset(
    "DDPStrategy DeepSpeedStrategy FSDPStrategy ModelParallelStrategy SingleDeviceStrategy".split()
)
WRITTEN_FOR = frozenset({*STRATEGIES, *ENVIRONMENTS, *PLUGINS})
"""Of which a script has no objects: it is written for what they are given."""

UNCHANGED, WITHOUT = "unchanged", "without"

UNREAD = "..."
"""As code, what is not known when building of what a script is written for."""

APART = ("callbacks", "logger", "default_root_dir")
"""Arguments of the Trainer's that are not among the script's settings."""


@dataclass
class Targets:
    """Those that were asked for, by the paths that a configuration has of them."""

    graph: Graph
    taken: frozenset[str]
    passed: frozenset[str]  # names of arguments that calls of `instantiate` have beside the configuration
    names: dict[str, str] = field(default_factory=dict)  # what is imported, by its path
    modules: dict[str, str] = field(
        default_factory=dict
    )  # those that are imported by a call, and their names
    callees: dict[str, str] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)  # names of what Trainers are told
    settings: dict[str, str] = field(default_factory=dict)  # the first that asks for each
    named: dict[str, None] = field(default_factory=dict)  # those that the project's functions ask for
    makers: set[Definition] = field(default_factory=set)  # of these, those that make something
    built_for: dict[str, dict[str, str]] = field(default_factory=dict)  # what these are given
    told: dict[str, set[str]] = field(default_factory=dict)  # the arguments that targets are given
    ignores_strategies: bool = False  # as the spec says by which one is trained
    makes_trainers: bool = True  # else the code makes them itself, whatever a configuration names

    def callee(self, target: str, setting: str) -> str:
        """The script's class or function for a target, as code."""
        self.settings.setdefault(target, setting)
        if target not in self.callees:
            self.callees[target] = self._maker(target) or self._imported(target)
        return self.callees[target]

    def asked(self, target: str, setting: str) -> str:
        """The same for one that a function of the project's asks for by its name."""
        self.named.setdefault(target)
        return self.callee(target, setting)

    def is_trainer(self, target: str) -> bool:
        return self._is_lightnings(target) and target.endswith(f".{TRAINER}")

    def is_idle(self, target: str) -> bool:
        """Whether no code that is read makes anything of it."""
        return self.is_trainer(target) and not self.makes_trainers

    def is_written_for(self, target: str) -> bool:
        return self._is_lightnings(target) and target.rpartition(".")[2] in WRITTEN_FOR

    def made(self, target: str, given: Mapping[str, str]) -> str:
        """What the script is written for, as code of the analysis alone."""
        self.built_for.setdefault(target, {}).update(given)
        return f"{self.names[target]}({', '.join(f'{name}={code}' for name, code in given.items())})"

    def entry(self, target: str) -> str:
        """The same in the script's table, which is told what it is when the script runs."""
        return self._checking(target) if self._untold(target) else self.callees[target]

    def _untold(self, target: str) -> list[str]:
        """The options of a target that the script is not written for, as it is not told of them when building."""
        told = self.told.get(target, set())
        groups = DECISIVE.get(target.rpartition(".")[2], ()) if self._is_lightnings(target) else ()
        return [name for group in groups if told.isdisjoint(group) for name in group]

    def _checking(self, target: str) -> str:
        """The function that makes it after a look at these."""
        return free_name(f"make_{_snake(self.names[target])}", {*self.taken, *self.callees.values()})

    def is_open(self, target: str) -> bool:
        """Whether what it is given beside what is known may matter."""
        return self.is_trainer(target) or self._is_own(target)

    def takes(self, target: str, name: str) -> bool:
        """Whether a class or a function of the project's has a parameter of its own with a name."""
        found = self.graph.followed(self.graph.class_at(target)) if self._is_own(target) else None
        chunks = found.module.binders.get(found.name, ()) if isinstance(found, Definition) else ()
        nodes = [each for chunk in chunks for each in chunk.nodes]
        made = [each for node in nodes for each in (node.body if isinstance(node, ast.ClassDef) else [node])]
        wanted = {"__init__", found.name} if isinstance(found, Definition) else {""}
        functions = (each for each in made if isinstance(each, ast.FunctionDef) and each.name in wanted)
        arguments = (each.args for each in functions)
        return any(arg.arg == name for each in arguments for arg in (*each.args, *each.kwonlyargs))

    def is_original(self, target: str) -> bool:
        """Whether hydra would find a class of which the script has its own."""
        if self._is_lightnings(target):
            return True
        found = self.graph.class_at(target.removesuffix(f".{self._rest(target)}"))
        return isinstance(found, Definition)

    def _is_lightnings(self, target: str) -> bool:
        return target.partition(".")[0] in PACKAGES and not self._is_own(target)

    def _is_own(self, target: str) -> bool:
        return self.graph.module(target.partition(".")[0]) is not None

    def _maker(self, target: str) -> str:
        """A function of the script's, where what Lightning has becomes something else."""
        name = target.rpartition(".")[2]
        is_idle = name in IDLE_CALLBACKS | IDLE_PROFILERS | TUNING_CALLBACKS.keys()
        is_other = self.is_trainer(target) or self.is_written_for(target)
        is_left_out = (is_idle and self._is_lightnings(target)) or ClassPaths(self.graph).is_display(target)
        if not (is_other or is_left_out):
            return ""
        self._imported(target)
        return free_name(f"make_{_snake(name)}", {*self.taken, *self.callees.values()})

    def _imported(self, target: str) -> str:
        rest, path = self._rest(target), self._path(target)
        if path not in self.names:
            module, _, name = path.rpartition(".")
            self.names[path] = self._of_module(module, name) or self._free_name(name)
        return f"{self.names[path]}.{rest}" if rest else self.names[path]

    def _of_module(self, module: str, name: str) -> str:
        """The name where its module has one that no import statement can say; else nothing."""
        if not module or is_name(module):
            return ""
        if module not in self.modules:
            self.modules[module] = self._free_name(re.sub(r"\W", "_", module.rpartition(".")[2]))
        return f"{self.modules[module]}.{name}"

    def _free_name(self, name: str) -> str:
        return free_name(name, {*self.taken, *self.names.values(), *self.modules.values()})

    def _path(self, target: str) -> str:
        """What of it is imported."""
        rest = self._rest(target)
        return target.removesuffix(f".{rest}") if rest else target

    def _rest(self, target: str) -> str:
        """What of a target is an attribute of a class, as in `project.models.Net.load`."""
        *modules, name = target.split(".")
        own = self._own_modules(modules)
        classes = (place for place in range(own, len(modules)) if modules[place][:1].isupper())
        return ".".join([*modules, name][next(classes, len(modules)) + 1 :])

    def _own_modules(self, names: list[str]) -> int:
        """How many of the first names lead to a module of the project's, whatever its file is called."""
        found = 0
        for length in range(1, len(names) + 1):
            path = ".".join(names[:length])
            if self._is_bound(path):
                break
            found = length if self.graph.module(path) else found
        return found

    def _is_bound(self, path: str) -> bool:
        """Whether a package binds the name to something else, which is found before a module of that name."""
        package, _, name = path.rpartition(".")
        module = self.graph.module(package)
        match self.graph.resolve(module, name) if module else None:
            case None:
                return False
            case ModuleReference(found):
                return found != path
            case External(bound):
                return bound.target != path
        return True

    # ---- code --------------------------------------------------------------------------------------------

    def imports(self) -> Iterator[tuple[str, str]]:
        """Their lines, with the setting that asks for each."""
        asked = {self._path(target): setting for target, setting in reversed(self.settings.items())}
        for module, name in self.modules.items():
            path = next(each for each in self.names if each.rpartition(".")[0] == module)
            yield f"{name} = importlib.import_module({module!r})", asked[path]
        for path, name in self.names.items():
            module, _, attribute = path.rpartition(".")
            origin = f"from {module} " if module else ""
            if module not in self.modules:
                yield f"{origin}import {attribute} as {name}", asked[path]

    def functions(self) -> Iterator[tuple[str, str]]:
        """The makers: their lines, with the setting that asks for each."""
        for target, maker in self.callees.items():
            if maker.startswith("make_") and target in self.names:
                apart = self._apart() if self.is_trainer(target) else []
                parameters = "".join(f"{name}: Any = None, " for name in apart)
                passed = "".join(f"{name}={name}, " for name in apart)
                code: tuple[str, ...] = (
                    f"def {maker}({parameters}**settings: Any) -> Any:",
                    f"    return {self.names[target]}({passed}**settings)",
                )
                if target in self.built_for:
                    code = (f"def {maker}(**settings: Any) -> None:", *self._checks(target))
                yield from ((line, self.settings[target]) for line in code)
            elif options := self._untold(target):
                listed = ", ".join(map(repr, options))
                yield f"def {self._checking(target)}(**settings: Any) -> Any:", self.settings[target]
                checked = f"{WITHOUT}(settings, {listed})"
                yield f"    return {self.names[target]}(**{checked})", self.settings[target]

    def _checks(self, target: str) -> Iterator[str]:
        """What is done in the place of making what a script is written for, or does without."""
        given, is_strategy = self.built_for[target], target.endswith(tuple(STRATEGIES))
        if target.endswith(ENVIRONMENTS):
            yield "    pass  # torchrun says where the others are"
        elif is_strategy and self.ignores_strategies:
            yield "    pass  # this script trains by another strategy, whatever this one is given"
        else:
            # of a strategy the spec says what cannot be read
            unread = [name for name, code in given.items() if is_strategy and code == UNREAD]
            known = [f"{name}={code}" for name, code in given.items() if name not in unread]
            yield from (f"    settings.pop({name!r}, None)" for name in unread)
            yield f"    {UNCHANGED}({', '.join(['settings', *known])})"

    def _apart(self) -> list[str]:
        return [name for name in APART if name in self.given | self.passed]


def is_name(target: str) -> bool:
    """Whether code can say it."""
    return all(each.isidentifier() and not keyword.iskeyword(each) for each in target.split("."))


def may_be_name(target: str) -> bool:
    """Whether anything can have it; of the names of files code can say some only in quotes."""
    return is_name(target.replace("-", "_"))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", name).lower()
