"""Configurations as code: what they hold, and what `instantiate` makes of each part of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...ir.project import MADE, made_by
from ...lightning.api import PACKAGES
from ..modules.module import Module
from .evaluation import Made
from .held import TARGET, Node, Part, Setting
from .makers import GIVEN, Maker, asked_by, attributes_in, is_own, patterns_in
from .targets import APART, UNCHANGED, UNREAD, WITHOUT, Targets, may_be_name

CONFIGURATION, INSTANTIATE, IMPORT_MODULE = "CONFIGURATION", "instantiate", "import_module"

OPTION, INSTANCES, MODULES = "option", "instances", "modules"
"""Functions that the code is written with: the first is known to the analysis, others are the script's own."""

TAKEN = frozenset(
    {
        CONFIGURATION,
        INSTANTIATE,
        IMPORT_MODULE,
        OPTION,
        INSTANCES,
        MODULES,
        UNCHANGED,
        WITHOUT,
        *"Any functools config targets args kwargs name package".split(),
    }
)

CALLBACKS = "callbacks"
"""An argument of the Trainer's that classes of the project's hand on to one of theirs."""

POSITIONAL, PARTIAL, RECURSIVE = "_args_", "_partial_", "_recursive_"
SPECIAL = (TARGET, POSITIONAL, PARTIAL, RECURSIVE, "_convert_")
"""Keys that speak to `instantiate`."""

DOTTED = re.compile(r"\w+(\.\w+)*[.:]\w+")
"""What may name a class."""

TIME = "datetime.timedelta"
UNITS = frozenset("weeks days hours minutes seconds milliseconds microseconds".split())
"""What makes a length of time, and what it is given."""

MARK = "\0"
"""Stands in front of the name of the setting that a line of the code is for."""


@dataclass(frozen=True)
class Named:
    """What may name classes in the code and in the configurations."""

    modules: tuple[Module, ...] = ()
    texts: Mapping[str, Setting] = field(default_factory=dict)
    written: Mapping[str, Node] = field(default_factory=dict)  # mappings, by their places
    may_be_direct: bool = False  # what any code imports by a name may be told


@dataclass(frozen=True)
class ConfigurationCode:
    """Writes the code."""

    configurations: tuple[dict[str, Node], ...]
    targets: Targets
    makers: tuple[Maker, ...] = ()
    named_in: Named = field(default_factory=lambda: Named())
    knows_made: bool = False  # what is made matters, whatever that is
    assigned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # more targets, by their parts

    @cached_property
    def replaces(self) -> bool:
        """Whether the script makes objects in hydra's place."""
        found = targets_in([*self.configurations])
        return bool(found) if self.knows_made else any(map(self.targets.is_original, found))

    @cached_property
    def named(self) -> list[str]:
        """The classes of the project's, and of Lightning's, that makers ask for by their names."""
        return [each for each in self.targets.named if is_own(self.targets.graph, each)]

    def lines(self) -> list[tuple[str, str]]:
        """The module's, each with the name of the setting that it is for; empty: it is for none."""
        held = ",".join([*map(self._mapping, self.configurations), self._by_name()])
        parted = (line.partition(MARK) for line in f"{CONFIGURATION} = [{held}]".split("\n"))
        configuration = [(code, name) for code, _, name in parted]
        for path, setting in self._asked_directly():
            self.targets.asked(path, setting.name)
        functions = [
            *(self._instantiate() if self.replaces else ()),
            *(self._import_module() if self.named else ()),
        ]
        makers = self.targets.functions() if functions else ()
        own = [
            "from typing import Any",
            "import functools",
            f"from ddpgen import {OPTION}, {INSTANCES}, {MODULES}, {UNCHANGED}, {WITHOUT}",
        ]
        imports = [*((line, "") for line in own), *self.targets.imports()]
        return [*imports, *makers, *functions, *configuration]

    def _import_module(self) -> Iterator[tuple[str, str]]:
        """The function in the place of importlib's."""
        yield f"def {IMPORT_MODULE}(name: str, package: str | None = None) -> Any:", ""
        yield '    """A module by its name; of the project\'s and Lightning\'s, what this script has of it."""', ""
        yield "    targets = {", ""
        for target in self.named:
            yield f"        {target!r}: {self.targets.callees[target]},", self.targets.settings[target]
        yield "    }", ""
        graph, tops = self.targets.graph, {each.partition(".")[0] for each in self.named}
        touching = (each for each in self.named_in.modules if graph.touches_lightning(each))
        tops |= {*PACKAGES, *(each.place.name.partition(".")[0] for each in touching if not each.is_entry)}
        yield f"    return {MODULES}(name, package, targets, {tuple(sorted(tops))})", ""

    def _asked_directly(self) -> Iterator[tuple[str, Setting]]:
        """What is asked for elsewhere than in makers that are understood."""
        modules = self.named_in.modules
        patterns = {each for module in modules for each in patterns_in(module, self.targets.makers)}
        if patterns and self.named_in.may_be_direct:
            attributes = {each for module in modules for each in attributes_in(module)}
            yield from asked_by(self.targets.graph, sorted(patterns), self.named_in.texts, attributes)

    def _by_name(self) -> str:
        """What makers make of texts, and of mappings that the code writes out, by these and by their places."""
        tables = (
            f"{made_by(place)!r}: {{{', '.join(self._of_code(each))}}}"
            for place, each in enumerate(self.makers)
        )
        return f"{{{', '.join(tables)}}}"

    def _of_code(self, maker: Maker) -> Iterator[str]:
        for text in filter(DOTTED.fullmatch, self.named_in.texts):
            if made := maker.takes(text):
                yield f"{text!r}: {self._made_by(maker, made, self.named_in.texts[text])}"
        for place, mapping in self.named_in.written.items():
            if made := maker.makes(mapping):
                yield f"{place!r}: {self._made_by(maker, made, mapping)}"

    def _made_by(self, maker: Maker, made: Made, setting: Node, is_open: bool = False) -> str:
        """A function that makes what a maker does, as code; a file `is_open` to say more when the script runs."""
        self.targets.makers.add(maker.definition)
        callee, start = self.targets.asked(made.path, _name(setting)), _marked(setting)
        if made.is_call and self.targets.is_written_for(made.path):
            entries = (entry for each in (made.named, *made.unpacked) for entry in each.items())
            code = self.targets.made(made.path, {name: self._known(each) for name, each in entries})
        elif made.is_call:
            named = {name: _got(each) for name, each in made.named.items()}
            unpacked = [f"**{each.code}" for each in made.unpacked]
            unpacked += ["**{}"] if is_open and not unpacked and self.targets.is_open(made.path) else []
            given = [*map(_got, made.positional), *self._named(made.path, named), *unpacked, "**given"]
            code = f"{callee}({', '.join(given)})"
        else:
            code = callee
        return f"lambda {GIVEN}, *args, **given: ({start}{code})"

    def _instantiate(self) -> Iterator[tuple[str, str]]:
        """The function in the place of hydra's; what it makes stands in it, so that it may be defined below."""
        yield f"def {INSTANTIATE}(config: Any, *args: Any, **kwargs: Any) -> Any:", ""
        yield '    """What hydra makes of a configuration, with the classes of this script."""', ""
        yield "    targets = {", ""
        for target in self.targets.callees:
            yield f"        {target!r}: {self.targets.entry(target)},", self.targets.settings[target]
        yield "    }", ""
        yield f"    return {INSTANCES}(config, targets, *args, **kwargs)", ""

    # ---- what it holds -----------------------------------------------------------------------------------

    def _mapping(self, node: dict[str, Node]) -> str:
        entries = [f"{key!r}: {self._value(child)}" for key, child in node.items()]
        if self.replaces and (made := self._made(node, passed=True)):
            entries.append(f"{MADE!r}: lambda *args, **given: {made}")
        for place, maker in enumerate(self.makers):
            if found := maker.makes(node):
                entries.append(
                    f"{made_by(place)!r}: {self._made_by(maker, found, asked_in(node, found.path))}"
                )
        return f"{{{', '.join(entries)}}}"

    def _value(self, node: Node) -> str:
        if isinstance(node, dict):
            return self._mapping(node)
        if isinstance(node, list):
            return f"[{', '.join(map(self._value, node))}]"
        known = f", {node.value!r}" if node.is_known else ""
        return f"{OPTION}({node.name!r}{known}){_marked(node)}"

    # ---- what is made of it ------------------------------------------------------------------------------

    def _made(self, node: Node, passed: bool = False) -> str:
        """What `instantiate` gives; nothing, where that is what it is given."""
        if not targets_in(node):
            return ""
        if isinstance(node, list):
            return f"[{', '.join(map(self._argument, node))}]"
        assert isinstance(node, dict)
        if target := target_of(node):
            setting = _name(node[TARGET])
            unknown = f"{OPTION}({setting!r})"
            calls = [self._call(each, node, passed) for each in self._possible(target, setting)]
            return f" if {unknown} else ".join(calls or [unknown])
        return f"{{{', '.join(f'{key!r}: {self._argument(child)}' for key, child in node.items())}}}"

    def _possible(self, target: str, setting: str) -> list[str]:
        """What a part may be made by: its target, unless that names nothing, and those that the code gives it."""
        others = self.assigned.get(setting.split(".")[-2:][0], ())
        named = (each for each in (target, *others) if may_be_name(each) and not self.targets.is_idle(each))
        return list(dict.fromkeys(named))

    def _argument(self, node: Node) -> str:
        return self._made(node) or self._value(node)

    def _call(self, target: str, node: dict[str, Node], passed: bool) -> str:
        callee, *arguments = self.targets.callee(target, _name(node[TARGET])), *self._arguments(
            target, node, passed
        )
        self.targets.told.setdefault(target, set()).update(_told(node))
        start = _marked(node[TARGET])
        if self.targets.is_written_for(target):
            given = {key: self._known(child) for key, child in node.items() if key not in SPECIAL}
            return f"{self.targets.made(target, given)}{start}"
        if _is(node.get(PARTIAL), True):
            return f"functools.partial({start}{', '.join([callee, *arguments])})"
        return f"{callee}({start}{', '.join(arguments)})"

    def _known(self, node: Node) -> str:
        """What a setting is when building, or a length of time, as code."""
        if isinstance(node, Setting):
            return repr(node.value) if node.is_known else UNREAD
        if isinstance(node, list) or target_of(node) != TIME:
            return UNREAD
        units = {key: child for key, child in node.items() if key != TARGET}
        if not all(key in UNITS and _is_number(child) for key, child in units.items()):
            return UNREAD
        given = ", ".join(f"{key}={self._known(child)}" for key, child in units.items())
        return f"{self.targets.callee(TIME, _name(node[TARGET]))}({given})"

    def _arguments(self, target: str, node: dict[str, Node], passed: bool) -> Iterator[str]:
        """Those of the configuration, and those that `instantiate` is `passed`."""
        write = self._value if _is(node.get(RECURSIVE), False) else self._argument
        given = node.get(POSITIONAL)
        yield from map(write, given) if isinstance(given, list) else ()
        if passed:
            yield "*args"
        own = self._with_list(node) if self.targets.is_trainer(target) else node
        named = {key: write(child) for key, child in own.items() if key not in SPECIAL}
        if self.targets.is_trainer(target) and _is(node.get(PARTIAL), True):
            self.targets.given.update(APART)  # which whoever calls it may give
            yield from (f"{name}=None" for name in APART if name not in named)
            yield from self._written(target, named)
        else:
            yield from self._named(target, named)
        if passed:
            yield "**given"

    def _with_list(self, node: dict[str, Node]) -> dict[str, Node]:
        """What a Trainer is told; a mapping of callbacks, which it does not take, code makes a list of them."""
        held = node.get(CALLBACKS)
        is_mapping = isinstance(held, dict) and not target_of(held) and bool(targets_in(held))
        is_named = any(CALLBACKS in module.text for module in self.named_in.modules)
        return (
            node | {CALLBACKS: [*held.values()]}
            if isinstance(held, dict) and is_mapping and is_named
            else node
        )

    def _named(self, target: str, named: dict[str, str]) -> Iterator[str]:
        """Arguments by their names, those that a Trainer has none of included."""
        if self.targets.is_trainer(target):
            self.targets.given.update(named)
            named = dict.fromkeys(APART, "None") | named  # of which nothing else can be given but targets
        elif CALLBACKS in self.targets.passed and self.targets.takes(target, CALLBACKS):
            named = {CALLBACKS: "None"} | named  # the same
        yield from self._written(target, named)

    def _written(self, target: str, named: dict[str, str]) -> Iterator[str]:
        if not named:
            return
        if self.targets.is_open(target) or not all(map(str.isidentifier, named)):
            yield f"**{{{', '.join(f'{key!r}: {code}' for key, code in named.items())}}}"
        else:
            yield from (f"{key}={code}" for key, code in named.items())


def _told(node: dict[str, Node]) -> set[str]:
    """The settings that are not None."""
    return {key for key, child in node.items() if not _is(child, None)}


def _marked(node: Node) -> str:
    """The end of a line that is for a setting."""
    return f"{MARK}{_name(node)}\n"


def _got(node: Node) -> str:
    """The code that gets at a part of what a maker is given."""
    if isinstance(node, Part) and node.code:
        return node.code
    if isinstance(node, dict):
        return f"{{{', '.join(f'{key!r}: {_got(each)}' for key, each in node.items())}}}"
    if isinstance(node, list):
        return f"[{', '.join(map(_got, node))}]"
    return node.name or repr(node.value)


def _is_number(node: Node) -> bool:
    return isinstance(node, Setting) and node.is_known and type(node.value) in (int, float)


def _name(node: Node) -> str:
    return node.name if isinstance(node, Setting) else ""


def asked_in(node: Node, path: str) -> Node:
    """The setting in a part of a configuration that says what is made of it."""
    settings = node.values() if isinstance(node, dict) else ()
    texts = (each for each in settings if isinstance(each, Setting) and isinstance(each.value, str))
    return next((each for each in texts if str(each.value).endswith(path.rpartition(".")[2])), node)


def targets_in(node: Node) -> list[str]:
    """The classes and functions that are named anywhere in it."""
    if isinstance(node, Setting):
        return []
    own = target_of(node) if isinstance(node, dict) else ""
    inner = node.values() if isinstance(node, dict) else node
    return [*([own] if own else []), *(target for each in inner for target in targets_in(each))]


def target_of(node: dict[str, Node]) -> str:
    found = node.get(TARGET)
    is_known = isinstance(found, Setting) and isinstance(found.value, str)
    return str(found.value) if is_known and isinstance(found, Setting) else ""


def _is(node: Node | None, value: bool | None) -> bool:
    return isinstance(node, Setting) and node.is_known and node.value is value
