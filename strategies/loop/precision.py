"""The precision that a script trains in."""


def require_full_precision(precision: str | int | None) -> None:
    """End the run where another precision than that of 32 bits is asked for."""
    if str(precision) not in ("32", "32-true", "None"):
        raise SystemExit(f"this script trains with 32 bits, not with {precision}")
