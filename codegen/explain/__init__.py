"""Where each part of a script comes from, and why it is there."""

from .explain import explain, explained
from .page import page, write_page
from .parts import Explanation, Part, Place, Reason
from .show import of_line, table

__all__ = [
    "Explanation",
    "Part",
    "Place",
    "Reason",
    "explain",
    "explained",
    "of_line",
    "page",
    "table",
    "write_page",
]
