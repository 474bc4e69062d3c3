"""Abstract values: what an expression may be, each with the place that it comes from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal as Choice
from typing import TypeAlias, TypeVar

import libcst as cst

from ..lightning.api import api_name

Kind = TypeVar("Kind", bound=type[Hashable])


def hashed_once(cls: Kind) -> Kind:
    """The class, with objects that keep their hash: values are made of values, and looked up over and over."""
    of_fields = cls.__hash__

    def __hash__(self: Hashable) -> int:
        kept: int | None = self.__dict__.get("_hash")
        if kept is None:
            self.__dict__["_hash"] = kept = of_fields(self)
        return kept

    cls.__hash__ = __hash__  # type: ignore[method-assign]  # whose objects are all of this class
    return cls


SequenceKind = Choice["tuple", "list", "set", "iterator"]


@hashed_once
@dataclass(frozen=True)
class Literal:
    """A number, a string, None, True, False or an ellipsis."""

    value: object
    node: cst.CSTNode


@dataclass(frozen=True)
class Function:
    """A function or a lambda of the user's."""

    node: cst.FunctionDef | cst.Lambda

    @property
    def name(self) -> str:
        return self.node.name.value if isinstance(self.node, cst.FunctionDef) else "lambda"


@dataclass(frozen=True)
class Class:
    """A class of the user's."""

    node: cst.ClassDef

    @property
    def name(self) -> str:
        return self.node.name.value


@dataclass(frozen=True)
class External:
    """Something of a library's, or of a module of the project's that is not part of the script, by its dotted name."""

    name: str
    is_local: bool = False  # of the project's

    @property
    def lightning(self) -> str | None:
        """Its name in Lightning's API, such as `Trainer`; None: it is not of Lightning's."""
        return None

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Lightning(External):
    """Something of Lightning's."""

    @property
    def lightning(self) -> str:
        return api_name(self.name)


@dataclass(frozen=True)
class NamedModule(External):
    """A module that is imported by its name, of which the script has but what it was built with."""


@hashed_once
@dataclass(frozen=True)
class Instance:
    """An object, with the call that made it; of a library's function, what calling it gives."""

    cls: Class | External | Member
    node: cst.CSTNode
    """The call; a class or a function, where a library makes it."""

    @property
    def lightning(self) -> str | None:
        return self.cls.lightning if isinstance(self.cls, External) else None


@hashed_once
@dataclass(frozen=True)
class Member:
    """An attribute that a library has given an object or a class."""

    receiver: Value
    name: str
    depth: int = 1  # of members of members


@hashed_once
@dataclass(frozen=True)
class BoundMethod:
    """A function that is called with its receiver in front of the arguments."""

    function: Function
    receiver: Value


@dataclass(frozen=True)
class Super:
    """What `super()` gives: the classes behind `cls`."""

    cls: Class
    receiver: Value

    @property
    def receiver_class(self) -> Class:
        """The class in whose order of bases is looked."""
        cls = self.receiver.cls if isinstance(self.receiver, Instance) else self.receiver
        return cls if isinstance(cls, Class) else self.cls


@dataclass(frozen=True)
class Descriptor:
    """A property, a static or a class method, as it stands in its class."""

    kind: Choice["property", "setter", "staticmethod", "classmethod"]
    function: Function


@dataclass(frozen=True)
class Partial:
    """What `functools.partial` gives."""

    node: cst.Call


@dataclass(frozen=True)
class Sequence:
    """A tuple, a list, a set or an iterator, by the expression that makes it."""

    kind: SequenceKind
    node: cst.CSTNode
    part: str = ""  # of several that one expression makes


@dataclass(frozen=True)
class Dict:
    """A dict, by the expression that makes it."""

    node: cst.CSTNode
    owner: Value | None = None  # whose attributes it holds, as `vars(owner)` does
    is_globals: bool = False
    part: str = ""  # of what it holds

    @property
    def is_alias(self) -> bool:
        """Whether its elements are attributes or variables."""
        return self.owner is not None or self.is_globals


@hashed_once
@dataclass(frozen=True)
class Option:
    """What the command line, the environment or a configuration says."""

    name: str
    node: cst.CSTNode


@hashed_once
@dataclass(frozen=True)
class Unknown:
    """Anything: `reason` is a sentence for the user, `node` the place that it speaks of."""

    reason: str
    node: cst.CSTNode | None


Value: TypeAlias = (
    Literal
    | Function
    | Class
    | External
    | Instance
    | Member
    | BoundMethod
    | Super
    | Descriptor
    | Partial
    | Sequence
    | Dict
    | Option
    | Unknown
)
Container: TypeAlias = Sequence | Dict
