"""Arguments that `link_arguments` takes from others: what they are made of stands in their place."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.init_args.environment import AtRun
from ...spec.init_args.signature import Signature
from ...spec.init_args.values import FUNCTION, Linked, Source, source_name
from ...spec.layers import Layer
from ...spec.yaml_file import KeyPath
from ..modules.graph import Definition
from .calls import CliCall
from .known import KnownValues, Unknown
from .parser import OBJECTS, Link, place_of, setting_path


@dataclass(frozen=True)
class Links:
    """Puts what is linked into the settings."""

    cli: CliCall
    layer: Layer
    links: list[Link]
    groups: Mapping[str, str | None]  # of objects, with their classes
    fixed: set[KeyPath] = field(default_factory=set)  # sources of what is known when building

    def apply(self) -> Iterator[Diagnostic]:
        """Gives what is said of those that cannot be read."""
        for link in self.links:
            try:
                self._apply(link)
            except Unknown as unknown:
                yield messages.cli_unread(place_of(link.values.module, unknown.node))

    def _apply(self, link: Link) -> None:
        target = setting_path(link.target)
        if not self.has(target):
            return
        if link.is_of_objects and any(each.partition(".")[0] in self.groups for each in link.sources):
            self.layer.put(target, self._object(link), place_of(link.values.module, link.node)[0])
            return
        sources = tuple(
            Source(_short(setting_path(each)), self.code(setting_path(each))) for each in link.sources
        )
        code, function = _computed(link)
        linked: Any = Linked(sources, code, function, link.is_of_objects)
        if target[0] not in OBJECTS:
            linked = self._known(link)
        self.layer.put(target, linked, place_of(link.values.module, link.node)[0])

    def _object(self, link: Link) -> Any:
        """What the settings describe, where it is made for this argument alone. Raises Unknown."""
        key, *others = link.sources
        users = [each for each in self.links if any(name.partition(".")[0] == key for name in each.sources)]
        if (
            others
            or link.compute
            or key not in self.groups
            or len(users) > 1
            or self.layer.get((key,)) is None
        ):
            raise Unknown(link.node)
        described = Layer.single(deepcopy(self.layer.get((key,))), place_of(link.values.module, link.node)[0])
        described.data = {key: described.data[()]}
        described.positions = {(key, *path): each for path, each in described.positions.items()}
        described.describe((key,), self.groups[key])
        return described.data[key]

    def has(self, target: KeyPath) -> bool:
        """Whether there is an object to take an argument; LightningCLI passes over those that are not there."""
        if len(target) > 3 and target[-2] == "init_args":
            described = self.layer.get(target[:-2])
            return isinstance(described, dict) and self._takes(described.get("class_path"), target[-1])
        return len(target) < 3 or self._takes(self._class_of(target[0]), target[2])

    def _takes(self, path: str | None, name: str) -> bool:
        """Whether a class takes an argument, as far as that is known."""
        takes = self._signature(path)
        return takes is None or name in takes.parameters or (takes.takes_any and not takes.hands_on)

    def _signature(self, path: str | None) -> Signature | None:
        return self.cli.paths.signature(self.cli.paths.whole(path)) if path else None

    def _class_of(self, section: str) -> str | None:
        """The class that the settings name, or the code."""
        if section not in OBJECTS:
            return None
        if named := self.layer.get((section, "class_path")):
            return str(named)
        given = self.cli.arguments.get({"model": "model_class", "data": "datamodule_class"}[section])
        try:
            return KnownValues(self.cli.paths, given.module).path(given.node) if given else None
        except Unknown:
            return None

    def code(self, source: KeyPath) -> str:
        """What is known of a source before it is made, as code; empty: nothing."""
        inside = self.layer.get(source[:-1])
        if isinstance(inside, dict) and source[-1] in inside:
            value = inside[source[-1]]
            return "" if isinstance(value, Linked | AtRun | dict) else repr(value)
        takes = self._signature(self._class_of(source[0]))
        return takes[source[2]].default if takes and len(source) == 3 else ""

    def _known(self, link: Link) -> Any:
        """The value of a source that is but copied. Raises Unknown."""
        if link.compute is not None or link.is_of_objects:
            raise Unknown(link.node)
        self.fixed.add(setting_path(link.sources[0]))
        try:
            return ast.literal_eval(self.code(setting_path(link.sources[0])))
        except (ValueError, SyntaxError):
            raise Unknown(link.node) from None


def _short(path: KeyPath) -> tuple[str, ...]:
    return (path[0], *path[2:]) if path[1:2] == ("init_args",) else path


def _computed(link: Link) -> tuple[str, str]:
    """What is made of the sources, as code, and the path of the function that makes it. Raises Unknown."""
    match link.compute:
        case None:
            return source_name(0), ""
        case ast.Lambda(arguments, body) if not (arguments.kwonlyargs or arguments.vararg or arguments.kwarg):
            return _body(link, [each.arg for each in (*arguments.posonlyargs, *arguments.args)], body), ""
        case ast.Name(name):
            names = ", ".join(source_name(place) for place in range(len(link.sources)))
            if (path := _function(link, name)) or hasattr(builtins, name):
                return f"{FUNCTION if path else name}({names})", path
    raise Unknown(link.compute)


def _function(link: Link, name: str) -> str:
    """The path of a function of the project's; empty: it is none."""
    target = link.values.paths.graph.resolve(link.values.module, name)
    if not isinstance(target, Definition):
        return ""
    return f"{target.module.place.name}.{target.name}"


def _body(link: Link, parameters: list[str], body: ast.expr) -> str:
    """What a lambda gives, with the sources in the place of its parameters. Raises Unknown."""
    bound = {
        each.id for each in ast.walk(body) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    for node in ast.walk(body):
        if (
            isinstance(node, ast.Name)
            and node.id not in {*parameters, *bound}
            and not hasattr(builtins, node.id)
        ):
            raise Unknown(node)
        if isinstance(node, ast.Lambda):
            raise Unknown(node)
    names = {name: source_name(place) for place, name in enumerate(parameters)}
    return ast.unparse(_Renamed(names).visit(ast.parse(ast.unparse(body), mode="eval")))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)
