"""What each side is told to do."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libcst as cst

from ..analysis import Analysis
from ..index.search import code_for
from ..link.modules.files import Roots, entry_place
from ..source.repository import holds_projects
from ..spec.load import LoadedSpec, StrategySpec, TrainerSettings
from ..spec.sections.strategy_spec import BESIDE_DDP, OptimizerSettings
from .mirror import Mirror

CLI_SECTIONS = {"seed_everything", "trainer", "model", "data", "optimizer", "lr_scheduler"}

OUT_OPTION = "    out: Path = "
"""A line of `Config`, from which a script of ddpgen's takes its options."""


@dataclass(frozen=True)
class Plan:
    """Where the two sides run, and what of the user's code the Lightning side needs to be told."""

    mirror: Mirror
    program: Path
    script: Path
    analysis: Analysis
    loaded: LoadedSpec
    arguments: tuple[str, ...]
    steps: int
    world: int
    roots: Roots

    def lightning_job(self, folder: Path) -> dict[str, Any]:
        """The user's own file, under Lightning."""
        place = self.roots.entry
        dotted = place.name if place.root != place.path.parent else None
        facts, spec = self.analysis.facts, self.loaded.spec
        told = facts.project.told_by_cli
        ddp = facts.loaded.spec.ddp  # the Trainer may have its say
        settings = facts.settings if self._is_constructed else spec.trainer
        return self._job("lightning", self.program, folder) | {
            "module": dotted,
            "package": _package(self.analysis),
            "is_own_main": facts.own_main is not None,
            "construction": self._construction if self._is_constructed else None,
            "seed": spec.seed_everything if facts.own_main is not None and not self._is_of_cli else None,
            "trainer": settings.model_dump(
                include=settings.model_fields_set & TrainerSettings.model_fields.keys()
            ),
            "described": "" if self._is_of_cli else facts.project.spec_code,
            "cli": self._for_cli if self._is_of_cli else None,
            "command": "fit" if told is None or told.runs else None,
            "ddp": ddp.model_dump(include=ddp.model_fields_set - BESIDE_DDP) or None,
        }

    def script_job(self, folder: Path, reference: Path) -> dict[str, Any]:
        """The script; what it writes goes where it is removed."""
        job = self._job("script", self.script, folder) | {"reference": str(reference)}
        if self.analysis.facts.own_main is None and OUT_OPTION in Path(job["program"]).read_text("utf-8"):
            job["arguments"] = [*self.arguments, "--out", str(folder / "out")]
        return job

    def _job(self, side: str, program: Path, folder: Path) -> dict[str, Any]:
        folders = [program.parent, *(each for each in self.roots.folders if each.is_dir())]
        return {
            "side": side,
            "program": str(self.mirror.place(program)),
            "path": [str(self.mirror.place(each)) for each in dict.fromkeys(folders)],
            "arguments": self.arguments,
            "cwd": str(self.mirror.place(Path.cwd())),
            "mirror": str(self.mirror.folder),
            "folder": str(folder),
            "steps": self.steps,
            "world": self.world,
        }

    @property
    def _is_constructed(self) -> bool:
        """Whether there is no code that starts the training, or the spec says otherwise than that code."""
        facts = self.analysis.facts
        if facts.own_main is not None or facts.project.entry.cli is not None:
            return False
        given = ("model", "data", "seed_everything", "optimizer.class_path")
        overrides = any(self.loaded.is_given(name) for name in given)
        return facts.project.entry.trainer is None or overrides

    @property
    def _is_of_cli(self) -> bool:
        """Whether LightningCLI starts the training."""
        project = self.analysis.facts.project
        is_written = project.told_by_cli is not None and project.told_by_cli.is_written
        return project.entry.cli is not None or is_written

    @property
    def _for_cli(self) -> dict[str, Any]:
        """What of the spec is LightningCLI's."""
        given = self.loaded.file.data or {}
        ours = StrategySpec.model_fields.keys() - CLI_SECTIONS
        if (given.get("optimizer") or {}).keys() <= OptimizerSettings.OF_THE_SCRIPT:
            ours |= {"optimizer"}
        return {name: value for name, value in given.items() if name not in ours}

    @property
    def _construction(self) -> dict[str, Any]:
        facts, spec = self.analysis.facts, self.loaded.spec
        entry = facts.project.entry
        data = _made(facts.data.name, entry.data, spec.data.init_args) if facts.data else None
        return {
            "model": _made(facts.model.name, entry.model, spec.model.init_args),
            "data": data,
            "seed": facts.seed,
        }


def _made(name: str, call: cst.Call | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The object of that class as the entry makes it, with what the spec says in its place."""
    arguments = call.args if call else ()
    values = [(each.keyword, _literal(each.value)) for each in arguments]
    keywords = {keyword.value: value for keyword, value in values if keyword}
    return {
        "name": name,
        "positional": [value for keyword, value in values if not keyword],
        "keywords": {**keywords, **given},
    }


def _literal(node: cst.BaseExpression) -> Any:
    return ast.literal_eval(code_for(node))


def _package(analysis: Analysis) -> str:
    """The name by which the user's code has Lightning."""
    used = {bound.module.partition(".")[0] for bound in analysis.facts.project.imports}
    return "pytorch_lightning" if "pytorch_lightning" in used else "lightning.pytorch"


def mirror_of(model: Path, script: Path, roots: Roots, folder: Path) -> Mirror:
    """A mirror in which the folders of the project are made anew, and what the two programs find where they start."""
    own = [model.resolve().parent, *(each for each in roots.folders if each.is_dir())]
    starts = [Path.cwd(), script.resolve().parent]
    mirror = Mirror(folder)
    mirror.fill([each for each in own if not holds_projects(each)], [*starts, *filter(holds_projects, own)])
    return mirror


def roots_of(model: Path, given: tuple[Path, ...]) -> Roots:
    """The folders that the project's modules are looked for in."""
    return Roots(entry_place(model, 0, given), given)
