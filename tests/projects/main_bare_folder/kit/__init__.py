from . import nets, scale  # noqa: F401
