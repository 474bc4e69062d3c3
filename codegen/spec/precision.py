"""The precisions that Lightning's Trainer can be told (19.1)."""

from __future__ import annotations

FULL = "32-true"

DTYPES = {
    "16-mixed": "float16",
    "bf16-mixed": "bfloat16",
    "16-true": "float16",
    "bf16-true": "bfloat16",
    FULL: "float32",
    "64-true": "float64",
}
"""The precisions, with torch's name of the type that each computes in."""

SHORT = {"16": "16-mixed", "bf16": "bf16-mixed", "32": FULL, "64": "64-true"}
"""Their short forms, some of which may be numbers."""


def precision_named(value: object) -> str | None:
    """The precision that an argument of the Trainer's names; None: it names none."""
    if value is None:
        return FULL
    name = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    name = SHORT.get(name, name)
    return name if name in DTYPES else None


def is_mixed(name: str) -> bool:
    """Whether parameters stay as they are, and the operations of steps choose their types."""
    return name.endswith("-mixed")
