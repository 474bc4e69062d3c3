"""The spec's `ddp.join`: epochs in which ranks have different numbers of batches."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, StrictBool

from .section import Section, or_forms


class JoinSettings(Section):
    """Torch's Join, in whose context the batches of an epoch are read."""

    model_config = ConfigDict(json_schema_extra=or_forms({"type": "boolean"}))

    throw_on_early_termination: StrictBool = False
    """Turn on to have all ranks stop with an error when the first one has no batches left."""
    divide_by_initial_world_size: StrictBool = True
    """Turn off to average over the ranks that still have batches, so that their samples count for more."""

    def arguments(self) -> dict[str, Any]:
        """What has to be written: the values that are not torch's own defaults."""
        return {name: value for name, value in self if value != type(self).model_fields[name].default}


def join_settings(value: Any) -> Any:
    if isinstance(value, bool):
        return JoinSettings() if value else None
    if isinstance(value, dict | JoinSettings | None):
        return value
    raise ValueError("must be true or false, or a mapping, written as `name: value`")
