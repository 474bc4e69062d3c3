"""As much of Comet's package as loggers use: what an experiment is told goes to a file."""

import os
from pathlib import Path


class ExperimentConfig:
    def __init__(self, offline_directory=None, **options):
        self.offline_directory = offline_directory
        self.options = options


class Experiment:
    project_name = "nets"

    def get_key(self):
        return "a" * 32

    def note(self, *told):
        with Path("comet.txt").open("a") as file:
            print(*told, file=file)

    def log_other(self, name, value):
        self.note("other", name, value)

    def log_metrics(self, values, prefix=None, step=None, epoch=None):
        self.note("metrics", values, prefix, step, epoch)

    def log_parameters(self, parameters):
        self.note("parameters", parameters)

    def set_model_graph(self, graph, overwrite=False):
        self.note("graph", graph)

    def flush(self):
        self.note("flush")

    # what Lightning calls these
    def __internal_api__log_metrics__(self, values, step, epoch, prefix, framework):
        self.log_metrics(values, prefix, step, epoch)

    def __internal_api__log_parameters__(self, parameters, framework, flatten_nested, source):
        self.log_parameters(parameters)

    def __internal_api__set_model_graph__(self, graph, framework):
        self.set_model_graph(graph)


def start(experiment_config, **options):
    experiment = Experiment()
    experiment.note(options, experiment_config.options, os.environ["COMET_DISABLE_AUTO_LOGGING"])
    return experiment
