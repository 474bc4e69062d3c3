"""What a watching process is told."""

from __future__ import annotations

from typing import Any, TypedDict


class Made(TypedDict):
    """An object of one of the user's classes, to be made as LightningCLI would."""

    name: str
    positional: list[Any]
    keywords: dict[str, Any]


class Construction(TypedDict):
    """What takes the place of code that starts the training, where the user's file has none."""

    model: Made
    data: Made | None
    seed: int | None


class Job(TypedDict):
    """One side of the comparison; paths are absolute."""

    side: str  # lightning | script
    program: str
    module: str | None  # its dotted name, where it stands in a package
    path: list[str]  # what Python finds its modules in
    arguments: list[str]
    cwd: str
    mirror: str  # the folder that stands for the user's own
    folder: str  # where the record is left
    reference: str  # the folder of the record to compare with
    steps: int
    world: int
    package: str  # lightning.pytorch, or pytorch_lightning
    is_own_main: bool  # it stays the user's in the script
    construction: Construction | None
    cli: dict[str, Any] | None  # LightningCLI's settings
    command: str | None  # its command; None: it runs none
    seed: int | None  # before a main of the user's own
    trainer: dict[str, Any]
    described: str  # code of what the spec describes for the Trainer and the model
    ddp: dict[str, Any] | None  # DistributedDataParallel's arguments
