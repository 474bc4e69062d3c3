"""The folder that metrics and checkpoints go to: `checkpoint.dir` of the spec, `default_root_dir`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ...ir.served import common_base
from ..feature import Feature


@dataclass(frozen=True)
class OutputFolder:
    """It is an option."""


def output_folder(facts: Facts) -> OutputFolder:
    """Every script has one."""
    return OutputFolder()


def _config(facts: Facts) -> Iterator[ConfigField]:
    folder = repr(facts.folder or f"runs/{_name(facts)}")
    kind, default = ("Any", folder) if facts.is_remote else ("Path", f"Path({folder})")
    yield ConfigField("out", kind, default, _comment(facts), of_training=False)


def _name(facts: Facts) -> str:
    """That of what is trained; of the file, where it may be one of several models."""
    models = tuple(model for each in facts.trained for model in each.served.models)
    stem = PurePosixPath(facts.project.source.path).stem
    name = common_base(models) or (models[0].name if len(models) == 1 else stem)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _comment(facts: Facts) -> str:
    """What is written there."""
    writes = any(
        each.writes or (each.writes_evaluations and each.evaluation_writes) for each in facts.everyone
    )
    kept_last = any(each.trains and each.writes_last for each in facts.everyone)
    files = [name for name, kept in (("metrics", writes), ("last.ckpt", kept_last)) if kept]
    verb = "are" if len(files) > 1 or files == ["metrics"] else "is"
    return f"{' and '.join(files)} {verb} written here" if files else ""


def _trainer(facts: Facts) -> Mapping[str, str]:
    return {"default_root_dir": "str(config.out)"}


OUTPUT_FOLDER = Feature(
    "output_folder",
    output_folder,
    ("Where the script writes.", "spec checkpoint.dir"),
    config=_config,
    trainer=_trainer,
)
