"""Modules whose code stands in the script, as values."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from ddpgen.strategies.command_line.named_modules import ModuleHere


def test_a_module_has_what_it_is_given() -> None:
    sizes = [1, 2]
    module: Any = ModuleHere(__name__="nets.wide", sizes=sizes, name="wide")
    assert inspect.ismodule(module)
    assert (module.__name__, module.sizes is sizes, module.name) == ("nets.wide", True, "wide")
    assert not hasattr(module, "depth")
    assert [each for each in vars(module) if not each.startswith("_")] == ["sizes", "name"]
    assert {module: 1}[module] == 1


def test_a_module_is_not_set() -> None:
    module: Any = ModuleHere(__name__="nets.wide", size=3)
    with pytest.raises(SystemExit, match=r"a variable for nets\.wide\.size"):
        module.size = 4
