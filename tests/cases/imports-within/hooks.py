from contextlib import contextmanager


@contextmanager
def checked_types():
    yield
