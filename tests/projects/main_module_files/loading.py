"""Gives the module of a file."""

from importlib.util import module_from_spec, spec_from_file_location


def load_module(path, name="_network"):
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
