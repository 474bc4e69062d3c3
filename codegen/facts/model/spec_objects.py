"""What the spec's values need to know of classes, once all modules are one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from textwrap import dedent

import libcst as cst

from ...ir.project import Class, Project, SpecClass
from ...runtime.definitions import load_runtime
from ...source.definitions import Import
from ...source.names import free_name
from ...spec.init_args.object_defaults import described
from ...spec.init_args.signature import ENUMERATIONS, Parameter, Signature, signature_in, with_whole_names
from ...spec.init_args.values import Linked
from ...spec.load import LoadedSpec
from ..code.parameters import parameters

OWN = "__main__"
"""The module of the user's classes, once all are one: no other has this name."""


def names_needed(project: Project, loaded: LoadedSpec) -> Iterator[str]:
    """What of the project's defines functions that the spec names, and objects for DistributedDataParallel."""
    spec = loaded.spec
    yield from map(project.class_name, spec.own_functions.values())
    yield from (project.class_name(each.class_path) for each in spec.ddp.objects.values())


@dataclass
class SpecNames:
    """What classes are called in the script; notes what has to be imported."""

    project: Project
    passed: Mapping[tuple[str, ...], str] = field(
        default_factory=dict
    )  # what arguments are given, by their keys
    imports: list[Import] = field(default_factory=list)

    def class_name(self, path: str) -> str:
        """The name of the class at a dotted path."""
        module, _, name = path.rpartition(".")
        if module == OWN:
            return name
        found = self.project.spec_classes.get(path, SpecClass())
        if found.name:
            self.imports += [found.kept] if found.kept else []
            return found.name
        if not module:
            return name
        bound = Import(free_name(name, self._taken(Import(name, module, name))), module, name)
        self.imports.append(bound)
        return bound.name

    def _taken(self, wanted: Import) -> set[str]:
        """The names that stand for something else than what is wanted."""
        runtime = load_runtime()
        of_runtime = (bound for names in runtime.imports.values() for bound in names.values())
        others = {
            bound.name for bound in (*self.project.imports, *self.imports, *of_runtime) if bound != wanted
        }
        defined = {name for statement in self.project.statements for name in statement.names}
        return others | defined | runtime.definitions.keys()

    def members(self, path: str) -> frozenset[str] | None:
        """Those of the user's enumeration at a path; None: it is none."""
        cls = self._class(path)
        if cls is None or not ENUMERATIONS & self._bases(cls):
            return None
        targets = (each.target for each in self.project.index.within(cls.node.body, cst.AssignTarget))
        return frozenset(target.value for target in targets if isinstance(target, cst.Name))

    def is_class(self, path: str) -> bool:
        """Whether a path is that of a class, of which objects can be described; a library's, by its looks."""
        module, _, name = path.rpartition(".")
        if module != OWN:
            return bool(module) and name[:1].isupper()
        cls = self._class(path)
        return cls is not None and "TypedDict" not in self._bases(cls)

    def signature(self, path: str) -> Signature | None:
        """What the class at a path, which may be one of the spec's, is made with; None: that is not known."""
        cls = self._class(path)
        return self._constructor(cls) if cls else self.project.spec_classes.get(path, SpecClass()).constructor

    def _constructor(self, cls: Class) -> Signature | None:
        method = cls.methods.get("__init__")
        if method is None:
            return self._fields(cls)
        takes_any = method.params.star_kwarg is not None
        return Signature({each.name: self.parameter(cls, each.name) for each in parameters(cls)}, takes_any)

    def _fields(self, cls: Class) -> Signature | None:
        """What a dataclass is made with, its bases' fields first; None: it is none."""
        codes = [cst.Module([]).code_for_node(part.node) for part in reversed(cls.lineage)]
        nodes = [node for code in codes for node in ast.parse(dedent(code)).body]
        parts = [signature_in(node) for node in nodes if isinstance(node, ast.ClassDef)]
        if not (parts and parts[-1] and parts[-1].is_dataclass):
            return None
        fields = {name: each for part in parts if part for name, each in part.parameters.items()}
        return Signature(fields, is_dataclass=True).changed(self._with_whole_names)

    def _with_whole_names(self, parameter: Parameter) -> Parameter:
        return replace(parameter, annotation=with_whole_names(parameter.annotation, self._meaning))

    def parameter(self, cls: Class, name: str) -> Parameter:
        """A parameter of the constructor of a class of the user's."""
        found = next((each for each in parameters(cls) if each.name == name), None)
        if found is None:
            return Parameter()
        written, default = found.annotation, found.default or ""
        whole = with_whole_names(written, self._meaning)
        return Parameter(whole, default, written, described=described(default, self._meaning))

    def linked(self, value: Linked) -> str:
        """Of what has been made it asks for an attribute, or takes all of it; else the same value is given twice."""
        if value.is_of_objects:
            codes = [".".join(each.key) for each in value.sources]
        else:
            codes = [self.passed.get(each.key) or each.known or "None" for each in value.sources]
        return value.computed(codes, self.class_name(value.function) if value.function else "")

    def whole(self, path: str) -> str:
        """The path by which annotations and defaults know the class at a path of the spec's."""
        definition = self.project.spec_classes.get(path, SpecClass()).definition
        return f"{OWN}.{definition}" if definition else path

    def _meaning(self, dotted: str) -> str:
        name = dotted.partition(".")[0]
        if name in self.project.classes:
            return f"{OWN}.{dotted}"
        if any(name in statement.names for statement in self.project.statements):
            return "object"  # a variable, which may be any type
        return self.project.qualified(cst.parse_expression(dotted)) or dotted

    def _class(self, path: str) -> Class | None:
        module, _, name = path.rpartition(".")
        return self.project.classes.get(name) if module == OWN else None

    def _bases(self, cls: Class) -> set[str]:
        return {each.rpartition(".")[2] for each in cls.resolution_order if isinstance(each, str)}
