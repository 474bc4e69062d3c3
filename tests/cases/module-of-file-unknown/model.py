import argparse
import importlib.util

import lightning as L

parser = argparse.ArgumentParser()
parser.add_argument("--network")


def load(path):
    spec = importlib.util.spec_from_file_location("network", path)
    network = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(network)
    return network


if __name__ == "__main__":
    args = parser.parse_args()
    network = load(args.network)
    L.Trainer(max_epochs=1).fit(network.Net())
