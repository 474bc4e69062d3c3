"""Which arguments of constructors are plain: numbers, flags, texts, and collections of these."""

from __future__ import annotations

import re

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class, Project
from ...ir.saving import ignored_by
from ...values import Class as UserClass
from ...values import (
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Option,
    Partial,
    Sequence,
    Unknown,
    Value,
    values_of,
)
from ..code.literals import is_literal
from ..code.parameters import Parameter, parameters
from ..code.scalars import option_name

PLAIN = re.compile(
    r"((typing\.)?(Optional|Union|List|Sequence|Tuple)|None|bool|float|int|list|str|tuple|[\[\], |.])+"
)
"""Annotations of what is plain."""

TYPES = m.Name("bool") | m.Name("float") | m.Name("int") | m.Name("str")

ACTIONS = m.SimpleString() | m.Attribute(attr=m.Name("BooleanOptionalAction"))

SCALAR = re.compile(r"((typing\.)?(Optional|Union)|None|bool|float|int|str|[\[\], |.])+")
"""Those of what is no container."""

CONFIGURING = frozenset({"hydra", "hydra_zen", "omegaconf"})
"""Packages of which code has configurations, in the place of dicts and lists."""

LATER = "_recursive_"
"""With which hydra leaves what a class is given for it to make."""


def configures(project: Project) -> bool:
    """Whether the code may have OmegaConf's configurations."""
    return not CONFIGURING.isdisjoint(project.packages | project.kept_packages)


def are_plain(project: Project, cls: Class) -> bool:
    """Whether all that a class's constructor may be given is plain, what is not saved left aside."""
    return not _takes_any(cls) and all(map(Arguments(project).is_plain, _saved(cls)))


def may_be_configured(project: Project, cls: Class) -> bool:
    """Whether something that a class's constructor is given, and saves, may be a configuration."""
    if _takes_any(cls) or LATER in project.source.text:
        return True
    open_ones = [each for each in _saved(cls) if not SCALAR.fullmatch(each.annotation)]
    found = [values_of(project).parameter(each.node) for each in open_ones]
    return any(not [*each] or any(map(_may_be_one, each)) for each in found)


def _saved(cls: Class) -> list[Parameter]:
    """The parameters of its constructor, but those that it says are not saved."""
    left_out = ignored_by(cls)
    return [each for each in parameters(cls) if each.name not in left_out]


def _takes_any(cls: Class) -> bool:
    method = cls.methods.get("__init__")
    return method is not None and method.params.star_kwarg is not None


def _may_be_one(value: Value) -> bool:
    """Whether a value is not known, or holds others; a library's functions may hand on what they are given."""
    if isinstance(value, Instance) and isinstance(value.cls, External):
        name = value.cls.name
        return name.startswith("omegaconf.") or not name.rpartition(".")[2][:1].isupper()
    is_made = isinstance(value, Instance) and isinstance(value.cls, UserClass)
    return not is_made and not isinstance(value, Literal | Function | UserClass | External | Partial)


class Arguments:
    """Tells what parameters are given."""

    def __init__(self, project: Project) -> None:
        self.index, self.values = project.index, values_of(project)
        self.configures = configures(project)

    def is_plain(self, parameter: Parameter) -> bool:
        """Whether a parameter has a default, and is given nothing but what is plain."""
        default = parameter.node.default
        if default is None or not is_literal(default):
            return False
        says = self._says_plain(parameter)
        found = self.values.parameter(parameter.node)
        asked = set[Value]()
        return all(self._is_plain(value, says, asked) for value in found)

    def _says_plain(self, parameter: Parameter) -> bool:
        """Whether its default and its annotation are those of what is plain, and of no container of hydra's."""
        if self.configures and isinstance(parameter.node.default, cst.Dict | cst.List | cst.Tuple):
            return False
        if parameter.default != "None":
            return True
        kinds = SCALAR if self.configures else PLAIN
        return kinds.fullmatch(parameter.annotation) is not None

    def _is_plain(self, value: Value, says: bool, asked: set[Value]) -> bool:
        """The same of a value; what is not known is what the parameter `says`.

        Collections share parts, so each is looked at once: had one that was asked been no plain one, that had
        ended the search.
        """
        match value:
            case Literal():
                return True
            case Unknown():
                return says
            case Option():
                return self._is_plain_option(value, says)
            case Sequence() | Dict(owner=None, is_globals=False):
                if self.configures:
                    return False
                inner = self.values.elements(value) if value not in asked else ()
                asked.add(value)
                return all(self._is_plain(each, says, asked) for each in inner)
        return False

    def _is_plain_option(self, option: Option, says: bool) -> bool:
        """Whether an option of a parser is one that argparse makes no object of."""
        calls = [self.index.parent(each) for each in self.index.attributes("add_argument")]
        made = [each for each in calls if isinstance(each, cst.Call)]
        adding = [each for each in made if f"args.{option_name(each)}" == option.name]
        return all(map(_makes_plain, adding)) if adding else says


def _makes_plain(call: cst.Call) -> bool:
    given = {each.keyword.value: each.value for each in call.args if each.keyword}
    is_known = m.matches(given.get("type", cst.Name("str")), TYPES)
    is_simple = m.matches(given.get("action", cst.SimpleString('""')), ACTIONS)
    return is_known and is_simple and is_literal(given.get("default", cst.Name("None")))
