"""The models, by their names on the command line."""

from .convolutional import Convolutional
from .recurrent import Recurrent

MODELS = {"convolutional": Convolutional, "recurrent": Recurrent}


def build_model(args):
    return MODELS[args.model].from_args(args)
