"""One side of a benchmark, in a process of its own: trains, and writes when each optimizer step was done.

    python side.py by_hand|generated|lightning JOB.json
    torchrun --nproc-per-node=2 side.py …

The clock is torch's own hook after every optimizer step, the same on every side.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import runpy
import sys
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import by_hand
import torch
import torch.distributed as dist
from torch.optim.optimizer import register_optimizer_step_post_hook

Job = dict[str, Any]


def run_by_hand(job: Job) -> None:
    by_hand.main(
        job["workload"], job["rows"], job["epochs"], job["log_every"], Path(job["out"]) / "by_hand.jsonl"
    )


def run_generated(job: Job) -> None:
    options = {"--rows": job["rows"], "--max-epochs": job["epochs"], "--out": Path(job["out"]) / "run"}
    sys.argv = [job["script"], *(str(part) for option in options.items() for part in option)]
    runpy.run_path(job["script"], run_name="__main__")


def run_lightning(job: Job) -> None:
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    import lightning as L

    L.seed_everything(1, verbose=False)
    model = getattr(_module(job["model"]), job["class"])(rows=job["rows"])
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    trainer = L.Trainer(
        max_epochs=job["epochs"],
        gradient_clip_val=job["clip"],
        log_every_n_steps=job["log_every"],
        accelerator="cpu",
        devices=world_size,
        strategy="ddp" if world_size > 1 else "auto",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model)
    if dist.is_initialized():
        dist.destroy_process_group()  # left alone, gloo may abort when the interpreter ends


def _module(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmarked_model", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    kind, job_path = sys.argv[1:]
    job: Job = json.loads(Path(job_path).read_text())
    times: list[float] = []
    optimizers: dict[int, torch.optim.Optimizer] = {}

    clock = time.process_time if job["clock"] == "cpu" else time.perf_counter

    def note(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        times.append(clock())
        optimizers[0] = optimizer

    register_optimizer_step_post_hook(note)
    {"by_hand": run_by_hand, "generated": run_generated, "lightning": run_lightning}[kind](job)
    weights = [p for group in optimizers[0].param_groups for p in group["params"]]
    # shows that the sides did the same work
    checksum = sum(float(p.detach().double().abs().sum()) for p in weights)
    if int(os.environ.get("RANK", 0)) == 0:
        result = {"times": times, "checksum": checksum, "parameters": sum(p.numel() for p in weights)}
        Path(job["result"]).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
