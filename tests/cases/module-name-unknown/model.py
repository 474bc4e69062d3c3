import argparse
from importlib import import_module

import lightning as L
from making import made

parser = argparse.ArgumentParser()
parser.add_argument("--kind")


if __name__ == "__main__":
    args = parser.parse_args()
    Net = import_module(f"nets.{args.kind}").Net
    L.Trainer(max_epochs=1).fit(Net())
    L.Trainer(max_epochs=1).fit(made(args.kind))
