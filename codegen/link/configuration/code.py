"""Configurations as code: what they hold, and what `instantiate` makes of each part of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.project import MADE
from .held import Node, Setting
from .targets import APART, UNCHANGED, Targets

CONFIGURATION, INSTANTIATE = "CONFIGURATION", "instantiate"

OPTION, INSTANCES = "option", "instances"
"""Functions that the code is written with: the first is known to the analysis, others are the script's own."""

TAKEN = frozenset(
    {
        CONFIGURATION,
        INSTANTIATE,
        OPTION,
        INSTANCES,
        UNCHANGED,
        *"Any functools config targets args kwargs".split(),
    }
)

TARGET, POSITIONAL, PARTIAL, RECURSIVE = "_target_", "_args_", "_partial_", "_recursive_"
SPECIAL = (TARGET, POSITIONAL, PARTIAL, RECURSIVE, "_convert_")
"""Keys that speak to `instantiate`."""

MARK = "\0"
"""Stands in front of the name of the setting that a line of the code is for."""


@dataclass(frozen=True)
class ConfigurationCode:
    """Writes the code."""

    configurations: tuple[dict[str, Node], ...]
    targets: Targets

    @property
    def replaces(self) -> bool:
        """Whether the script makes objects in hydra's place."""
        return any(map(self.targets.is_original, targets_in([*self.configurations])))

    def lines(self) -> list[tuple[str, str]]:
        """The module's, each with the name of the setting that it is for; empty: it is for none."""
        held = ",".join(map(self._mapping, self.configurations))
        parted = (line.partition(MARK) for line in f"{CONFIGURATION} = [{held}]".split("\n"))
        configuration = [(code, name) for code, _, name in parted]
        functions = [*self.targets.functions(), *self._instantiate()]
        own = [
            "from typing import Any",
            "import functools",
            f"from ddpgen import {OPTION}, {INSTANCES}, {UNCHANGED}",
        ]
        imports = [*((line, "") for line in own), *self.targets.imports()]
        return [*imports, *(functions if self.replaces else []), *configuration]

    def _instantiate(self) -> Iterator[tuple[str, str]]:
        """The function in the place of hydra's; what it makes stands in it, so that it may be defined below."""
        yield f"def {INSTANTIATE}(config: Any, *args: Any, **kwargs: Any) -> Any:", ""
        yield '    """What hydra makes of a configuration, with the classes of this script."""', ""
        yield "    targets = {", ""
        for target, callee in self.targets.callees.items():
            yield f"        {target!r}: {callee},", self.targets.settings[target]
        yield "    }", ""
        yield f"    return {INSTANCES}(config, targets, *args, **kwargs)", ""

    # ---- what it holds -----------------------------------------------------------------------------------

    def _mapping(self, node: dict[str, Node]) -> str:
        entries = [f"{key!r}: {self._value(child)}" for key, child in node.items()]
        if self.replaces and (made := self._made(node, passed=True)):
            entries.append(f"{MADE!r}: lambda *args, **given: {made}")
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
            return self._call(target, node, passed)
        return f"{{{', '.join(f'{key!r}: {self._argument(child)}' for key, child in node.items())}}}"

    def _argument(self, node: Node) -> str:
        return self._made(node) or self._value(node)

    def _call(self, target: str, node: dict[str, Node], passed: bool) -> str:
        callee, *arguments = self.targets.callee(target, _name(node[TARGET])), *self._arguments(
            target, node, passed
        )
        start = _marked(node[TARGET])
        if self.targets.is_strategy(target):
            given = {key: _known(child) for key, child in node.items() if key not in SPECIAL}
            return f"{self.targets.made(target, given)}{start}"
        if _is(node.get(PARTIAL), True):
            return f"functools.partial({start}{', '.join([callee, *arguments])})"
        return f"{callee}({start}{', '.join(arguments)})"

    def _arguments(self, target: str, node: dict[str, Node], passed: bool) -> Iterator[str]:
        """Those of the configuration, and those that `instantiate` is `passed`."""
        write = self._value if _is(node.get(RECURSIVE), False) else self._argument
        given = node.get(POSITIONAL)
        yield from map(write, given) if isinstance(given, list) else ()
        if passed:
            yield "*args"
        named = {key: write(child) for key, child in node.items() if key not in SPECIAL}
        if self.targets.is_trainer(target) and _is(node.get(PARTIAL), True):
            self.targets.given.update(APART)  # which whoever calls it may give
            yield from (f"{name}=None" for name in APART if name not in named)
        elif self.targets.is_trainer(target):
            self.targets.given.update(named)
            named = dict.fromkeys(APART, "None") | named  # of which nothing else can be given but targets
        if self.targets.is_open(target) or not all(map(str.isidentifier, named)):
            yield f"**{{{', '.join(f'{key!r}: {code}' for key, code in named.items())}}}"
        else:
            yield from (f"{key}={code}" for key, code in named.items())
        if passed:
            yield "**given"


def _marked(node: Node) -> str:
    """The end of a line that is for a setting."""
    return f"{MARK}{_name(node)}\n"


def _known(node: Node) -> str:
    """What a setting is when building, as code."""
    return repr(node.value) if isinstance(node, Setting) and node.is_known else "..."


def _name(node: Node) -> str:
    return node.name if isinstance(node, Setting) else ""


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


def _is(node: Node | None, value: bool) -> bool:
    return isinstance(node, Setting) and node.is_known and node.value is value
