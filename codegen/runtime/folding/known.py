"""What is known when building of the values that a class or a function of the runtime's works with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Known:
    """What is known of a class."""

    # never passed; name → code of the value; `*name`, `**name`: what is left over; `name=`: of what it calls
    parameters: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)  # never changed; name → code of the value
    methods: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # as `parameters`, of one method each
    types: frozenset[str] = frozenset()  # without values
    present: Mapping[str, str] = field(default_factory=dict)  # never None; name → code of the first value
    flags: frozenset[str] = frozenset()  # attributes that are True or False
    told: Mapping[str, str] = field(default_factory=dict)  # other attributes; code → code of the value
    inlines: bool = False  # methods of which nothing else knows
    inherited: frozenset[str] = frozenset()  # methods that the base has too, and that do nothing there
    results: Mapping[str, str] = field(
        default_factory=dict
    )  # own methods, functions; name → code of what they return

    def __hash__(self) -> int:
        facts = (self.parameters, self.attributes, self.results, *self.methods.values())
        return hash((*(frozenset(each.items()) for each in facts), self.types))

    def __bool__(self) -> bool:
        named = self.parameters, self.attributes, self.present, self.told, self.results
        return any(named) or bool(self.types or self.methods or self.flags)

    @property
    def words(self) -> set[str]:
        """Of which code that is decided has at least one."""
        names = (
            *self.parameters,
            *(name for each in self.methods.values() for name in each),
            *self.attributes,
            *self.types,
            *self.present,
            *self.flags,
            *self.told,
            *self.results,
        )
        return set(map(_word, names))

    def about(self, words: Set[str]) -> Known:
        """What of it can matter to code that has these words."""

        def part(of: Mapping[str, str]) -> dict[str, str]:
            return {name: value for name, value in of.items() if _word(name) in words}

        return Known(
            parameters=part(self.parameters),
            attributes=part(self.attributes),
            types=self.types & words,
            present=part(self.present),
            flags=self.flags & words,
            told=part(self.told),
            results=part(self.results),
        )

    def common(self, other: Known, flags: Mapping[str, str]) -> Known:
        """What is known whichever of the two holds; `flags` are what attributes are in a class that serves all."""
        attributes = _common(self.attributes, other.attributes)
        unsure = (self.attributes.keys() | other.attributes.keys()) - attributes.keys()
        attributes |= {name: flags[name] for name in unsure & flags.keys()}
        methods = self.methods.keys() & other.methods.keys()
        return Known(
            parameters=_common(self.parameters, other.parameters),
            attributes=attributes,
            methods={name: _common(self.methods[name], other.methods[name]) for name in methods},
            types=self.types & other.types,
            present=_common(self.present, other.present),
            flags=self.flags & other.flags,
            told=_common(self.told, other.told),
            inlines=self.inlines and other.inlines,
            inherited=self.inherited & other.inherited,
            results=_common(self.results, other.results) | _either(self.results, other.results),
        )

    def beside(self, other: Known) -> Known:
        """With what is known of other parameters and attributes."""
        parameters = {**self.parameters, **other.parameters}
        return replace(self, parameters=parameters, attributes={**self.attributes, **other.attributes})

    def of_method(self, name: str) -> Known:
        """What of it is known within a method."""
        parameters = {**self.parameters, **self.methods.get(name, {})}
        return replace(self, parameters=parameters, methods={})

    @property
    def values(self) -> Iterator[str]:
        """The code that deciding puts in the place of names."""
        for each in (self.parameters, self.attributes, self.present, self.told, self.results):
            yield from each.values()


def _common(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in one.items() if other.get(name) == value}


def _either(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """What is true of one alone: then it is asked."""
    return {name: "True" for name, value in one.items() if {value, other.get(name)} == {"True", "False"}}


def _word(name: str) -> str:
    return name.strip("*=").rpartition(".")[2]
