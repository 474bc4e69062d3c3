"""Texts that a run has: those that OmegaConf reads of the environment, and what the code puts together."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

VARIABLE = re.compile(r"\$\{oc\.env:(\w+)(?:,\s*([^\s{}'\"\\][^{}'\"\\]*))?\}")
NOTHING = "null"


NameOf = Callable[[str], str]
"""Gives what something at a dotted path is called where code is to stand."""


@dataclass(frozen=True, eq=False)
class FromCode:
    """In the place of an argument's value: a text that an expression of the code's gives when the script runs."""

    expression: ast.expr
    paths: Mapping[str, str]  # where the names in it lead, by how they are written there

    def code(self, name_of: NameOf) -> str:
        """The text as code."""
        names = {written: ast.parse(name_of(path), mode="eval").body for written, path in self.paths.items()}
        return ast.unparse(_Named(names).visit(deepcopy(self.expression)))


@dataclass
class _Named(ast.NodeTransformer):
    names: Mapping[str, ast.expr]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Put what is to stand in the place of a name, or of one with a module before it."""
        if isinstance(node, ast.Name | ast.Attribute) and (name := self.names.get(ast.unparse(node))):
            return name
        return super().generic_visit(node)


@dataclass(frozen=True)
class FromEnvironment:
    """The same with variables of the environment: `${oc.env:NAME}`, or `${oc.env:NAME,default}`."""

    text: str

    def code(self, name_of: NameOf) -> str:
        """The text as code."""
        environ = name_of("os.environ")
        first, *rest = VARIABLE.split(self.text)  # then a name, its default, and what follows it, and so on
        codes = [repr(first)]
        for name, default, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            key = f"{environ}[{name!r}]" if default is None else f"{environ}.get({name!r}, {default!r})"
            codes += [key, repr(after)]
        return " + ".join(code for code in codes if code != repr(""))

    @property
    def variables(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each[1] for each in VARIABLE.finditer(self.text))

    def known(self, environ: Mapping[str, str]) -> str:
        """The text, as this environment has it. Raises KeyError where a variable is not set."""

        def value(found: re.Match[str]) -> str:
            return environ[found[1]] if found[2] is None else environ.get(found[1], found[2])

        return VARIABLE.sub(value, self.text)


AtRun = FromEnvironment | FromCode


def from_environment(text: str) -> FromEnvironment | None:
    """None: the text names no variables, or something else that only a run could tell."""
    found = list(VARIABLE.finditer(text))
    is_known = "${" not in VARIABLE.sub("", text) and all(each[2] != NOTHING for each in found)
    return FromEnvironment(text) if found and is_known else None
