"""Hooks of Lightning 1, which Lightning 2 no longer calls, but methods that the code itself calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...lightning import api, lightning_1


def check_removed(
    project: Project,
    cls: Class,
    methods: Mapping[str, cst.FunctionDef],
    hooks: Mapping[str, str],
    tests: bool,
) -> Iterator[Diagnostic]:
    """Those among a class's methods; `hooks` says of each what became of it, `tests` whether something tests."""
    stopping = lightning_1.STOPPING if tests else lightning_1.STOPPING - lightning_1.STOPPING_TESTS
    for name, method in methods.items():
        if name in hooks and (name in stopping or not _calls(project, cls, name)):
            yield _told(name, stopping)((project.source, method.name), name, hooks[name])


def _told(name: str, stopping: frozenset[str]) -> Callable[[messages.At, str, str], Diagnostic]:
    """What is said of a hook."""
    if name in lightning_1.SHOWING:
        return messages.removed_display
    return messages.removed_hook if name in stopping else messages.hook_never_called


def _calls(project: Project, cls: Class, name: str) -> bool:
    """Whether a method of the class calls another one, which is none of Lightning's then, whatever it is called."""
    index, own = project.index, [part.node for part in cls.lineage]
    found = (each for each in index.attributes(name) if m.matches(each.value, m.Name("self")))
    for node in found:
        function = index.function_of(node)
        is_called = m.matches(index.parent(node), m.Call(func=m.Attribute()))
        if is_called and index.class_of(node) in own and function and function.name.value != name:
            return True
    return False


def uncalled_hooks(project: Project, cls: Class, called: frozenset[str]) -> Iterator[Diagnostic]:
    """Hooks of evaluations that neither the script calls nor the user's code."""
    for name, method in cls.methods.items():
        if name in api.UNCALLED - called and not is_called(project, name):
            yield messages.uncalled_hook((project.source, method.name), name)


def is_called(project: Project, name: str) -> bool:
    """Whether code of the user's calls a method of a name, of anything but its bases."""
    index = project.index
    found = (
        each for each in index.attributes(name) if not m.matches(each.value, m.Call(func=m.Name("super")))
    )
    return any(isinstance(call := index.parent(each), cst.Call) and call.func is each for each in found)
