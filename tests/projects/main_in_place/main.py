"""Modules that are imported where something of them is asked for, and classes by `eval` of an option's choices."""

import argparse
import importlib
import os

import lightning as L
import torch
from nets.model import Net, WideNet

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=["Net", "WideNet"], default="WideNet")
    parser.add_argument("--first", default="Net")
    args = parser.parse_args()
    L.seed_everything(3)
    loader = importlib.import_module("nets.data").loader(8)
    first = getattr(importlib.import_module("nets.model"), args.first)(2)
    L.Trainer(max_epochs=1, enable_progress_bar=False, enable_checkpointing=False).fit(first, loader)
    second = importlib.import_module("nets.model").Net(2)
    second.load_state_dict(first.state_dict())
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    trainer.fit(eval(args.model)(), loader)
    torch.save([second.state_dict()], f"main_in_place.{os.environ.get('RANK', '0')}.results.pt")
