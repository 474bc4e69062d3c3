"""Lightning's own load_from_checkpoint reads a script's last.ckpt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from .cases import CASES, NOT_LOADABLE
from .differences import first_difference
from .runs import Runs

pytestmark = pytest.mark.processes


def as_made(saved: Mapping[str, Any], loaded: Mapping[str, Any]) -> dict[str, Any]:
    """What was saved, in the dtypes of the class as it is made: `bf16-true` and its like convert it later (19.4)."""
    kinds = {name: getattr(value, "dtype", None) for name, value in loaded.items()}
    return {name: value.to(kind) if (kind := kinds.get(name)) else value for name, value in saved.items()}


@pytest.mark.parametrize(
    ("case", "world"), [pytest.param(name, 1, id=name) for name in CASES if name not in NOT_LOADABLE]
)
def test_original_class_loads_the_checkpoint(case: str, world: int, runs: Runs) -> None:
    # not above: Lightning takes seconds to import, and whoever collects tests would wait for it
    from . import reference

    this, settings = CASES[case], CASES[case].settings or {}
    section = settings.get("model", {})
    section = {"class_path": section} if isinstance(section, str) else section
    base = reference.lightning_of(this.source).LightningModule
    cls = reference.class_named(
        reference.load_module(this.source), this.model or section.get("class_path"), base
    )
    assert cls
    script = runs.script(this, world)
    saved = script.checkpoint
    # what was not saved as a hyperparameter has to be given again, as to Lightning's own checkpoints
    unsaved = {
        k: v for k, v in section.get("init_args", {}).items() if k not in saved.get("hyper_parameters", {})
    }

    model = cls.load_from_checkpoint(script.checkpoint_path, **unsaved)

    loaded = model.state_dict()
    assert not first_difference(as_made(saved["state_dict"], loaded), loaded, "state_dict")
    assert not first_difference(saved.get("hyper_parameters", {}), dict(model.hparams), "hparams")
    expected = runs.reference(this, world)[0]["hyper_parameters"]
    assert not first_difference(expected, dict(model.hparams), "hparams")
