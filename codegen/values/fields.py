"""The fields of dataclasses and the like, whose constructors nobody writes."""

from __future__ import annotations

import libcst as cst

from ..index import Index
from .abstract import Class, External
from .imports import ImportedNames

DECORATORS = frozenset(
    "dataclasses.dataclass attr.s attr.attrs attr.define attrs.define attr.dataclass".split()
)
NAMED_TUPLE = "typing.NamedTuple"
BASES = frozenset((NAMED_TUPLE, "pydantic.BaseModel", "typing.TypedDict"))


class Fields:
    """The fields of classes that have a constructor made for them."""

    def __init__(self, index: Index, names: ImportedNames) -> None:
        self._index, self._names = index, names

    def of(self, parts: list[Class], bases: list[External]) -> list[str]:
        """In the order in which the constructor takes them; empty: it is no such class."""
        if not any(map(self._is_decorated, parts)) and not any(each.name in BASES for each in bases):
            return []
        names = (name for part in reversed(parts) for name in self._own(part))
        return list(dict.fromkeys(names))

    def _is_decorated(self, cls: Class) -> bool:
        decorators = [each.decorator for each in cls.node.decorators]
        called = [each.func if isinstance(each, cst.Call) else each for each in decorators]
        return any((found := self._names.external(each)) and found.name in DECORATORS for each in called)

    def _own(self, cls: Class) -> list[str]:
        inner = self._index.inner_scope(cls.node)
        annotated = [
            node
            for node in self._index.within(cls.node.body, cst.AnnAssign)
            if self._index.scope_of(node) is inner
        ]
        return [node.target.value for node in annotated if isinstance(node.target, cst.Name)]
