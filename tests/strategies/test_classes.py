"""What a script is made for, where code of the user's may hand it something else."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from ddpgen.strategies.loop.classes import get_torchvision_model, require_class


def test_a_class_is_told_from_those_that_derive_from_it() -> None:
    require_class(True, "bool")
    with pytest.raises(SystemExit, match="for int, not for bool"):
        require_class(True, "int")


def test_a_model_of_torchvision_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    models = SimpleNamespace(get_model=lambda *args, **kwargs: (args, kwargs))
    monkeypatch.setitem(sys.modules, "torchvision.models", models)
    assert get_torchvision_model("resnet18", weights=None) == (("resnet18",), {"weights": None})
