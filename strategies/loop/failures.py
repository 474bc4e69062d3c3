"""What is done when a run fails."""

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar, cast

Run = TypeVar("Run", bound=Callable[..., Any])


class MisconfigurationException(Exception):
    """A setting is given that cannot be, or one is missing."""


class PossibleUserWarning(UserWarning):
    """A warning that may be a false one."""


class LightningDeprecationWarning(DeprecationWarning):
    """A warning of what is to go."""


def on_failure(report: Callable[[Any, BaseException], None]) -> Callable[[Run], Run]:
    """Have `report` told of the model and of what ended its run."""

    def reporting(run: Run) -> Run:
        @wraps(run)
        def reported(model: Any, *arguments: Any, **options: Any) -> Any:
            try:
                return run(model, *arguments, **options)
            except BaseException as error:
                if hasattr(model, "trainer"):  # else nothing has begun yet
                    report(model, error)
                raise

        return cast(Run, reported)

    return reporting


def stop(why: str) -> NoReturn:
    """End the run with an error, as there is no way on."""
    raise RuntimeError(why)
