"""Installed packages whose classes are Lightning's: their code is read like the project's, without being run."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

from ...lightning.api import OF_OTHERS, PACKAGES, is_shipped
from .files import Place, installed

REQUIRED = re.compile(r"^Requires-Dist: *(?:pytorch[-_])?lightning(?![\w-])(?!.*\bextra *==)", re.M | re.I)
"""What a package's metadata has where it cannot do without Lightning."""

LEFT_ALONE = frozenset(name.partition(".")[0] for name in OF_OTHERS) | frozenset("""
    PIL albumentations click cv2 datasets ddpgen einops hydra hydra_zen jsonargparse mlflow matplotlib numpy omegaconf
    pandas psutil pydantic rich scipy seaborn sklearn tensorboard timm tokenizers torch torchaudio torchmetrics
    torchvision tqdm transformers typer wandb yaml
    """.split())
"""Packages of which it is known that they need no Lightning, or what of theirs the script has itself."""

OF_LICENCE = "License :: "


@dataclass(frozen=True)
class Package:
    """What is told of one."""

    name: str
    version: str
    licence: str


def installed_place(name: str) -> Place | None:
    """The file of a module of an installed package that is read; None: it is none, or goes on being imported."""
    top = name.partition(".")[0]
    if is_shipped(name):
        return installed(name)
    if not top or top in PACKAGES or top in LEFT_ALONE or top in sys.stdlib_module_names:
        return None
    place = installed(name)
    package = _distribution(top, place.root) if place else None
    if place is None or package is None:
        return None
    return place if _is_for_lightning(package) else None


def described_package(top: str) -> Package:
    """The package that has a module of that name at its top."""
    found = _distribution(top, _root(top))
    if found is None:
        return Package(top, "", "that it comes with")
    about = found.metadata
    said = [about[key] for key in ("License-Expression", "License") if key in about]
    said += [
        each.rpartition(" :: ")[2]
        for each in about.get_all("Classifier") or ()
        if each.startswith(OF_LICENCE)
    ]
    return Package(about["Name"], about["Version"], next(filter(None, said), "that it comes with"))


def _root(top: str) -> Path:
    place = installed(top)
    return place.root if place else Path()


@cache
def _is_for_lightning(found: Distribution) -> bool:
    return bool(REQUIRED.search(found.read_text("METADATA") or ""))


@cache
def _distribution(top: str, root: Path) -> Distribution | None:
    """The one of that name; else, of those for Lightning, the one that has such a module."""
    try:
        return distribution(top)
    except PackageNotFoundError:
        return next((each for each in _all_for_lightning(root) if _has_module(each, top)), None)


@cache
def _all_for_lightning(root: Path) -> tuple[Distribution, ...]:
    """Those in a folder: to look through them takes a while."""
    return tuple(each for each in distributions(path=[str(root)]) if _is_for_lightning(each))


def _has_module(found: Distribution, top: str) -> bool:
    recorded = found.read_text("RECORD") or found.read_text("top_level.txt") or ""
    return bool(re.search(rf"^{re.escape(top)}(?:/|\.py|$)", recorded, re.M))
