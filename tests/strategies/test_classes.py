"""What a script is made for, where code of the user's may hand it something else."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from ddpgen.strategies.loop import classes
from ddpgen.strategies.loop.classes import get_torchvision_model, require_class


def of_script(name: str, *bases: type) -> type:
    """A class of the script's, in whose place is the module here."""
    return type(name, bases, {"__module__": classes.__name__})


def test_a_class_is_told_from_those_that_derive_from_it() -> None:
    first = of_script("First")
    second = of_script("Second", first)
    require_class(second(), "First", "Second")
    with pytest.raises(SystemExit, match="for First, not for Second: build"):
        require_class(second(), "First")


def test_a_class_is_told_from_those_of_its_name_elsewhere() -> None:
    net = type("Net", (of_script("Net"),), {"__module__": "project.models"})
    with pytest.raises(SystemExit, match=r"for Net, not for project\.models\.Net: build"):
        require_class(net(), "Net")


def test_a_model_of_torchvision_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    models = SimpleNamespace(get_model=lambda *args, **kwargs: (args, kwargs))
    monkeypatch.setitem(sys.modules, "torchvision.models", models)
    assert get_torchvision_model("resnet18", weights=None) == (("resnet18",), {"weights": None})
