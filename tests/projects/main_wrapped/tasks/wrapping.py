"""Decorators that hand on what the tasks are given."""

import functools


def task_wrapper(func):
    def wrapper(*args, **kwargs):
        result = None
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            print("failed", error)
            raise error
        finally:
            print("closing", sorted(kwargs))
        return result

    return wrapper


def named(label):
    def decorator(func):
        @functools.wraps(func)
        def inner(*args, **kwargs):
            print(label, func.__name__)
            return func(*args, **kwargs)

        return inner

    return decorator


def with_model(method):
    @functools.wraps(method)
    def inner(self, *args, **kwargs):
        return method(self, *args, **kwargs)

    return inner
