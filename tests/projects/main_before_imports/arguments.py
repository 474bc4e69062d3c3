import os
from argparse import ArgumentParser


def parsed():
    parser = ArgumentParser()
    parser.add_argument("--rate", default="0.125")
    arguments = parser.parse_args()
    os.environ["RATE"] = arguments.rate
    return arguments
