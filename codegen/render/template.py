"""Templates: from a part of the script's plan to the text of one section."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

import jinja2

from ..ir.script import Script

NOTHING = "\x00"
BREAK = "\x01"
MARK = "#@"
"""Begins a comment that says where the lines round it come from, in texts that are made to explain a script."""


def _finalize(value: Any) -> str:
    """Lines keep the indentation of the place where they are put; nothing at all takes its line with it."""
    text = "\n".join(value) if isinstance(value, tuple) else str(value)
    return text.strip("\n").replace("\n", BREAK) if text.strip() else NOTHING


def template_text(name: str) -> str:
    """The template of that name, as it is written."""
    return resources.files("ddpgen.templates").joinpath(f"{name}.jinja").read_text("utf-8")


def _with_marks(name: str) -> str:
    """The template with a mark at the end of each line that gives code."""
    numbered = enumerate(template_text(name).split("\n"), 1)
    return "\n".join(
        f"{line}  {MARK}{name}:{number}" if _gives_code(line.strip()) else line for number, line in numbered
    )


def _gives_code(line: str) -> bool:
    return bool(line) and ("{{" in line or not line.endswith("%}"))


@lru_cache(maxsize=2)
def _environment(marks: bool) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_with_marks if marks else template_text),
        undefined=_Silent,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


class _Silent(jinja2.StrictUndefined):
    """Strict, but for the value of `a if b` without an else, which is nothing."""

    def __str__(self) -> str:  # type: ignore[override]  # the one kind that does not raise
        if self._undefined_hint and "inline if" in self._undefined_hint:
            return ""
        return super().__str__()


def section(name: str, script: Script, part: Any = None, marks: bool = False) -> str:
    """One template's text; `part` is the part of the plan that it is about, where there are several."""

    def nested(inner: str, part: Any = None) -> str:
        return section(inner, script, part, marks)

    text = _environment(marks).get_template(name).render(script=script, section=nested, part=part)
    return _laid_out(text)


def _laid_out(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.replace(NOTHING, "")
        if NOTHING in line and not bare.partition(MARK)[0].strip():
            continue
        indent = bare[: len(bare) - len(bare.lstrip())]
        lines.extend(
            (indent + part if number else part) if part else part
            for number, part in enumerate(bare.split(BREAK))
        )
    return "\n".join(lines).strip("\n")
