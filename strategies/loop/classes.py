"""What a script is made for, where code of the user's may hand it something else."""


def require_class(given: object, name: str) -> None:
    """End the run where an object is of another class than the one whose hooks this script calls."""
    if type(given).__name__ != name:
        raise SystemExit(
            f"this script is for {name}, not for {type(given).__name__}: build another for that"
        )
