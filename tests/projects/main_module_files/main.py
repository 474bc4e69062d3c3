"""Loads what it trains from files: one that its command line names, and two that it names itself."""

import argparse
import importlib.util
import os
import sys

import lightning.pytorch as pl
from loading import load_module

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nets")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--network-config", default=os.path.join(FOLDER, "wide.py"))
    parser.add_argument("--rate", type=float, default=0.1)
    return parser.parse_args()


def model_setup(args):
    network = load_module(args.network_config, name="_network_module")
    model, about = network.get_model(args.rate, scale=0.5)
    print(about)
    return model


def samples():
    spec = importlib.util.spec_from_file_location("samples", f"{FOLDER}/samples.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["samples"] = module
    spec.loader.exec_module(module)
    return module.Samples()


def main():
    pl.seed_everything(4)
    args = parse()
    model = model_setup(args)
    halves = load_module(os.path.join(FOLDER, "notes.py")).HalvesRate()
    pl.Trainer(max_epochs=2, callbacks=[halves], enable_progress_bar=False).fit(model, datamodule=samples())


if __name__ == "__main__":
    main()
