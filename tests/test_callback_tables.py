"""What the compiler knows of the runtime's callbacks is what stands in them."""

from __future__ import annotations

import ast
import re

import pytest
from ddpgen import lightning_api as api
from ddpgen.runtime import load_runtime

CODE = {name: definition.code for name, definition in load_runtime().definitions.items()}
MADE_OF = {
    "LearningRateMonitor": ["named_optimizers"],
}
"""Functions that read the trainer for a callback."""


def methods_of(name: str) -> set[str]:
    (node,) = ast.parse(CODE[name]).body
    assert isinstance(node, ast.ClassDef)
    return {part.name for part in node.body if isinstance(part, ast.FunctionDef)}


@pytest.mark.parametrize("name", sorted(api.CALLBACKS.keys() - {"Callback"}))
def test_hooks_and_reads(name: str) -> None:
    hooks, reads = api.CALLBACKS[name]
    assert hooks == methods_of(name) & api.CALLBACK_HOOKS
    code = "\n".join(CODE[each] for each in [name, *MADE_OF.get(name, [])])
    found = set(re.findall(r"\btrainer\.(\w+)", code))
    assert found <= reads | {"is_global_zero"}


@pytest.mark.parametrize("hook", sorted(api.CALLBACK_HOOKS))
def test_a_callback_has_each_hook_that_is_called(hook: str) -> None:
    assert hook in methods_of("Callback")
