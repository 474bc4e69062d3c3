"""What a configuration makes of Lightning's classes, with the settings that it has when building."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project

SETTING = m.Call(m.Name("option"), [m.Arg(m.SimpleString()), m.Arg()])
"""A setting, with its name and its value."""

CHECKED = m.Call(args=[m.Arg(m.Call(m.Name("without")), star="**")])
"""What is made of settings that leave out some."""

PASSED_ON = m.Arg(m.Name("args"), star="*") | m.Arg(m.Name("given"), star="**")
"""What `instantiate` is given besides, of which nothing is known here."""


def is_checking(project: Project, call: cst.Call) -> bool:
    """Whether a call makes in a script what a configuration says, after a look at the options that decide of it."""
    return m.matches(call, CHECKED) and not project.source.is_code(call)


def configured(
    project: Project, in_script: Iterable[cst.Call], known: Container[str]
) -> Iterator[tuple[cst.Call, str]]:
    """The calls that a configuration alone has, of the classes that are `known`, as built; with their names."""
    others = {*in_script}
    for call in project.index.of_kind(cst.Call):
        name = project.lightning_name(call.func)
        if name is not None and name in known and call not in others and not project.source.is_code(call):
            yield _as_built(call), name


def _as_built(call: cst.Call) -> cst.Call:
    """The call with its settings' values; of what is None nothing is said."""
    told = [_valued(each) for each in call.args if not m.matches(each, PASSED_ON)]
    return call.with_changes(args=[each for each in told if not m.matches(each.value, m.Name("None"))])


def _valued(argument: cst.Arg) -> cst.Arg:
    if not m.matches(argument.value, SETTING):
        return argument
    return argument.with_changes(value=cst.ensure_type(argument.value, cst.Call).args[1].value)
