from .loaders import rows, stream
