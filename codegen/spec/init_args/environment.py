"""Values that OmegaConf reads of the environment: `${oc.env:NAME}`, or `${oc.env:NAME,default}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

VARIABLE = re.compile(r"\$\{oc\.env:(\w+)(?:,\s*([^\s{}'\"\\][^{}'\"\\]*))?\}")
NOTHING = "null"


@dataclass(frozen=True)
class FromEnvironment:
    """In the place of an argument's value: a text with variables of the environment, which a run reads."""

    text: str

    def code(self, environ: str) -> str:
        """The text as code; `environ` is what the environment is called there."""
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


def from_environment(text: str) -> FromEnvironment | None:
    """None: the text names no variables, or something else that only a run could tell."""
    found = list(VARIABLE.finditer(text))
    is_known = "${" not in VARIABLE.sub("", text) and all(each[2] != NOTHING for each in found)
    return FromEnvironment(text) if found and is_known else None
