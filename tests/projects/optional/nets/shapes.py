from .layers import stack


class Shape(int):
    """For the type checker; it needs what stands in the module that needs it."""

    build = stack
