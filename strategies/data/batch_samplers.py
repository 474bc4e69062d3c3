"""Batch samplers that know what they were made with, so that others can be made like them."""

from functools import wraps
from inspect import signature
from typing import Any


def keeping_arguments(kind: Any) -> Any:
    """A class of batch samplers, each of which keeps what it is made with: ranks make their own of it."""
    make: Any = kind.__init__

    @wraps(make)
    def make_and_keep(batch_sampler: Any, *args: Any, **kwargs: Any) -> None:
        make(batch_sampler, *args, **kwargs)
        # its own class's, in the end, as that returns after those above
        batch_sampler.made_with = args, kwargs
        batch_sampler.made_as = plain_values(batch_sampler)

    kind.__init__ = make_and_keep
    return kind


def made_anew(batch_sampler: Any, instead: dict[str, Any]) -> Any:
    """Another such batch sampler, of the same arguments but some, with the plain values set since."""
    kind: Any = type(batch_sampler)
    args, kwargs = batch_sampler.made_with
    parameters = signature(kind).parameters
    if "sampler" not in (*parameters, *kwargs):
        raise SystemExit(
            f"ranks cannot share the batches of {kind.__name__}: it has to take a `sampler`"
        )
    named = {name: instead[name] for name in kwargs.keys() & instead.keys()}
    given = signature(kind).bind(*args, **kwargs | named)
    places = parameters.keys() & instead.keys()
    given.arguments.update({name: instead[name] for name in places})
    made = kind(*given.args, **given.kwargs)
    for name, value in batch_sampler.made_as.items():
        if (now := getattr(batch_sampler, name)) != value:
            setattr(made, name, now)
    return made


def plain_values(batch_sampler: Any) -> dict[str, Any]:
    """Its attributes that are numbers or text, such as an epoch."""
    values = vars(batch_sampler).items()
    return {
        name: value for name, value in values if isinstance(value, int | float | str)
    }
